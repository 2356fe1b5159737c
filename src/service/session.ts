import type { Clock } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';
import type { CallOptions, Failure } from './api.ts';
import type { Exchange, Grant } from './exchange.ts';

/** A token as the calls use it: compared by identity, because "once per 401" means per token. */
export interface Access {
  readonly kind: 'access';
  readonly grant: Grant;
}

export interface Session {
  /**
   * A token that is good as far as is known, or why there is none. Waits only if there is no such token;
   * renews in the background what is soon to expire. The wait ends with the caller's signal or `withinMs`.
   * A rejected key is reported as `key_refused` while no token is valid. Callers decide how many of these are final.
   */
  access(options?: CallOptions): Promise<Access | Failure>;
  /** Says that a call with this token was answered with 401. */
  invalidate(access: Access): void;
}

/** The share of a token's lifetime after which it is renewed, while it still is good. */
const RENEW_AFTER = 0.9;
/** How long after a failed renewal the next one is tried while the old token lasts, in milliseconds. */
const RENEW_AGAIN_MS = 30_000;
/**
 * For so long after the exchange rejected the key, callers without a token are told so without another exchange, in
 * milliseconds. Hundreds of runs may wait without a token, each asking by itself. It is short enough for the seconds
 * that a runner leaves for cancelling: several exchanges fit into them.
 */
const REJECTED_FOR_MS = 2_000;

interface Renewal {
  readonly startedMs: number;
  readonly outcome: Promise<Access | Failure>;
}

interface Kept {
  readonly access: Access;
  readonly bornMs: number;
  invalid: boolean;
}

/** Keeps one token for all callers, and renews it by the monotonic clock: runner clocks are wrong at times. */
export function createSession(exchange: Exchange, clock: Clock): Session {
  let kept: Kept | undefined;
  let renewal: Renewal | undefined;
  let rejected: { readonly failure: Failure; readonly atMs: number } | undefined;
  let lastFailureMs = -Infinity;

  const ageOf = (of: Kept): number => clock.now() - of.bornMs;
  const isGood = (of: Kept): boolean => !of.invalid && ageOf(of) < of.access.grant.ttlMs;

  const hasToken = (): boolean => kept !== undefined && isGood(kept);

  async function renew(startedMs: number, withinMs: number | undefined): Promise<Access | Failure> {
    const outcome = await exchange(withinMs).finally(() => {
      if (renewal?.startedMs === startedMs) renewal = undefined;
    });
    if (outcome.kind !== 'granted') {
      lastFailureMs = clock.now();
      if (outcome.kind === 'key_refused' && !hasToken()) rejected = { failure: outcome, atMs: lastFailureMs };
      return kept ? asOutage(outcome) : outcome;
    }
    rejected = undefined;
    const access: Access = { kind: 'access', grant: outcome };
    // A renewal that was overtaken by a younger one does not bring the older token back.
    if (kept === undefined || kept.bornMs <= startedMs || !isGood(kept)) {
      kept = { access, bornMs: startedMs, invalid: false };
    }
    return access;
  }

  function startRenewal(withinMs?: number): Renewal {
    const startedMs = clock.now();
    renewal = { startedMs, outcome: renew(startedMs, withinMs) };
    return renewal;
  }

  /** The renewal under way, unless it has been for longer than its caller can wait: it may have stalled. */
  function renewalFor(withinMs: number | undefined): Renewal {
    const stalled =
      renewal !== undefined && withinMs !== undefined && clock.now() - renewal.startedMs >= withinMs;
    return renewal === undefined || stalled ? startRenewal(withinMs) : renewal;
  }

  return {
    async access(options = {}) {
      if (options.signal?.aborted) return { kind: 'aborted' };
      if (kept !== undefined && isGood(kept)) {
        const due = ageOf(kept) >= kept.access.grant.ttlMs * RENEW_AFTER;
        const rested = clock.now() - lastFailureMs >= RENEW_AGAIN_MS;
        if (due && rested && !renewal) startRenewal();
        return kept.access;
      }
      if (rejected && clock.now() - rejected.atMs < REJECTED_FOR_MS) return rejected.failure;
      const withinMs = options.withinMs?.();
      return waitFor(renewalFor(withinMs).outcome, withinMs, options.signal, clock);
    },
    invalidate(access) {
      if (kept?.access === access) kept.invalid = true;
    },
  };
}

/**
 * How a failed renewal looks to a call in the middle of a life: the service has accepted this key before, so
 * that a maintenance page is an outage and not a wrong address.
 */
function asOutage(failure: Failure): Failure {
  return failure.kind === 'rejected'
    ? { kind: 'not_processed', problem: failure.problem, hopeless: false }
    : failure;
}

/**
 * Waits for a shared renewal as long as its caller will; the renewal itself goes on for the others. It rejects
 * only for a fault of our own, such as one in masking the token: then no call may go on.
 */
async function waitFor(
  outcome: Promise<Access | Failure>,
  withinMs: number | undefined,
  signal: AbortSignal | undefined,
  clock: Clock,
): Promise<Access | Failure> {
  const clearances: (() => void)[] = [];
  const givenUp = new Promise<Failure>((resolve) => {
    if (signal) {
      const onAbort = (): void => resolve({ kind: 'aborted' });
      signal.addEventListener('abort', onAbort);
      clearances.push(() => signal.removeEventListener('abort', onAbort));
    }
    if (withinMs !== undefined) {
      clearances.push(clock.after(withinMs, () => resolve(noTokenWithin(withinMs))));
    }
  });
  try {
    return await Promise.race([outcome, givenUp]);
  } finally {
    for (const clear of clearances) clear();
  }
}

function noTokenWithin(withinMs: number): Failure {
  const problem = {
    attempted: 'exchange the API key for a token',
    came: `no answer within ${formatDuration(withinMs)}`,
  };
  return { kind: 'not_processed', problem, hopeless: false };
}
