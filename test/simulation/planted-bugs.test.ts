import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plantedBugs, withBug } from './planted-bugs.ts';

describe('a planted bug', () => {
  it.each(plantedBugs().map((bug) => [bug.name, bug] as const))('fits the source: %s', (_name, bug) => {
    const source = readFileSync(bug.file, 'utf8');
    expect(withBug(source, bug)).not.toBe(source);
  });
});
