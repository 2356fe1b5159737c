import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entries, shared } from '../../scripts/entries.ts';
import { factsOf } from '../support/bundle-code.ts';

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');
const bundles = [...entries, ...shared];

/** undici alone would add more than a megabyte; everything else of ours and of others stays far below this. */
const LARGEST_BUNDLE_BYTES = 400 * 1024;

/** How the bundler heads a module that comes from a package. */
const PACKAGE_HEADER = /^;?\/\/ [A-Z ]+MODULE: \.\/node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm;

/** All of Node that there is any use for. */
const NODE_MODULES: ReadonlySet<string> = new Set(
  'assert child_process crypto events fs http https module net os path tls util'.split(' '),
);

/** Names that are made up while it runs: of the runner's files, of inputs, of the state, of the journal. */
const COMPUTED: readonly string[] = [
  '`GITHUB_${command}`',
  "`INPUT_${name.replace(/ /g, '_').toUpperCase()}`",
  "`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`",
  '`STATE_${name}`',
  'name',
];

function textOf(bundle: string, extension: string): string {
  const folder = join(dist, bundle);
  const files = readdirSync(folder).filter((file) => file.endsWith(extension));
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
}

function found(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].flatMap(([, name]) => name ?? []))].sort();
}

describe('the bundles', () => {
  it('are one for each entry and one for what they share, and nothing else', () => {
    expect(readdirSync(dist).sort()).toEqual([...bundles].sort());
  });

  it('are named by action.yml and cancel/action.yml', () => {
    const named = ['.', 'cancel'].flatMap((folder) => {
      const text = readFileSync(join(root, folder, 'action.yml'), 'utf8');
      return found(text, /^ +(?:main|pre|post): (\S+)$/gm).map((path) => join(folder, path));
    });
    expect(named.sort()).toEqual(entries.map((entry) => join('dist', entry, 'index.js')).sort());
  });

  it.each(bundles)('%s is an ES module without undici', (bundle) => {
    const code = textOf(bundle, '.js');
    expect(JSON.parse(textOf(bundle, 'package.json'))).toEqual({ type: 'module' });
    expect(code.includes('UND_ERR_')).toBe(false);
    expect(Buffer.byteLength(code)).toBeLessThan(LARGEST_BUNDLE_BYTES);
  });

  it.each(bundles)('%s can be read: not minified, no source map, no line that scrolls away', (bundle) => {
    const lines = textOf(bundle, '.js').split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(600);
    expect(lines.filter((line) => line.includes('sourceMappingURL'))).toEqual([]);
  });

  it('bring the licence of every package in them', () => {
    const packages = found(bundles.map((bundle) => textOf(bundle, '.js')).join('\n'), PACKAGE_HEADER);
    const licences = bundles.map((bundle) => textOf(bundle, 'licenses.txt')).join('\n');
    const licensed = found(licences, /^(\S+) \d+\.\d+\.\d+\S* \(.+\)$/gm);
    expect(packages).toContain('@actions/http-client');
    expect(licensed).toEqual(expect.arrayContaining([...packages, 'tunnel']));
  });
});

describe('the code of the bundles', () => {
  it.each(bundles)('%s makes no code out of text', (bundle) => {
    expect(factsOf(textOf(bundle, '.js')).codeFromText).toEqual([]);
  });

  it.each(bundles)('%s loads modules of Node and files beside it, by names that stand there', (bundle) => {
    const { loads } = factsOf(textOf(bundle, '.js'));
    const strange = loads.filter(({ name, literal }) => {
      return !literal || !(NODE_MODULES.has(name.replace(/^node:/, '')) || /^\.\.\/[\w-]+\/index\.js$/.test(name));
    });
    expect(strange).toEqual([]);
  });

  it('load HTTP and TLS in one bundle alone, which nothing imports before the first request', () => {
    const network = /^(?:node:)?(?:https?|tls|net)$/;
    const loadingIt = bundles.filter((bundle) =>
      factsOf(textOf(bundle, '.js')).loads.some(({ name }) => network.test(name)),
    );
    expect(loadingIt).toEqual(['http']);
    const importing = bundles.filter((bundle) => /^import .*"\.\.\/http\/index\.js"/m.test(textOf(bundle, '.js')));
    expect(importing).toEqual([]);
  });

  it('load nothing in post until there is something to do', () => {
    expect(textOf('post', '.js')).toContain(`import(/* webpackIgnore: true */ '../start/index.js')`);
    expect(textOf('post', '.js')).not.toMatch(/^import .*"\.\.\//m);
    // Node's own modules that take milliseconds to load.
    const loaded = factsOf(textOf('post', '.js')).loads.map(({ name }) => name.replace(/^node:/, ''));
    expect(
      [...new Set(loaded)].filter((name) => !['../start/index.js', 'fs', 'module', 'os', 'path'].includes(name)),
    ).toEqual([]);
  });

  it('names no host but in words for people', () => {
    const hosts = bundles.flatMap((bundle) => factsOf(textOf(bundle, '.js')).hosts);
    // The manual of job summaries, in an error message of @actions/core, and the examples in our own messages.
    expect(hosts.filter((host) => host !== 'docs.github.com' && !/\.example\.com$/.test(host))).toEqual([]);
  });

  it('looks up the environment variables that the documentation names, and no others', () => {
    const page = readFileSync(join(root, 'docs', 'environment.md'), 'utf8');
    const named = found(page, /`([A-Za-z_]+)`(?=.*\|)/g).filter((name) => /^[A-Z_]+$|_proxy$/.test(name));
    const facts = bundles.map((bundle) => factsOf(textOf(bundle, '.js')));
    const looked = new Set(facts.flatMap(({ variables }) => variables));
    expect([...looked].sort()).toEqual(named);
    expect([...new Set(facts.flatMap(({ computedVariables }) => computedVariables))].sort()).toEqual(COMPUTED);
  });
});
