import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '..');

/** Bytes of what users download: the bundles, and the archive of the repository that a runner fetches. */
export function sizes(): string[] {
  const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, 'dist', name))
    .filter((path) => statSync(path).isFile());
  const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
  const tar = execFileSync('tar', ['cf', '-', '-C', root, 'dist'], { maxBuffer: 2 ** 28 });
  const archive = execFileSync('git', ['archive', '--format=tar.gz', 'HEAD'], {
    cwd: root,
    maxBuffer: 2 ** 28,
  });
  return [
    '\nbytes',
    `  dist                  ${bytes} in ${files.length} files, ${gzipSync(tar).length} packed (goal: 300,000 and 80,000)`,
    `  archive of HEAD       ${archive.length} packed`,
  ];
}
