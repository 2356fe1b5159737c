import type { Clock } from '../base/clock.ts';
import type { OnStop } from './plan.ts';
import type { Stop } from './state/facts.ts';

/** Deadline for outputs and the summary. Runners send SIGTERM 7.5 s after an interruption and may then read them. */
export const REPORT_WITHIN_MS = 6_500;

/** Time until the step gives up after an interruption. The runner kills it after 10 s and then ignores its output. */
export const GIVE_UP_AFTER_MS = 9_300;

/** The interruption of a step. Only the first one counts. */
export interface Interruption {
  readonly signal: AbortSignal;
  /**
   * `by` names a signal or another cause, and `at` is a monotonic time. `isUnhurried` means that the runner is dead and
   * will not kill the process. Undefined until an interruption happens.
   */
  readonly first: { readonly by: string; readonly at: number; readonly isUnhurried?: boolean } | undefined;
  /** Checks for interruptions that send no signal. Called before and after each trigger and before each status read. */
  look(): void;
}

/** Returns the stop that an interruption requests, or undefined if there is no interruption yet. */
export function stopBy({ first }: Interruption, policy: OnStop): Stop | undefined {
  return first && { reason: { kind: 'signal', by: first.by }, policy, at: first.at };
}

/** Returns when the runner's deadline after an interruption started to run, or Infinity if no deadline applies. */
export function hurriedSince({ first }: Interruption): number {
  return first === undefined || first.isUnhurried === true ? Infinity : first.at;
}

/** Calls `task` on interruption, or immediately if the step is already interrupted. Returns an unsubscribe function. */
export function onInterruption({ signal }: Interruption, task: () => void): () => void {
  if (signal.aborted) task();
  else signal.addEventListener('abort', task);
  return () => signal.removeEventListener('abort', task);
}

/** Calls `task` `ms` milliseconds after an interruption with a deadline. Returns a function that cancels the call. */
export function afterInterruption(clock: Clock, interruption: Interruption, ms: number, task: () => void): () => void {
  let stopTimer: (() => void) | undefined;
  const stopListening = onInterruption(interruption, () => {
    const since = hurriedSince(interruption);
    if (since < Infinity) stopTimer = clock.after(Math.max(0, since + ms - clock.now()), task);
  });
  return () => {
    stopListening();
    stopTimer?.();
  };
}
