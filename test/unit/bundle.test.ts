// Checks that the bundles in dist/ are small, readable and licensed, and have no more access than they need.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { entries, shared } from '../../scripts/entries.ts';

const root = join(import.meta.dirname, '..', '..');
const bundles = [...entries, ...shared];

/** Detects undici, which alone adds more than a megabyte. Without undici, bundles stay far below this limit. */
const LARGEST_BUNDLE_BYTES = 400 * 1024;
/** Matches the header that the bundler writes above each module from a package. */
const PACKAGE_HEADER = /^;?\/\/ [A-Z ]+MODULE: \.\/node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm;
/** Every Node.js module that the bundles use. */
const NODE_MODULES = 'assert child_process crypto events fs http https module net os path tls util'.split(' ');
/** The code that computes the names of variables for the runner's files, the inputs, the state and the journal. */
const COMPUTED = [
  '`GITHUB_${command}`',
  "`INPUT_${name.replace(/ /g, '_').toUpperCase()}`",
  '`INPUT_${name.toUpperCase()}`',
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

/** Parses JavaScript with the TypeScript compiler, so comments and strings do not count as code. */
function factsOf(code: string) {
  /** The modules that the code loads, each with its literal name or the code that computes the name. */
  const loads: { name: string; literal: boolean }[] = [];
  /** The calls that turn text into code. */
  const codeFromText: string[] = [];
  /** The names that the code looks up in `process.env` or an `env` parameter, and expressions that compute names. */
  const variables = new Set<string>();
  const computed = new Set<string>();
  const hosts = new Set<string>();
  const file = ts.createSourceFile('bundle.js', code, ts.ScriptTarget.ESNext, false, ts.ScriptKind.JS);
  const textOf = (node: ts.Node): string => node.getText(file);

  const load = (name: ts.Node | undefined): void => {
    if (name === undefined) return;
    const literal = ts.isStringLiteralLike(name);
    loads.push({ name: literal ? name.text : textOf(name), literal });
  };
  const call = (node: ts.CallExpression | ts.NewExpression): void => {
    const { expression, arguments: args } = node;
    const [first] = args ?? [];
    const callee = textOf(expression);
    if (expression.kind === ts.SyntaxKind.ImportKeyword || callee === 'require') load(first);
    if (ts.isCallExpression(expression) && /createRequire/.test(textOf(expression.expression))) load(first);
    const makesCode = /^(?:globalThis\.)?(?:eval|Function)$|\.constructor$|\b(?:runIn\w*Context|compileFunction)$/;
    const timer = /^set(?:Timeout|Interval|Immediate)$/.test(callee);
    if (makesCode.test(callee) || (timer && first !== undefined && ts.isStringLiteralLike(first))) {
      codeFromText.push(textOf(node).slice(0, 80));
    }
  };
  const isEnv = (node: ts.Node): boolean => /^(?:process|parts)?\.?env$/.test(textOf(node));
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) load(node.moduleSpecifier);
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) call(node);
    if (ts.isPropertyAccessExpression(node) && isEnv(node.expression)) variables.add(node.name.text);
    if (ts.isElementAccessExpression(node) && isEnv(node.expression)) {
      const { argumentExpression: name } = node;
      if (ts.isStringLiteralLike(name)) variables.add(name.text);
      else computed.add(textOf(name));
    }
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      for (const [, host = ''] of node.text.matchAll(/\bhttps?:\/\/([\w-]+(?:\.[\w-]+)+)/gi)) hosts.add(host);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { loads, codeFromText, variables, computed, hosts };
}

const all = bundles.map((bundle) => ({ bundle, code: textOf(bundle), ...factsOf(textOf(bundle)) }));
const modulesOf = (loads: (typeof all)[number]['loads']): string[] =>
  loads.map(({ name }) => name.replace(/^node:/, ''));

