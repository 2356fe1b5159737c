import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { entries } from './entries.ts';
import { licenses } from './licenses.ts';

/*
 * src/NAME.ts → build/NAME.js (tsc, file by file, comments kept) → dist/NAME/index.js (ncc, with the packages
 * it needs inside). In two steps, because what ncc sees is then plain JavaScript that reads like the source,
 * and the version of TypeScript is no concern of ncc's. Nothing is minified and there is no source map: the
 * same sources give the same bytes in any folder.
 */

const root = join(import.meta.dirname, '..');
const { resolve } = createRequire(import.meta.url);

function run(tool: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [resolve(tool), ...args], { cwd: root, stdio: 'inherit' });
}

for (const folder of ['build', 'dist']) rmSync(join(root, folder), { recursive: true, force: true });

run('typescript/bin/tsc', '-p', 'tsconfig.build.json');
for (const name of entries) {
  const out = join(root, 'dist', name);
  const stats = join(root, 'build', `${name}.stats.json`);
  const ncc = ['build', `build/${name}.js`, '--out', out, '--stats-out', stats, '--no-cache', '--quiet'];
  run('@vercel/ncc/dist/ncc/cli.js', ...ncc);
  writeFileSync(join(out, 'licenses.txt'), licenses(readFileSync(stats, 'utf8')));
}
