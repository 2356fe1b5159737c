import { type Clock, pause } from '../base/clock.ts';
import type { Uuid } from '../base/uuid.ts';
import type { CallOptions, CancelOutcome, Job, Problem, ReadOutcome, Service } from '../service/api.ts';
import { isTerminal, type TerminalStatus } from '../service/statuses.ts';
import { backoffMs, isFailure, wishMs } from './retry.ts';
import { NO_TIME, trouble } from './settle-words.ts';

/** Reads that confirm a cancel and need not keep the poll interval. */
const FREE_READS = 3;

/** Pauses between two cancels, in milliseconds: short at first, since a lagging replica catches up in no time. */
const BASE_MS = 400;

export interface Settling {
  readonly service: Service;
  readonly clock: Clock;
  readonly random: () => number;
  /** The instant of the monotonic clock at which to give up; may move closer while this goes on. */
  readonly until: () => number;
  /** Milliseconds for each request; may become shorter too. */
  readonly attemptMs: () => number;
  /** Longest pause between two cancels, in milliseconds. */
  readonly longestPauseMs: () => number;
  /** Between two reads beyond the free ones, in milliseconds. */
  readonly pollIntervalMs: number;
  /** So many cancels and no more; absent: as many as there is time for. */
  readonly mostTries?: () => number;
  /** So many reads in a row without the run, and it is taken for none of this key's. Absent: it surely is one. */
  readonly mostMissing?: number;
  /** Hurry: ends the attempt or pause that is under way, and goes on at the shorter bounds. */
  readonly hurry: AbortSignal;
  readonly onTrouble: (problem: Problem) => void;
  /** Of who settles the same run more than once: the reads that it has had before. */
  readonly reads?: ConfirmingReads;
  /** Every row of the run that came back, an end as well: time may be up before this is over. */
  readonly onSeen: (job: Job) => void;
}

/** Reads that looked for the end of a run after its cancel: how many, and when the last one was answered. */
export interface ConfirmingReads {
  done: number;
  lastAt: number;
}

/** Of a run that nobody has tried to cancel yet. */
export function noReads(): ConfirmingReads {
  return { done: 0, lastAt: Number.NEGATIVE_INFINITY };
}

/** A job in a status that is an end. */
export type EndedJob = Job & { readonly status: TerminalStatus };

export type Settlement =
  /** A terminal row with the run's id was seen: cancelled by us, or ended before. */
  | { readonly kind: 'settled'; readonly job: EndedJob }
  | { readonly kind: 'unsettled'; readonly problem: Problem };

/**
 * Cancels one run and does not believe it before it has seen it: asks, reads when nothing changed, asks again
 * while the run is in progress. An end that came first is kept. Ends by `until` at the latest, never throws for
 * what the service does.
 */
export async function settleRun(jobId: Uuid, settling: Settling): Promise<Settlement> {
  const { clock } = settling;
  const { reads = noReads() } = settling;
  let missing = 0;
  let problem: Problem = NO_TIME;
  let rejection: Problem | undefined;
  for (let tried = 0; clock.now() < settling.until(); tried += 1) {
    const patched = await settling.service.cancel(jobId, bounds(settling));
    const answers: (CancelOutcome | ReadOutcome)[] = [patched];
    let last: CancelOutcome | ReadOutcome = patched;
    if (leavesOpen(patched) && mayRead(reads, settling)) {
      last = await settling.service.read(jobId, { ...bounds(settling), repeatIfTooLarge: true });
      answers.push(last);
      reads.done += 1;
      reads.lastAt = clock.now();
    }
    for (const answer of answers) {
      if (answer.kind === 'job') settling.onSeen(answer.job);
      if (isEnd(answer)) return { kind: 'settled', job: answer.job };
    }
    problem = trouble(isFailure(patched) ? patched : last) ?? problem;
    if (last.kind === 'missing') missing += 1;
    else if (last.kind === 'job') missing = 0;
    // A rejected key may be a fault of the service, so it does not end the settling. Once time is up, it is the cause.
    if (last.kind === 'key_refused') rejection = last.problem;
    else if (!isFailure(last)) rejection = undefined;
    if (missing >= (settling.mostMissing ?? Infinity)) break;
    if (last.kind === 'aborted') continue;
    if (tried + 1 >= (settling.mostTries?.() ?? Infinity)) break;
    const pauseMs = nextPauseMs(tried, last, settling);
    if (pauseMs >= settling.until() - clock.now()) break;
    settling.onTrouble(problem);
    await pause(clock, pauseMs, settling.hurry.aborted ? undefined : settling.hurry);
  }
  return { kind: 'unsettled', problem: rejection ?? problem };
}

/** Bounds of one request. In a hurry, the signal has done its work and would only end every attempt. */
function bounds({ hurry, attemptMs, until, clock }: Settling): CallOptions {
  const withinMs = (): number => Math.max(0, Math.min(attemptMs(), until() - clock.now()));
  return { withinMs, ...(!hurry.aborted && { signal: hurry }) };
}

function isEnd(
  answer: CancelOutcome | ReadOutcome,
): answer is { readonly kind: 'job'; readonly job: EndedJob } {
  return answer.kind === 'job' && isTerminal(answer.job.status);
}

/** Whether a cancel was taken, and only a read tells what became of it. */
function leavesOpen(patched: CancelOutcome): boolean {
  return !isFailure(patched) && !isEnd(patched);
}

function mayRead(reads: ConfirmingReads, settling: Settling): boolean {
  return reads.done < FREE_READS || settling.clock.now() - reads.lastAt >= settling.pollIntervalMs;
}

/** The service's own wish is kept, but never so long that no time is left for another try. */
function nextPauseMs(tried: number, answer: CancelOutcome | ReadOutcome, settling: Settling): number {
  const own = BASE_MS / 2 + backoffMs(settling.random, tried, BASE_MS, settling.longestPauseMs());
  const lastChance = settling.until() - settling.clock.now() - settling.attemptMs();
  return Math.max(own, Math.min(wishMs(answer), lastChance));
}
