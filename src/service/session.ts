import type { Clock } from '../base/clock.ts';
import { pause } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';
import { type CallName, type Failure, type Problem, problemOf } from './problem.ts';

/** The result of a successful exchange: everything that the other calls need. */
export interface Grant {
  readonly kind: 'granted';
  readonly token: string;
  readonly anonKey: string;
  readonly apiUrl: URL;
  readonly region: string;
  /** The lifetime of the token, from the time when the request was sent. */
  readonly ttlMs: number;
}

/** What one exchange resulted in. `key_rejected`: the service rejected the key, or returned no usable token for it. */
export type Exchanged = Grant | Failure | { readonly kind: 'key_rejected'; readonly problem: Problem };

/** Exchanges the API key for a token once. */
export type ExchangeKey = (withinMs: number) => Promise<Exchanged>;

/**
 * What a response says about the credential of its request. `refused`: the credential is not valid, so the request was
 * not processed. `doubted`: another token may help.
 */
export type Credential = 'accepted' | 'refused' | 'doubted' | 'none';

/** The result of one request of a call. */
export interface Reply<T> {
  readonly result: T | Failure;
  readonly credential: Credential;
}

/** How long a caller waits. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly withinMs?: number | undefined;
  /** How long to wait for another caller's exchange, which may have stalled, before this caller makes its own. */
  readonly shareMs?: number | undefined;
}

/** The usual time limit for a request, such as an exchange, and the default limit for callers of an exchange. */
export const REQUEST_WITHIN_MS = 30_000;
/** The fraction of a token's lifetime after which the token is renewed. */
const RENEW_AFTER = 0.9;
/** Pause after a failed renewal while the old token is still valid. */
const RENEW_AGAIN_MS = 30_000;
/** This many rejections of the key over at least this time are final. Fewer may be a fault of the service. */
const FINAL_REJECTIONS = 3;
const FINAL_AFTER_MS = 60_000;
const SOONER = `The step gives up sooner if the service rejects the key ${FINAL_REJECTIONS} times over at least ${formatDuration(FINAL_AFTER_MS)}.`;
/** The maximum number of tokens with which a call may be sent. Reads and cancels are soon repeated in any case. */
const TOKENS_PER_CALL: Readonly<Record<CallName, number>> = { exchange: 1, list: 3, trigger: 3, read: 2, cancel: 2 };
/**
 * How often reads and cancels replace a refused token, and their pause after a failed exchange. Otherwise, the requests
 * of many runs would exchange the key hundreds of times a minute.
 */
const REPLACE_EVERY_MS = 5_000;
const EXCHANGE_AGAIN_MS = 1_000;

/**
 * Shares one token between all calls, and decides when a refused token is replaced and when a rejected key is final.
 * Uses the monotonic clock, because runners' wall clocks may be wrong.
 */
export class Session {
  readonly #exchange: ExchangeKey;
  readonly #host: string;
  readonly #clock: Clock;
  readonly #isFirstRejectionFinal: boolean;
  #grant: Grant | undefined;
  /** When the request for the current token was sent. */
  #bornAt = -Infinity;
  #renewal: { readonly startedAt: number; readonly result: Promise<Grant | Failure> } | undefined;
  #failedAt = -Infinity;
  /** When a refused token was last dropped to be replaced. */
  #droppedAt = -Infinity;
  /** The token that replaced a doubted one, until a call succeeds. If it is doubted too, tokens are not the problem. */
  #unproven: Grant | undefined;
  /** The number of rejections of the key since the last valid token, and when the first was requested. */
  #rejections = 0;
  #rejectedAt = Infinity;

  /**
   * @param host the host of the exchange, for messages
   * @param isFirstRejectionFinal whether a single rejection is final if the service has never accepted the key
   */
  constructor(exchange: ExchangeKey, host: string, clock: Clock, isFirstRejectionFinal: boolean) {
    this.#exchange = exchange;
    this.#host = host;
    this.#clock = clock;
    this.#isFirstRejectionFinal = isFirstRejectionFinal;
  }

