// Tests that commands, files and folders in the documents exist, and that the architecture lists files in order.
import { existsSync, globSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../support/imports.ts';
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
  it('names only existing npm scripts', () => {
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });

  it('names only existing test projects', () => {
    const named = [...text.matchAll(/--project (\w+)/g)].map(([, name]) => name);
    expect(projects).toEqual(expect.arrayContaining(named));
  });

  it('names only existing files and folders', () => {
    const code = [...prose.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name);
    const paths = code.filter((name) => /^(?:src|sandbox|test|scripts|bench|docs|vendor)\/[\w./-]*$/.test(name));
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const files = code.filter((name) => /^[\w-]+\.ts$/.test(name));
    expect(files.filter((file) => !sources.has(file))).toEqual([]);
  });

  it('has only short lines, apart from tables and links', () => {
    const long = prose.split('\n').filter((line) => line.length > 160 && !/^\||\]\(/.test(line));
    expect(long).toEqual([]);
  });
});

/** The files of each flow, in the intended reading order. */
const flows = read('docs/architecture.md')
  .split(/^## /m)
  .filter((section) => section.startsWith('Flow: '))
  .map((flow): [string, string[]] => [
    flow.slice(0, flow.indexOf('\n')),
    [...flow.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file ?? ''),
  ]);

function importedBy(file: string): string[] {
  return importsOf(read(file)).map(({ specifier = '' }) => posix.join(posix.dirname(file), specifier));
}

describe('docs/architecture.md', () => {
  it('describes three flows with at most nine, nine and eight files', () => {
    expect(flows.map(([, files]) => files.length)).toEqual([9, 9, 8]);
  });

  it.each(flows)('lists files that import each other or that start passes in: %s', (_, files) => {
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    const stray = files.slice(1).filter((file, index) => {
      const earlier = [...files.slice(0, index + 1), 'src/start.ts'];
      return !earlier.some((each) => importedBy(each).includes(file));
    });
    expect(stray).toEqual([]);
  });
});
