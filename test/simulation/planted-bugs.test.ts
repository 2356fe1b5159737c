import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plantedBugs, withBug } from './planted-bugs.ts';

describe('a planted bug', () => {
  it.each(plantedBugs().map((bug) => [bug.name, bug] as const))('fits the source: %s', (_name, bug) => {
    const source = readFileSync(bug.file, 'utf8');
    expect(withBug(source, bug)).not.toBe(source);
  });

  it('that no longer fits causes an error that first says what to adapt', () => {
    const bug = { name: 'main succeeds', file: 'src/main.ts', test: undefined, changes: [['1', '0']] as const };
    expect(() => withBug('let code = 2;', bug)).toThrow(
      /^Adapt test\/simulation\/planted-bugs\.txt to the changed src\/main\.ts\.\n/,
    );
  });
});
