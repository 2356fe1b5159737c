// Checks that the bundles in dist/ are small, readable and licensed, and have no more access than they need.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entries, shared } from '../../scripts/entries.ts';
import { factsOf } from '../support/bundle-code.ts';

const root = join(import.meta.dirname, '..', '..');
const bundles = [...entries, ...shared];

/** Detects undici, which alone adds more than a megabyte. Without undici, bundles stay far below this limit. */
const LARGEST_BUNDLE_BYTES = 400 * 1024;
/** Matches the header that the bundler writes above a module from a package. */
const PACKAGE_HEADER = /^;?\/\/ [A-Z ]+MODULE: \.\/node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm;
/** Every Node.js module that the bundles use. */
const NODE_MODULES = 'assert child_process crypto events fs http https module net os path tls util'.split(' ');
/** The variables with computed names: those of the runner's files, the inputs, the state and the journal. */
const COMPUTED = [
  '`GITHUB_${command}`',
  "`INPUT_${name.replace(/ /g, '_').toUpperCase()}`",
  "`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`",
  '`STATE_${name}`',
  'name',
];

function textOf(bundle: string, extension = '.js'): string {
  const folder = join(root, 'dist', bundle);
  const files = readdirSync(folder).filter((file) => file.endsWith(extension));
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
}

/** Returns the first group of each match, without duplicates. */
function found(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].flatMap(([, name]) => name ?? []))].sort();
}

const all = bundles.map((bundle) => ({ bundle, code: textOf(bundle), ...factsOf(textOf(bundle)) }));
const modulesOf = (loads: (typeof all)[number]['loads']): string[] =>
  loads.map(({ name }) => name.replace(/^node:/, ''));

describe.each(all)('the bundle $bundle', ({ bundle, code, codeFromText, loads }) => {
  it('is an ES module without undici', () => {
    expect(JSON.parse(textOf(bundle, 'package.json'))).toEqual({ type: 'module' });
    expect(code.includes('UND_ERR_')).toBe(false);
    expect(Buffer.byteLength(code)).toBeLessThan(LARGEST_BUNDLE_BYTES);
  });

  it('is readable, because it has no minified code, no source map and no very long line', () => {
    const lines = code.split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(600);
    expect(lines.filter((line) => line.includes('sourceMappingURL'))).toEqual([]);
  });

  it('does not generate code from text', () => {
    expect(codeFromText).toEqual([]);
  });

  it('loads only Node.js modules and other bundles, and all by literal names', () => {
    const allowed = (name: string): boolean => NODE_MODULES.includes(name) || /^\.\.\/[\w-]+\/index\.js$/.test(name);
    expect(loads.filter(({ literal }) => !literal)).toEqual([]);
    expect(modulesOf(loads).filter((name) => !allowed(name))).toEqual([]);
  });
});

describe('the bundles', () => {
  it('consist of the entry points and their shared code, and both action.yml files name the entry points', () => {
    expect(readdirSync(join(root, 'dist')).sort()).toEqual([...bundles].sort());
    const named = ['.', 'cancel'].flatMap((folder) => {
      const text = readFileSync(join(root, folder, 'action.yml'), 'utf8');
      return found(text, /^ +(?:main|pre|post): (\S+)$/gm).map((path) => join(folder, path));
    });
    expect(named.sort()).toEqual(entries.map((entry) => join('dist', entry, 'index.js')).sort());
  });

  it('contain the licence of every included package', () => {
    const packages = found(all.map(({ code }) => code).join('\n'), PACKAGE_HEADER);
    const licences = bundles.map((bundle) => textOf(bundle, 'licenses.txt')).join('\n');
    expect(packages).toContain('@actions/http-client');
    expect(found(licences, /^(\S+) \d+\.\d+\.\d+\S* \(.+\)$/gm)).toEqual(
      expect.arrayContaining([...packages, 'tunnel']),
    );
  });

  it('load HTTP and TLS only in the bundle http, which loads no earlier than the first request', () => {
    const loading = all.filter(({ loads }) => modulesOf(loads).some((name) => /^(?:https?|tls|net)$/.test(name)));
    expect(loading.map(({ bundle }) => bundle)).toEqual(['http']);
    expect(all.filter(({ code }) => /^import .*"\.\.\/http\/index\.js"/m.test(code))).toEqual([]);
  });

  it('load few modules in post until post has something to do', () => {
    const [{ code, loads }] = all.filter(({ bundle }) => bundle === 'post') as [(typeof all)[number]];
    expect(code).toContain(`import(/* webpackIgnore: true */ '../start/index.js')`);
    expect(code).not.toMatch(/^import .*"\.\.\//m);
    // Other Node.js modules take milliseconds to load.
    const small = ['../start/index.js', 'fs', 'module', 'os', 'path'];
    expect(modulesOf(loads).filter((name) => !small.includes(name))).toEqual([]);
  });

  it('mention hosts only in text for people', () => {
    // An error in @actions/core links to GitHub's docs, and the action's own messages contain example hosts.
    const hosts = all.flatMap((each) => each.hosts);
    expect(hosts.filter((host) => host !== 'docs.github.com' && !/\.example\.com$/.test(host))).toEqual([]);
  });

  it('read exactly the environment variables that the documentation names', () => {
    const page = readFileSync(join(root, 'docs', 'environment.md'), 'utf8');
    const named = found(page, /`([A-Za-z_]+)`(?=.*\|)/g).filter((name) => /^[A-Z_]+$|_proxy$/.test(name));
    expect([...new Set(all.flatMap(({ variables }) => variables))].sort()).toEqual(named);
    expect([...new Set(all.flatMap(({ computedVariables }) => computedVariables))].sort()).toEqual(COMPUTED);
  });
});
