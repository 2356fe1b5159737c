import { pause } from '../base/clock.ts';
import type { Uuid } from '../base/uuid.ts';
import type { CallOptions, CancelOutcome, Failure, Job, Problem, ReadOutcome } from '../service/api.ts';
import { isTerminal } from '../service/statuses.ts';
import { GIVE_UP_AFTER_MS, hurriedSince } from './interruption.ts';
import type { StepParts } from './parts.ts';
import type { Plan } from './plan.ts';
import { backoffMs, isFailure, retryAfterMs } from './retry.ts';
import { rowFact } from './state/facts.ts';
import type { Run } from './state/ledger.ts';
import { problemOf } from './wait.ts';

/** Number of reads that may confirm a cancellation without waiting for the poll interval. */
const FREE_READS = 3;

/** Base pause between two cancel requests, in ms. It is short because a lagging replica catches up quickly. */
const BASE_MS = 400;

/** An attempt that starts with less time (in ms) is cut short, so its failure explains less than an earlier one. */
const SHORT_MS = 1_000;

/** Maximum number of runs with overlapping attempts. More would exceed the limit on concurrent requests (guards.ts). */
const MOST_OVERLAPPING = 12;

/** The time limits for settling a run, in milliseconds. */
export interface SettleProfile {
  /** The time limits without a signal and after one. */
  readonly giveUpAfterMs: number;
  readonly giveUpAfterSignalMs: number;
  readonly calm: SettlePace;
  readonly hurried: SettlePace;
  /** Maximum number of consecutive reads that do not find the run. Absent if the run is known to exist. */
  readonly mostMissing?: number;
}

/** Timeout for one request, and the maximum pause between two cancel requests, in milliseconds. */
interface SettlePace {
  readonly attemptMs: number;
  readonly pauseMs: number;
}

/** All post steps of a cancelled job share about 4 min 45 s. The runner kills post at least 7.5 s after its SIGINT. */
const POST: SettleProfile = {
  giveUpAfterMs: 180_000,
  giveUpAfterSignalMs: 6_500,
  calm: { attemptMs: 10_000, pauseMs: 15_000 },
  hurried: { attemptMs: 2_000, pauseMs: 2_000 },
};

export const PROFILES = {
  /** Leaves 100 ms for the last message. */
  main: {
    giveUpAfterMs: 60_000,
    giveUpAfterSignalMs: GIVE_UP_AFTER_MS - 100,
    calm: { attemptMs: 10_000, pauseMs: 8_000 },
    hurried: { attemptMs: 2_000, pauseMs: 1_000 },
  },
  post: POST,
  /** Gives up early on an id that is mistyped or from another workspace. One read that finds no run may be stale. */
  cancel: { ...POST, mostMissing: 3 },
} satisfies Record<string, SettleProfile>;

export type SettleParts = Pick<StepParts, 'ledger' | 'service' | 'clock' | 'random' | 'interruption'> & {
  readonly plan: Pick<Plan, 'pollIntervalMs'>;
};

/**
 * Cancels a run and confirms the cancellation. Leaves the run finished or unsettled. `since` is the monotonic time when
 * the time limit of the profile starts. Without a signal, sends at most `mostTries` cancel requests.
 */
export async function settleRun(
  run: Run,
  parts: SettleParts,
  profile: SettleProfile,
  { since = parts.clock.now(), mostTries = Infinity } = {},
): Promise<void> {
  const { ledger, interruption } = parts;
  if (run.jobId === undefined) return;
  const isCalm = (): boolean => hurriedSince(interruption) === Infinity;
  const afterSignal = (): number => hurriedSince(interruption) + profile.giveUpAfterSignalMs;
  const settlement = await confirmCancel(run.jobId, {
    ...parts,
    until: () => Math.min(since + profile.giveUpAfterMs, afterSignal()),
    pace: () => (isCalm() ? profile.calm : profile.hurried),
    pollIntervalMs: parts.plan.pollIntervalMs,
    mostTries: () => (isCalm() ? mostTries : Infinity),
    staysOpen: () => !isCalm() && ledger.runs.length <= MOST_OVERLAPPING,
    mostMissing: profile.mostMissing,
    hurry: interruption.signal,
    reads: run.confirming,
    onTrouble: (problem) => ledger.apply(run, { kind: 'cancel_failed', problem }),
    onSeen: (job) => ledger.apply(run, rowFact(job, true)),
  });
  if (settlement.kind === 'unsettled') ledger.apply(run, settlement);
}

