import type { Uuid } from '../../base/uuid.ts';
import type { Job, Problem } from '../../service/api.ts';
import { isTerminal, type TerminalStatus } from '../../service/statuses.ts';
import type { ResolvedPipeline, Target } from '../plan.ts';
import type { DurableFact, Entry, Fact, Stop } from './facts.ts';

/** The phase of a run. Outputs, exit code and texts are computed from it and never stored. */
export type RunPhase =
  /** Nothing is in flight for it. */
  | { readonly at: 'waiting' }
  /** A POST may have been sent, and its result is not known yet. */
  | { readonly at: 'triggering' }
  | { readonly at: 'in_progress' }
  /** A row with its id and a final status was seen. */
  | { readonly at: 'finished'; readonly status: TerminalStatus }
  /** Queued and not awaited, as requested. */
  | { readonly at: 'detached' }
  /** There is provably no run. Without a problem: it was stopped before its turn, or another run kept it back. */
  | { readonly at: 'not_queued'; readonly problem?: Problem | undefined }
  /** The response to the trigger was lost: there may be a run. */
  | { readonly at: 'unknown'; readonly problem?: Problem | undefined }
  /** Out of contact. It was not cancelled. */
  | { readonly at: 'lost'; readonly problem?: Problem | undefined }
  /** A dry run would have triggered it. */
  | { readonly at: 'dry_run' }
  /** Stopped waiting, and left running as the policy says. */
  | { readonly at: 'left' }
  /** Its cancel was not confirmed. */
  | { readonly at: 'unsettled'; readonly problem: Problem };

/** One run as the step knows it. */
export interface RunState {
  /** Its position in the input, from 1. */
  readonly number: number;
  readonly target: Target;
  /** From 1. Facts of an earlier attempt have no effect. */
  readonly attempt: number;
  /** The attempts before this one, each as it ended. */
  readonly earlier: readonly RunState[];
  readonly pipeline: ResolvedPipeline | undefined;
  readonly jobId: Uuid | undefined;
  /** As the service reported it last. */
  readonly status: string | undefined;
  readonly statusMessage: string | null;
  /** Every status that differs from the one before, and when it was first seen by the monotonic clock, in milliseconds. */
  readonly history: readonly { readonly status: string; readonly at: number }[];
  readonly phase: RunPhase;
  /** Why the step stopped waiting for it, if it did before the run finished. */
  readonly stop: Stop | undefined;
  /** Set once a POST may have been processed whose response was lost. */
  readonly doubt: { readonly problem: Problem | undefined } | undefined;
  /** By the monotonic clock, in milliseconds: its trigger or first read, and when it was seen to finish. */
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** The wall-clock time of its last intent, in milliseconds. */
  readonly intentWall: number | undefined;
  /** It existed before this step. */
  readonly attached: boolean;
  /** A durable fact that could not be written yet: post acts by the others. Only the ledger knows. */
  readonly unrecorded: { readonly fact: DurableFact; readonly remedy: string } | undefined;
  /** The last response or failure of a read, and the last good one before an outage, in milliseconds. */
  readonly lastReadAt: number | undefined;
  readonly outageSince: number | undefined;
}

/** A run about which nothing is known except its target. */
export function newRun(number: number, target: Target): RunState {
  return {
    number,
    target,
    attempt: 1,
    earlier: [],
    pipeline: undefined,
    jobId: undefined,
    status: undefined,
    statusMessage: null,
    history: [],
    phase: { at: 'waiting' },
    stop: undefined,
    doubt: undefined,
    startedAt: undefined,
    endedAt: undefined,
    intentWall: undefined,
    attached: false,
    unrecorded: undefined,
    lastReadAt: undefined,
    outageSince: undefined,
  };
}

/** Whether the step still has something to do for this run. */
export function isOpen({ phase }: Pick<RunState, 'phase'>): boolean {
  return phase.at === 'waiting' || phase.at === 'triggering' || phase.at === 'in_progress';
}

