import { aborted } from '../base/clock.ts';
import type { Uuid } from '../base/uuid.ts';
import type { Pace } from './pace.ts';
import type { StepParts } from './parts.ts';
import { resumeRun } from './resume.ts';
import { PROFILES, settleRun } from './settle.ts';
import { rowFact } from './state/facts.ts';
import type { Run } from './state/ledger.ts';
import { triggerRun } from './trigger.ts';
import { awaitRun, type FirstReads } from './wait.ts';

/** Timeout for each request of the final read when `timeout` expires, in milliseconds. */
const LAST_READ_MS = 10_000;

/** Begins to await an existing run, resumes an earlier one, or triggers a new one. */
export async function beginRun(run: Run, parts: StepParts): Promise<void> {
  const { pipeline, target } = run;
  if (target.kind === 'job') parts.ledger.apply(run, { kind: 'awaited' });
  if (target.kind === 'resume' && run.attempt === 1) await resumeRun(run, target.jobId, parts);
  if (run.phase.at === 'waiting' && pipeline !== undefined) await triggerRun(run, pipeline, parts);
}

/**
 * Awaits a run that has begun, and settles it if a stop ends the wait. With `wait: false`, detaches the run once
 * `allBegun` fires. Until then, a stop still applies to the run.
 */
export async function finishRun(run: Run, parts: StepParts, pace: Pace, allBegun: AbortSignal): Promise<void> {
  const { ledger, plan } = parts;
  const { jobId } = run;
  if (jobId === undefined || !isUnfinished(run)) return;
  if (plan.wait) await awaitRun(run, jobId, parts, firstReads(run, parts, pace));
  else await aborted(AbortSignal.any([allBegun, run.stopped]));
  if (run.stop?.reason.kind === 'timeout') await lookAgain(run, jobId, parts);
  if (run.stop !== undefined) await settleStopped(run, parts);
  else if (!plan.wait) ledger.apply(run, { kind: 'detached' });
}

/** Returns true if the run may still be in progress and the step has not lost contact with it. */
function isUnfinished({ phase }: Run): boolean {
  return phase.at === 'in_progress' || phase.at === 'left';
}

/** Schedules the first reads. The step reads an existing run immediately, unless it has already read that run. */
function firstReads(run: Run, { clock, plan }: StepParts, pace: Pace): FirstReads {
  const now = clock.now();
  if (run.lastReadAt !== undefined) return { at: run.lastReadAt + plan.pollIntervalMs, delayAfterMs: 0 };
  if (run.attached) return { at: now, delayAfterMs: pace.delayAfterFirst() };
  return { at: pace.firstReadAt(now), delayAfterMs: 0 };
}

/** Handles an unfinished run to which a stop applies. */
export async function settleStopped(run: Run, parts: StepParts): Promise<void> {
  if (run.phase.at === 'in_progress') await settleRun(run, parts, PROFILES.main);
}

/** Reads the status one last time before a timeout takes effect, because the run may have finished in the meantime. */
async function lookAgain(run: Run, jobId: Uuid, { interruption, ledger, service }: StepParts): Promise<void> {
  const options = { withinMs: () => LAST_READ_MS, repeatIfTooLarge: true, signal: interruption.signal };
  const outcome = await service.read(jobId, options);
  if (outcome.kind === 'job') ledger.apply(run, rowFact(outcome.job));
}
