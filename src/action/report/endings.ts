import { formatDuration } from '../../base/duration.ts';
import { oneLine } from '../../base/safe-text.ts';
import type { Expectation, OnStop } from '../../run/plan.ts';
import type { Stop, StopReason } from '../../run/state/facts.ts';
import { detachedUnrecorded, OUTCOMES, type Outcome, outcomeOf, postMayCancel } from '../../run/state/outcome.ts';
import { lastKnown, type RunState } from '../../run/state/run-state.ts';
import type { Problem } from '../../service/api.ts';
import { isTerminal, TERMINAL_STATUSES, type TerminalStatus } from '../../service/statuses.ts';
import type { Level } from '../runner/toolkit.ts';
import {
  adviceOf,
  cap,
  type Ending,
  endedHow,
  failureOf,
  isoTime,
  nameAndId,
  nameOf,
  postMayCancelText,
  reasonOf,
  remedyOf,
  runOf,
  statusWord,
  withStop,
} from './words.ts';

const LOOK_FIRST =
  "Before you run this step again, check the pipeline's runs in the application, because the step would trigger another run.";

/** The step that reports: main (or cancel/) itself, or the post step after it. */
export type Speaker = 'step' | 'post';

/** Returns the expectation of post and cancel/, which accept any final status. */
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

/**
 * Describes the result of a run. For main, this includes other runs that unconfirmed triggers may have queued. Post
 * reports them separately, and only if main did not.
 */
export function endingOf(run: RunState, plan: Expectation, speaker: Speaker = 'step'): Ending {
  const ending = endingOfKnown(run, plan, speaker);
  if (speaker === 'post' || !hasHiddenDoubt(run)) return ending;
  const { line, advice } = doubted(run);
  const level = ending.level === 'error' ? 'error' : 'warning';
  // Users should look for other runs before they follow any other advice, such as to run the pipeline again.
  return { level, line: `${ending.line} ${line}`, advice: [...advice, ...ending.advice] };
}

/** Describes the result of a run, ignoring other runs of its pipeline. */
function endingOfKnown(run: RunState, plan: Expectation, speaker: Speaker): Ending {
  const { phase, stop } = run;
  const problem = 'problem' in phase ? phase.problem : undefined;
  switch (phase.at) {
    case 'finished':
      return stop === undefined ? ended(run, phase.status, plan) : endedWhenStopped(run, stop, speaker);
    case 'detached':
      return detached(run, plan);
    case 'dry_run':
      return tried(run, plan);
    case 'not_queued':
    case 'waiting':
      return run.earlier.length > 0 ? notAgain(run, plan, problem) : notQueued(run, problem);
    case 'triggering':
    case 'unknown':
      return speaker === 'post' ? unknownInPost(run) : unknown(run, plan, problem);
    case 'lost':
      return lost(run, plan, problem);
    case 'left':
      return left(run, plan);
    case 'unsettled':
      return unsettled(run, problem, speaker);
    case 'in_progress':
      return stop === undefined ? lost(run, plan, problem) : unsettled(run, problem, speaker);
  }
}

function failure(line: string, ...advice: readonly string[]): Ending {
  return { level: 'error', line, advice };
}

function detached(run: RunState, plan: Expectation): Ending {
  const which = cap(runOf(run));
  if (detachedUnrecorded(run, plan)) {
    const line = `${which} was triggered, but the step could not record that wait is false.`;
    return failure(line, postMayCancelText(run));
  }
  // Post does not know the status of an existing run, because main records only final statuses.
  const status = run.status === undefined ? '' : ` with the status ${statusWord(run.status)}`;
  const how = run.attached ? `is in progress${status}` : 'is queued';
  const reach = plan.onCancel === 'cancel' ? ' The action can cancel it only while this job runs.' : '';
  const line = `${which} ${how}. The step does not wait for it, because wait is false.${reach}`;
  return { level: undefined, line, advice: [] };
}

/** The level of attention that each kind of success needs. */
const SUCCESS_LEVELS: Partial<Record<TerminalStatus, Level>> = { completed_with_warning: 'warning', skipped: 'notice' };

