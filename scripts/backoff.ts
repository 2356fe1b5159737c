// Raises the backoff by a tenth. Only the tests of retries may notice: the others must not depend on its constants.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

/** The test of how long the pauses are. */
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
  const wrong = failed.filter((name) => !EXPECTED.includes(name));
  const blind = EXPECTED.filter((name) => !failed.includes(name));
  for (const name of wrong) console.error(`${name} depends on the constants of the backoff.`);
  for (const name of blind) console.error(`${name} does not notice a longer backoff.`);
  console.log(`${testResults.length} files of tests, ${failed.length} of which noticed a longer backoff`);
  process.exitCode = wrong.length + blind.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
