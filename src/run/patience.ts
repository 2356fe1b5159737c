import { pause } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';
import type { Failure } from '../service/api.ts';
import { type CallName, failureText, type Problem } from '../service/problem.ts';
import type { Run } from './ledger.ts';
import type { Outside } from './parts.ts';
import { isStoppable } from './state.ts';

/* How long the step repeats its requests. Further attempts at a run (max-attempts) are made in carry-out.ts. */

/**
 * How long to repeat the exchange before the first token, unless the host responds that it is busy. A wrong base-url
 * causes the same failures as an outage.
 */
const WITHOUT_TOKEN_MS = 60_000;
/** A run is lost after this many rejections in a row. A single one may be a stale read. */
const LOST_AFTER_REJECTIONS = 3;
const BASE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** Returns a random pause in ms that grows with each failure and is at least as long as the service asks for. */
export function pauseAfter(random: () => number, tried: number, { retryAfterMs = 0 }: Hints, baseMs = BASE_MS): number {
  return Math.max(Math.min(baseMs / 4 + random() * baseMs * 2 ** tried, LONGEST_PAUSE_MS), retryAfterMs);
}

/** A call's result, which may say when to repeat the call and for how long. */
type Hints = Partial<Omit<Extract<Failure, { readonly isBusy?: boolean }>, 'kind' | 'problem' | 'isFinal'>> & {
  readonly kind?: string;
};

/** A failure that the step did not cause itself. */
export type Failed = Exclude<Failure, { kind: 'aborted' }>;

/** What a failure means for the request. */
export interface Decision {
  /** True if the step gives up. */
  readonly givesUp: boolean;
  readonly problem: Problem;
  /** The pause before the next try. Status checks use the poll interval instead. */
  readonly pauseMs: number;
  /** The pause that the service asked for, or 0. */
  readonly retryAfterMs: number;
}

/** The failures of one call since its last valid response, with no longer pause between them than `max-outage`. */
interface Outage {
  /** The time of the first failure. */
  readonly since: number;
  /** The time of the latest failure. */
  lastAt: number;
  /** The time of the first of the latest failures in a row that must end before `max-outage`, or Infinity. */
  shortSince: number;
  /** The causes and limits that the log has mentioned. */
  readonly noted: Set<string>;
}

/** What the requests of a step share. */
interface Shared {
  readonly parts: Pick<Outside, 'clock' | 'observer' | 'plan' | 'random' | 'time'>;
  /** One outage for the exchange, the list, the triggers of all runs, and the reads of each run. */
  readonly outages: Map<string, Outage>;
  /** The requests that are being repeated. */
  readonly failing: Set<PatientRequest>;
  hasToken: boolean;
}

/**
 * Decides how long the step repeats its requests: up to `max-outage` after the first failure of an outage.
 */
export class Patience {
  readonly #shared: Shared;

  constructor(parts: Shared['parts']) {
    this.#shared = { parts, outages: new Map(), failing: new Set(), hasToken: false };
  }

  /** True while requests get no valid response. */
  get isFailing(): boolean {
    return this.#failing().length > 0;
  }

  /** Returns why a run that waits for its trigger cannot have it now, or undefined if no request for it is failing. */
  hindranceOf(run: Run): Problem | undefined {
    // A failing trigger of another run also prevents this one. In a dry run, each run has its own status check.
    return this.#failing().find((request) => request.call !== 'read' || request.run === run)?.problem;
  }

  /** Requests for a run that has finished or is being cancelled are no longer repeated. */
  #failing(): PatientRequest[] {
    return [...this.#shared.failing].filter(({ run }) => run === undefined || isStoppable(run.state));
  }

