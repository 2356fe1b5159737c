import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { CELLS, nameOfCell } from '../test/simulation/seeds/cells.ts';
import { examine, watchRejections } from '../test/simulation/seeds/examine.ts';
import { lifeNumbered } from '../test/simulation/seeds/numbered.ts';
import { reportOf } from '../test/simulation/seeds/report.ts';
import { ofReplay } from '../test/simulation/seeds/shrink.ts';
import type { Share, Tally } from '../test/simulation/seeds/worker.ts';

const USAGE = `npm run simulate -- [options]
  --lives N      how many lives to live (default 20000)
  --seed S       the first seed (default 1)
  --workers W    threads (default: one per core)
  --twice        live each life twice, and compare
  --first        stop at the first life that breaks a law
  --until-found  the same in one thread, and only say in JSON how many lives it took
  --replay JSON  live one life, and show its log
  --on-bundle N  live N lives as real processes of the bundle too, and compare their requests`;

const { values } = parseArgs({
  options: {
    lives: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(availableParallelism()) },
    twice: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    'until-found': { type: 'boolean', default: false },
    replay: { type: 'string' },
    'on-bundle': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(USAGE);
else if (values['on-bundle'] !== undefined) process.exitCode = await onBundle(Number(values['on-bundle']));
else if (values['until-found']) await untilFound();
else if (values.replay === undefined) process.exitCode = await simulate();
else process.exitCode = await replay(values.replay);

/** Lives one life again, with everything that happens in it. */
async function replay(json: string): Promise<number> {
  watchRejections();
  const examined = await examine(ofReplay(json));
  if (examined.findings.length > 0) {
    console.log(await reportOf(examined));
    return 1;
  }
  console.log(examined.facts.log.join('\n'));
  console.log('No law is broken in this life.');
  return 0;
}

/** Lives lives twice: in virtual time, and as processes of the bundle against the sandbox. */
async function onBundle(count: number): Promise<number> {
  const { livedForReal } = await import('../test/simulation/bundle/many.ts');
  const began = performance.now();
  const different = await livedForReal(Number(values.seed), count);
  console.log(different.join('\n'));
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(`${count} lives on the bundle in ${seconds} s, ${different.length} were other lives there`);
  return different.length === 0 ? 0 : 1;
}

/** Says how many lives it took until one broke a law, and which. */
async function untilFound(): Promise<void> {
  watchRejections();
  const first = Number(values.seed);
  for (let lives = 1; lives <= Number(values.lives); lives += 1) {
    const { findings } = await examine(lifeNumbered(first + lives - 1));
    const [finding] = findings;
    if (finding === undefined) continue;
    const what = finding.what.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…').slice(0, 160);
    console.log(JSON.stringify({ lives, law: finding.law, what }));
    return;
  }
  console.log(JSON.stringify({ law: '', what: '' }));
}

/** Lives many lives on all cores, and says what was covered and what was found. */
async function simulate(): Promise<number> {
  const first = Number(values.seed);
  const count = Number(values.lives);
  const workers = Math.max(1, Number(values.workers));
  const began = performance.now();
  const tallies = await Promise.all(
    Array.from({ length: workers }, (_, index) =>
      run({
        from: first + index,
        to: first + count,
        step: workers,
        twice: values.twice,
        first: values.first,
      }),
    ),
  );
  const seconds = (performance.now() - began) / 1_000;
  const lives = tallies.reduce((sum, tally) => sum + tally.lives, 0);
  const covered = new Set(tallies.flatMap((tally) => tally.covered));
  const empty = CELLS.map(nameOfCell).filter((name) => !covered.has(name));
  const failures = tallies.flatMap((tally) => tally.failures).sort((a, b) => a.seed - b.seed);
  if (failures[0] !== undefined) console.log(`${failures[0].report}\n`);
  console.log(
    `${lives} lives in ${seconds.toFixed(1)} s (${Math.round(lives / seconds)} a second), ` +
      `${CELLS.length - empty.length} of ${CELLS.length} cells covered, ${failures.length} lives broke a law`,
  );
  const others = failures.slice(1, 20).map(({ seed }) => seed);
  if (others.length > 0) console.log(`More seeds that break a law: ${others.join(' ')}`);
  // Fewer lives than it takes to come to every cell cannot be blamed for empty ones.
  const isThorough = count >= 4 * CELLS.length;
  if (isThorough && empty.length > 0) console.log(`Empty cells:\n  ${empty.join('\n  ')}`);
  return failures.length > 0 || (isThorough && empty.length > 0) ? 1 : 0;
}

function run(share: Share): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const url = new URL('../test/simulation/seeds/worker.ts', import.meta.url);
    const worker = new Worker(url, { workerData: share });
    worker.once('message', (tally: Tally) => resolve(tally));
    worker.once('error', reject);
  });
}
