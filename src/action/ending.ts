import { formatDuration } from '../base/duration.ts';
import { oneLine } from '../base/safe-text.ts';
import { outcomeOf } from '../run/outcome.ts';
import type { Expectation } from '../run/plan.ts';
import type { RunState } from '../run/run-state.ts';
import type { Problem } from '../service/api.ts';
import type { Level } from './toolkit.ts';
import {
  adviceOf,
  afterHowLong,
  cap,
  endedHow,
  failureOf,
  nameOf,
  reasonOf,
  remedyOf,
  runOf,
  saidBy,
  withStop,
} from './words.ts';

/** How a run ended, for people. */
export interface Ending {
  /** How much attention it needs; undefined: none. */
  readonly level: Level | undefined;
  /** One line that can be read alone, in a chat as well. */
  readonly line: string;
  /** What that means and what to do next, a sentence each. */
  readonly advice: readonly string[];
}

const LOOK_FIRST =
  'Look at the runs of this pipeline in the application before you run this step again: a second trigger is a second run.';
export const CANCEL_THERE = 'Look at it in the application, and cancel it there.';
const GOES_ON = 'The run goes on: it was not cancelled.';

/** Puts into words how a run ended for this step. */
export function endingOf(run: RunState, plan: Expectation): Ending {
  const { standing } = run;
  switch (standing.at) {
    case 'ended':
      return run.stop === undefined ? ended(run, plan) : endedWhenStopped(run);
    case 'detached':
      return {
        level: undefined,
        line: `${cap(runOf(run))} is queued. It is not waited for, because wait is false.`,
        advice: [],
      };
    case 'tried':
      return tried(run, plan);
    case 'not_queued':
    case 'waiting':
      return notQueued(run, standing.at === 'not_queued' ? standing.problem : undefined);
    case 'triggering':
    case 'unknown':
      return unknown(run, plan, standing.at === 'unknown' ? standing.problem : undefined);
    case 'lost':
      return lost(run, standing.problem);
    case 'left':
      return left(run);
    case 'unsettled':
      return unsettled(run, standing.problem);
    case 'in_progress':
      return run.stop === undefined ? lost(run, undefined) : unsettled(run, undefined);
  }
}

function ended(run: RunState, plan: Expectation): Ending {
  const status = run.status ?? '';
  const line = withStop(`${cap(runOf(run))} ${endedHow(status)}${afterHowLong(run)}${saidBy(run)}`);
  if (outcomeOf(run, plan) === 'succeeded') {
    const level = { completed_with_warning: 'warning', skipped: 'notice' } as const;
    return { level: status in level ? level[status as keyof typeof level] : undefined, line, advice: [] };
  }
  const good = [...plan.succeedOn].join(', ');
  const advice =
    status === 'failed' || status === 'timed_out'
      ? ['Open the run in the application for its log; once the cause is fixed, run this step again.']
      : [`This counts as a failure because succeed-on is ${good}.`];
  return { level: 'error', line, advice };
}

const HEARTBEAT = 'Its agent stops at its next heartbeat, within seconds.';

function endedWhenStopped(run: RunState): Ending {
  const cancelled = run.status === 'cancelled';
  const what = cancelled
    ? `${runOf(run)} was cancelled${inHowLong(run)}`
    : `${runOf(run)} ${endedHow(run.status ?? '')} before it could be cancelled`;
  return stoppedEnding(run, `${what}${cancelled ? '' : saidBy(run)}`, cancelled ? [HEARTBEAT] : []);
}

/** An interruption that left nothing open is what somebody wanted; a time-out is not. */
function stoppedEnding(run: RunState, what: string, advice: readonly string[]): Ending {
  const why = run.stop === undefined ? '' : `${reasonOf(run.stop)}: `;
  const level = run.stop?.reason.kind === 'interrupted' ? 'notice' : 'error';
  const line = withStop(why === '' ? cap(what) : `${why}${what}`);
  return { level, line, advice: [...advice, ...againstTimeouts(run)] };
}

