import type { Uuid } from '../../base/uuid.ts';
import type { Job, Problem } from '../../service/api.ts';
import { isTerminal, type TerminalStatus } from '../../service/statuses.ts';
import type { ResolvedPipeline, Target } from '../plan.ts';
import type { DurableFact, Entry, Fact, Stop } from './facts.ts';

/** The phase of a run. The step never stores outputs, the exit code or messages, but derives them from the phase. */
export type RunPhase =
  /** No request for the run is in flight. */
  | { readonly at: 'waiting' }
  /** The step may have sent a POST, and the result is unknown. */
  | { readonly at: 'triggering' }
  | { readonly at: 'in_progress' }
  /** The service returned a row with the run's id and a final status. */
  | { readonly at: 'finished'; readonly status: TerminalStatus }
  /** The run is queued, and the step does not await it, as requested. */
  | { readonly at: 'detached' }
  /** The run provably does not exist. If `problem` is absent, a stop or another run prevented the trigger. */
  | { readonly at: 'not_queued'; readonly problem?: Problem | undefined }
  /** The response to the trigger was lost, so a run may exist. */
  | { readonly at: 'unknown'; readonly problem?: Problem | undefined }
  /** The step has lost contact with the run and has not cancelled it. */
  | { readonly at: 'lost'; readonly problem?: Problem | undefined }
  /** Without `dry-run`, the step would trigger the run. */
  | { readonly at: 'dry_run' }
  /** The step stopped waiting and left the run in progress, as the policy requires. */
  | { readonly at: 'left' }
  /** The service has not confirmed the cancellation of the run. */
  | { readonly at: 'unsettled'; readonly problem: Problem };

/** The state of a run from the step's point of view. */
export interface RunState {
  /** The run's position in the input, starting at 1. */
  readonly number: number;
  readonly target: Target;
  /** The attempt number, starting at 1. Facts of an earlier attempt have no effect. */
  readonly attempt: number;
  /** The final states of the previous attempts. */
  readonly earlier: readonly RunState[];
  readonly pipeline: ResolvedPipeline | undefined;
  readonly jobId: Uuid | undefined;
  /** The last status that the service reported. */
  readonly status: string | undefined;
  readonly statusMessage: string | null;
  /** Every status change, with the monotonic time at which the step first saw the status, in milliseconds. */
  readonly history: readonly { readonly status: string; readonly at: number }[];
  readonly phase: RunPhase;
  /** The stop that ended the wait for this run before the run finished, if any. */
  readonly stop: Stop | undefined;
  /** Set when the service may have processed a POST whose response was lost. */
  readonly doubt: { readonly problem: Problem | undefined } | undefined;
  /** The monotonic times, in ms, of the trigger or first read, and of the read that showed a final status. */
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** The wall-clock time of the last intent, in milliseconds. */
  readonly intentWall: number | undefined;
  /** The run existed before this step. */
  readonly attached: boolean;
  /** A durable fact that still needs a record. Post acts on the other records. Only the ledger sets this field. */
  readonly unrecorded: { readonly fact: DurableFact; readonly remedy: string } | undefined;
  /** The time of the last response or failed read, and of the last good response before an outage, in milliseconds. */
  readonly lastReadAt: number | undefined;
  readonly outageSince: number | undefined;
}

/** Returns the state of a new run, of which only the target is known. */
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

/** Returns true if the step still has work to do for this run. */
export function isOpen({ phase }: Pick<RunState, 'phase'>): boolean {
  return phase.at === 'waiting' || phase.at === 'triggering' || phase.at === 'in_progress';
}

/**
 * Returns the state of a run after a fact, or the same object if the fact has no effect. Main, post and cancel/ share
 * this function, so they always agree on the meaning of a fact.
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

/** Returns the attempts of a run in order, without the last attempt if the step has sent nothing for it. */
export function attemptsOf(run: RunState): readonly RunState[] {
  const { earlier, phase } = run;
  const isSent = earlier.length === 0 || (phase.at !== 'waiting' && phase.at !== 'not_queued');
  return isSent ? [...earlier, run] : earlier;
}

/** Returns the last attempt whose run is known to exist, or the last attempt if there is none. */
export function lastKnown(run: RunState): RunState {
  return attemptsOf(run).findLast(({ jobId }) => jobId !== undefined) ?? run;
}

/** Returns when the first attempt began, as a monotonic time in milliseconds. */
export function begunAt({ earlier: [first], startedAt }: RunState): number | undefined {
  return first === undefined ? startedAt : first.startedAt;
}

/** Restores the id from a later record of a run, in case its `intent` and `queued` records are lost. */
function withLostId(run: RunState, { fact, jobId, at }: Entry): RunState {
  const isUnqueued = run.phase.at === 'triggering' || run.phase.at === 'waiting';
  if (jobId === undefined || !isUnqueued || !AFTER_QUEUED.has(fact.kind)) return run;
  return { ...run, ...changeOf(run, { run: run.number, attempt: run.attempt, fact: { kind: 'queued', jobId }, at }) };
}

const AFTER_QUEUED: ReadonlySet<Fact['kind']> = new Set(['stopped', 'detached', 'lost', 'finished']);

const AFTER_LEAVING: ReadonlySet<Fact['kind']> = new Set(['finished', 'seen', 'not_resumed', 'resolved']);

/** Returns true if a fact cannot change the run. A final status never changes. A left or lost run can only finish. */
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
      // The run continues as requested, regardless of an earlier stop, until the user cancels the job.
      return { phase: { at: 'detached' }, stop: undefined };
    case 'lost':
      // If the step has read the run before, it lost contact during a read, so record the time of that read.
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

/** Returns `not_queued` if no POST created a run, or `unknown` if an earlier POST may have created one. */
function withoutRun({ doubt }: RunState, problem?: Problem): RunPhase {
  if (doubt !== undefined) return { at: 'unknown', ...doubt };
  return problem === undefined ? { at: 'not_queued' } : { at: 'not_queued', problem };
}

/** Applies a stop. The first stop counts, but a stop that lets runs continue yields to the next one. */
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
    default:
      return undefined;
  }
}

/** Returns `left` if the stop leaves the run in progress, and otherwise `in_progress`. */
function inProgress(stop: Stop | undefined): RunPhase {
  return { at: stop?.policy === 'leave' ? 'left' : 'in_progress' };
}

/** Finishes a run. If a regular status read shows the final status, the run does not count as stopped. */
function finished(run: RunState, job: Job, confirming: boolean, at?: number): Partial<RunState> | undefined {
  if (!isTerminal(job.status) || (run.jobId !== undefined && job.id !== run.jobId)) return undefined;
  return {
    ...shown(run, job, at),
    ...(!confirming && { stop: undefined, lastReadAt: at, outageSince: undefined }),
    phase: { at: 'finished', status: job.status },
    endedAt: run.endedAt ?? at,
  };
}

/** Maximum number of status changes to keep per run, in case a service alternates between statuses for days. */
const MOST_CHANGES = 200;

function shown(run: RunState, job: Job, at: number | undefined): Partial<RunState> {
  return { ...noted(run, job.status, at), statusMessage: job.statusMessage };
}

function noted(run: RunState, status: string, at = 0): Partial<RunState> {
  if (run.history.at(-1)?.status === status) return { status };
  return { status, history: [...run.history.slice(0, MOST_CHANGES - 1), { status, at }] };
}
