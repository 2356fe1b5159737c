import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { watchRejections } from '../test/simulation/model/simulate.ts';
import { ALL_CELLS } from '../test/simulation/scenarios/cells.ts';
import { examine } from '../test/simulation/scenarios/examine.ts';
import { scenarioNumbered } from '../test/simulation/scenarios/numbered.ts';
import { ofReplay } from '../test/simulation/scenarios/replay.ts';
import { excusedBy, reportOf } from '../test/simulation/scenarios/report.ts';
import type { Share, Tally } from './simulate-worker.ts';
import { createTraceFolder, SEEDS_PER_FILE } from './traces.ts';

/** Enough scenarios to cover every cell, because one in three is generated for a cell. */
const THOROUGH = 4 * ALL_CELLS.length;

const USAGE = `npm run simulate -- [options]
  --scenarios N  the number of scenarios to simulate (default ${String(THOROUGH)}, which covers every cell)
  --seed S       the first seed (default 1)
  --workers W    the number of threads (default: one per core)
  --anchored     without disk faults, and with crashes anchored to instants, requests and responses only
  --trace DIR    write the trace of each scenario to files in this empty folder
  --first        stop at the first scenario that violates an invariant
  --until-found  the same in one thread, with only the number of scenarios and the violation as output, in JSON
  --replay JSON  simulate one scenario and show its log
  --on-bundle N  simulate N scenarios, run them with real processes of the bundle too, and compare the requests`;

const { values } = parseArgs({
  options: {
    scenarios: { type: 'string', default: String(THOROUGH) },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(availableParallelism()) },
    anchored: { type: 'boolean', default: false },
    trace: { type: 'string' },
    first: { type: 'boolean', default: false },
    'until-found': { type: 'boolean', default: false },
    replay: { type: 'string' },
    'on-bundle': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(USAGE);
else if (values['on-bundle'] !== undefined)
  process.exitCode = await onBundle(wholeNumber('on-bundle', values['on-bundle']));
else if (values['until-found']) await untilFound();
else if (values.replay === undefined) process.exitCode = await simulate();
else process.exitCode = await replay(values.replay);

/** Parses a number of at least 1, so that a typo does not run zero scenarios and succeed. */
function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} is "${text}". It must be a whole number of at least 1.`);
  return Number(text);
}

/** Simulates one scenario again and prints its log. */
async function replay(json: string): Promise<number> {
  watchRejections();
  const examined = await examine(ofReplay(json));
  if (examined.violations.length > 0) {
    console.log(await reportOf(examined));
    return 1;
  }
  console.log(examined.facts.log.join('\n'));
  console.log('This scenario violates no invariant.');
  return 0;
}

/** Runs scenarios twice: in virtual time, and as processes of the bundle against the sandbox. */
async function onBundle(count: number): Promise<number> {
  const { runForReal } = await import('../test/simulation/bundle/replay.ts');
  const began = performance.now();
  const different = await runForReal(wholeNumber('seed', values.seed), count);
  console.log(different.join('\n'));
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(`${count} scenarios on the bundle in ${seconds} s, ${different.length} differed from the simulation`);
  return different.length === 0 ? 0 : 1;
}

/** Prints how many scenarios it took to violate an invariant, and the violation. */
async function untilFound(): Promise<void> {
  watchRejections();
  const first = wholeNumber('seed', values.seed);
  for (let scenarios = 1; scenarios <= wholeNumber('scenarios', values.scenarios); scenarios += 1) {
    const { violations } = await examine(scenarioNumbered(first + scenarios - 1));
    const [violation] = violations;
    if (violation === undefined) continue;
    const what = violation.what.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…').slice(0, 160);
    console.log(JSON.stringify({ scenarios, invariant: violation.invariant, what }));
    return;
  }
  console.log(JSON.stringify({ invariant: '', what: '' }));
}

/** Simulates many scenarios on all cores, and prints coverage and violations. */
async function simulate(): Promise<number> {
  const first = wholeNumber('seed', values.seed);
  const count = wholeNumber('scenarios', values.scenarios);
  const workers = wholeNumber('workers', values.workers);
  if (values.trace !== undefined) createTraceFolder(values.trace);
  const began = performance.now();
  const tallies = await Promise.all(
    Array.from({ length: workers }, (_, worker) =>
      run({
        from: first,
        to: first + count,
        worker,
        workers,
        inARow: values.trace === undefined ? 1 : SEEDS_PER_FILE,
        anchored: values.anchored,
        traces: values.trace,
        first: values.first,
      }),
    ),
  );
  const seconds = (performance.now() - began) / 1_000;
  const scenarios = tallies.reduce((sum, tally) => sum + tally.scenarios, 0);
  const covered = new Set(tallies.flatMap((tally) => tally.covered));
  const empty = ALL_CELLS.filter((name) => !covered.has(name));
  const failures = tallies.flatMap((tally) => tally.failures).sort((a, b) => a.seed - b.seed);
  if (failures[0] !== undefined) console.log(`${failures[0].report}\n`);
  console.log(
    `${scenarios} scenarios in ${seconds.toFixed(1)} s (${Math.round(scenarios / seconds)} per second), ` +
      `${ALL_CELLS.length - empty.length} of ${ALL_CELLS.length} cells covered, ${failures.length} violated an invariant`,
  );
  if (count === 1 && failures.length === 0) {
    console.log((await examine(scenarioNumbered(first))).facts.log.join('\n'));
  }
  const counts = tallies.map((tally) => tally.counts);
  const { line, tooMany } = excusedBy(counts, scenarios);
  console.log(line);
  const others = failures.slice(1, 20).map(({ seed }) => seed);
  if (others.length > 0) console.log(`More seeds that violate an invariant: ${others.join(' ')}`);
  // Fewer scenarios cannot cover every cell, and neither can anchored ones.
  const isThorough = count >= 3 * ALL_CELLS.length && !values.anchored;
  if (isThorough && empty.length > 0) console.log(`Empty cells:\n  ${empty.join('\n  ')}`);
  if (isThorough && tooMany.length > 0) console.log(tooMany.join('\n'));
  return failures.length > 0 || (isThorough && empty.length + tooMany.length > 0) ? 1 : 0;
}

function run(share: Share): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const url = new URL('./simulate-worker.ts', import.meta.url);
    const worker = new Worker(url, { workerData: share });
    worker.once('message', (tally: Tally) => resolve(tally));
    worker.once('error', reject);
  });
}
