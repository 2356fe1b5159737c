import type { SingleSpec } from '../model/spec.ts';

/** What the step was asked to do, with the defaults that the README promises. Durations in milliseconds. */
export interface Policy {
  readonly wait: boolean;
  readonly pollMs: number;
  readonly timeoutMs: number;
  readonly queueTimeoutMs: number;
  readonly onTimeout: string;
  readonly onCancel: string;
  readonly always: boolean;
  readonly maxOutageMs: number;
  readonly succeedOn: readonly string[];
  readonly failFast: boolean;
  /** Infinity for all. */
  readonly maxParallel: number;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** In milliseconds; Infinity for none. */
export function duration(text: string): number {
  const [, amount, unit] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? [];
  return amount === undefined ? Infinity : Number(amount) * (UNITS[unit ?? ''] ?? 1);
}

/** Reads the inputs of a scenario as a user would who has read the README. */
export function policyOf({ inputs, mode }: SingleSpec): Policy {
  // A run that somebody else has triggered is not ours to cancel, unless we are told so.
  const policy = mode === 'attach' ? 'leave' : 'cancel';
  const given = (name: string, otherwise: string): string => {
    const text = inputs[name] ?? '';
    return text === '' ? otherwise : text;
  };
  return {
    wait: given('wait', 'true') === 'true',
    pollMs: duration(given('poll-interval', '30s')),
    timeoutMs: duration(given('timeout', '')),
    queueTimeoutMs: duration(given('queue-timeout', '')),
    onTimeout: given('on-timeout', policy),
    onCancel: given('on-cancel', policy),
    always: given('on-lost-response', 'fail') === 'retry',
    maxOutageMs: duration(given('max-outage', '15m')),
    maxParallel: Number(given('max-parallel', 'Infinity')),
    failFast: given('fail-fast', 'false') === 'true',
    succeedOn: given('succeed-on', 'completed, completed_with_warning, skipped')
      .split(',')
      .map((status) => status.trim()),
  };
}
