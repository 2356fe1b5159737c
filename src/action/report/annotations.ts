import type { Expectation } from '../../run/plan.ts';
import { lastKnown, type RunState } from '../../run/state/run-state.ts';
import { linkTo } from '../inputs/run-url.ts';
import { type ActionName, titleOf } from '../runner/entry-guard.ts';
import type { Level, Toolkit } from '../runner/toolkit.ts';
import { endingOf, hasHiddenDoubt } from './endings.ts';
import { type Ending, nameOf } from './words.ts';

/** Runners show ten annotations per step and drop the rest. This limit leaves room for the step's other annotations. */
export const MOST_ANNOTATIONS = 8;

const WORST_FIRST: readonly Level[] = ['error', 'warning', 'notice'];

/** The ending of a run for an annotation. */
export interface NamedEnding {
  readonly name: string;
  readonly ending: Ending;
  readonly link?: string | undefined;
  /** The id of a run that may still be in progress. */
  readonly openId?: string | undefined;
}

/** Returns the ending of each run. Pipelines that may still have a run in progress come first, as they matter most. */
export function endingsOf(runs: readonly RunState[], plan: Expectation, runUrl?: string): NamedEnding[] {
  const mayGoOn = ({ phase }: RunState): boolean =>
    ['triggering', 'unknown', 'unsettled', 'in_progress', 'lost', 'left'].includes(phase.at);
  const matters = (run: RunState): boolean => mayGoOn(run) || hasHiddenDoubt(run);
  return [...runs.filter(matters), ...runs.filter((run) => !matters(run))].map((run) => ({
    name: nameOf(run),
    ending: endingOf(run, plan),
    link: linkTo(lastKnown(run), runUrl),
    openId: mayGoOn(run) ? run.jobId : undefined,
  }));
}

/**
 * Annotates each run that needs attention, worst first. If some do not fit, the last annotation counts them, and
 * the log lists the ids of all runs that may still be in progress before the details, as the end of a log may get lost.
 */
export function annotateEndings(
  endings: readonly NamedEnding[],
  toolkit: Pick<Toolkit, 'annotate'>,
  print: (line: string) => void,
  action?: ActionName,
): void {
  const needy = WORST_FIRST.flatMap((level) =>
    endings.flatMap((each) => (each.ending.level === level ? [{ ...each, level }] : [])),
  );
  const [shown, rest] = split(needy);
  for (const { level, name, ending, link } of shown) {
    toolkit.annotate(level, titleOf(name, action), textOf(ending, link).join('\n'));
  }
  const [worst] = rest;
  if (worst === undefined) return;
  const names = rest.slice(0, 20).map(({ name }) => name);
  const more = rest.length > names.length ? ' and others' : '';
  toolkit.annotate(
    worst.level,
    titleOf(`${rest.length} more runs`, action),
    `${rest.length} more runs need attention: ${names.join(', ')}${more}. The log shows the result of each run.`,
  );
  const openIds = endings.flatMap(({ openId }) => openId ?? []);
  if (openIds.length > 0) print(`Runs that may still be in progress: ${openIds.join(', ')}`);
  for (const { ending, link } of rest) print(textOf(ending, link).join(' '));
}

/** Annotates the problems that prevented all triggers, and logs those that do not fit. */
export function annotateProblems(
  sentences: readonly string[],
  toolkit: Pick<Toolkit, 'annotate'>,
  print: (line: string) => void,
): void {
  const title = titleOf('nothing was triggered');
  const [shown, rest] = split(sentences);
  for (const text of shown) toolkit.annotate('error', title, text);
  if (rest.length > 0) toolkit.annotate('error', title, `The log lists ${rest.length} more problems.`);
  for (const text of rest) print(text);
}

/** Splits a list into items to annotate and the rest, which one more annotation summarizes. */
function split<T>(all: readonly T[]): readonly [shown: readonly T[], rest: readonly T[]] {
  const room = all.length > MOST_ANNOTATIONS ? MOST_ANNOTATIONS - 1 : MOST_ANNOTATIONS;
  return [all.slice(0, room), all.slice(room)];
}

/** Returns the sentence to paste into a chat, followed by the advice and the link. */
function textOf({ line, advice }: Ending, link: string | undefined): string[] {
  return [line, ...advice, ...(link === undefined ? [] : [link])];
}
