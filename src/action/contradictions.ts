import { areExisting, isRetryable, isTooLateToRetry, type Plan } from '../run/plan.ts';
import { type InputReader, quotedList } from './input-reader.ts';
import type { InputName } from './input-table.ts';

/** Rejects combinations of inputs that contradict each other or might drop tables unintentionally. */
export function rejectContradictions(read: InputReader, plan: Plan): void {
  const { targets, fullResync, resetTarget, onLostResponse, wait, succeedOn, retryOn } = plan;
  const isWithoutTrigger = areExisting(targets);
  const hasAttempts = plan.maxAttempts > 1;
  const both = quotedList(retryOn.filter((status) => succeedOn.includes(status)));
  const noRun = (name: InputName): string =>
    `is true, but the step triggers no runs because the pipeline input is empty. Set the pipeline input, or remove the ${name} input.`;
  const rules: readonly (readonly [applies: boolean, name: InputName, whatAndHow: string])[] = [
    [
      hasAttempts && resetTarget,
      'max-attempts',
      'is above 1, but reset-target: true would drop the tables on every attempt. Remove max-attempts.',
    ],
    [
      hasAttempts && !retryOn.every(isRetryable),
      'retry-on',
      'contains "cancelled", but the step never retries a cancelled run. Remove this status.',
    ],
    [
      hasAttempts && both !== '',
      'retry-on',
      `contains ${both}, which succeed-on also contains. Keep each status in only one of the two inputs.`,
    ],
    [
      resetTarget && !fullResync,
      'reset-target',
      'is true without full-resync, so the recreated tables would contain only new data. Set full-resync: true as well, or remove reset-target.',
    ],
    [
      resetTarget && onLostResponse === 'retry',
      'reset-target',
      'is true, but on-lost-response: retry could drop the tables twice. Set on-lost-response: fail.',
    ],
    [
      resetTarget && targets.length > 1,
      'reset-target',
      `is true, but the pipeline input lists ${targets.length} pipelines. Reset each pipeline in its own step.`,
    ],
    [isWithoutTrigger && fullResync, 'full-resync', noRun('full-resync')],
    [isWithoutTrigger && resetTarget, 'reset-target', noRun('reset-target')],
    [
      isWithoutTrigger && !wait,
      'wait',
      'is false and the pipeline input is empty, so the step would have nothing to do. Set the pipeline input, or remove the wait input.',
    ],
  ];
  for (const [applies, name, whatAndHow] of rules) if (applies) read.mistake(name, whatAndHow);
}

const WAITING: readonly InputName[] = ['queue-timeout', 'on-timeout'];
const READING: readonly InputName[] = ['succeed-on', 'poll-interval'];
const ATTEMPTS: readonly InputName[] = ['max-attempts', 'retry-on', 'retry-delay'];
const SEVERAL: readonly InputName[] = ['max-parallel', 'fail-fast'];
const RUNS: readonly InputName[] = ['on-cancel', 'on-lost-response', ...SEVERAL, ...ATTEMPTS];

/** Returns a sentence for each input that has no effect under this plan and differs from its default. */
export function inputsWithoutEffect(read: InputReader, plan: Plan): string[] {
  const { targets, dryRun, wait, maxAttempts, timeoutMs, queueTimeoutMs } = plan;
  // The step reads existing runs even if it neither triggers nor waits.
  const reading = targets.some(({ jobId }) => jobId !== undefined) ? [] : READING;
  const rules: readonly (readonly [applies: boolean, reason: string, names: readonly InputName[]])[] = [
    [dryRun, 'dry-run is true', ['wait', ...WAITING, ...RUNS, ...reading]],
    [!wait, 'wait is false', [...WAITING, 'max-parallel', ...ATTEMPTS, ...reading]],
    [targets.length === 1, 'the step has only one run', SEVERAL],
    [areExisting(targets), 'the pipeline input is empty', ['max-parallel', 'on-lost-response', ...ATTEMPTS]],
    [maxAttempts === 1, 'max-attempts is 1', ['retry-on', 'retry-delay']],
    [isTooLateToRetry(timeoutMs, plan), 'timeout is not longer than retry-delay', ['max-attempts']],
    [timeoutMs === Infinity && queueTimeoutMs === Infinity, 'neither timeout nor queue-timeout is set', ['on-timeout']],
  ];
  const reasons = new Map<InputName, string>();
  for (const [applies, reason, names] of rules)
    for (const name of applies ? names : []) if (!reasons.has(name)) reasons.set(name, reason);
  return [...reasons]
    .filter(([name]) => read.isChanged(name))
    .map(([name, reason]) => `Input ${name} has no effect because ${reason}.`);
}
