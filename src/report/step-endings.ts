import { capitalized, listed, quoted } from '../base/text.ts';
import { type GOALS, goalOf, isAccepted, OUTCOMES, type Outcome, outcomeOf } from '../run/outcome.ts';
import { hasNoRun, isUnconfirmed, mayContinue, nameOf, problemWith, type RunState, wasNotFound } from '../run/state.ts';
import type { Problem } from '../service/problem.ts';
import { shownStatus } from '../service/statuses.ts';
import { type Context, type Ending, textOf } from './ending.ts';
import { adviceOf, DRY_RUN_FAILED, endingOf, hasPossibleTwin, unrecognizedStatusOf, withCause } from './endings.ts';

/* How a step with its runs ended, and which pipelines to run again. */

/** Describes each run, or all runs together if a single problem prevented every trigger. */
export function endingsOf(runs: readonly RunState[], context: Context): Ending[] {
  const problem = runs.length > 1 ? onlyProblem(runs) : undefined;
  if (problem === undefined) {
    const shared = context.rest === undefined ? sharedContext(runs, context) : context;
    return runs.map((run) => endingOf(run, shared));
  }
  const line = withCause(nothingTriggered(context), problem, problem.call === 'trigger');
  return [{ level: 'error', line, advice: adviceOf(problem, context), about: 'nothing was triggered' }];
}

/** Adds what the description of one run must say because of the others. */
export function sharedContext<T extends Context>(runs: readonly RunState[], context: T): T {
  return { ...context, rest: restOf(runs, context), areSeveral: runs.length > 1 };
}

function nothingTriggered({ dryRun = false }: Context): string {
  return dryRun ? capitalized(DRY_RUN_FAILED) : 'Nothing was triggered';
}

/** Returns the problem that prevented every trigger, or undefined if there are several or a run may exist. */
function onlyProblem(runs: readonly RunState[]): Problem | undefined {
  const problems = runs.map(problemWith);
  const [problem, another] = new Set(problems.filter((each) => each !== undefined));
  const isPrevented = ({ earlier, phase, stop }: RunState, nth: number): boolean =>
    earlier.length === 0 && phase.at === 'not_queued' && (problems[nth] !== undefined || stop === undefined);
  return another === undefined && runs.every(isPrevented) ? problem : undefined;
}

const GOAL_WORDS: Readonly<Record<(typeof GOALS)[number], string>> = {
  dry_run: 'entries passed the dry run',
  triggered: 'runs triggered',
  succeeded: 'runs succeeded',
};

/** Returns what a run that did not reach the goal is called in a message about several runs. */
function labelOf(run: RunState, outcome: Outcome, { dryRun = false }: Context): string {
  if (dryRun) return outcome === 'not_triggered' ? 'failed' : 'not checked';
  const orRunning = mayContinue(run) ? ' and possibly still running' : '';
  const isUntriggered = hasNoRun(run) && run.earlier.length === 0;
  switch (outcome) {
    case 'unknown':
      return 'may have been triggered';
    case 'lost':
      return wasNotFound(run) ? 'not found' : `with an unknown result${orRunning}`;
    case 'wait_timed_out':
      return isUntriggered
        ? 'not triggered in time'
        : `did not finish in time${mayContinue(run) ? ' and may still be running' : ''}`;
    case 'cancelled':
      if (isUntriggered) return 'not triggered';
      if (hasNoRun(run)) return 'not retried';
      if (run.phase.at !== 'finished') return `unfinished${orRunning}`;
      return run.status === 'cancelled' ? 'cancelled' : 'finished before it could be cancelled';
    default:
      return outcome.replaceAll('_', ' ');
  }
}

