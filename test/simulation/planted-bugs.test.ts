/** The list of planted bugs. `npm run simulate:bugs` plants them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PLANTED_BUGS } from './planted-bugs.ts';

const ROOT = join(import.meta.dirname, '..', '..');

it.each(PLANTED_BUGS)('applies to the source exactly once: $name', ({ file, find, replace, test = file }) => {
  const source = readFileSync(join(ROOT, file), 'utf8');
  expect(source.split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
  expect(existsSync(join(ROOT, test))).toBe(true);
});

it('lists more than seventy bugs, each under its own name', () => {
  expect(new Set(PLANTED_BUGS.map(({ name }) => name)).size).toBe(PLANTED_BUGS.length);
  expect(PLANTED_BUGS.length).toBeGreaterThan(70);
});
