import { formatDuration } from '../../base/duration.ts';
import { oneLine } from '../../base/safe-text.ts';
import type { Expectation, OnStop } from '../../run/plan.ts';
import type { Stop } from '../../run/state/facts.ts';
import { detachedUnrecorded, OUTCOMES, type Outcome, outcomeOf, postMayCancel } from '../../run/state/outcome.ts';
import { lastKnown, type RunState } from '../../run/state/run-state.ts';
import type { Problem } from '../../service/api.ts';
import { isTerminal, TERMINAL_STATUSES, type TerminalStatus } from '../../service/statuses.ts';
import type { Level } from '../runner/toolkit.ts';
import {
  adviceOf,
  afterHowLong,
  CANCEL_THERE,
  cap,
  type Ending,
  endedHow,
  failureOf,
  nameAndId,
  nameOf,
  postMayCancelText,
  reasonOf,
  remedyOf,
  runOf,
  saidBy,
  statusWord,
  withStop,
} from './words.ts';

const LOOK_FIRST =
  'Look at the runs of this pipeline in the application before you run this step again: a second trigger is a second run.';
const GOES_ON = 'It was not cancelled, and may still be in progress.';

/** Whether the step itself reports, or post after it. */
export type Speaker = 'step' | 'post';

/** For post and cancel/: every end that was seen is what they wanted. */
export function anyEnd(onCancel: OnStop): Expectation {
  return {
    succeedOn: new Set(TERMINAL_STATUSES),
    resetTarget: false,
    onLostResponse: 'fail',
    onCancel,
    maxAttempts: 1,
    retryOn: new Set(),
  };
}

/** Puts into words how a run ended for this step. */
export function endingOf(run: RunState, plan: Expectation, speaker: Speaker = 'step'): Ending {
  const { phase } = run;
  switch (phase.at) {
    case 'finished':
      if (run.stop === undefined) return ended(run, plan);
      // That it has ended is what post is for.
      return { ...endedWhenStopped(run, speaker), ...(speaker === 'post' && { level: undefined }) };
    case 'detached':
      return detached(run, plan);
    case 'dry_run':
      return tried(run, plan);
    case 'not_queued':
    case 'waiting':
      return run.earlier.length > 0
        ? notAgain(run, plan, phase.at === 'not_queued' ? phase.problem : undefined)
        : notQueued(run, phase.at === 'not_queued' ? phase.problem : undefined);
    case 'triggering':
    case 'unknown':
      return speaker === 'post'
        ? unknownInPost(run)
        : unknown(run, plan, phase.at === 'unknown' ? phase.problem : undefined);
    case 'lost':
      return lost(run, plan, phase.problem);
    case 'left':
      return left(run, plan);
    case 'unsettled':
      return unsettled(run, phase.problem, speaker);
    case 'in_progress':
      return run.stop === undefined ? lost(run, plan, undefined) : unsettled(run, undefined, speaker);
  }
}

function detached(run: RunState, plan: Expectation): Ending {
  if (detachedUnrecorded(run, plan)) {
    const line = `${cap(runOf(run))} is triggered, but that nobody waits for it could not be written down on this runner.`;
    return { level: 'error', line, advice: [postMayCancelText(run)] };
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
  const lineWith = (nth: string): string =>
    withStop(`${cap(runOf(run))} ${endedHow(status)}${afterHowLong(run)}${nth}${saidBy(run)}`);
  if (outcomeOf(run, plan) === 'succeeded') {
    if (run.attempt > 1) return { level: 'warning', line: lineWith(`, on ${attemptOf(run, plan)}`), advice: [] };
    const level = { completed_with_warning: 'warning', skipped: 'notice' } as const;
    return { level: status in level ? level[status as keyof typeof level] : undefined, line: lineWith(''), advice: [] };
  }
  const line = `${lineWith('')}${howMany(run, plan)}`;
  const good = [...plan.succeedOn].join(', ');
  const advice =
    status === 'failed' || status === 'timed_out'
      ? ['Open the run in the application for its log; once the cause is fixed, run the pipeline again.']
      : [`This counts as a failure because succeed-on is ${good}.`];
  return { level: 'error', line, advice };
}

/** `attempt 2 of 3`. */
export function attemptOf({ attempt }: RunState, { maxAttempts }: Expectation): string {
  return `attempt ${attempt} of ${maxAttempts}`;
}

/** How many attempts were made, and why no more; empty if there could only be one. */
function howMany(run: RunState, { maxAttempts, retryOn }: Expectation): string {
  if (maxAttempts === 1) return '';
  const made = ` Attempts made: ${run.attempt} of ${maxAttempts}`;
  if (run.attempt === maxAttempts) return `${made}.`;
  if (run.doubt !== undefined) return `${made}, because the response to a trigger was lost.`;
  const isNamed = retryOn.has(run.status as TerminalStatus);
  return `${made}, because ${isNamed ? 'the timeout or a stop leaves no room for the next one' : 'retry-on does not name that status'}.`;
}

/** An attempt that was not triggered: the end of the one before it stands. */
function notAgain(run: RunState, plan: Expectation, problem: Problem | undefined): Ending {
  const last = lastKnown(run);
  const how = `${runOf(last)} ${endedHow(last.status ?? '')}`;
  const next = attemptOf(run, plan);
  if (problem === undefined) return stoppedEnding(run, `${how}, and ${next} was not triggered`, []);
  const line = `${withStop(`${cap(how)}${saidBy(last)}`)} ${cap(next)} was not triggered. ${failureOf(problem)}`;
  return { level: 'error', line, advice: ['Nothing more is queued for it.', adviceOf(problem)] };
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
      advice: ['Nothing is queued for it.', adviceOf(problem)],
    };
  }
  return run.target.kind === 'job'
    ? stoppedEnding(run, `${runOf(run)} was left as it is`, [])
    : stoppedEnding(run, `no run of ${nameOf(run)} was triggered`, ['Nothing is queued for it.']);
}

