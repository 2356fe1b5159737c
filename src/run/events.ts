import type { Account, Job, Problem } from '../service/api.ts';
import type { RunState } from './run-state.ts';
import type { Stop } from './stop.ts';

/** What happens in a step, as it happens: for the log, the outputs and the annotations. */
export type StepEvent =
  | { readonly type: 'connected'; readonly account: Account }
  /** Every pipeline is known; nothing was triggered yet. */
  | { readonly type: 'resolved'; readonly runs: readonly RunState[] }
  /** A call failed and is repeated in `inMs`; `mayDouble`: the trigger that failed may have queued a run. */
  | {
      readonly type: 'retry';
      readonly problem: Problem;
      readonly inMs: number;
      readonly run?: RunState;
      readonly mayDouble?: boolean;
    }
  /** The name of a pipeline that was given by its UUID came in. */
  | { readonly type: 'named'; readonly run: RunState }
  | { readonly type: 'queued'; readonly run: RunState }
  /** A run that existed before is awaited from now on. */
  | { readonly type: 'attached'; readonly run: RunState }
  /** The earlier run has ended otherwise than hoped for: a new one is triggered. */
  | { readonly type: 'not_resumed'; readonly run: RunState; readonly job: Job }
  /** Another status than before; `known` is false for one that this version has never heard of. */
  | {
      readonly type: 'status';
      readonly run: RunState;
      readonly from: string | undefined;
      readonly known: boolean;
    }
  /** A read brought no good answer; the next one comes by itself. */
  | {
      readonly type: 'read_failed';
      readonly run: RunState;
      readonly problem: Problem;
      readonly sinceMs: number;
    }
  | { readonly type: 'contact_again'; readonly run: RunState; readonly afterMs: number }
  | { readonly type: 'still'; readonly run: RunState }
  /** The step stops waiting. For an interruption this comes after the cancels have left. */
  | { readonly type: 'stopping'; readonly stop: Stop; readonly runs: readonly RunState[] }
  /** A cancel brought no confirmation; the next one comes by itself. */
  | { readonly type: 'settle_failed'; readonly run: RunState; readonly problem: Problem }
  /** The run needs nothing more from this step. */
  | { readonly type: 'over'; readonly run: RunState }
  /** A record of what happened could not be written. */
  | { readonly type: 'ledger_failed'; readonly run: RunState; readonly reason: string }
  /** Time is short: whatever is reported must be reported now, complete or not. */
  | { readonly type: 'report_due'; readonly runs: readonly RunState[] };

export type Observe = (event: StepEvent) => void;