function ended(run: RunState, status: TerminalStatus, plan: Expectation): Ending {
  const { attempt, attached, startedAt, endedAt } = run;
  const isTimed = !attached && startedAt !== undefined && endedAt !== undefined;
  const after = isTimed ? ` after ${formatDuration(endedAt - startedAt)}` : '';
  const lineWith = (nth: string): string =>
    withStop(`${cap(runOf(run))} ${endedHow(status)}${after}${nth}${saidBy(run)}`);
  if (outcomeOf(run, plan) === 'succeeded') {
    if (attempt > 1) return { level: 'warning', line: lineWith(`, on ${attemptOf(run, plan)}`), advice: [] };
    return { level: SUCCESS_LEVELS[status], line: lineWith(''), advice: [] };
  }
  const advice =
    status === 'failed' || status === 'timed_out'
      ? "Open the run's log in the application, fix the cause, and run the pipeline again."
      : `This counts as a failure, because succeed-on contains only ${[...plan.succeedOn].join(', ')}.`;
  return failure(`${lineWith('')}${howMany(run, status, plan)}`, advice);
}

/** Returns the service's message about the run, preceded by a colon, or '' without a message. */
function saidBy(run: RunState): string {
  const said = oneLine(run.statusMessage ?? '', 300);
  return said === '' ? '' : `: ${said}`;
}

/** Returns the attempt as `attempt 2 of 3`. */
export function attemptOf({ attempt }: RunState, { maxAttempts }: Expectation): string {
  return `attempt ${attempt} of ${maxAttempts}`;
}

/** Returns the number of attempts and why there were no more, or '' if the plan allows only one attempt. */
function howMany({ attempt, doubt }: RunState, status: TerminalStatus, { maxAttempts, retryOn }: Expectation): string {
  if (maxAttempts === 1) return '';
  const made = ` The step made ${attempt} of ${maxAttempts} attempts`;
  if (attempt === maxAttempts) return `${made}.`;
  if (doubt !== undefined) return `${made}, because a trigger was not confirmed.`;
  return `${made}, because ${retryOn.has(status) ? 'the timeout left no time for another or the step stopped triggering runs' : 'retry-on does not include this status'}.`;
}

/** Returns the ending of a run whose next attempt was not triggered, so the previous attempt's result counts. */
function notAgain(run: RunState, plan: Expectation, problem: Problem | undefined): Ending {
  const last = lastKnown(run);
  const how = `${runOf(last)} ${endedHow(last.status)}`;
  const next = attemptOf(run, plan);
  if (problem === undefined) return stoppedEnding(run, `${how}, and ${next} was not triggered`);
  const line = `${withStop(`${cap(how)}${saidBy(last)}`)} ${notTriggered(`${cap(next)} was not triggered`, problem)}`;
  return failure(line, adviceOf(problem));
}

function tried(run: RunState, plan: Expectation): Ending {
  const drops = plan.resetTarget ? ', which would first drop its destination tables' : '';
  const line =
    run.status === undefined
      ? `The step would trigger a run of ${nameOf(run)}${drops}.`
      : withStop(`${cap(runOf(run))} ${endedHow(run.status)}${saidBy(run)}`);
  return { level: undefined, line, advice: [] };
}

function notQueued(run: RunState, problem: Problem | undefined): Ending {
  const isGiven = run.target.kind === 'job';
  const none = `no run of ${nameOf(run)} was triggered`;
  if (problem !== undefined) {
    if (isGiven) return failure(failureOf(problem), adviceOf(problem));
    return failure(notTriggered(cap(none), problem), adviceOf(problem));
  }
  return isGiven ? stoppedEnding(run, `${runOf(run)} was left unchanged`) : stoppedEnding(run, none);
}

/** Returns a sentence saying that a run was not triggered and why. */
function notTriggered(what: string, problem: Problem): string {
  const why = problem.attempted === 'trigger the run' ? `: ${oneLine(problem.cause)}` : `. ${failureOf(problem)}`;
  return withStop(`${what}${why}`);
}

