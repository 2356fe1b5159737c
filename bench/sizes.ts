import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '..');

/** Returns the sizes of the bundles and of the archive that a runner downloads. */
export function sizes(): string[] {
  const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, 'dist', name))
    .filter((path) => statSync(path).isFile());
  const sum = (paths: readonly string[]): number => paths.reduce((all, path) => all + statSync(path).size, 0);
  // The files that the main action loads. The cancel action is separate and uses the same shared parts.
  const main = files.filter((path) => !path.includes(join('dist', 'cancel')));
  const tar = execFileSync('tar', ['cf', '-', '-C', root, 'dist'], { maxBuffer: 2 ** 28 });
  const archive = execFileSync('git', ['archive', '--format=tar.gz', 'HEAD'], { cwd: root, maxBuffer: 2 ** 28 });
  return [
    '\nbytes',
    `  dist, all             ${sum(files)} in ${files.length} files, ${gzipSync(tar).length} packed (goal: 80,000 packed)`,
    `  dist, without cancel/ ${sum(main)} (goal: 300,000)`,
    `  archive of HEAD       ${archive.length} packed`,
  ];
}
