import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { entries } from './entries.ts';
import { licenses } from './licenses.ts';

/*
 * src/NAME.ts → build/NAME.js (tsc, file by file, comments kept) → dist/NAME/index.js (ncc, with the packages
 * it needs inside). In two steps, because what ncc sees is then plain JavaScript that reads like the source,
 * and the version of TypeScript is no concern of ncc's. Nothing is minified and there is no source map: the
 * same sources give the same bytes in any folder. An old dist goes only once the new one is whole.
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

function bundle(name: string): void {
  const out = join(bundles, name);
  const stats = join(build, `${name}.stats.json`);
  const options = ['--out', out, '--stats-out', stats, '--no-cache', '--quiet'];
  run('@vercel/ncc/dist/ncc/cli.js', 'build', join(build, `${name}.js`), ...options);
  writeFileSync(join(out, 'licenses.txt'), licenses(readFileSync(stats, 'utf8')));
}

rmSync(build, { recursive: true, force: true });
run('typescript/bin/tsc', '-p', 'tsconfig.build.json');
entries.forEach(bundle);
rmSync(dist, { recursive: true, force: true });
renameSync(bundles, dist);
