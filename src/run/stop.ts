import type { Clock } from '../base/clock.ts';
import type { OnStop } from './plan.ts';
import type { RunState } from './run-state.ts';

/** Why the step does not wait for a run any longer. */
export type StopReason =
  /** The workflow, the job or the step was cancelled: `by` names the signal. */
  | { readonly kind: 'interrupted'; readonly by: string }
  | { readonly kind: 'timeout'; readonly afterMs: number }
  | { readonly kind: 'queue_timeout'; readonly afterMs: number }
  /** Another run of the step was not a success; `first` is that run. */
  | { readonly kind: 'fail_fast'; readonly first: RunState };

export interface Stop {
  readonly reason: StopReason;
  readonly policy: OnStop;
  /** When it came, by the monotonic clock in milliseconds. */
  readonly at: number;
}

/**
 * Outputs and summary are complete this long after an interruption. The runner sends SIGTERM after 7.5 s, and
 * reads the files of a step in the background no later than that.
 */
export const REPORT_WITHIN_MS = 6_500;

/** All ends this long after an interruption: the runner kills after 10 s, and leaves nothing to say after that. */
export const GIVE_UP_AFTER_MS = 9_300;

/** Settling ends a little earlier, so that its last word is still told. */
const LAST_WORD_MS = 100;

/** What a stop that nobody presses for (a time-out) may take to settle its runs. */
export const UNHURRIED_SETTLING_MS = 60_000;

/** Tells of the one interruption that counts: the first. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** The signal's name, and when it came by the monotonic clock; absent while there was none. */
  readonly first: { readonly by: string; readonly at: number } | undefined;
}

/** What an interruption asks for; undefined while there was none. */
export function stopBy(interruption: Interruption, policy: OnStop): Stop | undefined {
  const { first } = interruption;
  return first && { reason: { kind: 'interrupted', by: first.by }, policy, at: first.at };
}

/** A switch that is thrown once, with its reason; later throws change nothing, and are told so. */
export class StopSwitch {
  readonly #controller = new AbortController();
  #stop: Stop | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why it was thrown; undefined while it was not. */
  thrown(): Stop | undefined {
    return this.#stop;
  }

  throw(stop: Stop): boolean {
    if (this.#stop !== undefined) return false;
    this.#stop = stop;
    this.#controller.abort();
    return true;
  }
}

/** What can be seen of a switch by those who must not throw it. */
export type StopView = Pick<StopSwitch, 'signal' | 'thrown'>;

/** Two switches as one: the first has the say where both were thrown. */
export function firstThrown(first: StopView, second: StopView): StopView {
  return {
    signal: AbortSignal.any([first.signal, second.signal]),
    thrown: () => first.thrown() ?? second.thrown(),
  };
}

/**
 * The instant at which settling that began at `from` ends: a minute later, or when the runner leaves no more of an
 * interruption. The minute is not the stop's: a trigger's answer may have come long after that.
 */
export function settleBy(stop: Stop, from: number, interruption: Interruption): number {
  const interrupted = interruption.first;
  const unhurried = stop.reason.kind === 'interrupted' ? Infinity : from + UNHURRIED_SETTLING_MS;
  return Math.min(
    unhurried,
    interrupted === undefined ? Infinity : interrupted.at + GIVE_UP_AFTER_MS - LAST_WORD_MS,
  );
}

/** Calls `task` at an instant of the monotonic clock, relative to an interruption, whenever that comes. */
export function afterInterruption(
  clock: Clock,
  interruption: Interruption,
  ms: number,
  task: () => void,
): () => void {
  let takeBack: (() => void) | undefined;
  const arm = (): void => {
    const at = interruption.first?.at ?? clock.now();
    takeBack = clock.after(Math.max(0, at + ms - clock.now()), task);
  };
  if (interruption.signal.aborted) arm();
  else interruption.signal.addEventListener('abort', arm, { once: true });
  return () => {
    interruption.signal.removeEventListener('abort', arm);
    takeBack?.();
  };
}
