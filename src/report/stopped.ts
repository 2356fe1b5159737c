import { capitalized, oneLine, sentence } from '../base/text.ts';
import { hasNoRun, isTimeout, type RunState, type Stop } from '../run/state.ts';
import { causeOf } from '../service/problem.ts';
import { isCancellable, isFinalStatus, isUnrecognized } from '../service/statuses.ts';
import { type Context, type Ending, errorEnding } from './ending.ts';

/* How a stop is described: why the step stopped waiting for a run, and how to avoid it next time. */

export const NEEDS_MORE_TIME = 'If the run needs more time, set a longer timeout.';

/** The words for each stop. A timeout is an error. A signal is not, because users usually cause it on purpose. */
const STOPS: Readonly<Record<Stop['why'], StopWords>> = {
  interruption: { level: 'notice', reason: (by) => `Step interrupted (${by})` },
  timeout: { level: 'error', reason: (time) => `Step timed out after ${time}`, remedy: NEEDS_MORE_TIME },
  queue_timeout: {
    level: 'error',
    reason: (time) => `The queue timeout expired after ${time}`,
    remedy:
      'No agent picked up the run in that time. Check that an agent is running and free, or set a longer queue-timeout.',
  },
  fail_fast: { level: 'error', reason: (which) => `Step stopped by fail-fast (${which} did not succeed)` },
  main_gone: { level: 'warning', reason: () => 'The step ended early' },
  job_cancelled: { level: 'none', reason: () => 'Job cancelled' },
};

const NO_AGENT = 'When the timeout expired, no agent had picked up the run. Check that an agent is running and free.';
const AGENT_CAME_LATE =
  'An agent picked up the run only after the queue timeout had expired. Check that enough agents are running, or set a longer queue-timeout.';
const AGENT_MAY_BE_BUSY =
  'When the timeout expired, no agent had picked up the run. Another run of the pipeline may be keeping the agent busy.';

interface StopWords {
  readonly level: Ending['level'];
  readonly reason: (detail: string) => string;
  readonly remedy?: string;
}

/** Returns a clause about why the step stopped waiting. */
export function reasonOf({ why, detail }: Stop): string {
  return STOPS[why].reason(oneLine(detail, 80));
}

/** Returns the setting that lets runs continue after a stop, as ` (on-cancel: leave)`, or '' if no setting does. */
export function policyOf(stop: Stop, { wait }: Pick<Context, 'wait'>): string {
  // With `wait: false`, `timeout` never cancels runs, whatever on-timeout is.
  if (isTimeout(stop)) return wait === false ? '' : ' (on-timeout: leave)';
  return ' (on-cancel: leave)';
}

/**
 * Describes a run that a stop ended, or that has no stop. `what` is a clause about the run, which follows the reason for
 * the stop.
 */
export function stoppedEnding(run: RunState, what: string, advice: readonly string[]): Ending {
  const { stop } = run;
  if (stop === undefined) return errorEnding(sentence(capitalized(what)), ...advice);
  const { problem, why } = stop;
  const { level } = STOPS[why];
  const line = sentence(`${reasonOf(stop)}: ${what}`);
  if (problem === undefined) return { level, line, advice: [...advice, remedyOf(run, stop)] };
  const cause = causeOf(problem);
  const before = what.includes(cause)
    ? ''
    : ` ${sentence(`When the timeout expired, the step could not ${oneLine(problem.attempted)}: ${cause}`)}`;
  const { remedy = '' } = problem;
  // A saved remedy may lack its last sentences.
  const isRepeated = advice.some((each) => each.startsWith(remedy));
  return { level, line: `${line}${before}`, advice: isRepeated ? advice : [...advice, remedy] };
}

/** Returns how to avoid a stop that no failed request explains. */
function remedyOf(run: RunState, stop: Stop): string {
  const { remedy = '' } = STOPS[stop.why];
  // An unrecognized status explains a timeout better than a lack of time.
  if (isUnrecognized(lastUnfinished(run)?.status ?? 'queued')) return '';
  switch (stop.why) {
    case 'queue_timeout':
      if (hasAgent(run)) return AGENT_CAME_LATE;
      return run.mayHaveTwin ? AGENT_MAY_BE_BUSY : remedy;
    case 'timeout':
      if (hasNoRun(run)) return 'Set a longer timeout.';
      if (!wasQueued(run, stop)) return remedy;
      return run.mayHaveTwin ? AGENT_MAY_BE_BUSY : NO_AGENT;
    default:
      return remedy;
  }
}

/** Returns whether the run was in the queue at a timeout. An id that arrives later says nothing about that. */
function wasQueued(run: RunState, { at }: Stop): boolean {
  const last = lastUnfinished(run);
  return last?.status === 'queued' && last.at <= at && !hasAgent(run);
}

/** Returns whether an agent has picked up the run. After a queue timeout, the run was provably in the queue again. */
export function hasAgent({ history, stop }: RunState): boolean {
  const since = stop?.why === 'queue_timeout' ? stop.at : -Infinity;
  return history.some(({ at, status }) => at >= since && status !== 'queued' && isCancellable(status));
}

/** Returns the last status before the run finished, with the time when it was first seen. */
export function lastUnfinished({ history }: RunState): RunState['history'][number] | undefined {
  return history.findLast(({ status }) => !isFinalStatus(status));
}
