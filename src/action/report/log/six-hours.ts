import type { Clock } from '../../../base/clock.ts';
import { formatDuration } from '../../../base/duration.ts';
import type { OnStop, Plan } from '../../../run/plan.ts';
import type { RunState } from '../../../run/state/run-state.ts';
import type { Environment } from '../../inputs/input-table.ts';
import type { Toolkit } from '../../runner/toolkit.ts';
import { policyWords } from './announcement.ts';

/** GitHub ends a job on one of its own runners after six hours (its documented limit of job execution time). */
const LONGEST_JOB_MS = 6 * 3_600_000;

/** So long before that, people are told: long enough to do something about it. */
const AHEAD_MS = 1_800_000;

/**
 * Warns once, half an hour before a job on a GitHub-hosted runner must end. When the job began is not known to a
 * step of it; this step's own beginning is the latest that it can have been, so there may be less time left. Called
 * with whatever happens in the step, which is at least a read of each run per poll interval: a timer of hours would
 * keep alive a process that has nothing else left to do.
 */
export function warnBeforeSixHours(
  parts: { readonly env: Environment; readonly clock: Clock; readonly toolkit: Pick<Toolkit, 'annotate'> },
  plan: Pick<Plan, 'pollIntervalMs' | 'onCancel' | 'timeoutMs'>,
  runs: readonly RunState[],
): () => void {
  const { env, clock, toolkit } = parts;
  const begun = clock.now();
  // A shorter timeout decides before the job ends.
  let due = env['RUNNER_ENVIRONMENT'] === 'github-hosted' && (plan.timeoutMs ?? Infinity) >= LONGEST_JOB_MS;
  return () => {
    if (!due) return;
    const leftMs = begun + LONGEST_JOB_MS - clock.now();
    // The next that happens may be the next read.
    const isNear = leftMs - plan.pollIntervalMs <= AHEAD_MS;
    const open = runs.filter(({ phase }) => phase.at === 'in_progress').length;
    if (!isNear || open === 0) return;
    due = false;
    toolkit.annotate('warning', 'run-pipeline: six hours', warning(leftMs, plan.onCancel, open > 1));
  };
}

function warning(leftMs: number, onCancel: OnStop, many: boolean): string {
  const what = policyWords(onCancel, many);
  return [
    `GitHub ends this job in about ${formatDuration(leftMs)}, or sooner if it began well before this step; then ${what}, because on-cancel is ${onCancel}.`,
    'A job on a GitHub-hosted runner may take 6 hours. To wait longer, set on-cancel: leave and await the run by its id, the input job-id, in a further job; or use a runner of your own.',
  ].join('\n');
}
