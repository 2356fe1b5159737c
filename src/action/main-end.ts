import { isPending, partOfPost, type RunState } from '../run/state.ts';

/* How a main step ended: what its last line says, and what that means for its post step. */

/** The condition under which the post step has nothing to do. `early.ts` reads this value. */
type Idle = 'always' | 'unless_cancelled' | 'never';

/** The last line of a main step. */
export interface MainEnd {
  readonly idle: Idle;
  /** True if stdout accepted the main step's report while something was reading it. */
  readonly isReported: boolean;
  /** True if no post step needs to look at this record again. */
  readonly isHandled: boolean;
}

/** The end of a step that sent no request, or about whose runs a post step has reported everything that it can. */
export const HANDLED: MainEnd = { idle: 'always', isReported: true, isHandled: true };

/** Returns whether the step has let runs continue, which the post step cancels if the last line is missing. */
export function needsEnd(runs: readonly RunState[]): boolean {
  return runs.some((run) => partOfPost(run) === 'takes over if cancelled');
}

/**
 * Returns how a main step with these runs ended. `mustCancel` is true after an interruption with `on-cancel: cancel`. If
 * that came too late for this process to cancel the runs that it has let continue, returns undefined. Without a last
 * line, the post step cancels them as if this process had been killed.
 */
export function endOf(runs: readonly RunState[], isReported: boolean, mustCancel: boolean): MainEnd | undefined {
  if (mustCancel && needsEnd(runs)) return undefined;
  return { idle: isReported ? idleOf(runs) : 'never', isReported, isHandled: false };
}

function idleOf(runs: readonly RunState[]): Idle {
  // The response to a trigger may still arrive while the process exits.
  if (runs.some(isPending)) return 'never';
  return needsEnd(runs) ? 'unless_cancelled' : 'always';
}

/** Returns whether a later post step may have to cancel a run. This one has already waited for triggers in flight. */
export function mayNeedCancel(runs: readonly RunState[]): boolean {
  return needsEnd(runs) || runs.some((run) => partOfPost(run) === 'takes over');
}

/** What the post step needs from the last line. It reads `idle` before it loads this code. */
export type KeptEnd = Omit<MainEnd, 'idle'>;

/**
 * Reads the last line.
 *
 * @param isByRunner whether the runner kept the line. If not, it abandoned the step, and nothing read its report.
 */
export function decodeEnd(line: Readonly<Record<string, unknown>>, isByRunner: boolean): KeptEnd {
  return { isReported: line['isReported'] === true && isByRunner, isHandled: line['isHandled'] === true };
}