  /** Begins a request that may be repeated. The status checks of a run are one request. */
  begin(call: CallName, run?: Run): PatientRequest {
    return new PatientRequest(this.#shared, call, run);
  }

  /** Sends a request without side effects, and repeats it until it succeeds, it fails for good, or `signal` aborts. */
  async repeat<T extends { readonly kind: string }>(
    call: 'exchange' | 'list',
    send: (options: { readonly signal: AbortSignal }) => Promise<T | Failure>,
    signal: AbortSignal,
  ): Promise<T | Failure> {
    const request = this.begin(call);
    while (true) {
      const result = await send({ signal });
      if (!isFailed(result)) {
        if (result.kind !== 'aborted') request.succeeded();
        return result;
      }
      const { givesUp, pauseMs, problem } = request.failed(result);
      if (givesUp) return { ...result, problem };
      // After a stop, the next request is not sent, and its result is `aborted`.
      await pause(this.#shared.parts.clock, pauseMs, signal);
    }
  }
}

/** Every kind of failure. The compiler reports a missing one. */
const FAILED: Readonly<Record<Failed['kind'], true>> = {
  not_processed: true,
  maybe_processed: true,
  rejected: true,
  key_invalid: true,
};

function isFailed(result: { readonly kind: string }): result is Failed {
  return Object.hasOwn(FAILED, result.kind);
}

/** A request that is repeated, and its failures since the last valid response. */
export class PatientRequest {
  readonly call: CallName;
  readonly run: Run | undefined;
  readonly #shared: Shared;
  #problem: Problem | undefined;
  #failures = 0;
  /** The number of rejections at the end of the latest failures, and how many of these say that there is no such run. */
  #rejections = 0;
  #missing = 0;

  constructor(shared: Shared, call: CallName, run: Run | undefined) {
    this.#shared = shared;
    this.call = call;
    this.run = run;
    // Between the triggers of two runs, hours may pass without a request, so the older outage says nothing.
    const { outages, parts } = shared;
    for (const key of [this.#key(), 'exchange'])
      if (parts.time.now() - (outages.get(key)?.lastAt ?? Infinity) > parts.plan.maxOutageMs) outages.delete(key);
  }

  /** Why the last try failed, if it did. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** The request got a valid response: a token, a list, an id, or the run's row. */
  succeeded(): void {
    const { failing, outages, parts } = this.#shared;
    this.#problem = undefined;
    this.#failures = 0;
    this.#rejections = 0;
    failing.delete(this);
    this.#shared.hasToken = true;
    const since = [this.#key(), 'exchange'].flatMap((key) => outages.get(key)?.since ?? []);
    outages.delete(this.#key());
    outages.delete('exchange');
    const forMs = parts.time.now() - Math.min(...since);
    if (since.length > 0)
      parts.observer.note(`The service is responding again after ${formatDuration(forMs)}.`, this.run);
  }

  /** Decides after a failed try whether the step gives up. If not, the log says why, and how long the step keeps trying. */
  failed(failure: Failed): Decision {
    const { failing, outages, parts } = this.#shared;
    const { problem } = failure;
    const { remark = '', retryAfterMs = 0 }: Hints = failure;
    const pauses = { pauseMs: pauseAfter(parts.random, this.#failures, failure), retryAfterMs };
    const giveUp = (cause = problem.cause): Decision => {
      failing.delete(this);
      // A single response without the run may be stale.
      const isOfId = problem.isOfId === true && this.#missing >= LOST_AFTER_REJECTIONS;
      return { givesUp: true, problem: { ...problem, cause, isOfId }, ...pauses };
    };
    // If the request got no token, the exchange has failed instead.
    const { call = this.call } = problem;
    if (call !== 'exchange') {
      this.#shared.hasToken = true;
      outages.delete('exchange');
    }
    if (this.call !== 'read' && isFinalForTrigger(failure)) {
      // A rejection ends the outage, so the next request with this call has its own time.
      if (failure.kind === 'rejected') outages.delete(this.#key());
      return giveUp();
    }
    this.#count(failure);
    if (this.#rejections >= LOST_AFTER_REJECTIONS || failure.kind === 'key_invalid') return giveUp();
    const { forMs, isLong, limitMs, outage, rule } = this.#measure(call, failure);
    if (isLong && this.#failures > 1)
      return giveUp(`${problem.cause}; no valid response for ${formatDuration(forMs)}${rule}`);
    const limit = this.#rejections > 0 ? this.#limitOfRejections(forMs) : this.#wordsOf(limitMs);
    // A failed exchange concerns all runs.
    this.#note(problem, limit, remark, outage, call === 'exchange' ? undefined : this.run);
    return { givesUp: false, problem: { ...problem, isOfId: false }, ...pauses };
  }

  /** Adds a failure to the outage of `call`. Returns how long the outage has lasted, and whether that is too long. */
  #measure(call: CallName, failure: Failed) {
    const { outages, parts } = this.#shared;
    const { maxOutageMs } = parts.plan;
    const now = parts.time.now();
    const outage = outages.get(this.#key(call)) ?? { since: now, lastAt: now, shortSince: Infinity, noted: new Set() };
    outage.lastAt = now;
    outages.set(this.#key(call), outage);
    const limitMs = Math.min(this.#limitOf(failure), maxOutageMs);
    outage.shortSince = limitMs < maxOutageMs ? Math.min(outage.shortSince, now) : Infinity;
    // If the request itself had failed before the exchange did, its time continues.
    const forMs = now - Math.min(outage.since, outages.get(this.#key())?.since ?? Infinity);
    const isLongest = forMs >= maxOutageMs;
    const isLong = isLongest || now - outage.shortSince >= limitMs;
    return { forMs, isLong, limitMs, outage, rule: isLongest ? ' (max-outage)' : '' };
  }

  #count({ kind, problem }: Failed): void {
    this.#failures += 1;
    this.#problem = problem;
    this.#shared.failing.add(this);
    this.#rejections = kind === 'rejected' ? this.#rejections + 1 : 0;
    this.#missing = problem.isOfId === true ? this.#missing + 1 : 0;
  }

  /** Adds a line to the log if the cause or the limit is new in this outage. */
  #note(problem: Problem, limit: string, remark: string, { noted }: Outage, run: Run | undefined): void {
    if (noted.has(problem.cause) && noted.has(limit)) return;
    const sentences = [failureText(problem), noted.has(limit) ? '' : limit, remark];
    noted.add(problem.cause).add(limit);
    this.#shared.parts.observer.note(sentences.join(' '), run);
  }

  /** Returns the key of an outage. The reads of each run have their own. */
  #key(call = this.call): string {
    return call === 'read' ? `read ${this.run?.number}` : call;
  }

  /** Returns the time in ms after which a longer wait would not help, or Infinity. */
  #limitOf({ isBusy = false, longestMs = Infinity }: Hints): number {
    if (!this.#shared.hasToken && !isBusy) return WITHOUT_TOKEN_MS;
    return longestMs;
  }

  #wordsOf(limitMs: number): string {
    const { maxOutageMs } = this.#shared.parts.plan;
    const rule = limitMs < maxOutageMs ? '' : ' (max-outage)';
    const what = this.call === 'read' ? 'The step will keep checking the status' : 'The step will retry';
    return `${what} for up to ${formatDuration(limitMs)}${rule}.`;
  }

  #limitOfRejections(forMs: number): string {
    const { maxOutageMs, pollIntervalMs } = this.#shared.parts.plan;
    const left = LOST_AFTER_REJECTIONS - this.#rejections;
    const isSooner = forMs + left * pollIntervalMs > maxOutageMs;
    const limit = `It also stops waiting after ${formatDuration(maxOutageMs)} without a valid response (max-outage).`;
    const count = `The step stops waiting after ${LOST_AFTER_REJECTIONS} such responses in a row. This was response ${this.#rejections} of ${LOST_AFTER_REJECTIONS}.`;
    return isSooner ? `${count} ${limit}` : count;
  }
}

/** Returns whether no retry can help a request that a trigger needs. Status checks have limits of their own. */
export function isFinalForTrigger(failure: Failed): boolean {
  return failure.kind === 'rejected' || failure.kind === 'key_invalid' || failure.isFinal === true;
}
