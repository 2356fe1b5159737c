import { awaitRun, type FirstReads, seen } from './await-run.ts';
import type { Pace } from './pace.ts';
import type { StepParts } from './parts.ts';
import type { Target } from './plan.ts';
import { record, recordEnd } from './record.ts';
import { resumeRun } from './resume.ts';
import { type RunState, takeOver } from './run-state.ts';
import { settleRun } from './settle.ts';
import { firstThrown, type Stop, type StopSwitch, settleBy } from './stop.ts';
import { triggerRun } from './trigger-run.ts';

/** Longest time for the one read at the end of `timeout`, in milliseconds. */
const LAST_READ_MS = 10_000;

/** One request, and the longest pause after it, while a runner is about to kill; and while nobody presses. */
const HURRIED = { attemptMs: 2_000, pauseMs: 1_000 };
const UNHURRIED = { attemptMs: 10_000, pauseMs: 8_000 };

/** A run and the switch that ends its wait. */
export interface Watched {
  readonly run: RunState;
  readonly stopSwitch: StopSwitch;
}

/**
 * The first half of a run's life: takes or triggers it, and lets go of it when nobody wants to wait. `noMore` keeps
 * it from being triggered, and does nothing to a run that there is.
 */
export async function beginRun(
  { run, stopSwitch }: Watched,
  parts: StepParts,
  noMore: StopSwitch,
): Promise<void> {
  const { pipeline } = run;
  const isTaken = await takeExisting(run, run.target, parts, stopSwitch);
  if (!isTaken && pipeline !== undefined) {
    await triggerRun(run, pipeline, parts, firstThrown(stopSwitch, noMore));
  }
  if (isInProgress(run) && !parts.plan.wait && stopSwitch.thrown() === undefined) {
    run.standing = { at: 'detached' };
    record(parts, run, { kind: 'detached', run: run.number });
  }
}

/** True when there is nothing to trigger: the run exists, or what became of it cannot be told. */
async function takeExisting(
  run: RunState,
  target: Target,
  parts: StepParts,
  stopSwitch: StopSwitch,
): Promise<boolean> {
  if (target.kind === 'pipeline') return false;
  if (target.kind === 'resume') return resumeRun(run, target.jobId, parts, stopSwitch);
  attach(run, target.jobId, parts);
  return true;
}

function attach(run: RunState, jobId: Exclude<RunState['jobId'], undefined>, parts: StepParts): void {
  run.attached = true;
  run.jobId = jobId;
  run.startedAt = parts.clock.now();
  run.standing = { at: 'in_progress' };
  record(parts, run, { kind: 'attached', run: run.number, jobId });
  parts.observe({ type: 'attached', run });
}

/** The second half: awaits the run, and sees to it when the wait is stopped. Nothing to do for one that is over. */
export async function finishRun({ run, stopSwitch }: Watched, parts: StepParts, pace: Pace): Promise<void> {
  const { jobId } = run;
  if (jobId !== undefined && isInProgress(run)) {
    await awaitRun(run, jobId, parts, stopSwitch, firstReads(run, parts, pace));
    const stop = stopSwitch.thrown();
    if (stop !== undefined && isInProgress(run)) await applyStop(run, stop, parts);
  }
  parts.observe({ type: 'over', run });
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

async function applyStop(run: RunState, stop: Stop, parts: StepParts): Promise<void> {
  // Before the last read, which takes a while: whoever comes after a kill must know what was decided.
  recordDecision(run, stop, parts);
  if (stop.reason.kind === 'timeout' && (await endedAfterAll(run, parts))) return;
  run.stop = stop;
  if (stop.policy === 'leave') run.standing = { at: 'left' };
  else await cancel(run, stop, parts);
}

function recordDecision(run: RunState, stop: Stop, parts: StepParts): void {
  if (stop.policy === 'leave') record(parts, run, { kind: 'left', run: run.number });
  else if (stop.reason.kind !== 'interrupted') record(parts, run, { kind: 'cancelling', run: run.number });
}

/** A run that ended while nobody looked has ended: one more read, before a time-out is declared. */
async function endedAfterAll(run: RunState, parts: StepParts): Promise<boolean> {
  const { interruption, service, clock } = parts;
  if (run.jobId === undefined || interruption.first !== undefined) return false;
  const outcome = await service.read(run.jobId, {
    withinMs: () => LAST_READ_MS,
    signal: interruption.signal,
  });
  run.lastReadAt = clock.now();
  return outcome.kind === 'job' && seen(run, outcome, parts);
}

async function cancel(run: RunState, stop: Stop, parts: StepParts): Promise<void> {
  const { clock, interruption, plan } = parts;
  if (run.jobId === undefined) return;
  const pace = (): typeof HURRIED => (interruption.first === undefined ? UNHURRIED : HURRIED);
  const settlement = await settleRun(run.jobId, {
    service: parts.service,
    clock,
    random: parts.random,
    until: () => settleBy(stop, interruption),
    attemptMs: () => pace().attemptMs,
    longestPauseMs: () => pace().pauseMs,
    pollIntervalMs: plan.pollIntervalMs,
    hurry: interruption.signal,
    onSeen: (job) => takeOver(run, job, clock.now()),
    onTrouble: (problem) => parts.observe({ type: 'settle_failed', run, problem }),
  });
  if (settlement.kind === 'unsettled') run.standing = { at: 'unsettled', problem: settlement.problem };
  recordEnd(parts, run);
}