/** Describes all runs in one line: how many reached the goal, and which did not. */
export function endingOfAll(runs: readonly RunState[], context: Context): string {
  const [ending, another] = endingsOf(runs, context);
  const outcomes = runs.map((run) => outcomeOf(run, context));
  const isUntriggered = outcomes.every((outcome) => outcome === 'not_triggered');
  // Like the message about invalid inputs, a message about a step that triggered nothing says what to do.
  if (ending !== undefined && another === undefined) return isUntriggered ? textOf(ending) : ending.line;
  if (isUntriggered) {
    const withProblem = runs.filter((run) => problemWith(run) !== undefined);
    return `${nothingTriggered(context)} because of problems with ${listed(withProblem.map(nameOf))}.`;
  }
  // With wait: false, all runs to resume may have succeeded before.
  const haveSucceeded = outcomes.includes('succeeded') && !outcomes.includes('triggered');
  const goal = haveSucceeded ? 'succeeded' : goalOf(context);
  const namesByLabel = new Map<string, string[]>();
  for (const outcome of OUTCOMES.filter((each) => each !== goal))
    for (const run of runs.filter((_, nth) => outcomes[nth] === outcome)) {
      const label = labelOf(run, outcome, context);
      namesByLabel.set(label, [...(namesByLabel.get(label) ?? []), nameOf(run)]);
    }
  const parts = [...namesByLabel].map(([label, names]) => `${names.length} ${label} (${listed(names)})`);
  // This sentence is first, because long outputs are shortened.
  const withTwin = runs.filter(hasPossibleTwin).map(nameOf);
  const twins =
    withTwin.length > 0
      ? `The service did not confirm every trigger, so other runs of ${listed(withTwin)} may exist. `
      : '';
  const unrecognized = [...new Set(runs.flatMap((run) => unrecognizedStatusOf(run) ?? []))].map(shownStatus);
  if (unrecognized.length > 0)
    parts.push(
      `this version of the action does not recognize the status${unrecognized.length > 1 ? 'es' : ''} ${listed(unrecognized)}; update the action`,
    );
  const reached = outcomes.filter((outcome) => outcome === goal).length;
  // A run that was triggered and then cancelled or lost does not count as triggered.
  const words = goal === 'triggered' && reached === 0 ? 'entries succeeded' : GOAL_WORDS[goal];
  return `${twins}${[`${reached} of ${runs.length} ${words}`, ...parts].join('; ')}.`;
}

/**
 * Returns the pipelines to run again, as the input names them: those without a run that succeeded or may be unfinished.
 * Returns an empty list if these are all pipelines of the step, because the step can then run again unchanged.
 */
export function restOf(runs: readonly RunState[], context: Pick<Context, 'succeedOn'>): string[] {
  const again = runs.filter((run) => !mustNotRunAgain(run, context));
  return again.length < runs.length ? namesIn(again) : [];
}

/** Returns the names of pipelines as the input contains them. */
function namesIn(runs: readonly RunState[]): string[] {
  return runs.flatMap(({ target }) => target.pipeline ?? []);
}

/** Returns whether the pipeline has a run that succeeded or may be unfinished, so that another run would be a second one. */
function mustNotRunAgain(run: RunState, context: Pick<Context, 'succeedOn'>): boolean {
  const { mayHaveTwin, phase } = run;
  if (mayHaveTwin || mayContinue(run) || phase.at === 'detached') return true;
  return phase.at === 'finished' && isAccepted(run, context);
}

/**
 * Advises against second runs when the step runs again. The post step cannot name the pipelines without a run, because it
 * knows only saved runs.
 */
export function adviceForNextRun(runs: readonly RunState[], context: Context): Ending[] {
  const kept = runs.filter((run) => mustNotRunAgain(run, context));
  const names = namesIn(kept).map((name) => quoted(name, 80));
  if (names.length === 0) return [];
  const advise = (line: string): Ending[] => [{ level: 'none', line, advice: [] }];
  // Other endings of a single run have their own advice, and the same step would resume an existing run again.
  if (context.areSeveral !== true)
    return kept.some(({ isGiven, phase }) => phase.at === 'finished' && !isGiven)
      ? advise(`Re-running this job would trigger another run of ${names.join(', ')}.`)
      : [];
  const [who, them, more] =
    names.length === 1 ? ['This pipeline has', 'it', 'a second run'] : ['These pipelines have', 'them', 'second runs'];
  const unsure = kept.some(isUnconfirmed)
    ? ' If the application shows no new run of a pipeline within a few minutes, keep this pipeline.'
    : '';
  const orMayHave = unsure === '' ? '' : ', or may have,';
  return advise(
    `${who}${orMayHave} a run that succeeded or may still be running: ${names.join(', ')}. To avoid ${more}, start a new workflow run without ${them} in the pipeline input instead of re-running this job.${unsure}`,
  );
}
