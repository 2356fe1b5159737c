import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/*
 * src → build (tsc) → dist (ncc: index.js with the packages, and a chunk for each dynamic import). The entries are not
 * bundled, because they import the bundle on demand. Nothing is minified, so people can review it. The same sources produce the
 * same bytes in any folder and with any version of Node. The old dist is replaced only when the new one is complete.
 */

const root = join(import.meta.dirname, '..');
const build = join(root, 'build');
const bundle = join(build, 'dist');
const dist = join(root, 'dist');
const { resolve } = createRequire(import.meta.url);

/** The packages in the bundle. */
const BUNDLED = ['@actions/core', '@actions/http-client'];
/** Packages that these import for functions which the action never calls: undici alone would add a megabyte. */
const LEFT_OUT = ['@actions/exec', 'tunnel', 'undici'];
const ENTRIES = ['main.js', 'post.js', 'cancel.js', 'early.js'];

function run(tool: string, folder: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [resolve(tool), ...args], { cwd: folder, stdio: 'inherit' });
}

function readJson(path: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, unknown>>;
}

/** Returns the folder from which the bundler takes a package. */
function packageInBuild(name: string): string {
  return join(build, 'node_modules', name);
}

/**
 * Lets the bundler drop the modules of a package that the action does not use. Otherwise, the toolkit's code for OpenID
 * Connect would load the HTTP client in every process: the start would take 2.6 instead of 1.9 times that of Node alone.
 */
function takeIn(name: string): void {
  cpSync(join(root, 'node_modules', name), packageInBuild(name), { recursive: true });
  const file = join(packageInBuild(name), 'package.json');
  writeFileSync(file, JSON.stringify({ ...readJson(file), sideEffects: false }));
}

/** Puts an empty module in the place of a package. */
function leaveOut(name: string): void {
  mkdirSync(packageInBuild(name), { recursive: true });
  writeFileSync(join(packageInBuild(name), 'package.json'), JSON.stringify({ name }));
  writeFileSync(join(packageInBuild(name), 'index.js'), '');
}

/**
 * Returns a package's license, because ncc's `--license` finds those of neither package in the bundle. Throws if the
 * package has none.
 */
function licenseOf(name: string): string {
  const folder = packageInBuild(name);
  const { version } = readJson(join(folder, 'package.json'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no license file.`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim()}\n`;
}

rmSync(build, { recursive: true, force: true });
run('typescript/bin/tsc', root, '-p', 'src');
for (const name of BUNDLED) takeIn(name);
for (const name of LEFT_OUT) leaveOut(name);
run('@vercel/ncc/dist/ncc/cli.js', build, 'build', 'index.js', '--out', 'dist', '--no-cache', '--quiet');
for (const name of ENTRIES) cpSync(join(build, name), join(bundle, name));
writeFileSync(join(bundle, 'licenses.txt'), BUNDLED.map(licenseOf).join(`\n${'-'.repeat(80)}\n\n`));
rmSync(dist, { recursive: true, force: true });
renameSync(bundle, dist);
rmSync(build, { recursive: true });