function unknown(run: RunState, plan: Expectation, problem: Problem | undefined): Ending {
  const why = problem === undefined ? 'no response had arrived when the step had to end' : oneLine(problem.cause);
  const nth = run.attempt > 1 ? ` (${attemptOf(run, plan)})` : '';
  const several =
    plan.onLostResponse === 'retry'
      ? 'Because of on-lost-response: retry, several runs may be in progress. The step cannot cancel them without their ids.'
      : 'The step did not trigger another run, and it cannot cancel this one without its id.';
  return failure(
    withStop(`A run of ${nameOf(run)}${nth} may be in progress, because its trigger was not confirmed: ${why}`),
    ...(plan.resetTarget ? ['The run may be dropping tables right now.'] : []),
    several,
    LOOK_FIRST,
  );
}

/** Returns the ending of an unconfirmed trigger in post. The records do not explain why the response is missing. */
function unknownInPost(run: RunState): Ending {
  const at = run.intentWall === undefined ? '' : ` at ${isoTime(run.intentWall)}`;
  const line = `A run of ${nameAndId(run)} may be in progress, because the step triggered it${at} but ended before the response arrived.`;
  return failure(line, 'The step cannot cancel it without its id.', LOOK_FIRST);
}

function lost(run: RunState, plan: Expectation, problem: Problem | undefined): Ending {
  if (run.attached && run.status === undefined && problem !== undefined) {
    const attempted = run.target.kind === 'resume' ? problem.attempted : `await ${runOf(run)}`;
    return failure(failureOf({ ...problem, attempted }), adviceOf(problem));
  }
  const goesOn = 'The run was not cancelled and may still be in progress.';
  return failure(
    `Lost contact with ${runOf(run)}.${problem === undefined ? '' : ` ${failureOf(problem)}`}`,
    postMayCancel(run, plan) ? postMayCancelText(run) : goesOn,
    ...(problem === undefined ? [] : remedyOf(problem)),
    howToGoOn(run),
  );
}

/** Returns the ending of a run that finished after a decision to cancel it. In post, this ending needs no attention. */
function endedWhenStopped(run: RunState, stop: Stop, speaker: Speaker): Ending {
  const ending =
    run.status === 'cancelled'
      ? stoppedEnding(run, `${runOf(run)} was cancelled${inHowLong(run, stop)}`, ...heartbeat(run, speaker))
      : stoppedEnding(run, `${runOf(run)} ${endedHow(run.status)} before it could be cancelled${saidBy(run)}`);
  return speaker === 'post' ? { ...ending, level: undefined } : ending;
}

function inHowLong({ endedAt }: RunState, stop: Stop): string {
  if (endedAt === undefined) return '';
  const ms = endedAt - stop.at;
  return ms < 1_000 ? ' immediately' : ` after ${formatDuration(ms)}`;
}

/** Describes how a cancelled run's agent stops. Post does not know whether an agent has picked up the run. */
function heartbeat({ history }: RunState, speaker: Speaker): string[] {
  if (speaker === 'post')
    return ['If an agent has picked it up, the agent stops at the next heartbeat, within seconds.'];
  const hasAgent = history.some(({ status }) => status !== 'queued' && !isTerminal(status));
  return hasAgent ? ['Its agent stops at the next heartbeat, within seconds.'] : [];
}

/** The level and advice for each stop. A timeout is an error, but users cause interruptions on purpose. */
const AFTER_STOP: Readonly<Record<StopReason['kind'], { readonly level?: Level; readonly advice?: string }>> = {
  signal: { level: 'notice' },
  timeout: { level: 'error', advice: 'If the run needs more time, set a longer timeout.' },
  queue_timeout: { level: 'error', advice: 'Check that an agent is running and free, or set a longer queue-timeout.' },
  fail_fast: { level: 'error' },
  main_killed: {},
  job_cancelled: {},
};

function stoppedEnding({ stop }: RunState, what: string, ...advice: readonly string[]): Ending {
  if (stop === undefined) return failure(withStop(cap(what)), ...advice);
  const { level, advice: more = [] } = AFTER_STOP[stop.reason.kind];
  return { level, line: withStop(`${reasonOf(stop)}: ${what}`), advice: [...advice].concat(more) };
}

