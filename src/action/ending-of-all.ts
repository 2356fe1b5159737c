import { isLetGoUnseen, OUTCOMES, type Outcome, outcomeOf } from '../run/outcome.ts';
import type { Expectation } from '../run/plan.ts';
import type { RunState } from '../run/run-state.ts';
import { endingOf } from './ending.ts';
import { nameOf } from './words.ts';

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
  const unseen = runs.filter((run) => isLetGoUnseen(run, plan));
  if (unseen.length > 0)
    others.push(`${unseen.length} may be cancelled by the post step (${fewOf(unseen.map(nameOf))})`);
  return `${[`${by.get(goal)?.length ?? 0} of ${runs.length} runs ${words}`, ...others].join('; ')}.`;
}

function fewOf(names: readonly string[]): string {
  const few = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${few} and ${names.length - MOST_NAMES} more` : few;
}
