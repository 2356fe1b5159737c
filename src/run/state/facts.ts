import type { Uuid } from '../../base/uuid.ts';
import type { Job, Problem } from '../../service/api.ts';
import { isTerminal } from '../../service/statuses.ts';
import type { OnStop, ResolvedPipeline } from '../plan.ts';

/** Why the step stops waiting for runs. */
export type StopReason =
  /** The workflow, the job or the step was cancelled: `by` names the signal. */
  | { readonly kind: 'signal'; readonly by: string }
  | { readonly kind: 'timeout'; readonly afterMs: number }
  | { readonly kind: 'queue_timeout'; readonly afterMs: number }
  /** The run of the pipeline `after` did not succeed. */
  | { readonly kind: 'fail_fast'; readonly after: string }
  /** Post found the run of a main process that did not finish its work. */
  | { readonly kind: 'main_killed' }
  /** The job was cancelled after the run was detached. */
  | { readonly kind: 'job_cancelled' };

/** A stop. With `await`, the step triggers no more runs and waits for those that exist. */
export interface Stop {
  readonly reason: StopReason;
  readonly policy: OnStop | 'await';
  /** By the monotonic clock, in milliseconds. */
  readonly at: number;
}

/**
 * What must survive a kill. An intent is written before its POST, everything else before it is shown. Problems,
 * pauses and rows are for observers and are not stored.
 */
export type DurableFact =
  /** The run exists: it was given by its id, or a trigger queued it. */
  | { readonly kind: 'claimed' | 'queued'; readonly jobId: Uuid }
  /** The earlier run did not succeed, so a new one is triggered. */
  | { readonly kind: 'not_resumed'; readonly job?: Job }
  /** A POST is about to be sent. `wall` is the wall-clock time in milliseconds, for people. */
  | { readonly kind: 'intent'; readonly pipeline: ResolvedPipeline; readonly wall: number }
  /** The POST created no run, or may have created one. With `retryInMs`, it is repeated. */
  | { readonly kind: 'refused' | 'unknown'; readonly problem?: Problem | undefined; readonly retryInMs?: number }
  /** Concerns every run, unless its record names one. */
  | { readonly kind: 'stopped'; readonly stop: Stop }
  | { readonly kind: 'detached' }
  /** Out of contact. The run stays as it is. */
  | { readonly kind: 'lost'; readonly problem?: Problem | undefined }
  /** A row with a final status. `confirming`: it was returned by a cancel, or by a read that confirms one. */
  | { readonly kind: 'finished'; readonly job: Job; readonly confirming?: boolean };

/** What only this process needs to know. */
type EphemeralFact =
  | { readonly kind: 'resolved'; readonly pipeline: ResolvedPipeline }
  /** The run ended in a status of `retry-on`, and the next attempt follows in `inMs`. On disk, its intent says so. */
  | { readonly kind: 'again'; readonly inMs: number }
  /** No POST was sent. */
  | { readonly kind: 'kept_back'; readonly problem?: Problem | undefined }
  /** An error of this action during a POST: its result is unknown, also to post. */
  | { readonly kind: 'unanswered'; readonly problem: Problem }
  /** The wait for a run that already existed begins. `job` is its row, if it was read. */
  | { readonly kind: 'awaited'; readonly job?: Job }
  | { readonly kind: 'seen'; readonly job: Job; readonly confirming?: boolean }
  /** `sinceMs`: since the last good response. With `retryInMs`: an earlier run, before it is taken. */
  | { readonly kind: 'read_failed'; readonly problem: Problem; readonly sinceMs: number; readonly retryInMs?: number }
  /** A cancel was not confirmed; another attempt follows. */
  | { readonly kind: 'cancel_failed'; readonly problem: Problem }
  /** No cancel was confirmed in time. On disk, the run stays stopped. */
  | { readonly kind: 'unsettled'; readonly problem: Problem }
  | { readonly kind: 'dry_run'; readonly job?: Job };

export type Fact = DurableFact | EphemeralFact;

/** The fact that a row of the run was returned. `confirming`: by a cancel, or by a read that confirms one. */
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

/** Whether a fact is written before it takes effect. */
export function isDurable(fact: Fact): fact is DurableFact {
  return fact.kind in DURABLE;
}

/** A fact and what it concerns. `jobId` is repeated, so that the loss of one record does not lose the run. */
export interface Entry<F extends Fact = Fact> {
  /** The run's position in the input, from 1. Undefined: every run. */
  readonly run: number | undefined;
  readonly attempt: number;
  readonly fact: F;
  readonly jobId?: Uuid | undefined;
  /** By the monotonic clock, in milliseconds. Undefined for a fact of another process. */
  readonly at?: number | undefined;
}
