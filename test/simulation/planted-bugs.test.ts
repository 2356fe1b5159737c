/** Tests the list of bugs that `npm run simulate:bugs` plants. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PLANTED_BUGS } from './planted-bugs.ts';

const ROOT = join(import.meta.dirname, '..', '..');

it.each(PLANTED_BUGS)(
  'the text that the planted bug "$name" replaces occurs exactly once in the source',
  ({ file, find, replace, test = file }) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    expect(source.split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
    expect(existsSync(join(ROOT, test))).toBe(true);
  },
);

it('docs/planted-bugs.md says what found each planted bug', () => {
  const text = readFileSync(join(ROOT, 'docs', 'planted-bugs.md'), 'utf8').replaceAll('\\', '');
  const isListed = ({ name, file, test }: (typeof PLANTED_BUGS)[number]): boolean =>
    text.includes(`| ${name} | \`${file}\` | ${test === undefined ? '' : `– | ${test}: `}`);
  expect(PLANTED_BUGS.filter((bug) => !isListed(bug))).toEqual([]);
  expect(text, 'a bug that nothing found').not.toContain('| – | :');
});

it('the list of planted bugs contains more than seventy unique names', () => {
  expect(new Set(PLANTED_BUGS.map(({ name }) => name)).size).toBe(PLANTED_BUGS.length);
  expect(PLANTED_BUGS.length).toBeGreaterThan(70);
});