function unknown(run: RunState, plan: Expectation, problem: Problem | undefined): Ending {
  const came = problem === undefined ? 'no answer had come when this step had to end' : oneLine(problem.cause);
  const nth = run.attempt > 1 ? ` (${attemptOf(run, plan)})` : '';
  const dropping = plan.resetTarget ? ['It may be dropping tables right now.'] : [];
  const several =
    plan.onLostResponse === 'retry'
      ? 'on-lost-response is retry, so there may be several. Without their ids they cannot be cancelled from here.'
      : 'It was not triggered again, and without its id it cannot be cancelled from here.';
  return {
    level: 'error',
    line: withStop(`A run of ${nameOf(run)}${nth} may be going on, because its trigger was not confirmed: ${came}`),
    advice: [...dropping, several, LOOK_FIRST],
  };
}

/** Main was killed, or could not report it. The records do not say why the response is missing. */
function unknownInPost(run: RunState): Ending {
  const at = run.intentWall === undefined ? '' : ` at ${timeOf(run.intentWall)}`;
  return {
    level: 'error',
    line: `A run of ${nameAndId(run)} may be going on: it was triggered${at}, but the step ended before an answer came.`,
    advice: ['Without its id it cannot be cancelled from here.', LOOK_FIRST],
  };
}

/** A clock that is off must not cost the warning. */
function timeOf(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString();
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
      postMayCancel(run, plan) ? postMayCancelText(run) : GOES_ON,
      ...(problem === undefined ? [] : remedyOf(problem)),
      howToGoOn(run),
    ],
  };
}

/** What a cancelled run's agent does. The records that post reads do not say whether one has picked the run up. */
function heartbeat({ history }: RunState, speaker: Speaker): string[] {
  if (speaker === 'post') return ['If an agent runs it, that stops at its next heartbeat, within seconds.'];
  const hasAgent = history.some(({ status }) => status !== 'queued' && !isTerminal(status));
  return hasAgent ? ['Its agent stops at its next heartbeat, within seconds.'] : [];
}

/** A run that was seen to end after it was to be cancelled. */
function endedWhenStopped(run: RunState, speaker: Speaker): Ending {
  const cancelled = run.status === 'cancelled';
  const what = cancelled
    ? `${runOf(run)} was cancelled${inHowLong(run)}`
    : `${runOf(run)} ${endedHow(run.status ?? '')} before it could be cancelled`;
  const advice = cancelled ? heartbeat(run, speaker) : [];
  return stoppedEnding(run, `${what}${cancelled ? '' : saidBy(run)}`, advice);
}

/** An interruption that left nothing open is what somebody wanted; a time-out is not. */
function stoppedEnding(run: RunState, what: string, advice: readonly string[]): Ending {
  const why = run.stop === undefined ? '' : `${reasonOf(run.stop)}: `;
  const level = stopLevel(run.stop);
  const line = withStop(why === '' ? cap(what) : `${why}${what}`);
  return { level, line, advice: [...advice, ...againstTimeouts(run)] };
}