/** Returns the ending of a run that on-cancel or on-timeout left running. */
function left(run: RunState, plan: Expectation): Ending {
  const byTimeout = run.stop?.reason.kind === 'timeout' || run.stop?.reason.kind === 'queue_timeout';
  const what = `${runOf(run)} is left running, because ${byTimeout ? 'on-timeout' : 'on-cancel'} is leave`;
  return stoppedEnding(run, what, postMayCancel(run, plan) ? postMayCancelText(run) : howToGoOn(run));
}

/** Returns the ending of a run whose cancellation is unconfirmed. */
export function unsettled(run: RunState, problem: Problem | undefined, speaker: Speaker): Ending {
  // A run without a stop belongs to the cancel action, which has no post step.
  const isLast = speaker === 'post' || run.stop === undefined;
  const there = 'Check the run in the application, and cancel it there.';
  const next = isLast ? there : 'The post step tries again at the end of the job.';
  const why = problem === undefined ? [] : [failureOf(problem), ...remedyOf(problem)];
  const what = `${runOf(run)} may still be in progress, because there is no confirmation that it was cancelled`;
  return { ...stoppedEnding(run, what, ...why, next), level: 'error' };
}

/** Returns whether an unconfirmed trigger may have queued a run besides the one that the run's own ending describes. */
export function hasHiddenDoubt({ doubt, earlier, phase }: RunState): boolean {
  return (doubt !== undefined && phase.at !== 'unknown') || earlier.some((attempt) => attempt.doubt !== undefined);
}

/** Returns the ending for runs that unconfirmed triggers may have queued besides the known run. */
export function doubted(run: RunState): Ending {
  return {
    level: 'warning',
    line: `Other runs of ${nameOf(run)} may be in progress, because not every trigger was confirmed.`,
    advice: ["Check this pipeline's runs in the application."],
  };
}

/** Explains `job-id`, so that users who do not know this input do not trigger a second run by mistake. */
function howToGoOn(run: RunState): string {
  return run.target.kind === 'job' || run.jobId === undefined
    ? 'To wait for the run again, run this step again.'
    : `To wait for the run again, use a step with job-id: ${run.jobId}. Running this step again would trigger a second run.`;
}

/** Outcomes that count as the goal instead of `succeeded` if any run has one of them. */
const OTHER_GOALS: readonly (readonly [Outcome, string])[] = [
  ['dry_run', 'passed the dry run'],
  ['triggered', 'were triggered'],
];

/** Summarizes the step in one line that counts the successful runs and names the others. */
export function endingOfAll(runs: readonly RunState[], plan: Expectation): string {
  const [run, another] = runs;
  if (run !== undefined && another === undefined) return endingOf(run, plan).line;
  const namesOf = (outcome: Outcome): readonly string[] =>
    runs.filter((each) => outcomeOf(each, plan) === outcome).map(nameOf);
  const [goal, words] = OTHER_GOALS.find(([outcome]) => namesOf(outcome).length > 0) ?? ['succeeded', 'succeeded'];
  const others = OUTCOMES.flatMap((outcome) => {
    const names = namesOf(outcome);
    const isOther = outcome !== goal && names.length > 0;
    return isOther ? [`${names.length} ${outcome.replace('wait_', '').replaceAll('_', ' ')} (${fewOf(names)})`] : [];
  });
  const unseen = runs.filter((each) => detachedUnrecorded(each, plan)).map(nameOf);
  if (unseen.length > 0) others.push(`${unseen.length} may be cancelled by the post step (${fewOf(unseen)})`);
  // This part precedes the others, because outputs are cut.
  const doubtful = runs.filter(hasHiddenDoubt).map(nameOf);
  if (doubtful.length > 0) others.unshift(`other runs of ${doubtful.length} may be in progress (${fewOf(doubtful)})`);
  return `${[`${namesOf(goal).length} of ${runs.length} runs ${words}`, ...others].join('; ')}.`;
}

/** Lists at most five names, because readers skip long lists. */
function fewOf(names: readonly string[]): string {
  const few = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${few} and ${names.length - 5} more` : few;
}
