import type { Uuid } from '../base/uuid.ts';
import type { Job, Problem } from '../service/api.ts';
import { isTerminal, type TerminalStatus } from '../service/statuses.ts';
import type { ResolvedPipeline, Target } from './plan.ts';
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
  standing: Standing;
  /** Why the step stopped waiting for it, if it did before the run was over. */
  stop: Stop | undefined;
  /** By the monotonic clock, in milliseconds: its trigger or first read, and when it was seen to end. */
  startedAt: number | undefined;
  endedAt: number | undefined;
  /** It existed before this step. */
  attached: boolean;
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
    standing: { at: 'waiting' },
    stop: undefined,
    startedAt: undefined,
    endedAt: undefined,
    attached: false,
    lastReadAt: undefined,
  };
}

/** Takes over what the service says of the run; an end becomes its standing. Returns whether it has ended. */
export function takeOver(run: RunState, job: Job, now: number): boolean {
  run.status = job.status;
  run.statusMessage = job.statusMessage;
  if (!isTerminal(job.status)) return false;
  run.standing = { at: 'ended', status: job.status };
  run.endedAt ??= now;
  return true;
}