function stopLevel(stop: Stop | undefined): Level | undefined {
  switch (stop?.reason.kind) {
    case 'main_killed':
    case 'job_cancelled':
      return undefined;
    case 'signal':
      return 'notice';
    default:
      return 'error';
  }
}

function againstTimeouts({ stop }: RunState): string[] {
  switch (stop?.reason.kind) {
    case 'timeout':
      return ['If the run needs longer than that, set a longer timeout.'];
    case 'queue_timeout':
      return ['Check that an agent is running and free, or set a longer queue-timeout.'];
    default:
      return [];
  }
}

function inHowLong(run: RunState): string {
  if (run.stop === undefined || run.endedAt === undefined) return '';
  const ms = run.endedAt - run.stop.at;
  return ms < 1_000 ? ' at once' : ` within ${formatDuration(ms)}`;
}

/** A run that on-cancel or on-timeout left running. */
function left(run: RunState, plan: Expectation): Ending {
  const byTimeout = run.stop?.reason.kind === 'timeout' || run.stop?.reason.kind === 'queue_timeout';
  const input = byTimeout ? 'on-timeout' : 'on-cancel';
  return stoppedEnding(run, `${runOf(run)} is left running, because ${input} is leave`, [
    postMayCancel(run, plan) ? postMayCancelText(run) : howToGoOn(run),
  ]);
}

/** A run whose cancel nobody has seen taking effect. */
export function unsettled(run: RunState, problem: Problem | undefined, speaker: Speaker): Ending {
  const what = `the cancel of ${runOf(run)} is not confirmed, and it may still be going on`;
  const ending = stoppedEnding(run, what, [
    ...(problem === undefined ? [] : [failureOf(problem), ...remedyOf(problem)]),
    // Without a stop it was cancel/ that tried, and no post step follows.
    speaker === 'post' || run.stop === undefined ? CANCEL_THERE : 'The post step tries again at the end of the job.',
  ]);
  return { ...ending, level: 'error' };
}

/** A trigger before that of this run was not confirmed either, and nobody could read that. */
export function doubted(run: RunState): Ending {
  return {
    level: 'warning',
    line: `Another run of ${nameOf(run)} may be going on, because an earlier trigger was not confirmed.`,
    advice: ['Look at the runs of this pipeline in the application.'],
  };
}

/** A run that goes on can be awaited again; who does not know that triggers a second one. */
function howToGoOn(run: RunState): string {
  return run.target.kind === 'job' || run.jobId === undefined
    ? 'Run this step again to go on waiting for it.'
    : `To go on waiting for it, run a step with job-id: ${run.jobId}. To run this step again triggers a second run.`;
}

/** More names than these in one line, and nobody reads it. */
const MOST_NAMES = 5;

/** What the runs of a step were to come to, the one that says most first. */
const GOALS = [
  ['dry_run', 'passed the dry run'],
  ['triggered', 'were triggered'],
  ['succeeded', 'succeeded'],
] as const satisfies readonly (readonly [Outcome, string])[];

/** One line for the step as a whole: of several runs, how many went well and which did not. */
export function endingOfAll(runs: readonly RunState[], plan: Expectation): string {
  const [run, another] = runs;
  if (run !== undefined && another === undefined) return endingOf(run, plan).line;
  const by = new Map<Outcome, string[]>();
  for (const each of runs) {
    const outcome = outcomeOf(each, plan);
    by.set(outcome, [...(by.get(outcome) ?? []), nameOf(each)]);
  }
  const [goal, words] = GOALS.find(([outcome]) => by.has(outcome)) ?? (['succeeded', 'succeeded'] as const);
  const others = OUTCOMES.flatMap((outcome) => {
    const names = outcome === goal ? [] : (by.get(outcome) ?? []);
    return names.length === 0 ? [] : [`${names.length} ${outcome.replaceAll('_', ' ')} (${fewOf(names)})`];
  });
  const unseen = runs.filter((run) => detachedUnrecorded(run, plan));
  if (unseen.length > 0)
    others.push(`${unseen.length} may be cancelled by the post step (${fewOf(unseen.map(nameOf))})`);
  return `${[`${by.get(goal)?.length ?? 0} of ${runs.length} runs ${words}`, ...others].join('; ')}.`;
}

function fewOf(names: readonly string[]): string {
  const few = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${few} and ${names.length - MOST_NAMES} more` : few;
}
