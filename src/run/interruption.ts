import type { Clock } from '../base/clock.ts';
import type { OnStop } from './plan.ts';
import type { Stop } from './state/facts.ts';

/** Outputs and summary are complete by then: 7.5 s after an interruption, the runner sends SIGTERM and may read them. */
export const REPORT_WITHIN_MS = 6_500;

/** The step gives up this long after an interruption: the runner kills after 10 s, and shows nothing after that. */
export const GIVE_UP_AFTER_MS = 9_300;

/** The interruption of a step: the first one counts. */
export interface Interruption {
  readonly signal: AbortSignal;
  /**
   * `by` names a signal or another cause; `at` is by the monotonic clock. `isUnhurried`: the runner has died, so it does
   * not kill the process. Undefined while there was no interruption.
   */
  readonly first: { readonly by: string; readonly at: number; readonly isUnhurried?: boolean } | undefined;
  /** Checks for interruptions without a signal. Called before and after each trigger, and before each awaiting read. */
  look(): void;
}

/** The stop that an interruption requests; undefined before one. */
export function stopBy({ first }: Interruption, policy: OnStop): Stop | undefined {
  return first && { reason: { kind: 'signal', by: first.by }, policy, at: first.at };
}

/** When the runner's deadline after an interruption started to run; Infinity if there is no hurry. */
export function hurriedSince({ first }: Interruption): number {
  return first === undefined || first.isUnhurried === true ? Infinity : first.at;
}

/** Calls `task` at the interruption, or at once if it has happened. Returns a function that cancels this. */
export function onInterruption({ signal }: Interruption, task: () => void): () => void {
  if (signal.aborted) task();
  else signal.addEventListener('abort', task, { once: true });
  return () => signal.removeEventListener('abort', task);
}

/** Calls `task` this many milliseconds after a hurried interruption. Returns a function that cancels this. */
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
