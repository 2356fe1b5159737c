import { asObject } from '../base/json.ts';
import { shorten } from '../base/text.ts';
import { asUuid } from '../base/uuid.ts';
import { type Phase, planned, type RunState, type Stop } from '../run/state.ts';
import type { Problem } from '../service/problem.ts';

/* A run's line: the part of its state that the post step needs. */

/** A run that was read back from its line. */
export interface KeptRun {
  readonly number: number;
  readonly state: RunState;
}

/** The maximum text lengths. They limit a line to 4 KB even if each character takes three bytes. */
const LONGEST = { name: 200, attempted: 100, cause: 250, remedy: 150, detail: 80 };
/** With more runs than this, texts are cut to `SHORT`, because the post step's environment can hold only 2 MB. */
const MANY = 100;
const SHORT = { name: 60, attempted: 60, cause: 60, remedy: 30, detail: 20 };

/**
 * Returns the line of a run in a step that has `count` runs, or undefined in a dry run and before an attempt's first
 * intent. The line omits what the post step does not need: monotonic times, statuses that are not final and, while the
 * run is open, a stop by a signal, whose policy is in the step's first line. Therefore, reads and signals cause no
 * writes.
 */
export function encodeRun(run: RunState, count = 1): string | undefined {
  const { attempt, isGiven, jobId, mayHaveTwin, phase, pipeline, status, stop, target, triggeredAt } = run;
  const isWithoutRun = phase.at === 'waiting' || phase.at === 'not_queued';
  if ((isWithoutRun && triggeredAt === undefined) || phase.at === 'dry_run') return undefined;
  const longest = count > MANY ? SHORT : LONGEST;
  const name = (text: string | undefined): string | undefined => cut(text, longest.name);
  const mayContinue = ['triggering', 'in_progress', 'unsettled'].includes(phase.at);
  const isKept = stop !== undefined && !(stop.why === 'signal' && mayContinue);
  return JSON.stringify({
    at: savedPhase(run),
    // A kill may cut off the line, so what matters most comes first.
    mayHaveTwin,
    jobId,
    problem: 'problem' in phase && phase.at !== 'unsettled' ? briefly(phase.problem, longest) : undefined,
    target: { pipeline: name(target.pipeline), jobId: target.jobId },
    pipeline: pipeline && { id: pipeline.id, name: name(pipeline.name), apiName: name(pipeline.apiName) },
    attempt,
    isGiven,
    status: phase.at === 'finished' ? status : undefined,
    triggeredAt,
    stop: isKept ? { why: stop.why, policy: stop.policy, detail: cut(stop.detail, longest.detail) } : undefined,
  });
}

/** In a line, a run that is being settled counts as in progress. If a POST was not processed, no run exists. */
function savedPhase({ mayHaveTwin, phase }: RunState): Phase['at'] {
  if (phase.at === 'unsettled') return 'in_progress';
  if (phase.at !== 'waiting') return phase.at;
  return mayHaveTwin ? 'unknown' : 'not_queued';
}

function cut(text: string | undefined, longest: number): string | undefined {
  return text === undefined ? undefined : shorten(text, longest);
}

function briefly(problem: Problem | undefined, longest: typeof LONGEST): Problem | undefined {
  if (problem === undefined) return undefined;
  const { attempted, cause, remedy } = problem;
  return {
    attempted: shorten(attempted, longest.attempted),
    cause: shorten(cause, longest.cause),
    remedy: cut(remedy, longest.remedy),
  };
}

/** Rebuilds a run from its line. Returns undefined if the line is invalid. */
export function decodeRun(value: Readonly<Record<string, unknown>>): RunState | undefined {
  const jobId = asUuid(value['jobId']);
  const phase = phaseIn(value, jobId !== undefined);
  if (phase === undefined) return undefined;
  const { attempt, isGiven, mayHaveTwin, status, triggeredAt } = value;
  const target = asObject(value['target']);
  const pipeline = asObject(value['pipeline']);
  const pipelineId = asUuid(pipeline['id']);
  return {
    ...planned({ ...textIn(target, 'pipeline'), ...textIn(target, 'jobId') }),
    phase,
    jobId,
    pipeline:
      pipelineId === undefined
        ? undefined
        : { id: pipelineId, name: '', apiName: '', ...textIn(pipeline, 'name'), ...textIn(pipeline, 'apiName') },
    attempt: typeof attempt === 'number' ? attempt : 1,
    isGiven: isGiven === true,
    mayHaveTwin: mayHaveTwin === true,
    status: typeof status === 'string' ? status : undefined,
    triggeredAt: typeof triggeredAt === 'number' ? triggeredAt : undefined,
    stop: stopIn(asObject(value['stop'])) ?? (phase.at === 'not_queued' && !phase.problem ? KILLED : undefined),
  };
}

function textIn<K extends string>(value: Readonly<Record<string, unknown>>, name: K): { readonly [key in K]?: string } {
  const text = value[name];
  return typeof text === 'string' ? ({ [name]: text } as { [key in K]: string }) : {};
}

function phaseIn({ at, problem }: Readonly<Record<string, unknown>>, hasId: boolean): Phase | undefined {
  switch (at) {
    case 'triggering':
      return { at };
    case 'not_queued':
    case 'unknown':
      return { at, problem: problemIn(problem) };
    case 'in_progress':
    case 'finished':
    case 'left':
    case 'detached':
      return hasId ? { at } : undefined;
    case 'lost':
      return hasId ? { at, problem: problemIn(problem) ?? NO_PROBLEM } : undefined;
    default:
      return undefined;
  }
}

const NO_PROBLEM: Problem = { attempted: "read the run's status", cause: 'the reason was not saved' };

function problemIn(value: unknown): Problem | undefined {
  const { attempted, cause, remedy } = asObject(value);
  if (typeof attempted !== 'string' || typeof cause !== 'string') return undefined;
  return { attempted, cause, ...(typeof remedy === 'string' && { remedy }) };
}

const REASONS = ['signal', 'timeout', 'queue_timeout', 'fail_fast', 'main_gone', 'job_cancelled'] as const;

/** If a run was not queued and its line gives no reason, the main step was killed before it could trigger the run. */
const KILLED: Stop = { why: 'main_gone', policy: 'cancel', at: 0, detail: '' };

/** Reads a stop. Its time becomes 0, because the other process's monotonic time is meaningless here. */
function stopIn({ why, policy, detail }: Readonly<Record<string, unknown>>): Stop | undefined {
  const reason = REASONS.find((each) => each === why);
  if (reason === undefined || (policy !== 'cancel' && policy !== 'leave')) return undefined;
  return { why: reason, policy, at: 0, detail: typeof detail === 'string' ? detail : '' };
}
