import { shorten } from '../base/text.ts';
import { asUuid } from '../base/uuid.ts';
import {
  hasNoRun,
  isPending,
  isSavedPhase,
  isUnconfirmed,
  type Phase,
  planned,
  problemWith,
  type RunState,
  type Stop,
  savedPhase,
} from '../run/state.ts';
import { type Problem, problemOf } from '../service/problem.ts';

/* A run's line: the part of its state that the post step needs. */

/** A run that was read back from its line. */
export interface KeptRun {
  readonly number: number;
  readonly state: RunState;
}

/** The fields of a line. */
interface RunLine extends Pick<RunState, 'mayHaveTwin' | 'jobId' | 'target' | 'pipeline' | 'attempt' | 'isGiven'> {
  readonly at: Phase['at'];
  readonly isMissing: true | undefined;
  readonly problem: Problem | undefined;
  readonly status: string | undefined;
  readonly triggeredAt: number | undefined;
  readonly stop: Omit<Stop, 'at'> | undefined;
}

/** The maximum text lengths. They limit a line to 4 KB even if each character takes three bytes. */
const LONGEST = { name: 200, attempted: 100, cause: 250, remedy: 150, detail: 80, status: 40 };
/** With more runs than this, their lines are shorter, because the post step's environment can hold only 2 MB. */
const MOST_LONG_LINES = 20;
const SHORT = { name: 60, attempted: 60, cause: 60, remedy: 30, detail: 31, status: 40 };

/**
 * Returns the line of a run in a step that has `count` runs, or undefined in a dry run and before an attempt's first
 * intent. The line omits what the post step does not need: monotonic times, the status of a run that the step is
 * waiting for and, while the run is pending, a stop by an interruption, whose policy is in the step's first line.
 * Therefore, neither signals nor the reads of a waiting step cause writes.
 */
export function encodeRun(run: RunState, count: number): RunLine | undefined {
  const { attempt, isGiven, isMissing, jobId, mayHaveTwin, phase, pipeline, status, stop, target, triggeredAt } = run;
  const at = savedPhase(run);
  if (at === undefined || (hasNoRun(run) && triggeredAt === undefined)) return undefined;
  const longest = count > MOST_LONG_LINES ? SHORT : LONGEST;
  const name = (text: string): string => shorten(text, longest.name);
  const isKept = stop !== undefined && !(stop.why === 'interruption' && isPending(run));
  const problem = phase.at === 'unsettled' ? undefined : problemWith(run);
  // A kill may cut off the line, so what the post step needs most comes first.
  const line: RunLine = {
    status: isKept || ['finished', 'lost'].includes(phase.at) ? cut(status, longest.status) : undefined,
    at,
    mayHaveTwin,
    jobId,
    isMissing: isMissing || undefined,
    // The problem of the phase matters more than the one that the stop met.
    stop: isKept ? stopInLine(problem === undefined ? stop : { ...stop, problem: undefined }, longest) : undefined,
    problem: briefly(problem, longest),
    target: { ...target, ...(target.pipeline !== undefined && { pipeline: name(target.pipeline) }) },
    pipeline: pipeline && { id: pipeline.id, name: name(pipeline.name), apiName: name(pipeline.apiName) },
    attempt,
    isGiven,
    triggeredAt,
  };
  return line;
}

function stopInLine({ why, policy, detail, problem }: Stop, longest: typeof LONGEST): Omit<Stop, 'at'> {
  return { why, policy, detail: shorten(detail, longest.detail), problem: briefly(problem, longest) };
}

function cut(text: string | undefined, longest: number): string | undefined {
  return text === undefined ? undefined : shorten(text, longest);
}

function briefly(problem: Problem | undefined, longest: typeof LONGEST): Problem | undefined {
  if (problem === undefined) return undefined;
  const { attempted, call, cause, remedy } = problem;
  return {
    call,
    attempted: shorten(attempted, longest.attempted),
    cause: shorten(cause, longest.cause),
    remedy: remedy && firstSentences(remedy, longest.remedy),
  };
}

/** Returns as many sentences as fit, or '' if none does, because a part of a sentence could mislead. */
function firstSentences(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return text.slice(0, text.lastIndexOf('. ', longest - 1) + 1);
}

/** Returns the part of a cut line that contains what the post step needs most, or '' if that is missing. */
export function beginningOf(text: string): string {
  return /^.*?"jobId":"[^"]*"/.exec(text)?.[0] ?? '';
}

/** Rebuilds a run from its line, whose end may be missing. Returns undefined if the phase or a necessary id is missing. */
export function decodeRun(line: Readonly<Record<string, unknown>>): RunState | undefined {
  const { at, problem, target = {}, stop, ...known } = line as Partial<RunLine>;
  if (!isSavedPhase(at)) return undefined;
  const phase = { at, problem: at === 'lost' ? (problem ?? NO_PROBLEM) : problem } as Phase;
  // The other process's monotonic time is meaningless here.
  const kept = stop && { ...stop, at: 0 };
  const history = known.status === undefined ? [] : [{ status: known.status, at: 0 }];
  // An existing run has no status before its first row is read. The line of a run that the step waits for never has one,
  // so the run counts as read: the post step must not report that a run which the main step may have seen does not exist.
  const isMissing = known.isMissing === true;
  const isSeen =
    known.isGiven === true && !isMissing && (known.status !== undefined || (at !== 'lost' && at !== 'left'));
  const killed = at === 'not_queued' && problem === undefined ? KILLED : undefined;
  const run = { ...planned(target), ...known, isMissing, isSeen, history, phase, stop: kept ?? killed };
  // The id becomes part of a URL, so it must be one.
  const needsId = !hasNoRun(run) && !isUnconfirmed(run);
  return needsId && asUuid(run.jobId) === undefined ? undefined : run;
}

const NO_PROBLEM = problemOf('read', 'unknown cause (it was not saved)');

/** If a run was not queued and its line gives no reason, the main step was killed before it could trigger the run. */
const KILLED: Stop = { why: 'main_gone', policy: 'cancel', at: 0, detail: '' };