describe.each(all)('the $bundle bundle', ({ bundle, code, codeFromText, loads }) => {
  it('is an ES module without undici', () => {
    expect(JSON.parse(textOf(bundle, 'package.json'))).toEqual({ type: 'module' });
    expect(code.includes('UND_ERR_')).toBe(false);
    expect(Buffer.byteLength(code)).toBeLessThan(LARGEST_BUNDLE_BYTES);
  });

  it('contains neither a source map nor minified code', () => {
    const lines = code.split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(600);
    expect(lines.filter((line) => line.includes('sourceMappingURL'))).toEqual([]);
  });

  it('does not generate code from strings', () => {
    expect(codeFromText).toEqual([]);
  });

  it('loads only Node.js modules and other bundles, always by a literal name', () => {
    const allowed = (name: string): boolean => NODE_MODULES.includes(name) || /^\.\.\/[\w-]+\/index\.js$/.test(name);
    expect(loads.filter(({ literal }) => !literal)).toEqual([]);
    expect(modulesOf(loads).filter((name) => !allowed(name))).toEqual([]);
  });
});

describe('the bundles', () => {
  it('consist of the entry points named in the action.yml files, and of their shared code', () => {
    expect(readdirSync(join(root, 'dist')).sort()).toEqual([...bundles].sort());
    const named = ['.', 'cancel'].flatMap((folder) => {
      const text = readFileSync(join(root, folder, 'action.yml'), 'utf8');
      return found(text, /^ +(?:main|pre|post): (\S+)$/gm).map((path) => join(folder, path));
    });
    expect(named.sort()).toEqual(entries.map((entry) => join('dist', entry, 'index.js')).sort());
  });

  it('include the licence of every bundled package', () => {
    const packages = found(all.map(({ code }) => code).join('\n'), PACKAGE_HEADER);
    const licences = bundles.map((bundle) => textOf(bundle, 'licenses.txt')).join('\n');
    expect(packages).toContain('@actions/http-client');
    const licensed = found(licences, /^(\S+) \d+\.\d+\.\d+\S* \(.+\)$/gm);
    expect([...packages, 'tunnel'].filter((name) => !licensed.includes(name))).toEqual([]);
  });

  it('load HTTP and TLS only in the http bundle, which is not loaded before the first request', () => {
    const loading = all.filter(({ loads }) => modulesOf(loads).some((name) => /^(?:https?|tls|net)$/.test(name)));
    expect(loading.map(({ bundle }) => bundle)).toEqual(['http']);
    expect(all.filter(({ code }) => /^import .*"\.\.\/http\/index\.js"/m.test(code))).toEqual([]);
  });

  it('load only a few modules in post until it has something to do', () => {
    const [{ code, loads }] = all.filter(({ bundle }) => bundle === 'post') as [(typeof all)[number]];
    expect(code).toContain(`import(/* webpackIgnore: true */ '../start/index.js')`);
    expect(code).not.toMatch(/^import .*"\.\.\//m);
    // Other Node.js modules take milliseconds to load.
    const small = ['../start/index.js', 'fs', 'module', 'os', 'path'];
    expect(modulesOf(loads).filter((name) => !small.includes(name))).toEqual([]);
  });

  it('contain no host names except in messages', () => {
    // An error in @actions/core links to GitHub's docs, and the action's own messages contain example hosts.
    const hosts = all.flatMap((each) => [...each.hosts]);
    expect(hosts.filter((host) => host !== 'docs.github.com' && !/\.example\.com$/.test(host))).toEqual([]);
  });

  it('read exactly the environment variables listed in the documentation', () => {
    const page = readFileSync(join(root, 'docs', 'environment.md'), 'utf8');
    const named = found(page, /`([A-Za-z_]+)`(?=.*\|)/g).filter((name) => /^[A-Z_]+$|_proxy$/.test(name));
    expect([...new Set(all.flatMap(({ variables }) => [...variables]))].sort()).toEqual(named);
    expect([...new Set(all.flatMap(({ computed }) => [...computed]))].sort()).toEqual(COMPUTED);
  });
});