/**
 * The state of a run after a fact: the same object if the fact has no effect. Main, post and cancel/ all use it, so they
 * cannot disagree about what a fact means.
 */
export function reduce(before: RunState, entry: Entry): RunState {
  if (entry.attempt < before.attempt) return before;
  const current = entry.attempt > before.attempt ? nextAttempt(before, entry.attempt) : before;
  const run = withLostId(current, entry);
  const change = isImmune(run, entry.fact) ? undefined : changeOf(run, entry);
  if (change === undefined) return before;
  const { fact, jobId } = entry;
  return { ...run, ...(run.jobId === undefined && fact.kind !== 'intent' && { jobId }), ...change };
}

function nextAttempt(run: RunState, attempt: number): RunState {
  const { number, target, pipeline } = run;
  return { ...newRun(number, target), attempt, pipeline, earlier: [...run.earlier, { ...run }] };
}

/** The attempts of a run in order; without the last one while nothing was sent for it. */
export function attemptsOf(run: RunState): readonly RunState[] {
  const { earlier, phase } = run;
  const isSent = earlier.length === 0 || (phase.at !== 'waiting' && phase.at !== 'not_queued');
  return isSent ? [...earlier, run] : earlier;
}

/** The last attempt whose run is known to exist, or else the last one. */
export function lastKnown(run: RunState): RunState {
  return attemptsOf(run).findLast(({ jobId }) => jobId !== undefined) ?? run;
}

/** When its first attempt began, by the monotonic clock in milliseconds. */
export function begunAt({ earlier: [first], startedAt }: RunState): number | undefined {
  return first === undefined ? startedAt : first.startedAt;
}

/** A later record of a run has its id, so the records that it was triggered and queued may be lost. */
function withLostId(run: RunState, { fact, jobId, at }: Entry): RunState {
  const isUnqueued = run.phase.at === 'triggering' || run.phase.at === 'waiting';
  if (jobId === undefined || !isUnqueued || !AFTER_QUEUED.has(fact.kind)) return run;
  return { ...run, ...changeOf(run, { run: run.number, attempt: run.attempt, fact: { kind: 'queued', jobId }, at }) };
}

const AFTER_QUEUED: ReadonlySet<Fact['kind']> = new Set(['stopped', 'detached', 'lost', 'finished']);

const AFTER_LEAVING: ReadonlySet<Fact['kind']> = new Set(['finished', 'seen', 'not_resumed', 'resolved']);

/** A finished run stays finished. A run that was left or lost may only be seen to finish. */
function isImmune({ phase }: RunState, { kind }: Fact): boolean {
  if (phase.at === 'finished') return kind !== 'resolved';
  return (phase.at === 'left' || phase.at === 'lost') && !AFTER_LEAVING.has(kind);
}

