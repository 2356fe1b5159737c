// Checks that the bundles in dist/ are small, readable and licensed, and have no more access than they need.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** The entries in the action.yml files. */
const entries = ['main', 'post', 'cancel'];

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');
const files = readdirSync(dist).filter((name) => name.endsWith('.js'));
/** ncc writes what the bundle imports on demand into chunks with numbers. */
const CHUNK = /^\d+\.index\.js$/;
const plain = entries.map((name) => `${name}.js`);

/** All files, with the licenses. Every job downloads them, so raise this limit only for something that users need. */
const MAX_BYTES = 350 * 1_024;
/** Matches the header that the bundler writes above each module from a package. */
const PACKAGE_HEADER = /^;?\/\/ [A-Z ]+MODULE: (?:\.\.?\/)+node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm;
/** Packages in whose place the build puts empty modules, and a text from each of them. */
const LEFT_OUT = { tunnel: 'tunneling socket', undici: 'UND_ERR_', '@actions/exec': 'execSync' };
/** Every Node.js module that the bundles use. */
const NODE_MODULES = 'dns events fs http https module net os path stream tls zlib'.split(' ');
function textOf(file: string): string {
  return readFileSync(join(dist, file), 'utf8');
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
  const hosts = new Set<string>();
  const file = ts.createSourceFile('bundle.js', code, ts.ScriptTarget.ESNext, false, ts.ScriptKind.JS);
  const codeOf = (node: ts.Node): string => node.getText(file);

  const load = (name: ts.Node | undefined): void => {
    if (name === undefined) return;
    const literal = ts.isStringLiteralLike(name);
    loads.push({ name: literal ? name.text : codeOf(name), literal });
  };
  const call = (node: ts.CallExpression | ts.NewExpression): void => {
    const { expression, arguments: args } = node;
    const [first] = args ?? [];
    const callee = codeOf(expression);
    if (expression.kind === ts.SyntaxKind.ImportKeyword || callee === 'require') load(first);
    if (ts.isCallExpression(expression) && /createRequire/.test(codeOf(expression.expression))) load(first);
    const makesCode = /^(?:globalThis\.)?(?:eval|Function)$|\.constructor$|\b(?:runIn\w*Context|compileFunction)$/;
    const timer = /^set(?:Timeout|Interval|Immediate)$/.test(callee);
    if (makesCode.test(callee) || (timer && first !== undefined && ts.isStringLiteralLike(first))) {
      codeFromText.push(codeOf(node).slice(0, 80));
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) load(node.moduleSpecifier);
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) call(node);
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      for (const [, host = ''] of node.text.matchAll(/\bhttps?:\/\/([\w-]+(?:\.[\w-]+)+)/gi)) hosts.add(host);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { loads, codeFromText, hosts };
}

const all = files.map((file) => ({ file, code: textOf(file), ...factsOf(textOf(file)) }));
const modulesOf = (loads: (typeof all)[number]['loads']): string[] =>
  loads.map(({ name }) => name.replace(/^node:/, ''));

it('dist contains the bundle, one chunk, and the entries in the action.yml files with their checks', () => {
  const [chunk = '', ...others] = files.filter((name) => CHUNK.test(name));
  expect(others).toEqual([]);
  expect(readdirSync(dist).sort()).toEqual(
    [...plain, chunk, 'early.js', 'index.js', 'licenses.txt', 'package.json'].sort(),
  );
  const named = ['.', 'cancel'].flatMap((folder) => {
    const text = readFileSync(join(root, folder, 'action.yml'), 'utf8');
    return found(text, /^ +(?:main|pre|post): (\S+)$/gm).map((path) => join(folder, path));
  });
  expect(named.sort()).toEqual(entries.map((entry) => join('dist', `${entry}.js`)).sort());
});

it(`dist has at most ${MAX_BYTES} bytes and consists of ES modules without the packages that it does not need`, () => {
  expect(readdirSync(dist).reduce((sum, name) => sum + statSync(join(dist, name)).size, 0)).toBeLessThan(MAX_BYTES);
  expect(JSON.parse(textOf('package.json'))).toEqual({ type: 'module' });
  // The bundler puts this in the place of a package that it does not find, and reports success.
  const texts = [...Object.values(LEFT_OUT), '@@notfound'];
  expect(texts.filter((text) => all.some(({ code }) => code.includes(text)))).toEqual([]);
});

it('dist includes the license of every bundled package', () => {
  const named = found(all.map(({ code }) => code).join('\n'), PACKAGE_HEADER);
  const packages = named.filter((name) => !(name in LEFT_OUT));
  expect(packages).toContain('@actions/core');
  expect(found(textOf('licenses.txt'), /^(\S+) \d+\.\d+\.\d+\S*$/gm)).toEqual(packages);
});

describe.each(all)('dist/$file', ({ file, code, codeFromText, loads }) => {
  it('is not minified', () => {
    expect(Math.max(...code.split('\n').map(({ length }) => length))).toBeLessThan(700);
  });

  it('does not generate code from strings', () => {
    expect(codeFromText).toEqual([]);
  });

  it('loads only Node.js modules and other files in dist', () => {
    const own = plain.includes(file) ? /^\.\/(?:early|index)\.js$/ : /^$/;
    const literal = loads.filter((load) => load.literal);
    expect(modulesOf(literal).filter((name) => !NODE_MODULES.includes(name) && !own.test(name))).toEqual([]);
    const computed = loads.filter((load) => !load.literal).map(({ name }) => name);
    // The bundler computes the name of the chunk.
    expect(computed).toEqual(file === 'index.js' ? ['"./" + __nccwpck_require__.u(chunkId)'] : []);
  });
});

describe('at startup', () => {
  it('an entry point loads only early.js until it needs the bundle', () => {
    for (const { file, loads, code } of all.filter((each) => plain.includes(each.file))) {
      const atOnce = loads.filter(({ name }) => !code.includes(`import("${name}")`));
      expect(modulesOf(atOnce), file).toEqual(['./early.js']);
    }
    expect(all.find(({ file }) => file === 'early.js')?.loads).toEqual([]);
  });
});

describe('the files in dist', () => {
  it('contain no host names except in messages', () => {
    // An error in @actions/core links to GitHub's docs, and the action's own messages contain example hosts.
    const hosts = all.flatMap((each) => [...each.hosts]);
    expect(hosts.filter((host) => host !== 'docs.github.com' && !/\.(?:example\.com|invalid)$/.test(host))).toEqual([]);
  });
});
