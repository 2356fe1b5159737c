import type { Clock } from '../base/clock.ts';
import { pause } from '../base/clock.ts';
import type { Failure } from './api.ts';

/** The result of a successful exchange, which contains everything that the other calls need. */
export interface Grant {
  readonly kind: 'granted';
  readonly token: string;
  readonly anonKey: string;
  readonly apiUrl: URL;
  readonly region: string;
  readonly ttlMs: number;
}

/** How long a caller waits for a token. */
export interface GrantOptions {
  readonly signal?: AbortSignal | undefined;
  readonly withinMs?: number | undefined;
}

/** The part of a token's lifetime after which it is renewed. */
const RENEW_AFTER = 0.9;
/** Pause after a failed renewal while the old token is still valid. */
const RENEW_AGAIN_MS = 30_000;
/** Time for which callers share a rejection of the key, because hundreds of runs may wait for a token. */
const SHARE_REJECTION_MS = 2_000;

/** Shares one token between all calls. Uses the monotonic clock, because the wall clocks of runners may be wrong. */
export class Session {
  readonly #exchange: (withinMs: number | undefined) => Promise<Grant | Failure>;
  readonly #clock: Clock;
  #grant: Grant | undefined;
  #bornAt = 0;
  #renewal: { readonly startedAt: number; readonly outcome: Promise<Grant | Failure> } | undefined;
  #lastFailure: { readonly failure: Failure; readonly at: number } | undefined;

  constructor(exchange: (withinMs: number | undefined) => Promise<Grant | Failure>, clock: Clock) {
    this.#exchange = exchange;
    this.#clock = clock;
  }

  /** Returns a valid token, waiting for one if necessary. Renews an expiring token in the background. */
  async grant({ signal, withinMs = Infinity }: GrantOptions = {}): Promise<Grant | Failure> {
    if (signal?.aborted) return { kind: 'aborted' };
    const now = this.#clock.now();
    const sinceFailureMs = now - (this.#lastFailure?.at ?? -Infinity);
    const grant = this.#grant;
    if (grant !== undefined && now - this.#bornAt < grant.ttlMs) {
      const isDue = now - this.#bornAt >= grant.ttlMs * RENEW_AFTER && sinceFailureMs >= RENEW_AGAIN_MS;
      if (isDue && this.#renewal === undefined) void this.#renew(undefined);
      return grant;
    }
    const { failure } = this.#lastFailure ?? {};
    if (failure?.kind === 'key_refused' && sinceFailureMs < SHARE_REJECTION_MS) return failure;
    // A renewal that already takes longer than this caller can wait may have stalled.
    const isStalled = this.#renewal !== undefined && now - this.#renewal.startedAt >= withinMs;
    const renewal = this.#renewal === undefined || isStalled ? this.#renew(withinMs) : this.#renewal.outcome;
    const tooLate = pause(this.#clock, withinMs, ...(signal ? [signal] : [])).then((): Failure => {
      if (signal?.aborted) return { kind: 'aborted' };
      return { kind: 'not_processed', problem: { attempted: EXCHANGE, cause: 'no response arrived in time' } };
    });
    return Promise.race([renewal, tooLate]);
  }

  /** Reports that a request with this token received a 401. */
  invalidate(grant: Grant): void {
    if (this.#grant === grant) this.#grant = undefined;
  }

  #renew(withinMs: number | undefined): Promise<Grant | Failure> {
    const startedAt = this.#clock.now();
    const outcome = this.#exchange(withinMs).then((result) => this.#keep(result, startedAt));
    this.#renewal = { startedAt, outcome };
    return outcome;
  }

  #keep(result: Grant | Failure, startedAt: number): Grant | Failure {
    if (this.#renewal?.startedAt === startedAt) this.#renewal = undefined;
    if (result.kind === 'granted') {
      this.#grant = result;
      this.#bornAt = startedAt;
      this.#lastFailure = undefined;
      return result;
    }
    this.#lastFailure = { failure: result, at: this.#clock.now() };
    // The key worked before, so a maintenance page means an outage, not a wrong address.
    if (this.#bornAt === 0 || result.kind !== 'rejected') return result;
    return { kind: 'not_processed', problem: result.problem };
  }
}

/** Completes "Could not …". */
export const EXCHANGE = 'exchange the API key for a token';
