import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

// Rebuilds dist and compares it with the commit, because users run dist.
const root = join(import.meta.dirname, '..');
await import('./build.ts');

const differences = execFileSync('git', ['status', '--porcelain', '--untracked-files=all', '--', 'dist'], {
  cwd: root,
  encoding: 'utf8',
});
if (differences !== '') {
  console.error(`dist does not match src. Run \`npm run build\` and commit dist:\n${differences}`);
  process.exitCode = 1;
} else {
  console.log('dist matches src.');
}
