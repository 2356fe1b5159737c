import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PLANTED_BUGS, type PlantedBug } from '../test/simulation/planted-bugs.ts';

/** Scenarios after which a bug counts as not found. */
const MOST_SCENARIOS = 20_000;
const DOCUMENT = 'docs/planted-bugs.md';
const BEGIN = '<!-- bugs: written by npm run simulate:bugs -->';
const END = '<!-- /bugs -->';

interface Found {
  readonly bug: PlantedBug;
  /** How many scenarios it took, the last of which violated an invariant; undefined if none did, or if none was run. */
  readonly scenarios: number | undefined;
  /** The invariant or the test that failed; empty if nothing did. */
  readonly invariant: string;
  readonly what: string;
}

const root = resolve(import.meta.dirname, '..');
const only = process.argv[2];
const wanted = PLANTED_BUGS.filter(({ name }) => only === undefined || name.includes(only));
if (wanted.length === 0) throw new Error(`No bug has "${String(only)}" in its name.`);
await requireSound();
const found = await inTurn(wanted, availableParallelism(), find);
const missed = found.filter(({ invariant }) => invariant === '');
console.log(`${found.length - missed.length} of ${found.length} bugs were found`);
if (only === undefined) document(found);
process.exitCode = missed.length === 0 ? 0 : 1;

/** What breaks an invariant without any bug would be found in the place of every bug that is not. */
async function requireSound(): Promise<void> {
  const { scenarios, invariant, what } = JSON.parse(await simulate(root)) as Omit<Found, 'bug'>;
  if (scenarios !== undefined)
    throw new Error(`The source as it is violates an invariant after ${scenarios} scenarios: ${invariant}: ${what}`);
}

/** Plants a bug in a copy of the source, and simulates until an invariant is violated, or runs the bug's own test. */
async function find(bug: PlantedBug): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'run-pipeline-bug-'));
  try {
    if (bug.test !== undefined) return findByTest(bug, bug.test, folder);
    for (const part of ['src', 'sandbox', 'test/simulation', 'test/support', 'scripts/simulate.ts', 'package.json']) {
      cpSync(join(root, part), join(folder, part), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
    putIn(bug, folder);
    const { scenarios, invariant, what } = JSON.parse(await simulate(folder)) as Omit<Found, 'bug'>;
    console.log(`${scenarios === undefined ? 'MISSED' : `${scenarios} scenarios`}: ${bug.name}`);
    return { bug, scenarios, invariant, what };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the bug's own test in a copy of the repository; an end-to-end test, against a bundle that has the bug. */
function findByTest(bug: PlantedBug, test: string, folder: string): Found {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  for (const file of tracked.split('\0').filter((name) => name !== '')) cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  putIn(bug, folder);
  const project = test.startsWith('test/e2e/') ? 'e2e' : 'unit';
  if (project === 'e2e') {
    execFileSync(process.execPath, ['scripts/build.ts'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const failed = failedTest(test, project, folder);
  console.log(`${failed === undefined ? 'MISSED' : test}: ${bug.name}`);
  return { bug, scenarios: undefined, invariant: failed === undefined ? '' : test, what: failed ?? '' };
}

/** The name of the first test in a file that fails; undefined if none does. */
function failedTest(test: string, project: string, folder: string): string | undefined {
  const report = join(folder, 'report.json');
  const options = ['--project', project, '--reporter', 'json', '--outputFile', report];
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...options, test];
  const { status } = spawnSync(process.execPath, args, { cwd: folder, stdio: 'ignore' });
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    readonly testResults: readonly {
      readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
    }[];
  };
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = all.find((one) => one.status === 'failed');
  if (status !== 0 && failed === undefined) throw new Error(`${test} cannot be run.`);
  return failed?.fullName;
}

function putIn({ name, file, find: old, replace }: PlantedBug, folder: string): void {
  const path = join(folder, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(old).length !== 2) throw new Error(`The text of the bug "${name}" is not once in ${file}.`);
  // Not as a pattern: a dollar sign in the text means itself.
  writeFileSync(
    path,
    source.replace(old, () => replace),
  );
}

function simulate(folder: string): Promise<string> {
  const args = ['scripts/simulate.ts', '--until-found', '--scenarios', String(MOST_SCENARIOS), '--seed', '1'];
  return new Promise((settle, reject) => {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', () => settle(said.trim().split('\n').at(-1) ?? ''));
  });
}

async function inTurn<In, Out>(all: readonly In[], atOnce: number, task: (one: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  const waiting = [...all.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      results[next[0]] = await task(next[1]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

/** Writes the table into the document, between its marks. */
function document(all: readonly Found[]): void {
  const path = join(root, DOCUMENT);
  const text = readFileSync(path, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${DOCUMENT} has no place for the table.`);
  const cell = (words: string): string =>
    words
      .replace(/\s+/g, ' ')
      .replace(/\bat_[0-9a-f]{40}\b/g, 'at_…')
      .replace(/(\d)\.\d{3,}/g, '$1')
      .replaceAll('|', '\\|');
  const rows = all.map(
    ({ bug, scenarios, invariant, what }) =>
      `| ${cell(bug.name)} | \`${bug.file}\` | ${scenarios ?? '–'} | ${invariant}: ${cell(what)} |`,
  );
  const table = [BEGIN, '| bug | in | scenarios | what was found |', '| --- | --- | ---: | --- |', ...rows, ''];
  writeFileSync(path, `${text.slice(0, begin)}${table.join('\n')}${text.slice(end)}`);
}
