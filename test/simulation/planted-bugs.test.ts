import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PLANTED_BUGS } from './planted-bugs.ts';

const ROOT = join(import.meta.dirname, '..', '..');

describe('a planted bug', () => {
  it.each(PLANTED_BUGS)('applies to the source: $name', ({ file, find, replace }) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    expect(source.split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
  });

  it('has a name of its own', () => {
    const names = PLANTED_BUGS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
