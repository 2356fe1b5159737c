import { oneLine, REPORT_BUG } from '../base/text.ts';
import type { Job, Pipeline } from '../service/api.ts';
import type { Problem } from '../service/problem.ts';
import { isFinalStatus } from '../service/statuses.ts';
import type { Policy, Target } from './plan.ts';

/** The phases of a run, from the plan to its end. */
export type Phase =
  /** Nothing has been sent yet. */
  | { readonly at: 'waiting' }
  /** The intent is on disk, and a POST may have been sent. After an internal error, the step does not wait for the response. */
  | { readonly at: 'triggering'; readonly problem?: Problem | undefined }
  /** The run has an id, and the step is responsible for it. */
  | { readonly at: 'in_progress' }
  /** A row with a final status was read. */
  | { readonly at: 'finished' }
  /** No run exists. If there is no problem, a stop or another run's problem prevented the trigger. */
  | { readonly at: 'not_queued'; readonly problem?: Problem | undefined }
  /** A run may exist, but its id was never received. */
  | { readonly at: 'unknown'; readonly problem?: Problem | undefined }
  /** The step lost contact with the run, which may still be running. */
  | { readonly at: 'lost'; readonly problem: Problem }
  /** The step lets the run continue, because the stop's policy is `leave`. */
  | { readonly at: 'left' }
  /** With `wait: false`, the run continues after the step. */
  | { readonly at: 'detached' }
  /** The run is being cancelled, but the cancellation is not confirmed yet. */
  | { readonly at: 'unsettled'; readonly problem: Problem }
  | { readonly at: 'dry_run' };

/** What a phase means. */
interface Meaning {
  /** The run of the last attempt: whether it exists, and whether the step sees it finish. */
  readonly run: 'none' | 'unconfirmed' | 'open' | 'given up' | 'detached' | 'finished';
  /**
   * What the post step does if the main step ends in this phase: it waits for the response to a trigger, takes over the
   * run, takes it over only if the job is cancelled or main wrote no last line, or only reports it.
   */
  readonly post: 'waits' | 'takes over' | 'takes over if cancelled' | 'reports';
  /** The phase in the run's line. A dry run has no lines. */
  readonly savedAs: Phase['at'] | undefined;
}

const MEANING: Readonly<Record<Phase['at'], Meaning>> = {
  waiting: { run: 'none', post: 'reports', savedAs: 'not_queued' },
  not_queued: { run: 'none', post: 'reports', savedAs: 'not_queued' },
  dry_run: { run: 'none', post: 'reports', savedAs: undefined },
  triggering: { run: 'unconfirmed', post: 'waits', savedAs: 'triggering' },
  unknown: { run: 'unconfirmed', post: 'reports', savedAs: 'unknown' },
  in_progress: { run: 'open', post: 'takes over', savedAs: 'in_progress' },
  unsettled: { run: 'open', post: 'takes over', savedAs: 'in_progress' },
  lost: { run: 'given up', post: 'takes over if cancelled', savedAs: 'lost' },
  left: { run: 'given up', post: 'reports', savedAs: 'left' },
  detached: { run: 'detached', post: 'takes over if cancelled', savedAs: 'detached' },
  finished: { run: 'finished', post: 'reports', savedAs: 'finished' },
};

/** Why the step stopped waiting for a run. */
export interface Stop {
  readonly why: 'interruption' | 'timeout' | 'queue_timeout' | 'fail_fast' | 'main_gone' | 'job_cancelled';
  readonly policy: Policy;
  /** The monotonic time of the stop. */
  readonly at: number;
  /** The interruption, the time limit, or the pipeline (or run) that failed first. */
  readonly detail: string;
  /** The request that failed before a timeout, if one did: the last status check, or what prevented the trigger. */
  readonly problem?: Problem | undefined;
}

