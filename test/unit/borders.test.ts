// The imports that each part of the source may have.
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMPOSING, violations } from '../support/borders.ts';
import { importsOf } from '../support/imports.ts';

const root = join(import.meta.dirname, '..', '..');
const files = globSync('{src,sandbox}/**/*.{ts,mts,cts,js,mjs,cjs}', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .sort();
const inSrc = files.filter((file) => file.startsWith('src/'));

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

describe('the source', () => {
  it('contains no forbidden import', () => {
    expect(inSrc.length).toBeGreaterThan(50);
    expect(files.length).toBeGreaterThan(inSrc.length);
    expect(files.flatMap((file) => violations(file, read(file)))).toEqual([]);
  });

  it('has at most 80 lines in each file that composes the parts', () => {
    expect(files.filter((file) => COMPOSING.test(file) && read(file).split('\n').length > 80)).toEqual([]);
  });

  it('has no circular imports, including imports of types', () => {
    const targetsOf = (file: string): string[] =>
      importsOf(read(file)).flatMap(({ specifier = '' }) =>
        specifier.startsWith('.') ? [posix.join(posix.dirname(file), specifier)] : [],
      );
    const imported = new Map(inSrc.map((file) => [file, targetsOf(file)]));
    const done = new Set<string>();
    const circlesFrom = (file: string, path: readonly string[]): string[] => {
      if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(' → ')];
      if (done.has(file)) return [];
      const found = (imported.get(file) ?? []).flatMap((target) => circlesFrom(target, [...path, file]));
      done.add(file);
      return found;
    };
    expect([...imported.values()].flat().length).toBeGreaterThan(300);
    expect(inSrc.flatMap((file) => circlesFrom(file, []))).toEqual([]);
  });

  it('has at most 16 files in a folder', () => {
    const folders = inSrc.map((file) => posix.dirname(file));
    expect(folders.filter((folder) => folders.filter((each) => each === folder).length > 16)).toEqual([]);
  });
});

describe('the import rule', () => {
  it.each([
    ['src/base/a.ts', `import { x } from '../service/api.ts';`],
    ['src/base/a.ts', `import { request } from 'node:https';`],
    ['src/service/a.ts', `import * as core from '@actions/core';`],
    ['src/service/a.ts', `import type { Run } from '../run/run.ts';`],
    ['src/service/a.ts', `import http from 'http';`],
    ['src/run/a.ts', `import type { x } from '../service/session.ts';`],
    ['src/run/a.ts', `export { x } from '../action/log.ts';`],
    ['src/run/a.ts', `import { connect } from 'node:tls';`],
    ['src/action/a.ts', `import { type X } from '../service/api.ts';`],
    ['src/action/a.ts', `import type { X } from '../service/transport.ts';`],
    ['src/action/a.ts', `import { HttpClient } from '@actions/http-client';`],
    ['src/action/a.ts', `async function f() { return await import('../service/session.ts'); }`],
    ['src/action/a.ts', `type T = import('../service/session.ts').T;`],
    ['src/action/a.ts', `export * from '../main.ts';`],
    ['src/action/a.ts', `import net = require('node:net');`],
    ['src/action/a.ts', `export const load = (name: string) => import(name);`],
    ['src/main.ts', `import './post.ts';`],
    ['src/main.ts', `import { serve } from '../sandbox/server.ts';`],
    ['src/post.ts', `import { fake } from '../test/support/fake.ts';`],
    ['src/other/a.ts', ''],
    ['sandbox/a.ts', `import { x } from '../src/base/uuid.ts';`],
  ])('rejects, in %s, the code %s', (file, source) => {
    expect(violations(file, source)).toHaveLength(1);
  });

  it.each([
    ['src/base/a.ts', `import { b } from './b.ts'; import { setTimeout } from 'node:timers/promises';`],
    ['src/service/a.ts', `import { HttpClient } from '@actions/http-client'; import http from 'node:http';`],
    ['src/run/a.ts', `import type { Api } from '../service/api.ts'; import { s } from '../service/statuses.ts';`],
    ['src/action/a.ts', `import type { Api } from '../service/api.ts'; import * as core from '@actions/core';`],
    ['src/main.ts', `const { x } = await import('./service/session.ts'); import { y } from './action/log.ts';`],
    ['src/run/a.ts', `// import '@actions/core';\nconst text = "import '@actions/core'";`],
    ['sandbox/a.ts', `import { createServer } from 'node:http'; import { b } from './model/b.ts';`],
  ])('accepts, in %s, the code %s', (file, source) => {
    expect(violations(file, source)).toEqual([]);
  });
});
