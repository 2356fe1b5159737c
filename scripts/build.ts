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
 * (ncc, with the packages it needs inside). In steps, because what ncc sees is then plain JavaScript that reads like
 * the source, and the version of TypeScript is no concern of ncc's. Nothing is minified and there is no source map: the
 * same sources give the same bytes in any folder. What the entries share is a bundle of its own, which they
 * import from where it lies. An old dist goes only once the new one is whole.
 */

const root = join(import.meta.dirname, '..');
const build = join(root, 'build');
const bundles = join(build, 'dist');
const dist = join(root, 'dist');
const { resolve } = createRequire(import.meta.url);

/** Packages name the source maps that lie beside their files; none lies beside the bundle. */
const SOURCE_MAP_NOTE = /^\/\/# sourceMappingURL=.*\n/gm;

/** Ends the build when the tool fails: it has said why. */
function run(tool: string, ...args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, [resolve(tool), ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

/** What a part loads only when it needs it stays an import of its own: the bundler would load it at once. */
function keepLate(name: string): void {
  const file = join(build, `${name}.js`);
  const code = shared.reduce(
    (text, part) =>
      text.replaceAll(`import('./${part}.js')`, `import(/* webpackIgnore: true */ '../${part}/index.js')`),
    readFileSync(file, 'utf8'),
  );
  writeFileSync(file, code);
}

/** What a part imports from where it lies: the other parts, and what stands in for modules of a package. */
function outside(): Record<string, string> {
  const names: readonly (readonly [string, string])[] = [
    ...shared.map((part) => [`./${part}.js`, `../${part}/index.js`] as const),
    ...Object.entries(standIns).map(([module, part]) => [module, `../${part}/index.js`] as const),
  ];
  return Object.fromEntries<string>(names);
}

/** The bundler identifies modules by import specifiers, so it would also replace a module of ours. */
function requireOtherNames(): void {
  const ours = readdirSync(build, { recursive: true, encoding: 'utf8' });
  const taken = ours.filter((file) => `./${basename(file)}` in standIns);
  if (taken.length > 0) throw new Error(`A stand-in would be taken for ${taken.join(', ')}: rename that.`);
}

async function bundle(name: string): Promise<Bundled> {
  const out = join(bundles, name);
  const { code, assets, stats } = await ncc(join(build, `${name}.js`), {
    cache: false,
    quiet: true,
    externals: outside(),
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
requireOtherNames();
parts.forEach(keepLate);
for (const name of parts) made.push(await bundle(name));
writeFileSync(join(root, 'docs', 'bundle.md'), contentsPage(root, made));
rmSync(dist, { recursive: true, force: true });
renameSync(bundles, dist);