/** All that is known about one run. Times are monotonic, in milliseconds. */
export interface RunState {
  readonly target: Target;
  readonly pipeline?: Pipeline | undefined;
  readonly phase: Phase;
  /** The number of this attempt, counted from 1. */
  readonly attempt: number;
  /** The attempts before this one, all of them finished. */
  readonly earlier: readonly RunState[];
  readonly jobId?: string | undefined;
  /** True if the run existed before this step. */
  readonly isGiven: boolean;
  /** True once a row of the run has been read. */
  readonly isSeen: boolean;
  /** True for a run from the inputs that the service repeatedly did not find, so that it may not exist. */
  readonly isMissing: boolean;
  readonly status?: string | undefined;
  /** The service's message about the status, which may have several lines. */
  readonly message: string;
  /** Each status with the time when it was first seen. */
  readonly history: readonly { readonly status: string; readonly at: number }[];
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  /** The wall-clock time of the first POST of this attempt that may have queued a run, or else of the last POST. */
  readonly triggeredAt?: number | undefined;
  readonly stop?: Stop | undefined;
  /** True if a POST whose response was lost may have queued another run. */
  readonly mayHaveTwin: boolean;
  /** True if this state is not on disk, so that the post step would act on an older one. Only the ledger knows. */
  readonly isUnsaved: boolean;
}

/** A change to a run's state: computes the next state. Returns the same object if nothing changes. */
export type Transition = (run: RunState) => RunState;

export function planned(target: Target): RunState {
  return {
    target,
    phase: { at: 'waiting' },
    attempt: 1,
    earlier: [],
    isGiven: false,
    isSeen: false,
    isMissing: false,
    message: '',
    history: [],
    mayHaveTwin: false,
    isUnsaved: false,
  };
}

/** The run's pipeline is known. A pipeline without a name does not replace the same pipeline with one. */
export function resolved(pipeline: Pipeline): Transition {
  return (run) => (run.pipeline?.id === pipeline.id && pipeline.name === '' ? run : { ...run, pipeline });
}

/** A POST is about to be sent. `isSecond` is true if an earlier one, whose response was lost, may have queued a run. */
export function triggering(now: number, wall: number, isSecond: boolean): Transition {
  return (run) => ({
    ...run,
    phase: { at: 'triggering' },
    startedAt: run.startedAt ?? now,
    triggeredAt: isSecond ? (run.triggeredAt ?? wall) : wall,
    mayHaveTwin: isSecond,
  });
}

/** The service provably processed no POST, and another one may follow. */
export const postponed: Transition = (run) => ({ ...run, phase: { at: 'waiting' } });

/** The service returned the id of a new run. */
export function queued(jobId: string, now: number): Transition {
  const history = [{ status: 'queued', at: now }];
  return (run) => {
    // An internal error may have ended the step. A stop that came first still applies to the run.
    const problem = problemWith(run);
    const isLost = problem !== undefined && run.stop === undefined;
    const phase: Phase = isLost ? { at: 'lost', problem } : { at: 'in_progress' };
    // A problem before this POST says nothing about the run that now exists.
    const stop = run.stop?.problem === undefined ? run.stop : { ...run.stop, problem: undefined };
    return obey({ ...run, phase, jobId, status: 'queued', history, stop });
  };
}

/** The step takes responsibility for a run that already exists. */
export function claimed(jobId: string, now: number): Transition {
  return (run) => ({ ...run, phase: { at: 'in_progress' }, jobId, isGiven: true, startedAt: now });
}

/** No POST queued a run. If `problem` is undefined, a stop or another run's problem prevented the trigger. */
export function notQueued(problem?: Problem): Transition {
  // If an internal error has ended the run, it is the reason.
  return (run) => ({ ...run, phase: { at: 'not_queued', problem: problem ?? problemWith(run) } });
}

/** The response to a POST was lost, and no other POST follows. */
export function unknown(problem: Problem): Transition {
  return (run) => ({ ...run, phase: { at: 'unknown', problem } });
}

