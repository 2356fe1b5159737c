/* Plays scenarios in virtual time on all cores and prints a screen of results. Fails if one violates an invariant. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { EXEMPTIONS, type Exemption, takeCounts } from '../test/simulation/check/exemptions.ts';
import { violationsIn } from '../test/simulation/check/index.ts';
import { enumerated } from '../test/simulation/enumerate.ts';
import { randomScenario } from '../test/simulation/generate.ts';
import { play } from '../test/simulation/play.ts';
import { parseScenario, type Scenario } from '../test/simulation/scenario.ts';
import { shrink } from '../test/simulation/shrink.ts';
import { replayCommand, reportOf } from '../test/simulation/trace.ts';

const USAGE = `npm run simulate -- [options]
  --scenarios N    how many random scenarios to play, besides the enumerated ones (default 10000)
  --seed S         the seed of the first random scenario (default 1)
  --workers W      the number of threads (default: one per core)
  --replay JSON    play one scenario and print its history; parts missing from the JSON have plain values
  --until-found    stop at the first violation and print it as JSON (used by npm run simulate:bugs)`;

/** With a prime stride, each enumerated scenario is played once, in mixed order. */
const STRIDE = 7_919;

/** The part of the scenarios that a thread plays: those whose index is `worker`, modulo `workers`. */
interface Share {
  readonly seed: number;
  readonly count: number;
  readonly worker: number;
  readonly workers: number;
}

interface Failure {
  readonly index: number;
  readonly scenario: Scenario;
  readonly invariant: string;
  readonly what: string;
}

interface Tally {
  readonly played: number;
  readonly exemptions: Readonly<Partial<Record<Exemption, number>>>;
  readonly failures: readonly Failure[];
}

if (isMainThread) process.exitCode = await command();
else parentPort?.postMessage(await playShare(workerData as Share));

async function command(): Promise<number> {
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
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (values.replay !== undefined) return replay(parseScenario(values.replay));
  const [seed, count, workers] = (['seed', 'scenarios', 'workers'] as const).map((name) => {
    // After a typo, the command must not play zero scenarios and succeed.
    if (!/^[1-9]\d*$/.test(values[name])) throw new Error(`--${name} must be a whole number of at least 1.`);
    return Number(values[name]);
  }) as [number, number, number];
  return values['until-found'] ? untilFound(seed, count) : simulate(seed, count, workers);
}

async function replay(scenario: Scenario): Promise<number> {
  const history = await play(scenario);
  console.log(reportOf(history));
  return violationsIn(history).length === 0 ? 0 : 1;
}

async function untilFound(seed: number, count: number): Promise<number> {
  let scenarios = 0;
  for await (const { scenario } of allScenarios(seed, count)) {
    scenarios += 1;
    const [violation] = violationsIn(await play(scenario));
    if (violation === undefined) continue;
    console.log(JSON.stringify({ ...violation, scenarios }));
    return 1;
  }
  console.log(JSON.stringify({ invariant: '', what: '', scenarios }));
  return 0;
}

async function simulate(seed: number, count: number, workers: number): Promise<number> {
  const begun = performance.now();
  const tallies = await Promise.all(
    Array.from({ length: workers }, (_, worker) => inThread({ seed, count, worker, workers })),
  );
  const seconds = (performance.now() - begun) / 1_000;
  const played = tallies.reduce((sum, tally) => sum + tally.played, 0);
  const failures = tallies.flatMap((tally) => tally.failures).sort((a, b) => a.index - b.index);
  const [first] = failures;
  if (first !== undefined) console.log(`${reportOf(await play(await shrink(first.scenario, first.invariant)))}\n`);
  console.log(`${played} scenarios in ${seconds.toFixed(1)} s (${Math.round(played / seconds)} per second)\n`);
  console.log('What the checks excused, and how often:');
  for (const [name, reason] of Object.entries(EXEMPTIONS)) {
    const times = tallies.reduce((sum, { exemptions }) => sum + (exemptions[name as Exemption] ?? 0), 0);
    console.log(`  ${String(times).padStart(6)}  ${name}: ${reason}`);
  }
  printViolations(failures);
  return failures.length === 0 ? 0 : 1;
}

function printViolations(failures: readonly Failure[]): void {
  if (failures.length === 0) {
    console.log('\nNo scenario violates an invariant.');
    return;
  }
  console.log(`\n${failures.length} scenarios violate an invariant:`);
  for (const [invariant, some = []] of Object.entries(Object.groupBy(failures, (each) => each.invariant))) {
    const [example] = some;
    if (example === undefined) continue;
    console.log(`  ${String(some.length).padStart(6)}  ${invariant}, for example: ${example.what}`);
    console.log(`          ${replayCommand(example)}`);
  }
}

function inThread(share: Share): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: share });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

async function playShare({ seed, count, worker, workers }: Share): Promise<Tally> {
  const failures: Failure[] = [];
  let played = 0;
  for await (const { index, scenario } of allScenarios(seed, count)) {
    if (index % workers !== worker) continue;
    played += 1;
    const [violation] = violationsIn(await play(scenario));
    if (violation !== undefined)
      failures.push({ index, scenario, invariant: violation.invariant, what: violation.what });
  }
  return { played, exemptions: takeCounts(), failures };
}

/** Generates enumerated scenarios and `count` random ones alternately. */
async function* allScenarios(seed: number, count: number): AsyncGenerator<Pick<Failure, 'index' | 'scenario'>> {
  const listed = await enumerated();
  for (let index = 0; index < Math.max(listed.length, count); index += 1) {
    const scenario = index < listed.length ? listed[(index * STRIDE) % listed.length] : undefined;
    if (scenario !== undefined) yield { index, scenario };
    if (index < count) yield { index, scenario: randomScenario(seed + index) };
  }
}
