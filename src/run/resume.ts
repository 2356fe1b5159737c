import { pause } from '../base/clock.ts';
import type { Uuid } from '../base/uuid.ts';
import type { ReadOutcome } from '../service/api.ts';
import { isTerminal } from '../service/statuses.ts';
import type { StepParts } from './parts.ts';
import { isFailure, isTransient, retryAfterMs } from './retry.ts';
import type { Run } from './state/ledger.ts';
import { problemOf } from './wait.ts';

/**
 * Resumes an earlier, already claimed run if it is in progress or has succeeded. Allows a new trigger if the earlier
 * run finished with any other status. If the step cannot read the earlier run, the run may still be in progress, so the
 * step triggers nothing and marks the run as lost.
 */
export async function resumeRun(run: Run, jobId: Uuid, parts: StepParts): Promise<void> {
  const { ledger, plan } = parts;
  const outcome = await readEarlier(run, jobId, parts);
  // If a stop and a failure coincide, the stop decides what to do with the run.
  if (outcome.kind === 'aborted' || (outcome.kind !== 'job' && run.stopped.aborted)) return;
  if (outcome.kind !== 'job') {
    const problem = problemOf(outcome);
    const cure = problem.remedy ?? 'Run this step again later.';
    const remedy = `The run may be in progress, so the step did not trigger another one. ${cure} To trigger a new run anyway, leave out job-id.`;
    ledger.apply(run, { kind: 'lost', problem: { ...problem, attempted: `read the earlier run ${jobId}`, remedy } });
    return;
  }
  const { job } = outcome;
  if (isTerminal(job.status) && !plan.succeedOn.has(job.status)) {
    ledger.apply(run, { kind: 'not_resumed', job });
    return;
  }
  ledger.apply(run, { kind: 'awaited', job });
  if (isTerminal(job.status)) ledger.apply(run, { kind: 'finished', job });
}

/** Reads an existing run for a dry run without changing the run. */
export async function lookAt(run: Run, jobId: Uuid, parts: StepParts): Promise<void> {
  const { ledger } = parts;
  const outcome = await readEarlier(run, jobId, parts);
  if (outcome.kind === 'aborted') return;
  if (outcome.kind === 'job') ledger.apply(run, { kind: 'dry_run', job: outcome.job });
  else {
    const problem = { ...problemOf(outcome), attempted: `read run ${jobId}` };
    ledger.apply(run, { kind: 'kept_back', problem });
  }
}

/** Reads an existing run, and retries transient failures at the poll interval until the maximum outage has passed. */
async function readEarlier(run: Run, jobId: Uuid, parts: StepParts): Promise<ReadOutcome> {
  const { clock, plan, ledger, service } = parts;
  const begun = clock.now();
  while (true) {
    const outcome = await service.read(jobId, { signal: run.stopped });
    // As in wait.ts, a 401 for a fresh token counts as an outage of the service.
    if (!isFailure(outcome) || (outcome.kind !== 'unauthorized' && !isTransient(outcome))) return outcome;
    const now = clock.now();
    const retryInMs = Math.max(plan.pollIntervalMs, retryAfterMs(outcome));
    if (now + retryInMs > begun + plan.maxOutageMs) return outcome;
    ledger.apply(run, { kind: 'read_failed', problem: outcome.problem, sinceMs: now - begun, retryInMs });
    await pause(clock, retryInMs, run.stopped);
  }
}
