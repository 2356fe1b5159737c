/** The comparison of two folders of traces. */
import { SECTIONS, type Section } from './block.ts';
import { readBlocks, traceFilesIn } from './files.ts';

/** What a change of the number or the order of effects may not change in any scenario. */
export const ESSENTIALS: readonly Section[] = ['request', 'outcome', 'warned', 'exit-code'];

export interface Comparison {
  readonly scenarios: number;
  readonly different: readonly Difference[];
}

/** The first line in which the traces of a seed differ; undefined where one of them has ended, or has no such seed. */
export interface Difference {
  readonly seed: number;
  readonly a: string | undefined;
  readonly b: string | undefined;
}

/**
 * The sections that `--only` asks for: `essentials`, or the names of sections, separated by commas.
 * @throws {Error} for a name that is not one of a section
 */
export function sectionsIn(only: string): ReadonlySet<string> {
  if (only === 'essentials') return new Set(ESSENTIALS);
  const names = only.split(',');
  const wrong = names.filter((name) => !(SECTIONS as readonly string[]).includes(name));
  if (wrong.length > 0) throw new Error(`Not a section: ${wrong.join(', ')}. Use ${SECTIONS.join(', ')}.`);
  return new Set(names);
}

/**
 * Compares two folders of traces, seed by seed.
 * @param only the sections that count; all of them by default
 * @throws {Error} if a folder contains no traces
 */
export function compareTraces(a: string, b: string, only: ReadonlySet<string> = new Set(SECTIONS)): Comparison {
  const different: Difference[] = [];
  let scenarios = 0;
  for (const name of [...new Set([...traceFilesIn(a), ...traceFilesIn(b)])].sort()) {
    const [ours, theirs] = [readBlocks(a, name), readBlocks(b, name)];
    for (const seed of [...new Set([...ours.keys(), ...theirs.keys()])].sort((one, other) => one - other)) {
      scenarios += 1;
      const difference = differenceOf(linesIn(ours.get(seed), only), linesIn(theirs.get(seed), only));
      if (difference !== undefined) different.push({ seed, ...difference });
    }
  }
  return { scenarios, different };
}

/** The seeds that differ, each with its first differing line, and how many there are. */
export function comparisonReport({ scenarios, different }: Comparison): string {
  return [
    ...different.flatMap(({ seed, a, b }) => [
      `seed ${seed}`,
      `  A: ${a ?? '(no such line)'}`,
      `  B: ${b ?? '(no such line)'}`,
    ]),
    `${different.length} of ${scenarios} scenarios differ`,
  ].join('\n');
}

/** The lines of the sections that count; undefined if there is no block. */
function linesIn(block: readonly string[] | undefined, only: ReadonlySet<string>): readonly string[] | undefined {
  return block?.filter((line) => only.has(line.split(' ', 2)[1] ?? ''));
}

function differenceOf(
  a: readonly string[] | undefined,
  b: readonly string[] | undefined,
): Pick<Difference, 'a' | 'b'> | undefined {
  if (a === undefined || b === undefined) return { a: a && '(seed)', b: b && '(seed)' };
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    if (a[at] !== b[at]) return { a: a[at], b: b[at] };
  }
  return undefined;
}
