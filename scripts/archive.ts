import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/**
 * Returns the archive that a runner downloads for a commit, without the files that .gitattributes marks
 * `export-ignore`. git creates the same bytes for the same commit.
 */
export function archive(commit = 'HEAD'): Buffer {
  return git('archive', '--format=tar.gz', commit);
}

/** Returns the names of the files in the archive of a commit. */
export function archivedFiles(commit = 'HEAD'): readonly string[] {
  const tar = git('archive', '--format=tar', commit);
  const names: string[] = [];
  // A tar file consists of blocks of 512 bytes: a header with name, size (octal) and type, then the contents.
  for (let at = 0; at < tar.length && tar[at] !== 0; ) {
    const text = (from: number, length: number): string =>
      tar.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '');
    const [name, size, type] = [text(0, 100), Number.parseInt(text(124, 12), 8), text(156, 1)];
    const folder = text(345, 155);
    if (type === '0') names.push(folder === '' ? name : `${folder}/${name}`);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return names;
}

function git(...args: readonly string[]): Buffer {
  return execFileSync('git', args, { cwd: root, maxBuffer: 1e9 });
}
