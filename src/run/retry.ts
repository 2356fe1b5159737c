import { pause } from '../base/clock.ts';
import type { CallOptions, Failure, Problem } from '../service/api.ts';
import type { StepParts } from './parts.ts';

/** Base and maximum pause before a retry, in milliseconds. A service takes seconds to restart. */
const BASE_MS = 1_000;
const CAP_MS = 30_000;

/** Maximum number of attempts. The pauses between eight attempts add up to 45 s on average (at most 91 s). */
export const TRIES = 8;

/** Returns an exponential backoff with full jitter, so that clients do not retry at the same time. */
export function backoffMs(random: () => number, tried: number, baseMs = BASE_MS, capMs = CAP_MS): number {
  return random() * Math.min(capMs, baseMs * 2 ** tried);
}

/** A failed call that may succeed on retry. */
export type Transient = Extract<Failure, { kind: 'not_processed' | 'maybe_processed' }>;

/** Returns true if retrying a read-only call may help. */
export function isTransient(failure: Failure): failure is Transient {
  return failure.kind === 'maybe_processed' || (failure.kind === 'not_processed' && failure.retryable);
}

/** Returns how long the service asks clients to wait after this response, in milliseconds. */
export function retryAfterMs(outcome: { readonly kind: string; readonly retryAfterMs?: number }): number {
  return outcome.retryAfterMs ?? 0;
}

/** Returns the pause before the next attempt: `Retry-After` or the backoff, whichever is longer. */
export function retryPauseMs(random: () => number, tried: number, failure: Failure): number {
  return Math.max(retryAfterMs(failure), backoffMs(random, tried));
}

/** Adds the number of attempts to the problem of the last attempt. */
export function afterAllTries(problem: Problem): Problem {
  return { ...problem, cause: `${problem.cause} (${TRIES} attempts)` };
}

/** Returns the problem of a failure, or no problem if the call was aborted. */
export function problemsOf(failure: Failure): readonly Problem[] {
  return failure.kind === 'aborted' ? [] : [failure.problem];
}

/** Repeats a read-only call until it succeeds, fails permanently or runs out of attempts. */
export async function retrying<Outcome extends { readonly kind: string }>(
  { clock, interruption, ledger, random }: StepParts,
  call: (options: CallOptions) => Promise<Outcome | Failure>,
): Promise<Outcome | Failure> {
  const { signal } = interruption;
  for (let tried = 0; ; tried += 1) {
    if (signal.aborted) return { kind: 'aborted' };
    const outcome = await call({ signal });
    if (!isFailure(outcome) || !isTransient(outcome)) return outcome;
    if (tried + 1 >= TRIES) return { ...outcome, problem: afterAllTries(outcome.problem) };
    const inMs = retryPauseMs(random, tried, outcome);
    ledger.notice({ notice: 'retry', problem: outcome.problem, inMs });
    await pause(clock, inMs, signal);
  }
}

const FAILURES: Readonly<Record<Failure['kind'], true>> = {
  not_processed: true,
  maybe_processed: true,
  unauthorized: true,
  rejected: true,
  key_refused: true,
  aborted: true,
};

/** Returns true if an outcome is a failure. */
export function isFailure(outcome: { readonly kind: string }): outcome is Failure {
  return outcome.kind in FAILURES;
}
