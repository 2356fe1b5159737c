import type { RunState } from '../run/run-state.ts';
import type { Level, Toolkit } from './toolkit.ts';
import type { Ending } from './words.ts';

/** A runner shows ten annotations of a step and drops the rest; some room is kept for others of this step. */
export const MOST_ANNOTATIONS = 8;

const WORST_FIRST: readonly Level[] = ['error', 'warning', 'notice'];

/** Of as many annotations as there is room for, those of runs that may still be going on matter most. */
export function goingOnFirst(runs: readonly RunState[]): RunState[] {
  const goesOn = ({ standing }: RunState): boolean =>
    ['triggering', 'unknown', 'unsettled', 'in_progress', 'lost'].includes(standing.at);
  return [...runs.filter(goesOn), ...runs.filter((run) => !goesOn(run))];
}

/** One annotation for each run that needs attention, the worst first; the last one counts those it has no room for. */
export function annotateEndings(
  endings: readonly { readonly name: string; readonly ending: Ending; readonly link?: string | undefined }[],
  toolkit: Pick<Toolkit, 'annotate'>,
  print: (line: string) => void,
): void {
  const needy = WORST_FIRST.flatMap((level) => endings.filter(({ ending }) => ending.level === level));
  const shown = needy.length > MOST_ANNOTATIONS ? needy.slice(0, MOST_ANNOTATIONS - 1) : needy;
  for (const { name, ending, link } of shown) {
    if (ending.level === undefined) continue;
    toolkit.annotate(ending.level, `run-pipeline: ${name}`, textOf(ending, link).join('\n'));
  }
  const rest = needy.slice(shown.length);
  for (const { ending, link } of rest) print(textOf(ending, link).join(' '));
  const [worst] = rest;
  if (worst?.ending.level === undefined) return;
  const names = rest.slice(0, 20).map(({ name }) => name);
  const more = rest.length > names.length ? ' and others' : '';
  toolkit.annotate(
    worst.ending.level,
    `run-pipeline: ${rest.length} more runs`,
    `${rest.length} more runs need attention: ${names.join(', ')}${more}. The log says of each how it ended.`,
  );
}

/** One annotation for each thing that kept the step from triggering anything, as far as there is room; the log has all. */
export function annotateProblems(
  sentences: readonly string[],
  toolkit: Pick<Toolkit, 'annotate'>,
  print: (line: string) => void,
): void {
  const title = 'run-pipeline: nothing was triggered';
  const shown = sentences.length > MOST_ANNOTATIONS ? sentences.slice(0, MOST_ANNOTATIONS - 1) : sentences;
  for (const text of shown) toolkit.annotate('error', title, text);
  const rest = sentences.slice(shown.length);
  for (const text of rest) print(text);
  if (rest.length > 0) toolkit.annotate('error', title, `${rest.length} more problems are in the log.`);
}

/** What is pasted into a chat first; then what to do, and where to look. */
function textOf({ line, advice }: Ending, link: string | undefined): string[] {
  return [line, ...advice, ...(link === undefined ? [] : [link])];
}
