// The documents name commands, files and folders that exist.
import { existsSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documents, read, root } from './documents.ts';

const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
const sources = new Set(
  globSync(['{src,sandbox,test,scripts,bench}/**/*.{ts,yml}', 'vitest*.config.ts'], { cwd: root }).map((path) =>
    basename(path),
  ),
);
const projects = [...read('vitest.config.ts').matchAll(/name: '(\w+)'/g)].map(([, name]) => name);

describe('CONTRIBUTING.md', () => {
  it('has a command for every test project', () => {
    const named = [...read('CONTRIBUTING.md').matchAll(/`npx vitest run --project (\w+)`/g)].map(([, name]) => name);
    expect([...named].sort()).toEqual([...projects].sort());
  });
});

describe.each(documents)('$path', ({ text, prose }) => {
  it('names npm scripts that there are', () => {
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });

  it('names test projects that there are', () => {
    const named = [...text.matchAll(/--project (\w+)/g)].map(([, name]) => name);
    expect(projects).toEqual(expect.arrayContaining(named));
  });

  it('names files and folders that there are', () => {
    const code = [...prose.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name);
    const paths = code.filter((name) => /^(?:src|sandbox|test|scripts|bench|docs|vendor)\/[\w./-]*$/.test(name));
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const files = code.filter((name) => /^[\w-]+\.ts$/.test(name));
    expect(files.filter((file) => !sources.has(file))).toEqual([]);
  });

  it('has no line that is too long to read in a diff, tables and links aside', () => {
    const long = prose.split('\n').filter((line) => line.length > 160 && !/^\||\]\(/.test(line));
    expect(long).toEqual([]);
  });
});
