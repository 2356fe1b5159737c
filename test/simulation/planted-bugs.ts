/* Reads the planted bugs. `planted-bugs.txt` describes their format. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface PlantedBug {
  readonly name: string;
  /** The path of the source from the root of the project. */
  readonly file: string;
  /** The test that must fail, if the simulation cannot see the bug. */
  readonly test: string | undefined;
  readonly changes: readonly (readonly [from: string, to: string])[];
}

const LIST = 'test/simulation/planted-bugs.txt';
const root = resolve(import.meta.dirname, '../..');

/** Returns all planted bugs. @throws if one refers to a test that does not exist */
export function plantedBugs(): PlantedBug[] {
  const bugs: PlantedBug[] = [];
  let file = '';
  let changes: [string, string][] = [];
  for (const line of readFileSync(join(root, LIST), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('=== ')) file = line.slice(4);
    else if (line.startsWith('  ')) changes.push(changeIn(line.slice(2)));
    else {
      changes = [];
      const [, name = line, test] = /^(.*?)(?: \((test\/.*)\))?$/.exec(line) ?? [];
      if (test !== undefined && !existsSync(join(root, test)))
        throw new Error(`Adapt ${LIST}: the bug "${name}" refers to ${test}, which does not exist.`);
      bugs.push({ name, file, test, changes });
    }
  }
  return bugs;
}

function changeIn(line: string): [string, string] {
  const [from = '', to] = line.split('⇒');
  if (to === undefined) throw new Error(`Adapt ${LIST}: "${line}" has no ⇒.`);
  return [from.replace(/ $/, '').replaceAll('↵', '\n'), to.replace(/^ /, '').replaceAll('↵', '\n')];
}

/** Returns the source with the bug. @throws if a text to replace does not occur exactly once */
export function withBug(source: string, { changes, file, name }: PlantedBug): string {
  return changes.reduce((text, [from, to]) => {
    const parts = text.split(from);
    const what = `The text of the bug "${name}" must occur once, but occurs ${parts.length - 1} times:`;
    if (parts.length !== 2) throw new Error(`Adapt ${LIST} to the changed ${file}.\n${what}\n  ${from}`);
    return parts.join(to);
  }, source);
}
