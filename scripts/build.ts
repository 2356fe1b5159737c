import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ncc from '@vercel/ncc';
import { entries, SHARED } from './entries.ts';
import { licenses } from './licenses.ts';

/*
 * src/NAME.ts → build/NAME.js (tsc, file by file, comments kept) → dist/NAME/index.js (ncc, with the packages
 * it needs inside). In two steps, because what ncc sees is then plain JavaScript that reads like the source,
 * and the version of TypeScript is no concern of ncc's. Nothing is minified and there is no source map: the
 * same sources give the same bytes in any folder. What the entries share is a bundle of its own, which they
 * import from where it lies. An old dist goes only once the new one is whole.
 */

const root = join(import.meta.dirname, '..');
const build = join(root, 'build');
const bundles = join(build, 'dist');
const dist = join(root, 'dist');
const { resolve } = createRequire(import.meta.url);

/** Ends the build when the tool fails: it has said why. */
function run(tool: string, ...args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, [resolve(tool), ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

async function bundle(name: string): Promise<void> {
  const out = join(bundles, name);
  const { code, assets, stats } = await ncc(join(build, `${name}.js`), {
    cache: false,
    quiet: true,
    externals: name === SHARED ? {} : { [`./${SHARED}.js`]: `../${SHARED}/index.js` },
  });
  mkdirSync(out, { recursive: true });
  // An import that the bundler is told to leave alone still names the file as it lies in build/.
  writeFileSync(join(out, 'index.js'), code.replaceAll(`"./${SHARED}.js"`, `"../${SHARED}/index.js"`));
  for (const [file, { source }] of Object.entries(assets)) writeFileSync(join(out, file), source);
  const used = licenses(JSON.stringify(stats.toJson()));
  if (used !== '') writeFileSync(join(out, 'licenses.txt'), used);
}

rmSync(build, { recursive: true, force: true });
run('typescript/bin/tsc', '-p', 'tsconfig.build.json');
for (const name of [...entries, SHARED]) await bundle(name);
rmSync(dist, { recursive: true, force: true });
renameSync(bundles, dist);
