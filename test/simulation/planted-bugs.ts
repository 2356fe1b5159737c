/* Reads the planted bugs. `planted-bugs.txt` describes their format. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PlantedBug {
  readonly name: string;
  readonly file: string;
  /** The test that must fail, if the simulation cannot see the bug. */
  readonly test: string | undefined;
  readonly changes: readonly (readonly [from: string, to: string])[];
}

export function plantedBugs(): PlantedBug[] {
  const text = readFileSync(join(import.meta.dirname, 'planted-bugs.txt'), 'utf8');
  const bugs: PlantedBug[] = [];
  let file = '';
  let changes: [string, string][] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('=== ')) file = line.slice(4);
    else if (line.startsWith('  ')) changes.push(changeIn(line.slice(2)));
    else {
      changes = [];
      const [, name = line, test] = /^(.*?)(?: \((test\/.*)\))?$/.exec(line) ?? [];
      bugs.push({ name, file, test, changes });
    }
  }
  return bugs;
}

function changeIn(line: string): [string, string] {
  const [from = '', to] = line.split('⇒');
  if (to === undefined) throw new Error(`"${line}" has no ⇒.`);
  return [from.replace(/ $/, '').replaceAll('↵', '\n'), to.replace(/^ /, '').replaceAll('↵', '\n')];
}

/** Returns the source with the bug. @throws if a text to replace does not occur exactly once */
export function withBug(source: string, { changes, file, name }: PlantedBug): string {
  return changes.reduce((text, [from, to]) => {
    const parts = text.split(from);
    if (parts.length !== 2)
      throw new Error(
        `"${name}": the text "${from}" occurs ${parts.length - 1} times in ${file}, but must occur once.`,
      );
    return parts.join(to);
  }, source);
}