function againstTimeouts({ stop }: RunState): string[] {
  switch (stop?.reason.kind) {
    case 'timeout':
      return ['If the run needs longer than that, write more into timeout.'];
    case 'queue_timeout':
      return ['Check in the application that an agent is there and free, or write more into queue-timeout.'];
    default:
      return [];
  }
}

function inHowLong(run: RunState): string {
  if (run.stop === undefined || run.endedAt === undefined) return '';
  const ms = run.endedAt - run.stop.at;
  return ms < 1_000 ? ' at once' : ` within ${formatDuration(ms)}`;
}

function tried(run: RunState, plan: Expectation): Ending {
  if (run.status === undefined) {
    const drops = plan.resetTarget ? ', and its tables dropped first' : '';
    return { level: undefined, line: `A run of ${nameOf(run)} would be triggered${drops}.`, advice: [] };
  }
  const line = withStop(`${cap(runOf(run))} ${endedHow(run.status)}${saidBy(run)}`);
  return { level: undefined, line, advice: [] };
}

function left(run: RunState): Ending {
  const byTimeout = run.stop?.reason.kind === 'timeout' || run.stop?.reason.kind === 'queue_timeout';
  const input = byTimeout ? 'on-timeout' : 'on-cancel';
  return stoppedEnding(run, `${runOf(run)} is left running, because ${input} is leave`, [howToGoOn(run)]);
}

function notQueued(run: RunState, problem: Problem | undefined): Ending {
  if (problem !== undefined && run.target.kind === 'job') {
    return { level: 'error', line: failureOf(problem), advice: [adviceOf(problem)] };
  }
  if (problem !== undefined) {
    return {
      level: 'error',
      line: `No run of ${nameOf(run)} was triggered. ${failureOf(problem)}`,
      advice: ['Nothing is queued.', adviceOf(problem)],
    };
  }
  return run.target.kind === 'job'
    ? stoppedEnding(run, `${runOf(run)} was left as it is`, [])
    : stoppedEnding(run, `no run of ${nameOf(run)} was triggered`, ['Nothing is queued.']);
}

function unknown(run: RunState, plan: Expectation, problem: Problem | undefined): Ending {
  const came = problem === undefined ? 'no answer had come when this step had to end' : oneLine(problem.came);
  const dropping = plan.resetTarget ? ['It may be dropping tables right now.'] : [];
  const howMany =
    plan.retryTrigger === 'always'
      ? 'retry-trigger is always, so there may be several. Without their ids they cannot be cancelled from here.'
      : 'It was not triggered again, and without its id it cannot be cancelled from here.';
  return {
    level: 'error',
    line: withStop(`A run of ${nameOf(run)} may be going on, because its trigger was not confirmed: ${came}`),
    advice: [...dropping, howMany, LOOK_FIRST],
  };
}

function lost(run: RunState, problem: Problem | undefined): Ending {
  if (run.attached && run.status === undefined && problem !== undefined) {
    const line = failureOf({ ...problem, attempted: `await ${runOf(run)}` });
    return { level: 'error', line, advice: [adviceOf(problem)] };
  }
  const why = problem === undefined ? '' : ` ${failureOf(problem)}`;
  return {
    level: 'error',
    line: `Lost contact with ${runOf(run)}.${why}`,
    advice: [GOES_ON, ...(problem === undefined ? [] : remedyOf(problem)), howToGoOn(run)],
  };
}

/** A run that goes on can be awaited again; who does not know that triggers a second one. */
function howToGoOn(run: RunState): string {
  return run.target.kind === 'job' || run.jobId === undefined
    ? 'Run this step again to go on waiting for it.'
    : `To go on waiting for it, run this step again with job-id: ${run.jobId} beside pipeline; without that, a second run is triggered.`;
}

function unsettled(run: RunState, problem: Problem | undefined): Ending {
  const what = `the cancel of ${runOf(run)} is not confirmed, and it may still be going on`;
  const ending = stoppedEnding(run, what, [
    ...(problem === undefined ? [] : [failureOf(problem), ...remedyOf(problem)]),
    // Without a stop it was cancel/ that tried, and no post step follows.
    run.stop === undefined ? CANCEL_THERE : 'The post step tries again at the end of the job.',
  ]);
  return { ...ending, level: 'error' };
}
