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

/** Reads that confirm a cancel and need not keep the poll interval. */
const FREE_READS = 3;

/** The first pause between two cancels, in milliseconds: short, because a lagging replica catches up quickly. */
const BASE_MS = 400;

/** With more runs, open attempts would exceed the limit of concurrent requests (guards.ts). */
const MOST_OVERLAPPING = 12;

/** How much time settling a run may take, in milliseconds. */
export interface SettleProfile {
  /** Without a signal, and after one. */
  readonly giveUpAfterMs: number;
  readonly giveUpAfterSignalMs: number;
  readonly calm: SettlePace;
  readonly hurried: SettlePace;
  /** Gives up after this many reads in a row without the run. Absent: the run is known to exist. */
  readonly mostMissing?: number;
}

/** How long one request may take, and the longest pause between two cancels, in milliseconds. */
interface SettlePace {
  readonly attemptMs: number;
  readonly pauseMs: number;
}

/** After a cancel, all post steps of a job share about 4 min 45 s. After a signal to post, the runner kills in 7.5 s at the earliest. */
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
  /** Does not spend minutes on an id that is mistyped or of another workspace. One read without it may be stale. */
  cancel: { ...POST, mostMissing: 3 },
} satisfies Record<string, SettleProfile>;

export type SettleParts = Pick<StepParts, 'ledger' | 'service' | 'clock' | 'random' | 'interruption'> & {
  readonly plan: Pick<Plan, 'pollIntervalMs'>;
};

/**
 * Cancels a run and confirms it. Afterwards the run is finished or unsettled. `since`: when the time of the profile
 * began, by the monotonic clock. Without a signal, sends at most `mostTries` cancels.
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
 * Keeps cancelling a run that could not be cancelled in time, once per poll interval, while the step waits for other
 * runs (until `noRunsLeft`). A signal causes one more hurried attempt.
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
  /** When to give up, by the monotonic clock. It may become earlier. */
  readonly until: () => number;
  /** It may become shorter. */
  readonly pace: () => SettlePace;
  /** Between two reads after the first `FREE_READS`, in milliseconds. */
  readonly pollIntervalMs: number;
  /** Whether an attempt that takes longer than `attemptMs` stays open while later ones start. Absent: it is aborted. */
  readonly staysOpen?: () => boolean;
  /** The maximum number of cancels. Absent: as many as there is time for. */
  readonly mostTries?: () => number;
  readonly mostMissing?: SettleProfile['mostMissing'] | undefined;
  /** Ends the current attempt or pause, and continues with the hurried limits. */
  readonly hurry: AbortSignal;
  readonly onTrouble: (problem: Problem) => void;
  /** Earlier reads that confirmed cancels of this run, because a run may be settled more than once. */
  readonly reads: Run['confirming'];
  /** Called with every row of the run, including its end, because the time may run out before this function returns. */
  readonly onSeen: (job: Job) => void;
}

export type Settlement =
  /** A row with the run's id and a final status was seen: the cancel worked, or the run had finished before. */
  { readonly kind: 'settled'; readonly job: Job } | { readonly kind: 'unsettled'; readonly problem: Problem };

/**
 * Cancels one run until a row shows that it has finished: sends a cancel, reads if that changed nothing, and repeats
 * both while the run is in progress. A run that finished before the cancel keeps its status. Returns by `until`, and
 * never throws because of a response.
 */
export async function confirmCancel(jobId: Uuid, settling: Settling): Promise<Settlement> {
  const { clock, hurry, reads, service, until } = settling;
  const attempts = new Attempts(settling);
  let missing = 0;
  let problem: Problem = NO_TIME;
  let rejection: Problem | undefined;
  let isOpen = false;
  for (let tried = 0; clock.now() < until() && attempts.ended === undefined; tried += 1) {
    const leftMs = until() - clock.now();
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
    // An attempt without time explains less than an earlier one.
    if (!isOpen && (problem === NO_TIME || leftMs >= 1_000)) problem = trouble(last) ?? problem;
    if (last.kind === 'missing') missing += 1;
    else if (last.kind === 'job') missing = 0;
    // A rejected key may be a fault of the service, so settling continues. When the time is up, it is reported as the cause.
    if (last.kind === 'key_refused') rejection = last.problem;
    else if (!isFailure(last)) rejection = undefined;
    if (missing >= (settling.mostMissing ?? Infinity)) break;
    if (last.kind === 'aborted') continue;
    if (tried + 1 >= (settling.mostTries?.() ?? Infinity)) break;
    const pauseMs = nextPauseMs(tried, last, settling);
    if (pauseMs >= until() - clock.now()) break;
    if (!isOpen) settling.onTrouble(problem);
    await pause(clock, pauseMs, hurry.aborted ? attempts.over : AbortSignal.any([hurry, attempts.over]));
  }
  await attempts.close();
  const job = attempts.ended;
  if (job !== undefined) return { kind: 'settled', job };
  // An attempt that was open for a long time has the best explanation.
  const late = isOpen ? (attempts.lastProblem ?? TOO_LONG.problem) : undefined;
  return { kind: 'unsettled', problem: rejection ?? late ?? problem };
}

