import type { Plan, Target } from '../../run/plan.ts';
import type { InputReader } from './input-reader.ts';
import { defaultOf, type InputName } from './input-table.ts';

/** Returns whether the step only waits for existing runs. */
export function areExistingRuns(targets: readonly Target[]): boolean {
  return targets.length > 0 && targets.every(({ kind }) => kind === 'job');
}

/** Rejects contradictory inputs, such as combinations that might drop tables unintentionally. */
export function refuseContradictions(read: InputReader, plan: Plan): void {
  const { targets, fullResync, resetTarget, onLostResponse, wait, succeedOn, retryOn } = plan;
  const existing = areExistingRuns(targets);
  const again = plan.maxAttempts > 1;
  const both = [...retryOn].filter((status) => succeedOn.has(status)).join(', ');
  const inBoth = `contains ${both}, which succeed-on also contains. Use each status in only one of the two inputs.`;
  const forSeveral = `is true for ${targets.length} pipelines. Name exactly one pipeline, so that it is clear whose tables are dropped.`;
  const rules: readonly (readonly [applies: boolean, name: InputName, whatAndHow: string])[] = [
    [again && resetTarget, 'max-attempts', DROPPED_AGAIN],
    [again && retryOn.has('cancelled'), 'retry-on', REPEATS_CANCELLED],
    [again && both !== '', 'retry-on', inBoth],
    [resetTarget && !fullResync, 'reset-target', PARTLY_FILLED],
    [resetTarget && onLostResponse === 'retry', 'reset-target', DROPPED_TWICE],
    [resetTarget && targets.length > 1, 'reset-target', forSeveral],
    [existing && fullResync, 'full-resync', UNCHANGEABLE],
    [existing && resetTarget, 'reset-target', UNCHANGEABLE],
    [existing && !wait, 'wait', NOTHING_BUT_WAIT],
  ];
  for (const [applies, name, whatAndHow] of rules) if (applies) read.mistake(name, whatAndHow);
}

const DROPPED_AGAIN =
  'is above 1 together with reset-target: true, which would drop the tables on each attempt. Leave out max-attempts.';
const REPEATS_CANCELLED = 'contains cancelled, but the step never retries a cancelled run. Leave out cancelled.';
const PARTLY_FILLED =
  'is true without full-resync, so the recreated tables would contain only new data. Set full-resync: true as well, or leave out reset-target.';
const DROPPED_TWICE =
  'is true together with on-lost-response: retry, which may drop the tables twice. Set on-lost-response: fail.';
const UNCHANGEABLE =
  'is true, but with job-id alone, the step awaits an existing run and cannot change it. Leave out this input, or set pipeline as well.';
const NOTHING_BUT_WAIT = 'is false, but with job-id alone, the step only waits. Leave out this input.';

/** Returns one sentence, with a reason, for each non-default input that has no effect under this plan. */
export function idleInputs(read: InputReader, plan: Plan): string[] {
  const { targets, dryRun, wait, maxAttempts, timeoutMs, queueTimeoutMs } = plan;
  // The step reads existing runs even if it neither triggers nor waits.
  const readsRuns = targets.some(({ kind }) => kind !== 'pipeline');
  const forReading: InputName[] = readsRuns ? [] : ['succeed-on', 'poll-interval', 'max-outage'];
  const forWaiting: InputName[] = ['timeout', 'queue-timeout', 'on-timeout'];
  const forSeveral: InputName[] = ['max-parallel', 'fail-fast'];
  const forAttempts: InputName[] = ['max-attempts', 'retry-on', 'retry-delay'];
  const forRuns: InputName[] = ['on-cancel', 'succeed-on', 'on-lost-response', ...forSeveral, ...forAttempts];
  const rules: readonly (readonly [applies: boolean, reason: string, names: readonly InputName[]])[] = [
    [dryRun, 'with dry-run: true', ['wait', ...forWaiting, ...forRuns, ...forReading]],
    [!wait, 'with wait: false', [...forWaiting, 'max-parallel', ...forAttempts, ...forReading]],
    [targets.length <= 1, 'with one run', forSeveral],
    [areExistingRuns(targets), 'with job-id alone', ['max-parallel', 'on-lost-response', ...forAttempts]],
    [maxAttempts === 1, 'with max-attempts: 1', ['retry-on', 'retry-delay']],
    [timeoutMs === undefined && queueTimeoutMs === undefined, 'without timeout or queue-timeout', ['on-timeout']],
  ];
  const reasons = new Map<InputName, string>();
  for (const [applies, reason, names] of rules) {
    for (const name of applies ? names : []) if (!reasons.has(name)) reasons.set(name, reason);
  }
  return [...reasons]
    .filter(([name]) => read.text(name) !== defaultOf(name))
    .map(([name, reason]) => `Input ${name} has no effect ${reason}.`);
}
