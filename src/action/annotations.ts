import type { Ending } from './ending.ts';
import type { Level, Toolkit } from './toolkit.ts';

/** A runner shows ten annotations of a step and drops the rest; some room is kept for others of this step. */
const MOST = 8;

const WORST_FIRST: readonly Level[] = ['error', 'warning', 'notice'];

/** One annotation for each run that needs attention, the worst first; the last one counts those it has no room for. */
export function annotateEndings(
  endings: readonly { readonly name: string; readonly ending: Ending; readonly link?: string | undefined }[],
  toolkit: Pick<Toolkit, 'annotate'>,
  print: (line: string) => void,
): void {
  const needy = WORST_FIRST.flatMap((level) => endings.filter(({ ending }) => ending.level === level));
  const shown = needy.length > MOST ? needy.slice(0, MOST - 1) : needy;
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

/** What is pasted into a chat first; then what to do, and where to look. */
function textOf({ line, advice }: Ending, link: string | undefined): string[] {
  return [line, ...advice, ...(link === undefined ? [] : [link])];
}