/**
 * Retries a cancellation that was not confirmed in time, once per poll interval, while the step waits for other runs
 * (until `noRunsLeft`). A signal triggers one more round of attempts with the hurried limits.
 */
export async function cancelAgain(run: Run, parts: SettleParts, noRunsLeft: AbortSignal): Promise<void> {
  const { clock, interruption, ledger, plan } = parts;
  const either = AbortSignal.any([noRunsLeft, interruption.signal]);
  while (run.phase.at === 'unsettled' && !either.aborted) {
    ledger.apply(run, { kind: 'cancel_failed', problem: run.phase.problem });
    await pause(clock, plan.pollIntervalMs, either);
    if (!noRunsLeft.aborted) await settleRun(run, parts, PROFILES.main, { mostTries: 1 });
  }
}

export interface Settling extends Pick<StepParts, 'service' | 'clock' | 'random'> {
  /** Returns when to give up, as a monotonic time. The deadline may move earlier. */
  readonly until: () => number;
  /** Returns the current limits on an attempt and a pause. The limits may become shorter. */
  readonly pace: () => SettlePace;
  /** Time between two reads after the first `FREE_READS`, in milliseconds. */
  readonly pollIntervalMs: number;
  /** Returns true if an attempt stays open after `attemptMs` while later ones start. If absent, no attempt does. */
  readonly staysOpen?: () => boolean;
  /** Returns the maximum number of cancel requests. If absent, only the deadline limits their number. */
  readonly mostTries?: () => number;
  readonly mostMissing?: SettleProfile['mostMissing'] | undefined;
  /** Aborts the current attempt or pause and switches to the hurried limits. */
  readonly hurry: AbortSignal;
  readonly onTrouble: (problem: Problem) => void;
  /** Earlier reads to confirm the cancellation of this run. The step may settle a run more than once. */
  readonly reads: Run['confirming'];
  /** Receives every row of the run, including the final one, because time may run out before confirmCancel returns. */
  readonly onSeen: (job: Job) => void;
}

export type Settlement =
  /** The service returned a row with the run's id and a final status, from the cancellation or from an earlier end. */
  { readonly kind: 'settled'; readonly job: Job } | { readonly kind: 'unsettled'; readonly problem: Problem };

/**
 * Keeps cancelling a run until a row shows that it has finished. Sends a cancel, reads the run if the cancel changed
 * nothing, and repeats both while the run is in progress. A run that finished before the cancel keeps its status.
 * Returns by `until`, and never throws because of a response.
 */
export async function confirmCancel(jobId: Uuid, settling: Settling): Promise<Settlement> {
  const { clock, hurry, reads, service, until } = settling;
  const attempts = new Attempts(settling);
  let missing = 0;
  let rejection: Problem | undefined;
  let isOpen = false;
  for (let tried = 0; clock.now() < until() && attempts.ended === undefined; tried += 1) {
    const patched = await attempts.send((options) => service.cancel(jobId, options));
    let last: Answer = patched;
    const isUnclear = !isFailure(patched) && !isEnd(patched);
    if (isUnclear && (reads.done < FREE_READS || clock.now() - reads.lastAt >= settling.pollIntervalMs)) {
      last = await attempts.send((options) => service.read(jobId, { ...options, repeatIfTooLarge: true }));
      reads.done += 1;
      reads.lastAt = clock.now();
    }
    if (attempts.ended !== undefined) break;
    isOpen = last === TOO_LONG;
    if (last.kind === 'missing') missing += 1;
    else if (last.kind === 'job') missing = 0;
    // A key rejection may be a service fault, so keep trying. If time runs out, report the rejection as the cause.
    if (last.kind === 'key_refused') rejection = last.problem;
    else if (!isFailure(last)) rejection = undefined;
    if (missing >= (settling.mostMissing ?? Infinity)) break;
    if (last.kind === 'aborted') continue;
    if (tried + 1 >= (settling.mostTries?.() ?? Infinity)) break;
    const pauseMs = nextPauseMs(tried, last, settling);
    if (pauseMs >= until() - clock.now()) break;
    if (!isOpen) settling.onTrouble(attempts.lastProblem ?? NO_TIME);
    await pause(clock, pauseMs, hurry.aborted ? attempts.over : AbortSignal.any([hurry, attempts.over]));
  }
  await attempts.close();
  const job = attempts.ended;
  if (job !== undefined) return { kind: 'settled', job };
  return { kind: 'unsettled', problem: rejection ?? attempts.lastProblem ?? (isOpen ? TOO_LONG.problem : NO_TIME) };
}

