/** Bugs that tests must find, because each breaks a promise. Each one replaces a piece of text in one file of src. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PlantedBug {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The unit or end-to-end test that finds the bug; absent if the simulation does. */
  readonly test?: string;
}

/**
 * Each section lists the bugs in one file. A bug has a name and, below it, the old text, an arrow and the new text, or
 * the lines that it removes (-) and adds (+).
 */
const text = readFileSync(join(import.meta.dirname, 'planted-bugs.txt'), 'utf8');

export const PLANTED_BUGS: readonly PlantedBug[] = text.split(/^=== /m).slice(1).flatMap(bugsIn);

function bugsIn(section: string): PlantedBug[] {
  const [file = '', ...lines] = section.trimEnd().split('\n');
  const bugs = lines.join('\n').split(/\n(?![-+ ] )/);
  return bugs.map((bug) => {
    const [title = '', first = '', ...rest] = bug.split('\n');
    const { name = '', test } = /^(?<name>.*?)(?: \((?<test>test\/\S+)\))?$/.exec(title)?.groups ?? {};
    const textOf = (sign: string): string =>
      [first, ...rest].flatMap((line) => (line.startsWith(sign) ? [line.slice(2)] : [])).join('\n');
    const [find = '', replace = ''] = first.startsWith('  ') ? first.trim().split(/ ⇒ ?/) : [textOf('-'), textOf('+')];
    return { name, file, find, replace, ...(test !== undefined && { test }) };
  });
}
