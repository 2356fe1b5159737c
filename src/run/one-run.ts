import { aborted } from '../base/clock.ts';
import type { Pace } from './pace.ts';
import type { StepParts } from './parts.ts';
import { resumeRun } from './resume.ts';
import { PROFILES, settleRun } from './settle.ts';
import { rowFact } from './state/facts.ts';
import type { Run } from './state/ledger.ts';
import { triggerRun } from './trigger.ts';
import { awaitRun, type FirstReads } from './wait.ts';

/** Longest time for each request of the read at the end of `timeout`, in milliseconds. */
const LAST_READ_MS = 10_000;

/** The first half of a run: takes an existing one or triggers one. */
export async function beginRun(run: Run, parts: StepParts): Promise<void> {
  const { pipeline, target } = run;
  if (target.kind === 'job') parts.ledger.apply(run, { kind: 'awaited' });
  if (target.kind === 'resume' && run.attempt === 1) await resumeRun(run, target.jobId, parts);
  if (run.phase.at === 'waiting' && pipeline !== undefined) await triggerRun(run, pipeline, parts);
}

/**
 * The second half of a run: awaits it, and settles it if the wait is stopped. With `wait: false`, detaches the run once
 * `allBegun`; until then, a stop applies to it too.
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

/** Whether a run may still be in progress, and is not lost. */
function isUnfinished({ phase }: Run): boolean {
  return phase.at === 'in_progress' || phase.at === 'left';
}

/** An existing run is read at once, unless it was read within the last interval. */
function firstReads(run: Run, { clock, plan }: StepParts, pace: Pace): FirstReads {
  const now = clock.now();
  if (run.lastReadAt !== undefined) return { at: run.lastReadAt + plan.pollIntervalMs, delayAfterMs: 0 };
  if (run.attached) return { at: now, delayAfterMs: pace.delayAfterFirst() };
  return { at: pace.firstReadAt(now), delayAfterMs: 0 };
}

/** Applies the stop of a run. */
export async function settleStopped(run: Run, parts: StepParts): Promise<void> {
  const { stop } = run;
  if (stop === undefined || !isUnfinished(run)) return;
  if (stop.reason.kind === 'timeout') await lookAgain(run, parts);
  if (run.phase.at === 'in_progress') await settleRun(run, parts, PROFILES.main);
}

/** Reads the status once more before a timeout, because the run may have finished by then. */
async function lookAgain(run: Run, { interruption, ledger, service }: StepParts): Promise<void> {
  const { signal } = interruption;
  if (run.jobId === undefined || interruption.first !== undefined) return;
  const options = { withinMs: () => LAST_READ_MS, repeatIfTooLarge: true, signal };
  const outcome = await service.read(run.jobId, options);
  if (outcome.kind === 'job') ledger.apply(run, rowFact(outcome.job));
}