/** A row was read. A final status finishes the run in any phase. */
export function seen({ status, message }: Job, now: number): Transition {
  return (run) => {
    if (run.phase.at === 'finished') return run;
    const isNew = status !== run.status;
    if (!isNew && run.isSeen && message === run.message) return run;
    const history = isNew ? [...run.history, { status, at: now }] : run.history;
    const next = { ...run, isSeen: true, isMissing: false, status, message, history };
    return isFinalStatus(status) ? { ...next, phase: { at: 'finished' }, endedAt: now } : next;
  };
}

/** The run to resume has finished without success, so the step triggers a new run. */
export const notResumed: Transition = ({ target, pipeline }) => ({ ...planned(target), pipeline });

/** Another attempt follows. The finished one stays on disk until the next intent is saved. */
export const again: Transition = (run) => {
  const { target, pipeline, attempt, earlier } = run;
  return { ...planned(target), pipeline, attempt: attempt + 1, earlier: [...earlier, run] };
};

/** A stop ends the wait for a run. A cancelled workflow also stops runs with which the step had lost contact. */
export function stopped(stop: Stop): Transition {
  return (run) => {
    if (run.stop !== undefined) return run;
    // With on-cancel: leave, a lost run stays lost, because its status is unknown.
    const mustCancel = stop.why === 'interruption' && stop.policy === 'cancel';
    if (run.phase.at === 'lost' && mustCancel) return obey({ ...run, phase: { at: 'in_progress' }, stop });
    return isStoppable(run) ? obey({ ...run, stop }) : run;
  };
}

/** The post step takes over a run that the main step did not settle. A stop by the main step takes precedence. */
export function takenOver(stop: Stop): Transition {
  return (run) => obey({ ...run, phase: { at: 'in_progress' }, stop: run.stop ?? stop });
}

/** The step gives up on a run that it cannot reach, unless it was already cancelling it. The run may still be running. */
export function lost(problem: Problem): Transition {
  return (run) => {
    const isWaiting = run.phase.at === 'in_progress' && run.stop === undefined;
    return isWaiting ? { ...run, phase: { at: 'lost', problem }, isMissing: isMissingAfter(run, problem) } : run;
  };
}

/** An internal error ends the step. The run continues, unless the step was already cancelling it. */
export function abandoned(why: string): Transition {
  const problem = { attempted: 'continue', cause: `internal error in this action (${why})`, remedy: REPORT_BUG };
  return (run) => {
    if (run.phase.at === 'waiting') return notQueued(problem)(run);
    if (run.phase.at === 'triggering') return { ...run, phase: { at: 'triggering', problem } };
    return run.stop === undefined ? lost(problem)(run) : unsettled(problem)(run);
  };
}

/** A cancellation is not confirmed yet. */
export function unsettled(problem: Problem): Transition {
  return (run) =>
    isOpen(run) ? { ...run, phase: { at: 'unsettled', problem }, isMissing: isMissingAfter(run, problem) } : run;
}

function isMissingAfter(run: RunState, { isOfId = false }: Problem): boolean {
  return run.isMissing || (isOfId && isUnread(run));
}

/** With `wait: false`, the run continues without the step. */
export const detached: Transition = (run) =>
  run.phase.at === 'in_progress' && run.stop === undefined ? { ...run, phase: { at: 'detached' } } : run;

/** The dry run found that the step could do its work. `row` is the row of the target's run, if it was read. */
export function dryRunPassed(row?: { readonly job: Job; readonly now: number }): Transition {
  return (run) => {
    const read = row && seen(row.job, row.now)({ ...run, jobId: run.target.jobId, isGiven: true });
    return { ...(read ?? run), phase: { at: 'dry_run' } };
  };
}

/** Marks a run in progress as left if its stop's policy is `leave`. */
function obey(run: RunState): RunState {
  return run.phase.at === 'in_progress' && run.stop?.policy === 'leave' ? { ...run, phase: { at: 'left' } } : run;
}

/** Returns the name of a run's pipeline or, if the name is unknown, what the user entered. */
export function nameOf({ pipeline, target }: RunState): string {
  const names = [pipeline?.name, pipeline?.apiName, target.pipeline, pipeline?.id, target.jobId];
  const shown = names.map((name) => oneLine(name ?? '', 80));
  return shown.find((name) => name !== '') ?? 'the unnamed pipeline';
}

