import type { Clock } from '../base/clock.ts';
import type { OnStop } from './plan.ts';
import type { Stop } from './state/facts.ts';

/**
 * Outputs and summary are complete this long after an interruption. The runner sends SIGTERM after 7.5 s, and
 * reads the files of a step in the background no later than that.
 */
export const REPORT_WITHIN_MS = 6_500;

/** The step gives up this long after an interruption: the runner kills after 10 s, and shows nothing after that. */
export const GIVE_UP_AFTER_MS = 9_300;

/** An interruption: `by` names a signal, or what else it was. `isUnhurried`: nobody will kill the process, because its runner has died. */
export interface First {
  readonly by: string;
  readonly at: number;
  readonly isUnhurried?: boolean;
}

/** Tells of the one interruption that counts: the first. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** What it was, and when it came by the monotonic clock; absent while there was none. */
  readonly first: First | undefined;
  /** Looks for what interrupts a step without a signal. Called before and after each trigger, and before each read that waits. */
  look(): void;
}

/** What an interruption asks for; undefined while there was none. */
export function stopBy({ first }: Interruption, policy: OnStop): Stop | undefined {
  return first && { reason: { kind: 'signal', by: first.by }, policy, at: first.at };
}

/** When the time began that a runner leaves after an interruption; Infinity while there is time enough. */
export function hurriedSince({ first }: Interruption): number {
  return first === undefined || first.isUnhurried === true ? Infinity : first.at;
}

/** Calls `task` so many milliseconds after an interruption that hurries, whenever that comes. Returns what takes that back. */
export function afterInterruption(clock: Clock, interruption: Interruption, ms: number, task: () => void): () => void {
  let takeBack: (() => void) | undefined;
  const arm = (): void => {
    const since = hurriedSince(interruption);
    if (since < Infinity) takeBack = clock.after(Math.max(0, since + ms - clock.now()), task);
  };
  if (interruption.signal.aborted) arm();
  else interruption.signal.addEventListener('abort', arm, { once: true });
  return () => {
    interruption.signal.removeEventListener('abort', arm);
    takeBack?.();
  };
}
