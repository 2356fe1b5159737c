import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { differences, setVersion } from './versions.ts';

/*
 * npm run release -- 1.2.3           prepares a release on this machine: version, changelog, dist, commit, tag
 * npm run release -- --check v1.2.3  compares a tag with what the files say
 *
 * Pushes nothing. docs/releasing.md describes the rest.
 */

const root = join(import.meta.dirname, '..');

function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
}

function ask(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

function check(tag: string): void {
  const complaints = differences(root, tag.replace(/^v/, ''));
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
  console.log(`All files say ${tag}.`);
}

function prepare(version: string): void {
  const tag = `v${version}`;
  if (ask('status', '--porcelain') !== '') throw new Error('There are changes that are not committed.');
  if (ask('rev-parse', '--abbrev-ref', 'HEAD') !== 'main') throw new Error('Releases are made on main.');
  if (ask('tag', '--list', tag) !== '') throw new Error(`The tag ${tag} exists.`);
  setVersion(root, version, new Date().toISOString().slice(0, 10));
  run('npm', 'ci');
  run('npm', 'run', 'build');
  run('npm', 'test');
  check(tag);
  run('git', 'commit', '--all', '--message', `Release ${version}`);
  run('git', 'tag', '--annotate', tag, '--message', tag);
  console.log(`\nLook at it (git show ${tag}), then: git push --atomic origin main ${tag}`);
}

try {
  const [first = '', second = ''] = process.argv.slice(2);
  if (first === '--check') check(second);
  else prepare(first);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
