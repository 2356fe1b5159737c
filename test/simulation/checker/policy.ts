// What the inputs of a step request, with the defaults that the README promises. Durations are in milliseconds.
import type { SingleSpec } from '../model/spec.ts';

export interface Policy {
  readonly wait: boolean;
  readonly pollMs: number;
  readonly timeoutMs: number;
  readonly queueTimeoutMs: number;
  readonly onTimeout: string;
  readonly onCancel: string;
  /** Whether main repeats a trigger after a lost response. */
  readonly always: boolean;
  readonly maxOutageMs: number;
  readonly succeedOn: readonly string[];
  readonly failFast: boolean;
  /** Infinity if all runs may be in progress at once. */
  readonly maxParallel: number;
  readonly maxAttempts: number;
  readonly retryDelayMs: number;
  readonly retryOn: readonly string[];
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** In milliseconds; Infinity for no limit. */
function duration(text: string): number {
  const [, amount, unit] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? [];
  return amount === undefined ? Infinity : Number(amount) * (UNITS[unit ?? ''] ?? 1);
}

/** Reads the inputs of a scenario. */
export function policyOf({ inputs, mode }: Pick<SingleSpec, 'inputs' | 'mode'>): Policy {
  // By default, main does not cancel a run that another step triggered.
  const policy = mode === 'attach' ? 'leave' : 'cancel';
  const given = (name: string, otherwise: string): string => {
    const text = inputs[name] ?? '';
    return text === '' ? otherwise : text;
  };
  const list = (name: string, otherwise: string): string[] =>
    given(name, otherwise)
      .split(',')
      .map((status) => status.trim());
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
    succeedOn: list('succeed-on', 'completed, completed_with_warning, skipped'),
    maxAttempts: Number(given('max-attempts', '1')),
    retryDelayMs: duration(given('retry-delay', '1m')),
    retryOn: list('retry-on', 'failed, timed_out'),
  };
}
