import type { Clock } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';
import type { CallOptions, Failure } from './api.ts';
import { EXCHANGE, type Exchange, type Grant } from './exchange.ts';

/** Shares one grant between all calls. */
export interface Session {
  /**
   * Returns the current grant, or the reason why there is none. Waits only if no grant is valid, until the caller's
   * signal or `withinMs` ends the wait. Renews an expiring grant in the background. A valid grant hides `key_refused`.
   */
  grant(options?: CallOptions): Promise<Grant | Failure>;
  /** Reports that a request with this grant received a 401. */
  invalidate(grant: Grant): void;
}

/** The fraction of a token's lifetime after which the session renews the token. */
const RENEW_AFTER = 0.9;
/** Pause after a failed renewal while the old token is still valid, in milliseconds. */
const RENEW_AGAIN_MS = 30_000;
/**
 * Time for which callers share a rejection of the key, in milliseconds, because hundreds of runs may wait for a token.
 * It is short, so that several exchanges fit into the seconds that a runner grants for cancelling.
 */
const REJECTED_FOR_MS = 2_000;

interface Kept {
  readonly grant: Grant;
  readonly bornMs: number;
  invalid: boolean;
}

/** Creates the session. Renewals use the monotonic clock, because runner clocks are sometimes wrong. */
export function createSession(exchange: Exchange, clock: Clock): Session {
  let kept: Kept | undefined;
  let renewal: { readonly startedMs: number; readonly outcome: Promise<Grant | Failure> } | undefined;
  let rejected: { readonly failure: Failure; readonly atMs: number } | undefined;
  let lastFailureMs = -Infinity;

  const ageOf = (of: Kept): number => clock.now() - of.bornMs;
  const isValid = (of: Kept | undefined): of is Kept => of !== undefined && !of.invalid && ageOf(of) < of.grant.ttlMs;

  async function renew(startedMs: number, withinMs: number | undefined): Promise<Grant | Failure> {
    const outcome = await exchange(withinMs).finally(() => {
      if (renewal?.startedMs === startedMs) renewal = undefined;
    });
    if (outcome.kind === 'granted') {
      rejected = undefined;
      // A slow renewal must not replace a valid token from a later renewal.
      if (!isValid(kept) || kept.bornMs <= startedMs) kept = { grant: outcome, bornMs: startedMs, invalid: false };
      return outcome;
    }
    // A slow renewal that fails must not affect the token from a later renewal.
    if (isValid(kept) && kept.bornMs > startedMs) return kept.grant;
    lastFailureMs = clock.now();
    if (outcome.kind === 'key_refused' && !isValid(kept)) rejected = { failure: outcome, atMs: lastFailureMs };
    if (kept === undefined || outcome.kind !== 'rejected') return outcome;
    // The service has accepted this key before, so a maintenance page means an outage and not a wrong address.
    return { kind: 'not_processed', problem: outcome.problem, retryable: true };
  }

  function startRenewal(withinMs?: number): Promise<Grant | Failure> {
    const startedMs = clock.now();
    const outcome = renew(startedMs, withinMs);
    renewal = { startedMs, outcome };
    return outcome;
  }

  return {
    async grant({ signal, withinMs: within } = {}) {
      if (signal?.aborted) return { kind: 'aborted' };
      if (isValid(kept)) {
        const due = ageOf(kept) >= kept.grant.ttlMs * RENEW_AFTER;
        const rested = clock.now() - lastFailureMs >= RENEW_AGAIN_MS;
        if (due && rested && !renewal) void startRenewal();
        return kept.grant;
      }
      if (rejected && clock.now() - rejected.atMs < REJECTED_FOR_MS) return rejected.failure;
      const withinMs = within?.();
      // A renewal that takes longer than this caller can wait may have stalled.
      const isStalled = renewal !== undefined && clock.now() - renewal.startedMs >= (withinMs ?? Infinity);
      const outcome = renewal === undefined || isStalled ? startRenewal(withinMs) : renewal.outcome;
      return waitFor(outcome, clock, withinMs, signal);
    },
    invalidate(grant) {
      if (kept?.grant === grant) kept.invalid = true;
    },
  };
}

/**
 * Waits for a shared renewal as long as this caller can. The renewal continues for the others. Rejects only if this
 * action's own code fails, for example when masking the token. In that case, no call may continue.
 */
function waitFor(
  outcome: Promise<Grant | Failure>,
  clock: Clock,
  withinMs: number | undefined,
  signal: AbortSignal | undefined,
): Promise<Grant | Failure> {
  let stopTimer: (() => void) | undefined;
  let onAbort = (): void => undefined;
  const givenUp = new Promise<Failure>((resolve) => {
    onAbort = () => resolve({ kind: 'aborted' });
    signal?.addEventListener('abort', onAbort);
    if (withinMs === undefined) return;
    const problem = { attempted: EXCHANGE, cause: `no response within ${formatDuration(withinMs)}` };
    stopTimer = clock.after(withinMs, () => resolve({ kind: 'not_processed', problem, retryable: true }));
  });
  return Promise.race([outcome, givenUp]).finally(() => {
    signal?.removeEventListener('abort', onAbort);
    stopTimer?.();
  });
}
