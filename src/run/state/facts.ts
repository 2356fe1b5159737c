import type { Uuid } from '../../base/uuid.ts';
import type { Job, Problem } from '../../service/api.ts';
import { isTerminal } from '../../service/statuses.ts';
import type { OnStop, ResolvedPipeline } from '../plan.ts';

/** The reason why the step stops waiting for runs. */
export type StopReason =
  /** The step was interrupted, usually because the user cancelled the workflow. `by` names the signal or cause. */
  | { readonly kind: 'signal'; readonly by: string }
  | { readonly kind: 'timeout'; readonly afterMs: number }
  | { readonly kind: 'queue_timeout'; readonly afterMs: number }
  /** The run of the pipeline `after`, or the run with this id, did not succeed. */
  | { readonly kind: 'fail_fast'; readonly after: string }
  /** Post found a run whose main process did not finish its work. */
  | { readonly kind: 'main_killed' }
  /** The user cancelled the job after the step detached the run. */
  | { readonly kind: 'job_cancelled' };

/** A stop. With `await`, the step triggers no more runs and waits for the existing ones. */
export interface Stop {
  readonly reason: StopReason;
  readonly policy: OnStop | 'await';
  /** The monotonic time of the stop, in milliseconds. */
  readonly at: number;
}

/**
 * A fact that must survive a kill. The step writes an intent before its POST, and any other fact before showing it.
 * Problems, pauses and rows are only for observers, so the step does not store them.
 */
export type DurableFact =
  /** The run exists, because the user provided its id or a trigger queued it. */
  | { readonly kind: 'claimed' | 'queued'; readonly jobId: Uuid }
  /** The earlier run did not succeed, so the step triggers a new one. */
  | { readonly kind: 'not_resumed'; readonly job?: Job }
  /** The step is about to send a POST. `wall` is the wall-clock time in milliseconds. */
  | { readonly kind: 'intent'; readonly pipeline: ResolvedPipeline; readonly wall: number }
  /** `refused` means that the POST created no run, `unknown` that it may have. With `retryInMs`, the step retries. */
  | { readonly kind: 'refused' | 'unknown'; readonly problem?: Problem | undefined; readonly retryInMs?: number }
  /** The stop applies to all runs, unless its record names one run. */
  | { readonly kind: 'stopped'; readonly stop: Stop }
  | { readonly kind: 'detached' }
  /** The step has lost contact with the run and leaves it unchanged. */
  | { readonly kind: 'lost'; readonly problem?: Problem | undefined }
  /** The service returned a row with a final status. `confirming` marks a row from a cancel or its confirming read. */
  | { readonly kind: 'finished'; readonly job: Job; readonly confirming?: boolean };

/** A fact that only this process needs. */
type EphemeralFact =
  | { readonly kind: 'resolved'; readonly pipeline: ResolvedPipeline }
  /** The final status is in `retry-on`, so another attempt follows in `inMs`. On disk, its intent implies this. */
  | { readonly kind: 'again'; readonly inMs: number }
  /** The step sent no POST. */
  | { readonly kind: 'kept_back'; readonly problem?: Problem | undefined }
  /** This action failed during a POST, so neither main nor post knows the result. */
  | { readonly kind: 'unanswered'; readonly problem: Problem }
  /** The step begins to await an existing run. `job` is the row of the run, if the step has read it. */
  | { readonly kind: 'awaited'; readonly job?: Job }
  | { readonly kind: 'seen'; readonly job: Job; readonly confirming?: boolean }
  /** `sinceMs` is the duration of the outage so far. `retryInMs` is set only while the step reads an earlier run. */
  | { readonly kind: 'read_failed'; readonly problem: Problem; readonly sinceMs: number; readonly retryInMs?: number }
  /** A cancellation was not confirmed, so another attempt follows. */
  | { readonly kind: 'cancel_failed'; readonly problem: Problem }
  /** The cancellation was not confirmed in time. On disk, the run stays stopped. */
  | { readonly kind: 'unsettled'; readonly problem: Problem }
  | { readonly kind: 'dry_run'; readonly job?: Job };

export type Fact = DurableFact | EphemeralFact;

/** Converts a row of the run to a fact, which is `finished` if the status is final and `seen` otherwise. */
export function rowFact(job: Job, confirming = false): Fact {
  return { kind: isTerminal(job.status) ? 'finished' : 'seen', job, ...(confirming && { confirming }) };
}

const DURABLE: Readonly<Record<DurableFact['kind'], true>> = {
  claimed: true,
  queued: true,
  not_resumed: true,
  intent: true,
  refused: true,
  unknown: true,
  stopped: true,
  detached: true,
  lost: true,
  finished: true,
};

/** Returns true if the step must write a fact before applying it. */
export function isDurable(fact: Fact): fact is DurableFact {
  return fact.kind in DURABLE;
}

/** A fact and its run. Most records contain `jobId`, so that losing one record does not lose the run. */
export interface Entry<F extends Fact = Fact> {
  /** The run's position in the input, starting at 1. Undefined if the fact applies to every run. */
  readonly run: number | undefined;
  readonly attempt: number;
  readonly fact: F;
  readonly jobId?: Uuid | undefined;
  /** The monotonic time of the fact, in milliseconds. Undefined if another process recorded the fact. */
  readonly at?: number | undefined;
}
