import { oneLine } from '../base/safe-text.ts';
import { isForgotten, isLetGoUnseen, outcomeOf } from '../run/outcome.ts';
import type { Expectation } from '../run/plan.ts';
import type { RunState } from '../run/run-state.ts';
import type { Problem } from '../service/api.ts';
import { endedWhenStopped, howToGoOn, left, stoppedEnding, unsettled } from './ending-stopped.ts';
import {
  adviceOf,
  afterHowLong,
  cap,
  type Ending,
  endedHow,
  failureOf,
  nameOf,
  postMayCancel,
  remedyOf,
  runOf,
  saidBy,
  statusWord,
  withStop,
} from './words.ts';

const LOOK_FIRST =
  'Look at the runs of this pipeline in the application before you run this step again: a second trigger is a second run.';
const GOES_ON = 'The run goes on: it was not cancelled.';

/** Puts into words how a run ended for this step. */
export function endingOf(run: RunState, plan: Expectation): Ending {
  const { standing } = run;
  switch (standing.at) {
    case 'ended':
      return run.stop === undefined ? ended(run, plan) : endedWhenStopped(run);
    case 'detached':
      return detached(run, plan);
    case 'tried':
      return tried(run, plan);
    case 'not_queued':
    case 'waiting':
      return notQueued(run, standing.at === 'not_queued' ? standing.problem : undefined);
    case 'triggering':
    case 'unknown':
      return unknown(run, plan, standing.at === 'unknown' ? standing.problem : undefined);
    case 'lost':
      return lost(run, plan, standing.problem);
    case 'left':
      return left(run, plan);
    case 'unsettled':
      return unsettled(run, standing.problem);
    case 'in_progress':
      return run.stop === undefined ? lost(run, plan, undefined) : unsettled(run, undefined);
  }
}

function detached(run: RunState, plan: Expectation): Ending {
  if (isLetGoUnseen(run, plan)) {
    const line = `${cap(runOf(run))} is triggered, but that nobody waits for it could not be written down on this runner.`;
    return { level: 'error', line, advice: [postMayCancel(run)] };
  }
  const how = run.attached ? `goes on; its status is ${statusWord(run.status)}` : 'is queued';
  return {
    level: undefined,
    line: `${cap(runOf(run))} ${how}. It is not waited for, because wait is false.`,
    advice: [],
  };
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

function tried(run: RunState, plan: Expectation): Ending {
  if (run.status === undefined) {
    const drops = plan.resetTarget ? ', and its tables dropped first' : '';
    return { level: undefined, line: `A run of ${nameOf(run)} would be triggered${drops}.`, advice: [] };
  }
  const line = withStop(`${cap(runOf(run))} ${endedHow(run.status)}${saidBy(run)}`);
  return { level: undefined, line, advice: [] };
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

function lost(run: RunState, plan: Expectation, problem: Problem | undefined): Ending {
  if (run.attached && run.status === undefined && problem !== undefined) {
    const attempted = run.target.kind === 'resume' ? problem.attempted : `await ${runOf(run)}`;
    return { level: 'error', line: failureOf({ ...problem, attempted }), advice: [adviceOf(problem)] };
  }
  const why = problem === undefined ? '' : ` ${failureOf(problem)}`;
  return {
    level: 'error',
    line: `Lost contact with ${runOf(run)}.${why}`,
    advice: [
      isForgotten(run, plan) ? postMayCancel(run) : GOES_ON,
      ...(problem === undefined ? [] : remedyOf(problem)),
      howToGoOn(run),
    ],
  };
}
