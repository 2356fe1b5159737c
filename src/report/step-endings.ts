import { listed, quoted } from '../base/text.ts';
import { OUTCOMES, type Outcome, outcomeOf } from '../run/outcome.ts';
import { hasNoRun, mayContinue, type RunState } from '../run/state.ts';
import { shownStatus } from '../service/statuses.ts';
import {
  adviceOf,
  type Context,
  type Ending,
  endingOf,
  hasPossibleTwin,
  unrecognizedStatusOf,
  withCause,
} from './endings.ts';
import { nameOf } from './names.ts';

/* How a step with its runs ended, and which pipelines to run again. */

/** Describes each run, or all runs together if the same problem prevented every trigger. */
export function endingsOf(runs: readonly RunState[], context: Context): Ending[] {
  const problems = runs.map(({ earlier, phase }) =>
    earlier.length === 0 && phase.at === 'not_queued' ? phase.problem : undefined,
  );
  const [problem] = problems;
  const isShared = runs.length > 1 && problems.every((each) => each === problem);
  if (!isShared || problem === undefined) {
    const rest = restOf(runs, context);
    return runs.map((run) => endingOf(run, { ...context, rest }));
  }
  const line = withCause('Nothing was triggered', problem, problem.call === 'trigger');
  return [{ level: 'error', line, advice: adviceOf(problem, context), about: 'nothing was triggered' }];
}

const GOALS = {
  dry_run: 'entries passed the dry run',
  triggered: 'runs were triggered',
  succeeded: 'runs succeeded',
} as const satisfies Partial<Record<Outcome, string>>;

/** Returns whether a run with this outcome did what the step was for. */
export function reachedGoal(outcome: Outcome): boolean {
  return outcome in GOALS;
}

/** What runs with an outcome are in a message about several runs, if the outcome's name would not explain it. */
const WORDS: Partial<Readonly<Record<Outcome, string>>> = {
  unknown: 'possibly triggered',
  lost: 'without contact',
  wait_timed_out: 'not finished in time',
  cancelled: 'interrupted',
};

/** The outcomes of runs that may have been cancelled, or may still be running. */
const STOPPED: readonly Outcome[] = ['cancelled', 'wait_timed_out', 'lost'];

/** Describes all runs in one line: how many reached the goal, and which did not. */
export function endingOfAll(runs: readonly RunState[], context: Context): string {
  const [ending, another] = endingsOf(runs, context);
  if (ending !== undefined && another === undefined) return ending.line;
  const namesOf = (outcome: Outcome): string[] =>
    runs.filter((each) => outcomeOf(each, context) === outcome).map(nameOf);
  const goal = (['dry_run', 'triggered'] as const).find((outcome) => namesOf(outcome).length > 0) ?? 'succeeded';
  const parts = OUTCOMES.filter((outcome) => outcome !== goal && namesOf(outcome).length > 0).map((outcome) => {
    const own = runs.filter((run) => outcomeOf(run, context) === outcome);
    const isCancelled = outcome === 'cancelled' && own.every((run) => hasNoRun(run) || run.status === 'cancelled');
    const words = isCancelled ? 'cancelled' : (WORDS[outcome] ?? outcome.replaceAll('_', ' '));
    const open = STOPPED.includes(outcome) ? own.filter(mayContinue).length : 0;
    const which = open === own.length ? ' and' : `, ${open} of them`;
    return `${own.length} ${words}${open > 0 ? `${which} possibly still running` : ''} (${listed(namesOf(outcome))})`;
  });
  // This part comes first, because long outputs are shortened.
  const withTwin = runs.filter(hasPossibleTwin).map(nameOf);
  if (withTwin.length > 0) parts.unshift(`other runs of ${listed(withTwin)} may exist`);
  const unrecognized = [...new Set(runs.flatMap((run) => unrecognizedStatusOf(run) ?? []))].map(shownStatus);
  if (unrecognized.length > 0)
    parts.push(
      `this version of the action does not recognize the status${unrecognized.length > 1 ? 'es' : ''} ${listed(unrecognized)}; update the action`,
    );
  return `${[`${namesOf(goal).length} of ${runs.length} ${GOALS[goal]}`, ...parts].join('; ')}.`;
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
function mustNotRunAgain(run: RunState, { succeedOn }: Pick<Context, 'succeedOn'>): boolean {
  const { mayHaveTwin, phase, status = '' } = run;
  if (mayHaveTwin || mayContinue(run) || phase.at === 'detached') return true;
  return phase.at === 'finished' && succeedOn.includes(status);
}

/**
 * Advises against second runs when the step runs again. The post step cannot name the pipelines without a run, because it
 * knows only saved runs.
 */
export function adviceForNextRun(runs: readonly RunState[], context: Context, isSingle: boolean): Ending[] {
  const kept = runs.filter((run) => mustNotRunAgain(run, context));
  const names = namesIn(kept).map((name) => quoted(name, 80));
  if (names.length === 0) return [];
  const advise = (line: string): Ending[] => [{ level: 'none', line, advice: [] }];
  // Other endings of a single run have their own advice, and the same step would resume an existing run again.
  if (isSingle)
    return kept.some(({ isGiven, phase }) => phase.at === 'finished' && !isGiven)
      ? advise(`If the step runs again, it triggers another run of ${names.join(', ')}.`)
      : [];
  const [have, them] =
    names.length === 1
      ? ['This pipeline has a run that finished successfully or may not have finished', 'it']
      : ['Each of these pipelines has a run that finished successfully or may not have finished', 'them'];
  return advise(
    `${have}: ${names.join(', ')}. Before the step runs again, remove ${them} from the pipeline input, unless you want a second run.`,
  );
}
