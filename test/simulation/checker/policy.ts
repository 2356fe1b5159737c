// The behaviour that the inputs request, with the defaults that the README promises. Durations are in milliseconds.
import type { InputName } from '../../../src/action/inputs/input-table.ts';
import type { SingleSpec } from '../model/spec.ts';
import { durationMs } from './time.ts';

export type Policy = ReturnType<typeof policyOf>;

export function policyOf({ inputs, mode }: Pick<SingleSpec, 'inputs' | 'mode'>) {
  // By default, main does not cancel a run that another step triggered.
  const policy = mode === 'attach' ? 'leave' : 'cancel';
  const given = (name: InputName, otherwise: string): string => {
    const text = inputs[name] ?? '';
    return text === '' ? otherwise : text;
  };
  const list = (name: InputName, otherwise: string): string[] =>
    given(name, otherwise)
      .split(',')
      .map((status) => status.trim());
  const wait = given('wait', 'true') === 'true';
  // The time limits have no effect unless main waits.
  const limit = (name: InputName): number => (wait ? durationMs(given(name, '')) : Infinity);
  return {
    wait,
    pollMs: durationMs(given('poll-interval', '30s')),
    timeoutMs: limit('timeout'),
    queueTimeoutMs: limit('queue-timeout'),
    onTimeout: given('on-timeout', policy),
    onCancel: given('on-cancel', policy),
    /** Whether main repeats a trigger after a lost response. */
    always: given('on-lost-response', 'fail') === 'retry',
    maxOutageMs: durationMs(given('max-outage', '15m')),
    /** Infinity if all runs may be in progress at once. */
    maxParallel: Number(given('max-parallel', 'Infinity')),
    failFast: given('fail-fast', 'false') === 'true',
    succeedOn: list('succeed-on', 'completed, completed_with_warning, skipped'),
    maxAttempts: Number(given('max-attempts', '1')),
    retryDelayMs: durationMs(given('retry-delay', '1m')),
    retryOn: list('retry-on', 'failed, timed_out'),
  };
}
