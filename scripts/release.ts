import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { differences, setVersion } from './versions.ts';

/*
 * npm run release -- 1.2.3           prepares a release on this machine: version, changelog, dist, commit, tag
 * npm run release -- --check v1.2.3  compares a tag with the version in the files
 *
 * Neither command pushes anything. CONTRIBUTING.md describes the rest.
 */

const root = join(import.meta.dirname, '..');

function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

function check(tag: string): void {
  const problems = differences(root, tag.replace(/^v/, ''));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  console.log(`All files contain the version of ${tag}.`);
}

function prepare(version: string): void {
  const tag = `v${version}`;
  if (git('status', '--porcelain') !== '') throw new Error('Commit or discard your changes first.');
  if (git('rev-parse', '--abbrev-ref', 'HEAD') !== 'main') throw new Error('Switch to main first.');
  if (git('tag', '--list', tag) !== '') throw new Error(`The tag ${tag} already exists.`);
  setVersion(root, version, new Date().toISOString().slice(0, 10));
  run('npm', 'ci');
  run('npm', 'run', 'build');
  run('npm', 'test');
  check(tag);
  run('git', 'commit', '--all', '--message', `Release ${version}`);
  run('git', 'tag', '--annotate', tag, '--message', tag);
  console.log(`\nCheck the release with git show ${tag}, then run: git push --atomic origin main ${tag}`);
}

try {
  const [first = '', second = ''] = process.argv.slice(2);
  if (first === '--check') check(second);
  else prepare(first);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
