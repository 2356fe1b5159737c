import { formatDuration } from '../../../base/duration.ts';
import type { Plan } from '../../../run/plan.ts';
import type { RunState } from '../../../run/state/run-state.ts';
import { titleOf } from '../../runner/entry-guard.ts';
import type { Machine } from '../../steps/machine.ts';
import { policyWords } from './announcement.ts';

/** GitHub ends a job on a GitHub-hosted runner after six hours (the documented limit on job execution time). */
const LONGEST_JOB_MS = 6 * 3_600_000;

/** Time between the warning and the six-hour limit, so that users can react. */
const AHEAD_MS = 1_800_000;

/**
 * Warns once, half an hour before GitHub ends a job on a GitHub-hosted runner. A step does not know when its job began,
 * so less time may be left. Call the returned function on every event of the step (at least one per poll interval). It
 * uses no timer, because a timer that runs for hours would keep a finished process alive.
 */
export function warnBeforeSixHours(
  { env, clock, toolkit }: Pick<Machine, 'env' | 'clock' | 'toolkit'>,
  { pollIntervalMs, onCancel, timeoutMs = Infinity }: Plan,
  runs: readonly RunState[],
): () => void {
  const endsAt = clock.now() + LONGEST_JOB_MS;
  // A shorter timeout ends the step before the job reaches the limit.
  let due = env['RUNNER_ENVIRONMENT'] === 'github-hosted' && timeoutMs >= LONGEST_JOB_MS;
  return () => {
    if (!due) return;
    const leftMs = endsAt - clock.now();
    const open = runs.filter(({ phase }) => phase.at === 'in_progress').length;
    // The next event may not occur until the next read.
    if (leftMs - pollIntervalMs > AHEAD_MS || open === 0) return;
    due = false;
    const message = [
      `GitHub will end this job in about ${formatDuration(leftMs)}, or sooner if the job began well before this step. At that point, ${policyWords(onCancel, open > 1)}, because on-cancel is ${onCancel}.`,
      'GitHub-hosted runners limit a job to 6 hours. To wait longer, set on-cancel: leave and await the run by its id (job-id input) in another job, or use a self-hosted runner.',
    ];
    toolkit.annotate('warning', titleOf('six hours'), message.join('\n'));
  };
}
