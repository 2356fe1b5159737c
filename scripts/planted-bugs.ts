import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { INVARIANTS } from '../test/simulation/checker/check.ts';
import { PLANTED_BUGS, type PlantedBug } from '../test/simulation/planted-bugs.ts';

/** A bug that takes more scenarios counts as missed. */
const MAX_SCENARIOS = 20_000;
const DOCUMENT = 'docs/planted-bugs.md';
const BEGIN = '<!-- bugs: written by npm run simulate:bugs -->';
const END = '<!-- /bugs -->';

interface Found {
  readonly bug: PlantedBug;
  /** The number of scenarios until one violated an invariant, or undefined if none did or the bug has its own test. */
  readonly scenarios: number | undefined;
  /** The violated invariant or the failed test, or an empty string if the bug was missed. */
  readonly invariant: string;
  readonly what: string;
}

const root = resolve(import.meta.dirname, '..');
const only = process.argv[2];
/** With `--sample`: the bug that each invariant finds first, which shows that no invariant is switched off. */
const sample = only === '--sample' ? firstOfEachInvariant() : undefined;
const wanted = PLANTED_BUGS.filter(({ name }) => sample?.has(name) ?? (only === undefined || name.includes(only)));
if (wanted.length === 0) throw new Error(`No bug has a name that contains "${String(only)}".`);
// In a sample, each bug must violate a certain invariant, so this check is unnecessary.
if (sample === undefined) await requireNoViolation();
const found = await mapConcurrently(wanted, availableParallelism(), find);
const missed = found.filter(({ bug, invariant }) => invariant === '' || isFoundByAnother(bug, invariant));
console.log(`${found.length - missed.length} of ${found.length} bugs were found.`);
if (only === undefined) document(found);
process.exitCode = missed.length === 0 ? 0 : 1;

/** Whether a bug of the sample violated another invariant than the documented one, which it also prints. */
function isFoundByAnother({ name }: PlantedBug, invariant: string): boolean {
  const expected = sample?.get(name) ?? invariant;
  if (expected !== invariant) console.error(`"${name}" violated "${invariant}" instead of "${expected}".`);
  return expected !== invariant;
}

/** Maps the name of the bug that each invariant finds after the fewest scenarios to the name of the invariant. */
function firstOfEachInvariant(): ReadonlyMap<string, string> {
  const rows = [
    ...readFileSync(join(root, DOCUMENT), 'utf8').matchAll(/^\| (.*) \| .* \| (\d+) \| ([a-z -]+): .* \|$/gm),
  ];
  const sorted = rows.toSorted((a, b) => Number(b[2]) - Number(a[2]));
  const first = new Map(sorted.map(([, name = '', , invariant = '']) => [invariant, name]));
  const missing = INVARIANTS.filter((invariant) => !first.has(invariant));
  if (missing.length > 0) throw new Error(`No planted bug is found by ${missing.join(', ')}.`);
  return new Map([...first].map(([invariant, name]) => [name, invariant]));
}

/** If the unchanged source violated an invariant, every bug would count as found. */
async function requireNoViolation(): Promise<void> {
  const { scenarios, invariant, what } = JSON.parse(await simulate(root)) as Omit<Found, 'bug'>;
  if (scenarios !== undefined)
    throw new Error(`The unchanged source violates an invariant after ${scenarios} scenarios: ${invariant}: ${what}`);
}

/** Plants a bug in a copy of the source, and runs the bug's own test, or scenarios until one violates an invariant. */
async function find(bug: PlantedBug): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'run-pipeline-bug-'));
  try {
    if (bug.test !== undefined) return findByTest(bug, bug.test, folder);
    for (const part of ['src', 'sandbox', 'test/simulation', 'test/support', 'scripts', 'package.json']) {
      cpSync(join(root, part), join(folder, part), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
    plant(bug, folder);
    const { scenarios, invariant, what } = JSON.parse(await simulate(folder)) as Omit<Found, 'bug'>;
    console.log(`${scenarios === undefined ? 'MISSED' : `${scenarios} scenarios`}: ${bug.name}`);
    return { bug, scenarios, invariant, what };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the bug's own test in a copy of the repository. An end-to-end test runs against a bundle with the bug. */
function findByTest(bug: PlantedBug, test: string, folder: string): Found {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  for (const file of tracked.split('\0').filter((name) => name !== '')) cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  plant(bug, folder);
  const project = test.startsWith('test/e2e/') ? 'e2e' : 'unit';
  if (project === 'e2e') {
    execFileSync(process.execPath, ['scripts/build.ts'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const failed = failedTest(test, project, folder);
  console.log(`${failed === undefined ? 'MISSED' : test}: ${bug.name}`);
  return { bug, scenarios: undefined, invariant: failed === undefined ? '' : test, what: failed ?? '' };
}

/** Returns the name of the first failed test in a file, or undefined if all pass. */
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
  if (status !== 0 && failed === undefined) throw new Error(`${test} could not run.`);
  return failed?.fullName;
}

function plant({ name, file, find: old, replace }: PlantedBug, folder: string): void {
  const path = join(folder, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(old).length !== 2)
    throw new Error(`The text of the bug "${name}" must occur exactly once in ${file}.`);
  // A replacement string would give dollar signs a special meaning.
  writeFileSync(
    path,
    source.replace(old, () => replace),
  );
}

function simulate(folder: string): Promise<string> {
  const args = ['scripts/simulate.ts', '--until-found', '--scenarios', String(MAX_SCENARIOS), '--seed', '1'];
  return new Promise((settle, reject) => {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', () => settle(output.trim().split('\n').at(-1) ?? ''));
  });
}

async function mapConcurrently<In, Out>(
  all: readonly In[],
  limit: number,
  task: (one: In) => Promise<Out>,
): Promise<Out[]> {
  const results: Out[] = [];
  const waiting = [...all.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      results[next[0]] = await task(next[1]);
    }
  };
  await Promise.all(Array.from({ length: limit }, work));
  return results;
}

/** Writes the table between the markers in the document. */
function document(all: readonly Found[]): void {
  const path = join(root, DOCUMENT);
  const text = readFileSync(path, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${DOCUMENT} does not contain the markers of the table.`);
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