  /** Returns a valid token, waiting for one if necessary. Renews an expiring token in the background. */
  async grant(options: CallOptions = {}): Promise<Grant | Failure> {
    if (options.signal?.aborted) return { kind: 'aborted' };
    const now = this.#clock.now();
    const grant = this.#valid;
    if (grant === undefined) return this.#renewed(options);
    const isDue = now - this.#bornAt >= grant.ttlMs * RENEW_AFTER && !this.#hasJustFailed;
    if (isDue && this.#renewal === undefined) void this.#renew(REQUEST_WITHIN_MS);
    return grant;
  }

  /**
   * Sends a call's request, and sends it again with a new token if the service refuses or doubts the token. `send` gets
   * the time in ms that the call has left. Returns the result of the last request, or why there is no token.
   */
  async call<T>(
    name: CallName,
    send: (grant: Grant, leftMs: number) => Promise<Reply<T>>,
    options: CallOptions,
  ): Promise<T | Failure> {
    const { shareMs, signal, withinMs = Infinity } = options;
    const until = this.#clock.now() + withinMs;
    const leftMs = (): number => Math.max(0, until - this.#clock.now());
    const limits = (): CallOptions => ({ shareMs, signal, withinMs: Math.min(REQUEST_WITHIN_MS, leftMs()) });
    const pauseMs = Math.min(withinMs, this.#pauseMs(name));
    if (pauseMs > 0) await pause(this.#clock, pauseMs, ...(signal ? [signal] : []));
    let grant = await this.grant(limits());
    for (let tokens = 1; grant.kind === 'granted'; tokens += 1) {
      const { result, credential } = await send(grant, leftMs());
      if (credential === 'accepted') this.#unproven = undefined;
      if (credential === 'refused' && this.#grant === grant && !this.#drop(name)) return result;
      if (credential === 'accepted' || credential === 'none' || tokens >= TOKENS_PER_CALL[name]) return result;
      if (credential === 'refused') {
        grant = await this.grant(limits());
      } else {
        const other = await this.#replacementOf(grant, limits());
        // Without another token, the request counts as rejected.
        if (other === undefined) return signal?.aborted ? { kind: 'aborted' } : result;
        grant = other;
      }
    }
    return grant;
  }

  /** Returns how long a call without a token waits before the next exchange, which then serves all that have waited. */
  #pauseMs(name: CallName): number {
    const isNext = this.#valid === undefined && this.#renewal === undefined;
    return isNext && isRepeatedSoon(name) ? this.#failedAt + EXCHANGE_AGAIN_MS - this.#clock.now() : 0;
  }

  /** Drops the current token, unless another one was refused so recently that another exchange would not help. */
  #drop(name: CallName): boolean {
    const now = this.#clock.now();
    if (isRepeatedSoon(name) && now - this.#droppedAt < REPLACE_EVERY_MS) return false;
    this.#grant = undefined;
    this.#droppedAt = now;
    return true;
  }

  /** Returns a token to replace a doubted one, which stays in use until the new one has arrived, or undefined. */
  async #replacementOf(doubted: Grant, options: CallOptions): Promise<Grant | undefined> {
    const isCurrent = this.#valid === doubted;
    const isUseless = doubted === this.#unproven || (this.#renewal === undefined && this.#hasJustFailed);
    if (isCurrent && isUseless) return undefined;
    const other = await (isCurrent ? this.#renewed(options) : this.grant(options));
    if (other.kind !== 'granted') return undefined;
    if (isCurrent) this.#unproven = other;
    return other;
  }

  get #valid(): Grant | undefined {
    const { ttlMs = 0 } = this.#grant ?? {};
    return this.#clock.now() - this.#bornAt < ttlMs ? this.#grant : undefined;
  }

  get #hasJustFailed(): boolean {
    return this.#clock.now() - this.#failedAt < RENEW_AGAIN_MS;
  }

  /** Waits for a new token, which callers share. */
  #renewed({ signal, withinMs = REQUEST_WITHIN_MS, shareMs = withinMs }: CallOptions): Promise<Grant | Failure> {
    // A renewal that has already taken longer than this caller can wait may have stalled.
    const { startedAt = -Infinity, result } = this.#renewal ?? {};
    const isStalled = this.#clock.now() - startedAt >= Math.min(withinMs, shareMs);
    return this.#waitFor(result === undefined || isStalled ? this.#renew(withinMs) : result, withinMs, signal);
  }

  #renew(withinMs: number): Promise<Grant | Failure> {
    const startedAt = this.#clock.now();
    const result = this.#exchange(withinMs).then((exchanged) => {
      if (this.#renewal?.result === result) this.#renewal = undefined;
      return this.#keep(exchanged, startedAt);
    });
    this.#renewal = { startedAt, result };
    return result;
  }

  #keep(exchanged: Exchanged, startedAt: number): Grant | Failure {
    // A stalled renewal must not replace the token from a later renewal.
    const newer = startedAt < this.#bornAt ? this.#valid : undefined;
    if (newer !== undefined) return newer;
    if (exchanged.kind === 'granted') {
      this.#grant = exchanged;
      this.#bornAt = startedAt;
      this.#failedAt = -Infinity;
      this.#rejections = 0;
      this.#rejectedAt = Infinity;
      return exchanged;
    }
    this.#failedAt = this.#clock.now();
    if (exchanged.kind === 'key_rejected') return this.#rejected(exchanged.problem, startedAt);
    // The service accepted this key before, so unless it rejects the key, a failure is treated as an outage.
    if (this.#wasNeverGranted || exchanged.kind !== 'rejected') return exchanged;
    return notProcessed(exchanged.problem);
  }

  /**
   * Counts a rejection of the key, unless a token is still valid, and decides whether it is final. Counts the time from
   * request to request, because the body of a rejection may stall.
   */
  #rejected(problem: Problem, startedAt: number): Failure {
    if (this.#valid === undefined) {
      this.#rejections += 1;
      this.#rejectedAt = Math.min(this.#rejectedAt, startedAt);
    }
    const isFirstFinal = this.#wasNeverGranted && this.#isFirstRejectionFinal;
    const areEnough = this.#rejections >= FINAL_REJECTIONS && startedAt - this.#rejectedAt >= FINAL_AFTER_MS;
    if (isFirstFinal || areEnough) return { kind: 'key_invalid', problem };
    return { kind: 'not_processed', problem, remark: SOONER };
  }

  get #wasNeverGranted(): boolean {
    return this.#bornAt === -Infinity;
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
      const cause = `no response from ${this.#host} within ${formatDuration(withinMs)}`;
      return notProcessed(problemOf('exchange', cause));
    });
    try {
      return await Promise.race([renewal, givenUp]);
    } finally {
      done.abort();
    }
  }
}

function isRepeatedSoon(name: CallName): boolean {
  return name === 'read' || name === 'cancel';
}

/** A failed exchange never counts as `maybe_processed`, because the call that needed its token was not sent. */
function notProcessed(problem: Problem): Failure {
  return { kind: 'not_processed', problem };
}
