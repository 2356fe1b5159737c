import type { Clock } from '../base/clock.ts';
import type { Uuid } from '../base/uuid.ts';
import type { Job, Problem, Service } from '../service/api.ts';
import { type Settlement, settleRun } from './settle.ts';
import type { Interruption } from './stop.ts';

/** After a signal to the one who settles: the runner kills 7.5 s later at the earliest. In milliseconds, as all here. */
const HURRIED_MS = 6_500;
const ATTEMPT_MS = 10_000;
const HURRIED_ATTEMPT_MS = 2_000;
const LONGEST_PAUSE_MS = 15_000;

/** What settles runs for somebody who has minutes for it, unless a signal comes. */
export interface CalmSettling {
  readonly service: Service;
  readonly clock: Clock;
  readonly random: () => number;
  readonly interruption: Interruption;
  /** The instant of the monotonic clock, in milliseconds, at which to give up. */
  readonly until: number;
  readonly pollIntervalMs: number;
  /** As in `Settling`. */
  readonly mostMissing?: number;
  readonly onTrouble: (problem: Problem) => void;
  readonly onSeen: (job: Job) => void;
}

/** Cancels one run and confirms it, at the pace of one who is not about to be killed; faster after a signal. */
export function settleCalmly(jobId: Uuid, settling: CalmSettling): Promise<Settlement> {
  const { interruption, until } = settling;
  const isCalm = (): boolean => interruption.first === undefined;
  return settleRun(jobId, {
    ...settling,
    until: () => Math.min(until, (interruption.first?.at ?? Number.POSITIVE_INFINITY) + HURRIED_MS),
    attemptMs: () => (isCalm() ? ATTEMPT_MS : HURRIED_ATTEMPT_MS),
    longestPauseMs: () => (isCalm() ? LONGEST_PAUSE_MS : HURRIED_ATTEMPT_MS),
    hurry: interruption.signal,
  });
}
