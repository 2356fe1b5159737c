import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

// Builds into place and compares with what is committed: users run dist, so dist has to be what src says.
const root = join(import.meta.dirname, '..');
await import('./build.ts');

const differences = execFileSync(
  'git',
  ['status', '--porcelain', '--untracked-files=all', '--', 'dist', 'docs/bundle.md'],
  { cwd: root, encoding: 'utf8' },
);
if (differences !== '') {
  console.error(
    `dist is not what src builds to. Run \`npm run build\` and commit dist and docs/bundle.md:\n${differences}`,
  );
  process.exitCode = 1;
} else {
  console.log('dist is what src builds to.');
}