type Answer = CancelOutcome | ReadOutcome;

/** The requests that cancel one run. The first response with a final status settles the run. */
class Attempts {
  ended: Job | undefined;
  /** Why the last response did not settle the run. */
  lastProblem: Problem | undefined;
  readonly #settling: Settling;
  readonly #over = new AbortController();
  /** Aborts once a response shows a final status or time runs out. */
  readonly over = this.#over.signal;
  readonly #answers: Promise<unknown>[] = [];

  constructor(settling: Settling) {
    this.#settling = settling;
  }

  /** Sends a request. Resolves with the outcome of the request, or with a failure if the request takes too long. */
  async send<A extends Answer>(request: (options: CallOptions) => Promise<A>): Promise<A | Failure> {
    const { clock, hurry, pace, staysOpen, until } = this.#settling;
    const leftMs = (): number => Math.max(0, until() - clock.now());
    const withinMs = (): number => Math.min(pace().attemptMs, leftMs());
    const overlaps = staysOpen?.() === true;
    // After an interruption, `hurry` is already aborted and would abort every attempt.
    const signal = hurry.aborted ? this.over : AbortSignal.any([hurry, this.over]);
    const options = { withinMs, signal, ...(overlaps && { requestWithinMs: leftMs }) };
    const startedWithMs = leftMs();
    const answer = request(options).then((one) => this.#look(one, startedWithMs));
    this.#answers.push(answer);
    if (!overlaps) return answer;
    const answered = new AbortController();
    const tooLong = pause(clock, withinMs(), AbortSignal.any([answered.signal, this.over]));
    const first = await Promise.race([answer, tooLong.then(() => TOO_LONG)]);
    answered.abort();
    return first;
  }

  /** Waits for open requests until time runs out. */
  async close(): Promise<void> {
    const { clock, until } = this.#settling;
    await Promise.race([Promise.allSettled(this.#answers), pause(clock, until() - clock.now(), this.over)]);
    this.#over.abort();
  }

  #look<A extends Answer>(answer: A, startedWithMs: number): A {
    const isCutShort = startedWithMs < SHORT_MS && this.lastProblem !== undefined;
    if (!isCutShort) this.lastProblem = trouble(answer) ?? this.lastProblem;
    if (answer.kind !== 'job' || this.over.aborted) return answer;
    this.#settling.onSeen(answer.job);
    if (!isEnd(answer)) return answer;
    this.ended = answer.job;
    this.#over.abort();
    return answer;
  }
}

/** The problem to report if time ran out before the first request. */
const NO_TIME: Problem = { attempted: 'cancel the run', cause: 'there was no time left for a request' };

/** The failure to report on a timeout. The attempt stays open, and its response may explain the failure. */
const TOO_LONG = {
  kind: 'maybe_processed',
  problem: { attempted: 'cancel the run', cause: 'no response had arrived when the step had to end' },
} as const satisfies Failure;

function isEnd(answer: Answer): boolean {
  return answer.kind === 'job' && isTerminal(answer.job.status);
}

/** Returns a pause that honours `Retry-After` but leaves time for another attempt. */
function nextPauseMs(tried: number, answer: Answer, { clock, pace, random, until }: Settling): number {
  const { attemptMs, pauseMs } = pace();
  const own = BASE_MS / 2 + backoffMs(random, tried, BASE_MS, pauseMs);
  const lastChance = until() - clock.now() - attemptMs;
  return Math.max(own, Math.min(retryAfterMs(answer), lastChance));
}

/** Explains why a response to a cancel or read does not settle the run. Returns undefined if the call was aborted. */
function trouble(answer: Answer): Problem | undefined {
  if (answer.kind === 'aborted') return undefined;
  if (isFailure(answer)) return answer.problem;
  switch (answer.kind) {
    case 'accepted':
      return answer.problem;
    case 'unchanged':
      return { attempted: 'cancel the run', cause: 'the service changed nothing, and no read showed a final status' };
    case 'missing':
      return { ...problemOf(answer), attempted: 'confirm the cancellation' };
    case 'job':
      return { attempted: 'cancel the run', cause: `its status is still ${answer.job.status}` };
  }
}
