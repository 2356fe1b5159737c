// Tests that links, commands, files and folders in the documents exist.
import { existsSync, globSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, documentAt, documents, read, root, targetsOf } from './documents.ts';

const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
const sources = globSync(['{src,sandbox,test,scripts,bench}/**/*.{ts,yml}', 'vitest.config.ts'], { cwd: root });
const sourceNames = new Set(sources.map((path) => basename(path)));
const projects = [...read('vitest.config.ts').matchAll(/project\(\s*'(\w+)'/g)].map(([, name]) => name);

describe.each(documents)('$path', ({ text, prose }) => {
  it('mentions only existing npm scripts', () => {
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });

  it('mentions only existing test projects', () => {
    const named = [...text.matchAll(/--project (\w+)/g)].map(([, name]) => name);
    expect(projects).toEqual(expect.arrayContaining(named));
  });

  it('mentions only existing files and folders', () => {
    const code = [...prose.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name);
    const paths = code.filter((name) => /^(?:src|sandbox|test|scripts|bench|docs)\/[\w./-]*$/.test(name));
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const files = code.filter((name) => /^[\w-]+\.ts$/.test(name));
    expect(files.filter((file) => !sourceNames.has(file))).toEqual([]);
  });

  it('keeps all lines short except table rows and lines with links', () => {
    expect(prose.split('\n').filter((line) => line.length > 160 && !/^\||\]\(/.test(line))).toEqual([]);
  });
});

const links = documents.flatMap((document) => targetsOf(document).map((target) => [document.path, target] as const));
const isOutside = ([, target]: readonly [path: string, target: string]): boolean => /^[a-z]+:/.test(target);

it.each(links.filter((link) => !isOutside(link)))('a link in the repository leads from %s to %s', (path, target) => {
  const [file = '', anchor] = target.split('#');
  const to = file === '' ? path : posix.join(posix.dirname(path), file);
  expect(to.startsWith('../')).toBe(false);
  expect(existsSync(join(root, to)), `${to} exists`).toBe(true);
  if (anchor !== undefined) expect([...anchorsOf(documentAt(to))]).toContain(anchor);
});

it.each(links.filter(isOutside))('a link from %s to the site %s uses HTTPS without credentials', (_, target) => {
  expect(target).toMatch(/^https:\/\/[^@\s]+$/);
});

it('the anchors of a document match those that GitHub generates for its headings', () => {
  const prose = '# Run it: `job-id`\n## What it costs\n## What it costs\n### [A](b.md) – or not?';
  const anchors = [...anchorsOf({ path: '', text: '', blocks: [], prose })];
  expect(anchors).toEqual(['run-it-job-id', 'what-it-costs', 'what-it-costs-1', 'a--or-not']);
});
