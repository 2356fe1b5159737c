import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import ncc from '@vercel/ncc';
import { type Bundled, contentsPage } from './contents.ts';
import { entries, shared, standIns } from './entries.ts';
import { licenses } from './licenses.ts';

/*
 * src/NAME.ts → build/NAME.js (tsc, file by file, without comments; formatted like the source) → dist/NAME/index.js
 * (ncc, which includes the packages). tsc runs first so that bundles read like the source and ncc does not depend on
 * the version of TypeScript. Nothing is minified and there are no source maps, so the same sources produce the same
 * bytes in any folder. Code that the entries share is bundled separately, and the entries import it at run time. The
 * build replaces the old dist only when the new one is complete.
 */

const root = join(import.meta.dirname, '..');
const build = join(root, 'build');
const bundles = join(build, 'dist');
const dist = join(root, 'dist');
const { resolve } = createRequire(import.meta.url);

/** Packages refer to source maps, which dist does not contain. */
const SOURCE_MAP_NOTE = /^\/\/# sourceMappingURL=.*\n/gm;

/** Runs a tool. Exits if the tool fails, after it has printed the error. */
function run(tool: string, ...args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, [resolve(tool), ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

/** Keeps dynamic imports of shared parts, which the bundler would inline. */
function keepDynamicImports(name: string): void {
  const file = join(build, `${name}.js`);
  const code = shared.reduce(
    (text, part) =>
      text.replaceAll(`import('./${part}.js')`, `import(/* webpackIgnore: true */ '../${part}/index.js')`),
    readFileSync(file, 'utf8'),
  );
  writeFileSync(file, code);
}

/** Returns the imports that ncc must not bundle (shared parts and stand-ins), with their paths at run time. */
function externals(): Record<string, string> {
  const names: readonly (readonly [string, string])[] = [
    ...shared.map((part) => [`./${part}.js`, `../${part}/index.js`] as const),
    ...Object.entries(standIns).map(([module, part]) => [module, `../${part}/index.js`] as const),
  ];
  return Object.fromEntries<string>(names);
}

/** ncc matches stand-ins by import specifier only, so it would also replace one of our own modules with the same name. */
function rejectNameClashes(): void {
  const ours = readdirSync(build, { recursive: true, encoding: 'utf8' });
  const clashing = ours.filter((file) => `./${basename(file)}` in standIns);
  if (clashing.length > 0) throw new Error(`A stand-in would replace ${clashing.join(', ')}. Rename that file.`);
}

async function bundle(name: string): Promise<Bundled> {
  const out = join(bundles, name);
  const { code, assets, stats } = await ncc(join(build, `${name}.js`), {
    cache: false,
    quiet: true,
    externals: externals(),
  });
  mkdirSync(out, { recursive: true });
  const written = code.replace(SOURCE_MAP_NOTE, '');
  writeFileSync(join(out, 'index.js'), written);
  for (const [file, { source }] of Object.entries(assets)) writeFileSync(join(out, file), source);
  const statistics = stats.toJson();
  const used = licenses(JSON.stringify(statistics));
  if (used !== '') writeFileSync(join(out, 'licenses.txt'), used);
  return { file: `${name}/index.js`, code: written, stats: statistics };
}

rmSync(build, { recursive: true, force: true });
run('typescript/bin/tsc', '-p', 'tsconfig.build.json');
run('@biomejs/biome/bin/biome', 'format', '--write', '--vcs-enabled=false', '--log-level=warn', build);
const made: Bundled[] = [];
const parts = [...entries, ...shared];
rejectNameClashes();
parts.forEach(keepDynamicImports);
for (const name of parts) made.push(await bundle(name));
writeFileSync(join(root, 'docs', 'bundle.md'), contentsPage(root, made));
rmSync(dist, { recursive: true, force: true });
renameSync(bundles, dist);
