// Runs the fast tests with a backoff whose base is a tenth longer. Only the test that pins the backoff may fail, because
// no other test should depend on its constants.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

/** The test that pins the length of each pause. */
const EXPECTED = ['test/unit/run/trigger.test.ts'];

interface Report {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'run-pipeline-backoff-'));
try {
  const report = join(folder, 'report.json');
  const args = ['vitest', 'run', '--config', 'vitest.backoff.config.ts', '--reporter', 'json', '--outputFile', report];
  spawnSync('npx', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const failed = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => relative(root, name).replaceAll('\\', '/'));
  const unexpected = failed.filter((name) => !EXPECTED.includes(name));
  const missing = EXPECTED.filter((name) => !failed.includes(name));
  for (const name of unexpected) console.error(`${name} depends on the backoff constants.`);
  for (const name of missing) console.error(`${name} passes with a longer backoff, but should fail.`);
  console.log(`${failed.length} of ${testResults.length} test files failed with a longer backoff.`);
  process.exitCode = unexpected.length + missing.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
