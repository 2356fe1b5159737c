import type { Clock } from '../base/clock.ts';
import { pause } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';
import { ATTEMPTED, type Failure } from './problem.ts';

/** The result of a successful exchange: everything that the other calls need. */
export interface Grant {
  readonly kind: 'granted';
  readonly token: string;
  readonly anonKey: string;
  readonly apiUrl: URL;
  readonly region: string;
  /** The lifetime of the token, counted from when the request was sent. */
  readonly ttlMs: number;
}

/** How long a caller waits. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly withinMs?: number | undefined;
  /** How long to wait for another caller's exchange, which may have stalled, before this caller makes its own. */
  readonly shareMs?: number | undefined;
}

/** Exchanges the API key for a token once. */
export type ExchangeKey = (withinMs: number) => Promise<Grant | Failure>;

/** The time limit for an exchange, and the default limit for its callers. */
export const EXCHANGE_WITHIN_MS = 30_000;
/** The fraction of a token's lifetime after which the token is renewed. */
const RENEW_AFTER = 0.9;
/** Pause after a failed renewal while the old token is still valid. */
const RENEW_AGAIN_MS = 30_000;

/** Shares one token between all calls. Uses the monotonic clock, because runners' wall clocks may be wrong. */
export class Session {
  readonly #exchange: ExchangeKey;
  readonly #clock: Clock;
  #grant: Grant | undefined;
  /** When the request for the current token was sent. */
  #bornAt = -Infinity;
  #renewal: { readonly startedAt: number; readonly outcome: Promise<Grant | Failure> } | undefined;
  #failedAt = -Infinity;

  constructor(exchange: ExchangeKey, clock: Clock) {
    this.#exchange = exchange;
    this.#clock = clock;
  }

  /** Returns a valid token, waiting for one if necessary. Renews an expiring token in the background. */
  async grant({
    signal,
    withinMs = EXCHANGE_WITHIN_MS,
    shareMs = withinMs,
  }: CallOptions = {}): Promise<Grant | Failure> {
    if (signal?.aborted) return { kind: 'aborted' };
    const now = this.#clock.now();
    const grant = this.#valid;
    if (grant !== undefined) {
      const isDue = now - this.#bornAt >= grant.ttlMs * RENEW_AFTER && now - this.#failedAt >= RENEW_AGAIN_MS;
      if (isDue && this.#renewal === undefined) void this.#renew(EXCHANGE_WITHIN_MS);
      return grant;
    }
    // A renewal that has already taken longer than this caller can wait may have stalled.
    const isStalled = this.#renewal !== undefined && now - this.#renewal.startedAt >= Math.min(withinMs, shareMs);
    const renewal = this.#renewal === undefined || isStalled ? this.#renew(withinMs) : this.#renewal.outcome;
    return this.#waitFor(renewal, withinMs, signal);
  }

  /** Reports that a request with this token received a 401. */
  invalidate(grant: Grant): void {
    if (this.#grant === grant) this.#grant = undefined;
  }

  get #valid(): Grant | undefined {
    const { ttlMs = 0 } = this.#grant ?? {};
    return this.#clock.now() - this.#bornAt < ttlMs ? this.#grant : undefined;
  }

  #renew(withinMs: number): Promise<Grant | Failure> {
    const startedAt = this.#clock.now();
    const outcome = this.#exchange(withinMs).then((result) => {
      if (this.#renewal?.outcome === outcome) this.#renewal = undefined;
      return this.#keep(result, startedAt);
    });
    this.#renewal = { startedAt, outcome };
    return outcome;
  }

  #keep(result: Grant | Failure, startedAt: number): Grant | Failure {
    // A stalled renewal must not replace the token from a later renewal.
    const newer = startedAt < this.#bornAt ? this.#valid : undefined;
    if (newer !== undefined) return newer;
    const isFirst = this.#bornAt === -Infinity;
    if (result.kind === 'granted') {
      this.#grant = result;
      this.#bornAt = startedAt;
      return result;
    }
    this.#failedAt = this.#clock.now();
    // The service accepted this key before, so unless it rejects the key, a failure is treated as an outage.
    if (isFirst || result.kind !== 'rejected') return result;
    return { kind: 'not_processed', problem: result.problem, call: 'exchange' };
  }

  /** Waits as long as this caller can. The renewal continues for other callers. */
  async #waitFor(
    renewal: Promise<Grant | Failure>,
    withinMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Grant | Failure> {
    const done = new AbortController();
    const givenUp = pause(this.#clock, withinMs, done.signal, ...(signal ? [signal] : [])).then((): Failure => {
      if (signal?.aborted) return { kind: 'aborted' };
      const problem = { attempted: ATTEMPTED.exchange, cause: `no response within ${formatDuration(withinMs)}` };
      return { kind: 'not_processed', problem, call: 'exchange' };
    });
    try {
      return await Promise.race([renewal, givenUp]);
    } finally {
      done.abort();
    }
  }
}
