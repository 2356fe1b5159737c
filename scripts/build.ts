import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/*
 * src → build (tsc, formatted like src) → dist (ncc: index.js with the packages, and a chunk for each dynamic import).
 * The entries are not bundled. Nothing is minified, so the same sources produce the same bytes in any folder and with any
 * version of Node. The old dist is replaced only when the new one is complete.
 */

/** The entries, which import the bundle on demand. */
const ENTRIES = ['main.js', 'post.js', 'cancel.js'];

const root = join(import.meta.dirname, '..');
const build = join(root, 'build');
const bundle = join(build, 'dist');
const dist = join(root, 'dist');
const { resolve } = createRequire(import.meta.url);

/** Packages refer to source maps that dist does not contain. */
const SOURCE_MAP = /^\/\/# sourceMappingURL=.*\n/gm;
/** Comments in packages are removed, because every job downloads dist. tsc has already removed our own comments. */
const COMMENT = /^ *\/\*\*\n(?: *\*.*\n)+|^\s*\/\/(?!.* MODULE: ).*\n/gm;
/** Marks that ncc sets in the code that it generates. */
const MARKS = /^\/\*{3,6}\/ ?|\/\* (?:harmony (?:export|import)|binding) \*\/ ?/gm;
/** ncc creates a `require` for each Node module. Sharing one `require` saves 700 bytes. */
const REQUIRE = '__WEBPACK_EXTERNAL_createRequire(import.meta.url)';
const IMPORT_OF_REQUIRE = /^import \{ createRequire as .*\n/;

function shareRequire(code: string): string {
  return code
    .replaceAll(`${REQUIRE}(`, 'nodeRequire(')
    .replace(IMPORT_OF_REQUIRE, `$&const nodeRequire = ${REQUIRE};\n`);
}

/**
 * Lets ncc omit the modules of a package that the action does not use. The toolkit's summary alone, which loads
 * `fs/promises`, would take a twentieth of the start-up time.
 */
function declareFreeOfSideEffects(name: string): void {
  const copy = join(build, 'node_modules', name);
  cpSync(join(root, 'node_modules', name), copy, { recursive: true });
  const file = join(copy, 'package.json');
  const description = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...description, sideEffects: false }));
}

function run(tool: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [resolve(tool), ...args], { cwd: root, stdio: 'inherit' });
}

/** Returns a package's license. ncc's own `--license` omits most packages. @throws if the package has none */
function licenceOf(name: string): string {
  const folder = join(root, 'node_modules', name);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string };
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no license file.`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim()}\n`;
}

rmSync(build, { recursive: true, force: true });
run('typescript/bin/tsc', '-p', 'src');
run('@biomejs/biome/bin/biome', 'format', '--write', '--vcs-enabled=false', '--log-level=warn', build);
declareFreeOfSideEffects('@actions/core');
run('@vercel/ncc/dist/ncc/cli.js', 'build', 'build/index.js', '--out', bundle, '--no-cache', '--quiet');

const packages = new Set<string>();
for (const file of readdirSync(bundle).filter((name) => name.endsWith('.js'))) {
  const code = readFileSync(join(bundle, file), 'utf8').replaceAll('./build/node_modules/', './node_modules/');
  // ncc replaces an import that it cannot resolve with a throwing stub and reports success.
  if (code.includes('@@notfound.js')) throw new Error('A package is not installed. Run npm ci.');
  for (const [, name = ''] of code.matchAll(/MODULE: \.\/node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//g))
    packages.add(name);
  writeFileSync(join(bundle, file), shareRequire(code).replace(SOURCE_MAP, '').replace(MARKS, '').replace(COMMENT, ''));
}
const licences = [...packages].sort().map(licenceOf);
writeFileSync(join(bundle, 'licenses.txt'), licences.join(`\n${'-'.repeat(80)}\n\n`));
// The entries contain the early checks, because a second file would delay each process by almost a millisecond.
const early = readFileSync(join(build, 'early.js'), 'utf8').replaceAll(/^export /gm, '');
for (const name of ENTRIES)
  writeFileSync(
    join(bundle, name),
    readFileSync(join(build, name), 'utf8').replace(/^import .*\n/, () => early),
  );
rmSync(dist, { recursive: true, force: true });
renameSync(bundle, dist);
rmSync(build, { recursive: true });
