import { aborted } from '../base/clock.ts';
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

/** Begins a run by resuming an existing one or triggering a new one. */
export async function beginRun(run: Run, parts: StepParts): Promise<void> {
  const { pipeline, target } = run;
  if (target.kind === 'job') parts.ledger.apply(run, { kind: 'awaited' });
  if (target.kind === 'resume' && run.attempt === 1) await resumeRun(run, target.jobId, parts);
  if (run.phase.at === 'waiting' && pipeline !== undefined) await triggerRun(run, pipeline, parts);
}

/**
 * Awaits a run that has begun, and settles it if a stop ends the wait. With `wait: false`, detaches the run once
 * `allBegun` fires. Until then, a stop applies to a detached run as well.
 */
export async function finishRun(run: Run, parts: StepParts, pace: Pace, allBegun: AbortSignal): Promise<void> {
  const { ledger, plan } = parts;
  const { jobId } = run;
  if (jobId === undefined || !isUnfinished(run)) return;
  if (plan.wait) await awaitRun(run, jobId, parts, firstReads(run, parts, pace));
  else await aborted(AbortSignal.any([allBegun, run.stopped]));
  const isStopped = run.stop !== undefined && run.stop.policy !== 'await';
  if (!plan.wait && !isStopped) ledger.apply(run, { kind: 'detached' });
  else await settleStopped(run, parts);
}

/** Returns true if the run may still be in progress and the step has not lost contact with it. */
function isUnfinished({ phase }: Run): boolean {
  return phase.at === 'in_progress' || phase.at === 'left';
}

/** Schedules an immediate read of an existing run, unless the step read it within the last interval. */
function firstReads(run: Run, { clock, plan }: StepParts, pace: Pace): FirstReads {
  const now = clock.now();
  if (run.lastReadAt !== undefined) return { at: run.lastReadAt + plan.pollIntervalMs, delayAfterMs: 0 };
  if (run.attached) return { at: now, delayAfterMs: pace.delayAfterFirst() };
  return { at: pace.firstReadAt(now), delayAfterMs: 0 };
}

/** Applies a stop to its run. */
export async function settleStopped(run: Run, parts: StepParts): Promise<void> {
  const { stop } = run;
  if (stop === undefined || !isUnfinished(run)) return;
  if (stop.reason.kind === 'timeout') await lookAgain(run, parts);
  if (run.phase.at === 'in_progress') await settleRun(run, parts, PROFILES.main);
}

/** Reads the status one last time before a timeout, because the run may have finished in the meantime. */
async function lookAgain(run: Run, { interruption, ledger, service }: StepParts): Promise<void> {
  const { signal } = interruption;
  if (run.jobId === undefined || interruption.first !== undefined) return;
  const options = { withinMs: () => LAST_READ_MS, repeatIfTooLarge: true, signal };
  const outcome = await service.read(run.jobId, options);
  if (outcome.kind === 'job') ledger.apply(run, rowFact(outcome.job));
}
