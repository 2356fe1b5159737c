/** Folders of traces, and their comparison. A file contains a header and a block of lines for each of a thousand seeds. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SECTIONS, type Section } from './block.ts';

/** What a change of the number or the order of effects may not change in any scenario. */
export const ESSENTIALS: readonly Section[] = ['request', 'outcome', 'warned', 'exit-code'];

/** So many seeds share a file, and no two workers write to the same file. */
export const SEEDS_PER_FILE = 1_000;

const HEADER = '=== seed ';

/**
 * Creates a folder for traces.
 * @throws {Error} if there are files in it: traces of two kinds of source code must not mix
 */
export function createTraceFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`The folder ${folder} is not empty.`);
}

/** Appends the block of a seed to its file. The seeds of a file come in ascending order. */
export function appendTrace(folder: string, seed: number, block: readonly string[]): void {
  const first = Math.floor(seed / SEEDS_PER_FILE) * SEEDS_PER_FILE;
  const path = join(folder, `seeds-${String(first).padStart(10, '0')}.txt`);
  appendFileSync(path, `${[`${HEADER}${seed}`, ...block].join('\n')}\n`);
}

/** The first line in which the traces of a seed differ; undefined where one of them has ended, or has no such seed. */
interface Difference {
  readonly seed: number;
  readonly a: string | undefined;
  readonly b: string | undefined;
}

export interface Comparison {
  readonly scenarios: number;
  readonly different: readonly Difference[];
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
 * @throws {Error} if a folder contains no traces: a comparison with nothing must not succeed
 */
export function compareTraces(a: string, b: string, only: ReadonlySet<string> = new Set(SECTIONS)): Comparison {
  const different: Difference[] = [];
  let scenarios = 0;
  for (const name of new Set([...traceFilesIn(a), ...traceFilesIn(b)])) {
    const [ours, theirs] = [blocksIn(join(a, name), only), blocksIn(join(b, name), only)];
    for (const seed of new Set([...ours.keys(), ...theirs.keys()])) {
      scenarios += 1;
      const difference = differenceOf(ours.get(seed), theirs.get(seed));
      if (difference !== undefined) different.push({ seed, ...difference });
    }
  }
  return { scenarios, different: different.sort((one, other) => one.seed - other.seed) };
}

/** The seeds that differ, each with its first differing line, and how many there are. */
export function comparisonReport({ scenarios, different }: Comparison): string {
  const show = (line = '(no such line)'): string => line;
  const lines = different.flatMap(({ seed, a, b }) => [`seed ${seed}`, `  A: ${show(a)}`, `  B: ${show(b)}`]);
  return [...lines, `${different.length} of ${scenarios} scenarios differ`].join('\n');
}

function traceFilesIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^seeds-\d+\.txt$/.test(name)) : [];
  if (names.length === 0) throw new Error(`There are no traces in ${folder}.`);
  return names;
}

/** The lines of each seed's block that count, in a file that may not exist. */
function blocksIn(path: string, only: ReadonlySet<string>): Map<number, readonly string[]> {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const blocks = `\n${text}`.split(`\n${HEADER}`).slice(1);
  return new Map(
    blocks.map((block) => {
      const [seed, ...lines] = block.replace(/\n$/, '').split('\n');
      return [Number(seed), lines.filter((line) => only.has(line.split(' ', 2)[1] ?? ''))];
    }),
  );
}

function differenceOf(a?: readonly string[], b?: readonly string[]): Omit<Difference, 'seed'> | undefined {
  if (a === undefined || b === undefined) return { a: a && '(seed)', b: b && '(seed)' };
  const at = (a.length > b.length ? a : b).findIndex((_, index) => a[index] !== b[index]);
  return at < 0 ? undefined : { a: a[at], b: b[at] };
}
