import type { Uuid } from '../base/uuid.ts';
import type { Job, Problem } from '../service/api.ts';
import { isTerminal, type TerminalStatus } from '../service/statuses.ts';
import type { ResolvedPipeline, Target } from './plan.ts';
import { type ConfirmingReads, noReads } from './settle.ts';
import type { Stop } from './stop.ts';

/** Where a run of this step stands. What follows from it (outputs, verdict, words) is derived, never stored. */
export type Standing =
  /** Nothing was sent for it yet. */
  | { readonly at: 'waiting' }
  /** A trigger is on its way, and nobody knows yet what became of it. */
  | { readonly at: 'triggering' }
  | { readonly at: 'in_progress' }
  /** A terminal status was seen, in a row with the run's own id. */
  | { readonly at: 'ended'; readonly status: TerminalStatus }
  /** Queued, and not waited for, as asked. */
  | { readonly at: 'detached' }
  /** There surely is no run. Without a problem: it was stopped before its turn. */
  | { readonly at: 'not_queued'; readonly problem?: Problem }
  /** The trigger's answer was lost: there may be a run. */
  | { readonly at: 'unknown'; readonly problem: Problem }
  /** No contact: the run goes on, nobody asked for a cancel. */
  | { readonly at: 'lost'; readonly problem: Problem }
  /** A dry run would have triggered it. */
  | { readonly at: 'tried' }
  /** Stopped waiting, and left running as the policy says. */
  | { readonly at: 'left' }
  /** To be cancelled, and no end of it was seen. */
  | { readonly at: 'unsettled'; readonly problem: Problem };

/** A status, and when it was first seen by the monotonic clock, in milliseconds. */
export interface SeenStatus {
  readonly status: string;
  readonly at: number;
}

/** One run as the step knows it. Changed by src/run alone; everybody else reads. */
export interface RunState {
  /** Its place in the input, from 1. */
  readonly number: number;
  readonly target: Target;
  pipeline: ResolvedPipeline | undefined;
  jobId: Uuid | undefined;
  /** As the service said last. */
  status: string | undefined;
  statusMessage: string | null;
  /** Every status that was seen and is another than the one before, in the order of time. */
  history: readonly SeenStatus[];
  standing: Standing;
  /** Why the step stopped waiting for it, if it did before the run was over. */
  stop: Stop | undefined;
  /** By the monotonic clock, in milliseconds: its trigger or first read, and when it was seen to end. */
  startedAt: number | undefined;
  endedAt: number | undefined;
  /** It existed before this step. */
  attached: boolean;
  /** Set if its last record could not be written: a post step acts by the earlier records. With what to do about it. */
  unrecorded: { readonly remedy: string } | undefined;
  /** Reads that were to confirm its cancel. */
  readonly confirming: ConfirmingReads;
  /** End of the last answered or failed read, by the monotonic clock in milliseconds. */
  lastReadAt: number | undefined;
}

/** A run of which nothing is known yet but what was asked for. */
export function newRun(number: number, target: Target): RunState {
  return {
    number,
    target,
    pipeline: undefined,
    jobId: undefined,
    status: undefined,
    statusMessage: null,
    history: [],
    standing: { at: 'waiting' },
    stop: undefined,
    startedAt: undefined,
    endedAt: undefined,
    attached: false,
    unrecorded: undefined,
    confirming: noReads(),
    lastReadAt: undefined,
  };
}

/** Whether the step has not seen to this run yet, or is at it. */
export function isOpen({ standing }: RunState): boolean {
  return standing.at === 'waiting' || standing.at === 'triggering' || standing.at === 'in_progress';
}

/** So many changes of status are kept of a run; a service that goes back and forth for days does not fill memory. */
const MOST_CHANGES = 200;

/** Sets the run's status, and notes when it was first seen. */
export function noteStatus(run: RunState, status: string, now: number): void {
  run.status = status;
  if (run.history.at(-1)?.status === status) return;
  run.history = [...run.history.slice(0, MOST_CHANGES - 1), { status, at: now }];
}

/** Takes over what the service says of the run; an end becomes its standing. Returns whether it has ended. */
export function takeOver(run: RunState, job: Job, now: number): boolean {
  noteStatus(run, job.status, now);
  run.statusMessage = job.statusMessage;
  if (!isTerminal(job.status)) return false;
  run.standing = { at: 'ended', status: job.status };
  run.endedAt ??= now;
  return true;
}
