import type { Account, Problem } from '../../service/api.ts';
import type { Fact, Stop } from './facts.ts';
import type { RunState } from './run-state.ts';

/** A fact that took effect: the run before, and the run as it is now. */
export interface Change {
  readonly fact: Fact;
  readonly before: RunState;
  readonly run: RunState;
  /** Why the fact could not be written, and what to do about it, or ''. Undefined if it was written, or need not be. */
  readonly unwritten?: { readonly reason: string; readonly remedy: string } | undefined;
}

/** What happens in a step without changing a run. */
export type Notice =
  | { readonly notice: 'connected'; readonly account: Account }
  /** Every pipeline is known; nothing was triggered yet. */
  | { readonly notice: 'ready'; readonly runs: readonly RunState[] }
  /** A call that concerns no run failed, and is repeated in `inMs`. */
  | { readonly notice: 'retry'; readonly problem: Problem; readonly inMs: number }
  /** The step stops waiting. After a signal, this follows once the cancels are sent. */
  | { readonly notice: 'stopping'; readonly stop: Stop; readonly runs: readonly RunState[] }
  /** The run needs nothing more from this step. */
  | { readonly notice: 'run_done'; readonly run: RunState }
  /** Time is short: outputs and summary must be written now, complete or not. */
  | { readonly notice: 'report_due' };

export type News = Change | Notice;

/** Must not throw. */
export type Observe = (news: News) => void;
