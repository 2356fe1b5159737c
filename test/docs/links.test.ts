// Tests that links inside the repository lead to a file and a heading, and that links to other sites are safe.
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, documentAt, documents, root, targetsOf } from './documents.ts';

const links = documents.flatMap((document) => targetsOf(document).map((target) => [document.path, target] as const));
const isOutside = ([, target]: readonly [path: string, target: string]): boolean => /^[a-z]+:/.test(target);

describe('a link inside the repository', () => {
  it.each(links.filter((link) => !isOutside(link)))('leads from %s to %s', (path, target) => {
    const [file = '', anchor] = target.split('#');
    const to = file === '' ? path : posix.join(posix.dirname(path), file);
    expect(to.startsWith('../')).toBe(false);
    expect(existsSync(join(root, to)), `${to} exists`).toBe(true);
    if (anchor !== undefined) expect([...anchorsOf(documentAt(to))]).toContain(anchor);
  });
});

describe('a link to another site', () => {
  it.each(links.filter(isOutside))('from %s to %s uses HTTPS without credentials', (_, target) => {
    expect(target).toMatch(/^https:\/\/[^@\s]+$/);
  });
});

describe('the anchors of a document', () => {
  it('match the ones that GitHub generates for its headings', () => {
    const prose = '# Run it: `job-id`\n## What it costs\n## What it costs\n### [A](b.md) – or not?';
    expect([...anchorsOf({ path: '', text: '', blocks: [], prose })]).toEqual([
      'run-it-job-id',
      'what-it-costs',
      'what-it-costs-1',
      'a--or-not',
    ]);
  });
});