/** Returns whether the step has yet to trigger a run or to see it finish, so that a stop ends it. */
export function isStoppable({ phase }: RunState): boolean {
  return phase.at === 'waiting' || phase.at === 'triggering' || phase.at === 'in_progress';
}

/** Returns what the post step does about a run that the main step left in this state. */
export function partOfPost(run: RunState): Meaning['post'] {
  return MEANING[run.phase.at].post;
}

/** Returns the phase in a run's line, or undefined if the run has none. */
export function savedPhase({ phase }: RunState): Phase['at'] | undefined {
  return MEANING[phase.at].savedAs;
}

/** Returns whether a run's line can have this phase. */
export function isSavedPhase(at: unknown): at is Phase['at'] {
  return Object.values(MEANING).some(({ savedAs }) => savedAs !== undefined && savedAs === at);
}

/** Returns whether the step is responsible for a run that exists and has not finished. */
export function isOpen({ phase }: RunState): boolean {
  return MEANING[phase.at].run === 'open';
}

/** Returns whether the step is responsible for a run that exists, or may exist once a response arrives. */
export function isPending(run: RunState): boolean {
  return ['waits', 'takes over'].includes(partOfPost(run));
}

/** Returns whether this attempt has provably queued no run so far. */
export function hasNoRun({ phase }: RunState): boolean {
  return MEANING[phase.at].run === 'none';
}

/** Returns whether a run may exist whose id the step does not know. */
export function isUnconfirmed({ phase }: RunState): boolean {
  return MEANING[phase.at].run === 'unconfirmed';
}

/** Returns whether a run may exist that the step wanted to see finish, but did not. */
export function mayContinue(run: RunState): boolean {
  return ['unconfirmed', 'open', 'given up'].includes(MEANING[run.phase.at].run) && !wasNotFound(run);
}

/** Returns whether a run from the inputs was never read, so that it may not exist. */
export function isUnread({ isGiven, isSeen }: RunState): boolean {
  return isGiven && !isSeen;
}

/** Returns whether the step gave up on a run from the inputs because the service never returned it. */
export function wasNotFound(run: RunState): boolean {
  return run.isMissing && run.stop === undefined;
}

/** Returns whether the run exists and the step left it before it finished. */
export function wasLetGo({ phase }: RunState): boolean {
  return ['given up', 'detached'].includes(MEANING[phase.at].run);
}

/** Returns the problem that ended the run or that keeps the step from ending it, if there is one. */
export function problemWith({ phase }: RunState): Problem | undefined {
  return 'problem' in phase ? phase.problem : undefined;
}

/** Returns whether a change has stopped the run. */
export function isNewlyStopped(run: RunState, before: RunState): boolean {
  return run.stop !== undefined && before.stop === undefined;
}

/** Returns whether a time limit stopped the run. */
export function isTimeout(stop: Stop | undefined): boolean {
  return stop?.why === 'timeout' || stop?.why === 'queue_timeout';
}

/** Returns the time at which the run entered the queue, or Infinity if it is not there. */
export function queuedSince({ history, status }: RunState): number {
  return status === 'queued' ? (history.at(-1)?.at ?? Infinity) : Infinity;
}

/** Returns how long a run took in milliseconds, or undefined if the step did not see it start and finish. */
export function durationOf({ startedAt, endedAt }: RunState): number | undefined {
  return startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt;
}

/** Returns the last attempt that has queued, or may have queued, a run. */
export function lastKnown(run: RunState): RunState {
  if (run.jobId !== undefined || isUnconfirmed(run)) return run;
  return run.earlier.at(-1) ?? run;
}

/** Returns the id of the last run that is known to exist, even if another attempt follows it. */
export function lastJobId({ earlier, jobId }: RunState): string | undefined {
  return jobId ?? earlier.at(-1)?.jobId;
}
