import { pause } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';
import { bugOf, internalError, quoted } from '../base/text.ts';
import type { Run } from './ledger.ts';
import { barToRetry, isGoal, outcomeOf } from './outcome.ts';
import type { Outside, StepParts } from './parts.ts';
import { isExisting, isResume, isTooLateToRetry } from './plan.ts';
import { SETTLES_WITHIN_MS, settleRun } from './settle.ts';
import { again, isOpen, isStoppable, nameOf, notResumed } from './state.ts';
import { triggerRun } from './trigger.ts';
import { watch } from './watch.ts';

/**
 * Carries out one run, from the plan to its end. Each stage first checks the run's phase, so existing runs, resumed
 * runs and runs that were stopped at any point follow the same path. A stop or an internal error aborts `run.halted`,
 * which ends the stage in progress. After a stop, `run.state.stop` contains the reason.
 */
export async function carryOut(run: Run, parts: StepParts): Promise<void> {
  const { clock, ledger, observer, plan, stops } = parts;
  await parts.slots.take();
  try {
    if (run.state.phase.at === 'in_progress' && isResume(run.state.target)) await resume(run, parts);
    while (true) {
      if (run.state.phase.at === 'waiting') await triggerInTurn(run, parts);
      if (isOpen(run.state)) await (plan.wait ? watch(run, parts) : othersTriggered(run, parts));
      if (isOpen(run.state) && run.state.stop !== undefined) await settle(run, parts);
      if (!anotherAttemptFollows(run, parts)) return;
      const next = `Attempt ${run.state.attempt + 1} of ${plan.maxAttempts}`;
      const orLater = plan.maxParallel < Infinity ? ' or later (max-parallel)' : '';
      observer.note(`${next} starts in ${formatDuration(plan.retryDelayMs)}${orLater}.`, run);
      ledger.apply(run, again);
      // Another run can use the slot during the pause.
      parts.slots.release();
      await pause(clock, plan.retryDelayMs, run.halted, stops.timedOut);
      await parts.slots.take();
    }
  } catch (error) {
    // The other runs continue, unless fail-fast stops them.
    if (!ledger.abandon(run, bugOf(error))) observer.note(internalError(bugOf(error)), run);
  } finally {
    parts.ended.add(run);
    failFast(run, parts);
    parts.slots.release();
  }
}

/** Reads the run to resume until its status is known. If it has finished without success, prepares a new run. */
async function resume(run: Run, parts: StepParts): Promise<void> {
  const { ledger, observer, plan, stops } = parts;
  await watch(run, parts, true);
  const { jobId, status } = run.state;
  // After a stop, the timeout or an internal error, no new run follows, so this one is the result.
  if (run.halted.aborted || outcomeOf(run.state, plan) !== 'failed') return;
  const finished = `Run ${jobId} finished with the status "${status}"`;
  if (stops.timedOut.aborted) {
    observer.note(`${finished}. The step triggers no new run, because the timeout has expired.`, run);
    return;
  }
  observer.note(`${finished}, so the step triggers a new run.`, run);
  ledger.apply(run, notResumed);
}

/** Triggers a run once the result of every earlier trigger is known, so that a failure can prevent later triggers. */
async function triggerInTurn(run: Run, parts: StepParts): Promise<void> {
  const { turns } = parts;
  await turns.take();
  try {
    await triggerRun(run, parts);
    // If this run has already failed, the next run must not be triggered.
    failFast(run, parts);
  } finally {
    turns.release();
  }
}

/**
 * For `wait: false`, waits until all runs are triggered. This run gets a second turn only after each of the others has
 * had its first.
 */
async function othersTriggered(run: Run, { clock, turns }: StepParts): Promise<void> {
  const turn = turns.take().then(() => turns.release());
  await Promise.race([turn, pause(clock, Infinity, run.halted)]);
}

/** Returns whether another attempt follows: the status is in `retry-on`, and nothing prevents a new trigger. */
function anotherAttemptFollows({ halted, state }: Run, { plan, stops }: StepParts): boolean {
  const isStopped = halted.aborted || isTooLateToRetry(stops.leftMs(), plan);
  return !isStopped && barToRetry(state, plan) === undefined;
}

/**
 * Cancels a stopped run. The stop's policy is always `cancel` here, because `leave` takes effect as soon as the run is
 * stopped.
 */
export async function settle(run: Run, parts: Outside): Promise<void> {
  const { interruption, plan } = parts;
  const { pollIntervalMs } = plan;
  let wasInterrupted: boolean;
  do {
    wasInterrupted = interruption.signal.aborted;
    await settleRun(run, { ...parts, pollIntervalMs }, { withinMs: SETTLES_WITHIN_MS });
    // After an interruption, this may be the last process that can cancel the run, so it gets the full time again.
  } while (!wasInterrupted && interruption.signal.aborted && isOpen(run.state));
}

/** With `fail-fast`, the first run that does not succeed stops the others. `timeout` itself stops all runs. */
function failFast({ state }: Run, { plan, stops }: StepParts): void {
  if (!plan.failFast || isStoppable(state) || state.stop?.why === 'timeout') return;
  if (isGoal(outcomeOf(state, plan))) return;
  stops.failFast(isExisting(state.target) ? `run ${state.target.jobId}` : `pipeline ${quoted(nameOf(state), 60)}`);
}
