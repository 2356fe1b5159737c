import { aborted } from '../base/clock.ts';
import type { Uuid } from '../base/uuid.ts';
import { isTerminal } from '../service/statuses.ts';
import { awaitRun, type FirstReads, seen } from './await-run.ts';
import { cancelRun } from './cancel-run.ts';
import type { Pace } from './pace.ts';
import type { StepParts } from './parts.ts';
import { record } from './record.ts';
import { resumeRun } from './resume.ts';
import type { RunState } from './run-state.ts';
import { firstThrown, type Stop, type StopSwitch } from './stop.ts';
import { triggerRun } from './trigger-run.ts';

/** Longest time for the one read at the end of `timeout`, in milliseconds. */
const LAST_READ_MS = 10_000;

/** A run and the switch that ends its wait. */
export interface Watched {
  readonly run: RunState;
  readonly stopSwitch: StopSwitch;
}

/**
 * Takes responsibility for a run that exists, before anything is asked of the service: from here on a stop, or a
 * post step, sees to it as to one that was triggered here.
 */
export function claim(run: RunState, jobId: Uuid, parts: StepParts): void {
  run.attached = true;
  run.jobId = jobId;
  run.standing = { at: 'in_progress' };
  record(parts, run, { kind: 'attached', run: run.number, jobId });
}

/** The first half of a run's life: takes or triggers it. `noMore` keeps it from being triggered, and does no more. */
export async function beginRun(
  { run, stopSwitch }: Watched,
  parts: StepParts,
  noMore: StopSwitch,
): Promise<void> {
  const { pipeline, target } = run;
  if (target.kind === 'job') attach(run, parts);
  else if (target.kind === 'resume' && (await resumeRun(run, target.jobId, parts, stopSwitch))) return;
  else if (pipeline !== undefined) await triggerRun(run, pipeline, parts, firstThrown(stopSwitch, noMore));
}

function attach(run: RunState, parts: StepParts): void {
  run.startedAt = parts.clock.now();
  parts.observe({ type: 'attached', run });
}

/**
 * The second half: awaits the run, and sees to it when the wait is stopped. Nothing to do for one that is over. A
 * run that nobody waits for is let go once `allBegun`: until then, whoever stops the step stops it too.
 */
export async function finishRun(
  { run, stopSwitch }: Watched,
  parts: StepParts,
  pace: Pace,
  allBegun: AbortSignal,
): Promise<void> {
  const { jobId } = run;
  if (jobId === undefined || !isInProgress(run)) return;
  if (parts.plan.wait) await awaitRun(run, jobId, parts, stopSwitch, firstReads(run, parts, pace));
  else await aborted(AbortSignal.any([allBegun, stopSwitch.signal]));
  const stop = stopSwitch.thrown();
  if (!parts.plan.wait && stop?.reason.kind !== 'interrupted') detach(run, parts);
  else if (stop !== undefined && isInProgress(run)) await applyStop(run, stop, parts);
}

function detach(run: RunState, parts: StepParts): void {
  run.standing = { at: 'detached' };
  record(parts, run, { kind: 'detached', run: run.number });
}

/** A run that existed before is read at once, and not again within the interval if it just was. */
function firstReads(run: RunState, parts: StepParts, pace: Pace): FirstReads {
  const now = parts.clock.now();
  if (run.lastReadAt !== undefined) {
    return { at: run.lastReadAt + parts.plan.pollIntervalMs, delayAfterMs: 0 };
  }
  if (run.attached) return { at: now, delayAfterMs: pace.delayAfterFirst() };
  return { at: pace.firstReadAt(now), delayAfterMs: 0 };
}

function isInProgress(run: RunState): boolean {
  return run.standing.at === 'in_progress';
}

/** Does with a run what a stop asks for; its standing says what came of it. */
export async function applyStop(run: RunState, stop: Stop, parts: StepParts): Promise<void> {
  // Both before the last read, which takes a while: whoever comes after a kill or a crash must know what was decided.
  recordDecision(run, stop, parts);
  run.stop = stop;
  if (stop.reason.kind === 'timeout' && (await endedAfterAll(run, parts))) return;
  if (stop.policy === 'leave') run.standing = { at: 'left' };
  else await cancelRun(run, stop, parts);
}

/** Writes down what becomes of a run that is stopped, where `on-cancel` does not say it. */
export function recordDecision(
  run: RunState,
  stop: Stop,
  parts: Pick<StepParts, 'ledger' | 'observe'>,
): void {
  if (stop.policy === 'leave') record(parts, run, { kind: 'left', run: run.number });
  else if (stop.reason.kind !== 'interrupted') record(parts, run, { kind: 'cancelling', run: run.number });
}

/** A run that ended while nobody looked has ended: one more read, before a time-out is declared. */
async function endedAfterAll(run: RunState, parts: StepParts): Promise<boolean> {
  const { interruption, service, clock } = parts;
  if (run.jobId === undefined || interruption.first !== undefined) return false;
  const outcome = await service.read(run.jobId, {
    withinMs: () => LAST_READ_MS,
    repeatIfTooLarge: true,
    signal: interruption.signal,
  });
  run.lastReadAt = clock.now();
  if (outcome.kind !== 'job') return false;
  // Then nothing has stopped it.
  if (isTerminal(outcome.job.status)) run.stop = undefined;
  return seen(run, outcome, parts);
}
