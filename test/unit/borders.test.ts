// Checks the imports of each part of the source, and the sizes of files and folders.
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entries } from '../../scripts/entries.ts';
import { importsOf } from '../support/imports.ts';

const NETWORK = 'http|https|http2|net|tls|dgram|dns|quic';
const BUILTIN = /^node:/;
const LOCAL = new RegExp(`^node:(?!(?:${NETWORK})(?:/|$))`);
const STATUSES = /^src\/service\/statuses\.ts$/;
const SERVICE_INTERFACE = /^src\/service\/(?:api|statuses)\.ts$/;
/** Composition roots: they may import every part, and nothing else may import them. */
const COMPOSING = /^src\/[^/]+\.ts$/;
const NO_ENTRY = new RegExp(`^src/(?!(?:${entries.join('|')})\\.ts$)`);

/** The parts of the source, the targets that each may import, and the targets of type-only imports. */
const PARTS: readonly (readonly [files: RegExp, imports: readonly RegExp[], types?: RegExp])[] = [
  [/^src\/base\//, [/^src\/base\//, LOCAL]],
  [/^src\/service\//, [/^src\/(?:base|service)\//, /^@actions\/http-client$/, BUILTIN]],
  [/^src\/run\//, [/^src\/(?:base|run)\//, SERVICE_INTERFACE, LOCAL]],
  [/^src\/action\//, [/^src\/(?:base|run|action)\//, STATUSES, /^@actions\/core$/, LOCAL], SERVICE_INTERFACE],
  [COMPOSING, [NO_ENTRY, /^@actions\//, BUILTIN]],
  [/^sandbox\//, [/^sandbox\//, BUILTIN, /^yaml$/]],
];

/** Turns a relative specifier into a path in the repository. */
function targetOf(file: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier;
}

/** Returns the imports that cross a border. `file` is a path in the repository. */
function violations(file: string, source: string): readonly string[] {
  const part = PARTS.find(([files]) => files.test(file));
  if (part === undefined) return [`${file} belongs to no part`];
  const [, imports, types] = part;
  return importsOf(source).flatMap(({ specifier, typeOnly }) => {
    if (specifier === undefined) return [`${file} imports a computed name`];
    const target = targetOf(file, specifier);
    const isAllowed = imports.some((each) => each.test(target)) || (typeOnly && types?.test(target));
    return isAllowed ? [] : [`${file} must not import ${target}`];
  });
}

const root = join(import.meta.dirname, '..', '..');
const files = globSync('{src,sandbox}/**/*.{ts,mts,cts,js,mjs,cjs}', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .sort();
const inSrc = files.filter((file) => file.startsWith('src/'));

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

describe('the source', () => {
  it('contains no forbidden imports', () => {
    expect(inSrc.length).toBeGreaterThan(50);
    expect(files.length).toBeGreaterThan(inSrc.length);
    expect(files.flatMap((file) => violations(file, read(file)))).toEqual([]);
  });

  it('has at most 80 lines in each composition root', () => {
    expect(files.filter((file) => COMPOSING.test(file) && read(file).split('\n').length > 80)).toEqual([]);
  });

  it('has no circular imports, even among type imports', () => {
    const targetsIn = (file: string) => importsOf(read(file)).map(({ specifier = '' }) => targetOf(file, specifier));
    const imported = new Map(inSrc.map((file) => [file, targetsIn(file).filter((target) => inSrc.includes(target))]));
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

  it('has at most 16 files in each folder', () => {
    const folders = inSrc.map((file) => posix.dirname(file));
    expect(folders.filter((folder) => folders.filter((each) => each === folder).length > 16)).toEqual([]);
  });
});

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
])('the import rule rejects %s with the content %j', (file, source) => {
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
])('the import rule accepts %s with the content %j', (file, source) => {
  expect(violations(file, source)).toEqual([]);
});