function changeOf(run: RunState, { fact, at }: Entry): Partial<RunState> | undefined {
  const { stop, doubt } = run;
  switch (fact.kind) {
    case 'resolved':
      return { pipeline: fact.pipeline };
    case 'again':
    case 'cancel_failed':
      return {};
    case 'claimed':
      return { attached: true, jobId: fact.jobId, phase: { at: 'in_progress' } };
    case 'intent':
      return {
        phase: { at: 'triggering' },
        jobId: undefined,
        pipeline: run.pipeline ?? fact.pipeline,
        intentWall: fact.wall,
        startedAt: run.startedAt ?? at,
      };
    case 'queued':
      return {
        ...noted(run, 'queued', at),
        jobId: fact.jobId,
        phase: inProgress(stop),
        stop: stop?.policy === 'await' ? undefined : stop,
      };
    case 'not_resumed': {
      const phase = { at: stop === undefined ? 'waiting' : 'not_queued' } as const;
      return { attached: false, jobId: undefined, lastReadAt: undefined, phase };
    }
    case 'refused':
      return { phase: fact.retryInMs === undefined ? withoutRun(run, fact.problem) : { at: 'waiting' } };
    case 'unknown': {
      const first = doubt ?? { problem: fact.problem };
      return { doubt: first, phase: fact.retryInMs === undefined ? { at: 'unknown', ...first } : { at: 'waiting' } };
    }
    case 'kept_back':
      return { phase: withoutRun(run, fact.problem) };
    case 'unanswered':
      return { phase: { at: 'unknown', problem: fact.problem } };
    case 'stopped':
      return stopped(run, fact.stop);
    case 'detached':
      // The run continues as requested, regardless of an earlier stop, until the job is cancelled.
      return { phase: { at: 'detached' }, stop: undefined };
    case 'lost':
      // Contact was lost at a read, if there was one.
      return { phase: { at: 'lost', problem: fact.problem }, ...(run.lastReadAt !== undefined && { lastReadAt: at }) };
    case 'unsettled':
      return { phase: { at: 'unsettled', problem: fact.problem } };
    case 'awaited':
      return { startedAt: at, ...(fact.job && { ...shown(run, fact.job, at), lastReadAt: at }) };
    case 'seen':
      return { ...shown(run, fact.job, at), ...(!fact.confirming && { lastReadAt: at, outageSince: undefined }) };
    case 'finished':
      return finished(run, fact.job, fact.confirming === true, at);
    case 'read_failed':
      return {
        lastReadAt: at,
        ...(fact.retryInMs === undefined && { outageSince: run.outageSince ?? (at ?? 0) - fact.sinceMs }),
      };
    case 'dry_run':
      return { phase: { at: 'dry_run' }, ...(fact.job && { ...shown(run, fact.job, at), jobId: fact.job.id }) };
  }
}

/** No POST created a run, or an earlier one may have. */
function withoutRun({ doubt }: RunState, problem?: Problem): RunPhase {
  if (doubt !== undefined) return { at: 'unknown', ...doubt };
  return problem === undefined ? { at: 'not_queued' } : { at: 'not_queued', problem };
}

/** The first stop counts. Only one that lets runs go on yields to the next. */
function stopped(run: RunState, stop: Stop): Partial<RunState> | undefined {
  if (run.stop !== undefined && run.stop.policy !== 'await') return undefined;
  switch (run.phase.at) {
    case 'waiting':
      return { stop, phase: withoutRun(run) };
    case 'triggering':
      return { stop };
    case 'in_progress':
      if (stop.policy === 'await') return undefined;
      return { stop, phase: inProgress(stop) };
    case 'detached':
      return stop.reason.kind === 'job_cancelled' ? { stop, phase: { at: 'in_progress' } } : undefined;
    case 'finished':
    case 'not_queued':
    case 'unknown':
    case 'lost':
    case 'dry_run':
    case 'left':
    case 'unsettled':
      return undefined;
  }
}

/** A run in progress, unless the stop leaves it running. */
function inProgress(stop: Stop | undefined): RunPhase {
  return { at: stop?.policy === 'leave' ? 'left' : 'in_progress' };
}

/** A run that finished before a cancel could have an effect was not stopped. */
function finished(run: RunState, job: Job, confirming: boolean, at?: number): Partial<RunState> | undefined {
  if (!isTerminal(job.status) || (run.jobId !== undefined && job.id !== run.jobId)) return undefined;
  return {
    ...shown(run, job, at),
    ...(!confirming && { stop: undefined, lastReadAt: at, outageSince: undefined }),
    phase: { at: 'finished', status: job.status },
    endedAt: run.endedAt ?? at,
  };
}

/** How many changes of status are kept for a run, so that a service that alternates for days does not fill the memory. */
const MOST_CHANGES = 200;

function shown(run: RunState, job: Job, at: number | undefined): Partial<RunState> {
  return { ...noted(run, job.status, at), statusMessage: job.statusMessage };
}

function noted(run: RunState, status: string, at = 0): Partial<RunState> {
  if (run.history.at(-1)?.status === status) return { status };
  return { status, history: [...run.history.slice(0, MOST_CHANGES - 1), { status, at }] };
}
