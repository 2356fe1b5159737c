import { pause } from '../base/clock.ts';
import type { StepParts } from './parts.ts';
import { recordEnd } from './record.ts';
import { type RunState, takeOver } from './run-state.ts';
import { settleRun } from './settle.ts';
import { type Stop, settleBy } from './stop.ts';

/** One request, and the longest pause after it, while a runner is about to kill; and while nobody presses. */
const HURRIED = { attemptMs: 2_000, pauseMs: 1_000 };
const UNHURRIED = { attemptMs: 10_000, pauseMs: 8_000 };

/**
 * Cancels a run for a `stop`, and confirms it. Its standing says what came of it: ended, or unsettled. Asks `mostTries`
 * times at most; an interruption makes it go on for as long as the runner leaves.
 */
export async function cancelRun(
  run: RunState,
  stop: Stop,
  parts: StepParts,
  mostTries = Infinity,
): Promise<void> {
  const { clock, interruption, plan } = parts;
  if (run.jobId === undefined) return;
  const from = clock.now();
  const pace = (): typeof HURRIED => (interruption.first === undefined ? UNHURRIED : HURRIED);
  const settlement = await settleRun(run.jobId, {
    service: parts.service,
    clock,
    random: parts.random,
    until: () => settleBy(stop, from, interruption),
    attemptMs: () => pace().attemptMs,
    longestPauseMs: () => pace().pauseMs,
    pollIntervalMs: plan.pollIntervalMs,
    hurry: interruption.signal,
    mostTries: () => (interruption.first === undefined ? mostTries : Infinity),
    reads: run.confirming,
    onSeen: (job) => takeOver(run, job, clock.now()),
    onTrouble: (problem) => parts.observe({ type: 'settle_failed', run, problem }),
  });
  if (settlement.kind === 'unsettled') run.standing = { at: 'unsettled', problem: settlement.problem };
  recordEnd(parts, run);
}

/**
 * Goes on cancelling a run that could not be cancelled in its time, once in each poll interval: as long as the step
 * waits for others, until `alone`, there is time for that. An interruption makes it try once more, in haste.
 */
export async function cancelAgain(run: RunState, parts: StepParts, alone: AbortSignal): Promise<void> {
  const { clock, interruption, plan } = parts;
  const either = AbortSignal.any([alone, interruption.signal]);
  while (run.standing.at === 'unsettled' && run.stop !== undefined && !either.aborted) {
    parts.observe({ type: 'settle_failed', run, problem: run.standing.problem });
    await pause(clock, plan.pollIntervalMs, either);
    if (!alone.aborted) await cancelRun(run, run.stop, parts, 1);
  }
}