type Answer = CancelOutcome | ReadOutcome;

/** The requests that cancel one run. The first response that shows its end counts. */
class Attempts {
  ended: Job | undefined;
  /** Why the last response did not settle the run. */
  lastProblem: Problem | undefined;
  readonly #settling: Settling;
  readonly #over = new AbortController();
  /** Aborted when the end of the run was seen. */
  readonly over = this.#over.signal;
  readonly #answers: Promise<unknown>[] = [];

  constructor(settling: Settling) {
    this.#settling = settling;
  }

  /** Sends a request. Resolves with its outcome, or with a failure if it takes too long. */
  async send<A extends Answer>(request: (options: CallOptions) => Promise<A>): Promise<A | Failure> {
    const { clock, hurry, pace, staysOpen, until } = this.#settling;
    const leftMs = (): number => Math.max(0, until() - clock.now());
    const withinMs = (): number => Math.min(pace().attemptMs, leftMs());
    const overlaps = staysOpen?.() === true;
    // Once hurried, the signal is already aborted and would end every attempt.
    const signal = hurry.aborted ? this.over : AbortSignal.any([hurry, this.over]);
    const options = { withinMs, signal, ...(overlaps && { requestWithinMs: leftMs }) };
    const answer = request(options).then((one) => this.#look(one));
    this.#answers.push(answer);
    if (!overlaps) return answer;
    const answered = new AbortController();
    const tooLong = pause(clock, withinMs(), AbortSignal.any([answered.signal, this.over]));
    const first = await Promise.race([answer, tooLong.then(() => TOO_LONG)]);
    answered.abort();
    return first;
  }

  /** Waits for open requests while there is time. */
  async close(): Promise<void> {
    const { clock, until } = this.#settling;
    await Promise.race([Promise.allSettled(this.#answers), pause(clock, until() - clock.now(), this.over)]);
    this.#over.abort();
  }

  #look<A extends Answer>(answer: A): A {
    this.lastProblem = trouble(answer) ?? this.lastProblem;
    if (answer.kind !== 'job' || this.over.aborted) return answer;
    this.#settling.onSeen(answer.job);
    if (!isEnd(answer)) return answer;
    this.ended = answer.job;
    this.#over.abort();
    return answer;
  }
}

/** The time was up before the first request. */
const NO_TIME: Problem = { attempted: 'cancel the run', cause: 'there was no time left for a request' };

/** The attempt stays open, and its response will say what is wrong. */
const TOO_LONG = {
  kind: 'maybe_processed',
  problem: { attempted: 'cancel the run', cause: 'no response had arrived when the step had to end' },
} as const satisfies Failure;

function isEnd(answer: Answer): boolean {
  return answer.kind === 'job' && isTerminal(answer.job.status);
}

/** Honours `Retry-After`, but leaves time for another attempt. */
function nextPauseMs(tried: number, answer: Answer, { clock, pace, random, until }: Settling): number {
  const { attemptMs, pauseMs } = pace();
  const own = BASE_MS / 2 + backoffMs(random, tried, BASE_MS, pauseMs);
  const lastChance = until() - clock.now() - attemptMs;
  return Math.max(own, Math.min(retryAfterMs(answer), lastChance));
}

/** Why a response to a cancel, or to the read after it, does not settle the run; undefined if the request was aborted. */
function trouble(answer: Answer): Problem | undefined {
  if (answer.kind === 'aborted') return undefined;
  if (isFailure(answer)) return answer.problem;
  switch (answer.kind) {
    case 'accepted':
      return answer.problem;
    case 'unchanged':
      return { attempted: 'cancel the run', cause: 'the service changed nothing, and no read showed a final status' };
    case 'missing':
      return {
        attempted: 'confirm the cancel',
        cause: 'this API key can see no run with this id',
        remedy: 'Check the id, and that the API key belongs to the workspace of the run.',
      };
    case 'job':
      return { attempted: 'cancel the run', cause: `its status is still ${answer.job.status}` };
  }
}
