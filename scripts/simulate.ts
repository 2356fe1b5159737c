/* Plays scenarios in virtual time on all cores, and prints one screen. Fails if one violates an invariant. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { EXEMPTIONS, type Exemption } from '../test/simulation/check/exemptions.ts';
import { violationsIn } from '../test/simulation/check/index.ts';
import { play } from '../test/simulation/play.ts';
import { parseScenario, type Scenario } from '../test/simulation/scenario.ts';
import { shrink } from '../test/simulation/shrink.ts';
import { replayCommand, storyOf } from '../test/simulation/story.ts';
import { allScenarios, type Tally } from './simulate-worker.ts';

const USAGE = `npm run simulate -- [options]
  --scenarios N    how many random scenarios to play, besides the enumerated ones (default 10000)
  --seed S         the seed of the first one (default 1)
  --workers W      the number of threads (default: one per core)
  --replay JSON    play one scenario and print its story. Parts that are missing in the JSON are plain
  --until-found    stop at the first violation, and print it as JSON (used by npm run simulate:bugs)`;

const { values } = parseArgs({
  options: {
    scenarios: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(availableParallelism()) },
    replay: { type: 'string' },
    'until-found': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(USAGE);
else if (values.replay !== undefined) process.exitCode = await replay(parseScenario(values.replay));
else if (values['until-found']) await untilFound();
else process.exitCode = await simulate();

/** Parses a number of at least 1, so that a typo does not play zero scenarios and succeed. */
function wholeNumber(name: 'scenarios' | 'seed' | 'workers'): number {
  const text = values[name];
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} is "${text}". Write a whole number of at least 1.`);
  return Number(text);
}

async function replay(scenario: Scenario): Promise<number> {
  const history = await play(scenario);
  console.log(storyOf(history).join('\n'));
  const violations = violationsIn(history);
  for (const { invariant, what } of violations) console.log(`\nViolated: ${invariant}\n  ${what}`);
  if (violations.length === 0) console.log('\nThis scenario violates no invariant.');
  return violations.length === 0 ? 0 : 1;
}

async function untilFound(): Promise<void> {
  const count = wholeNumber('scenarios');
  let scenarios = 0;
  for await (const { scenario } of allScenarios(wholeNumber('seed'), count)) {
    scenarios += 1;
    const [violation] = violationsIn(await play(scenario));
    if (violation === undefined) continue;
    console.log(JSON.stringify({ ...violation, scenarios }));
    return;
  }
  console.log(JSON.stringify({ invariant: '', what: '', scenarios }));
}

async function simulate(): Promise<number> {
  const begun = performance.now();
  const workers = wholeNumber('workers');
  const share = { seed: wholeNumber('seed'), count: wholeNumber('scenarios'), workers };
  const tallies = await Promise.all(Array.from({ length: workers }, (_, worker) => run({ ...share, worker })));
  const seconds = (performance.now() - begun) / 1_000;
  const played = tallies.reduce((sum, tally) => sum + tally.played, 0);
  const failures = tallies.flatMap((tally) => tally.failures).sort((a, b) => a.index - b.index);
  const [first] = failures;
  if (first !== undefined) await tell(first.scenario, first.invariant);
  console.log(`${played} scenarios in ${seconds.toFixed(1)} s (${Math.round(played / seconds)} per second)\n`);
  printExemptions(tallies);
  printViolations(failures);
  return failures.length === 0 ? 0 : 1;
}

/** Prints the shortest story that violates the invariant, and how to replay it. */
async function tell(scenario: Scenario, invariant: string): Promise<void> {
  const history = await play(await shrink(scenario, invariant));
  console.log(storyOf(history).join('\n'));
  for (const { what } of violationsIn(history)) console.log(`\nViolated: ${what}`);
  console.log(`\nReplay it with\n  ${replayCommand(history)}\n`);
}

function printExemptions(tallies: readonly Tally[]): void {
  console.log('Exemptions, with how often they applied:');
  for (const [name, reason] of Object.entries(EXEMPTIONS)) {
    const count = tallies.reduce((sum, { exemptions }) => sum + (exemptions[name as Exemption] ?? 0), 0);
    console.log(`  ${String(count).padStart(6)}  ${name}: ${reason}`);
  }
}

function printViolations(failures: Tally['failures']): void {
  console.log(
    failures.length === 0
      ? '\nNo scenario violates an invariant.'
      : `\n${failures.length} scenarios violate an invariant:`,
  );
  const kinds = Object.groupBy(failures, ({ invariant }) => invariant);
  for (const [invariant, some = []] of Object.entries(kinds)) {
    const [example] = some;
    console.log(`  ${String(some.length).padStart(6)}  ${invariant}, for example: ${example?.what}`);
    if (example !== undefined) console.log(`          ${replayCommand(example)}`);
  }
}

function run(share: object): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./simulate-worker.ts', import.meta.url), { workerData: share });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
