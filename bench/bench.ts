import { parseArgs } from 'node:util';
import { action, bare, bareWithTls, type Contender, idlePost, nothing } from './contenders.ts';
import { awaitedHour, cancelArrival, endToExit, exitAtOnce, triggerArrival, wholeRun } from './measures.ts';

import { show, spreadOf } from './spread.ts';

/*
 * Compares the cost of the action with that of Node itself, and of the same requests with node:http alone. The contenders
 * take turns within each round, so that other load on the machine affects both alike. Ratios compare medians.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    /** Measures everything, not only what has a goal. */
    all: { type: 'boolean', default: false },
    /** The folder of another checkout, whose action the benchmark compares too. */
    against: { type: 'string' },
  },
});
const rounds = Number(values.rounds);

interface Measure {
  readonly what: string;
  readonly unit: 'ms' | 'MB';
  readonly contenders: readonly Contender[];
  readonly once: (contender: Contender) => Promise<number>;
  /** The last contender should cost at most this many times as much as the first. */
  readonly goal?: number;
  readonly rounds?: number;
}

const ours = action();
const other = values.against === undefined ? [] : [action('the other checkout', values.against)];
const rivals = [bare, ...other, ours];
const measures: readonly Measure[] = [
  {
    what: 'start to exit on a missing input',
    unit: 'ms',
    contenders: [nothing, ...other, ours],
    once: exitAtOnce,
    goal: 1.9,
  },
  { what: 'post with nothing to do', unit: 'ms', contenders: [nothing, idlePost], once: exitAtOnce, goal: 1.05 },
  {
    what: "start to the trigger's arrival",
    unit: 'ms',
    contenders: [bare, bareWithTls, ...other, ours],
    once: triggerArrival,
    goal: 1.05,
  },
];
const more: readonly Measure[] = [
  { what: 'start to exit for a run finished by the first read', unit: 'ms', contenders: rivals, once: wholeRun },
  { what: 'final status to exit', unit: 'ms', contenders: rivals, once: endToExit },
  { what: "signal to the cancel's arrival", unit: 'ms', contenders: rivals, once: cancelArrival },
  {
    what: 'peak memory of an awaited hour at 30 s',
    unit: 'MB',
    contenders: rivals,
    once: async (one) => (await awaitedHour(one)).peakMb,
    rounds: 5,
  },
  {
    what: 'CPU time per awaited hour at 30 s',
    unit: 'ms',
    contenders: rivals,
    once: async (one) => (await awaitedHour(one)).cpuMs,
    rounds: 5,
  },
];
for (const measure of [...measures, ...(values.all ? more : [])]) await report(measure);

async function report({ what, unit, contenders, once, goal, rounds: own = rounds }: Measure): Promise<void> {
  const found = new Map<Contender, number[]>(contenders.map((contender) => [contender, []]));
  // The first round only warms up the file system's cache.
  for (let round = 0; round <= own; round += 1) {
    for (const contender of contenders) {
      const value = await once(contender);
      if (round > 0) found.get(contender)?.push(value);
    }
  }
  const spreads = contenders.map((contender) => ({ contender, spread: spreadOf(found.get(contender) ?? []) }));
  const [first] = spreads;
  console.log(`\n${what} (${own} rounds; median and middle half)`);
  for (const { contender, spread } of spreads) {
    const ratio = (spread.median / (first?.spread.median ?? spread.median)).toFixed(2);
    console.log(`  ${contender.name.padEnd(25)}${show(spread, unit).padEnd(30)}× ${ratio}`);
  }
  if (goal === undefined || first === undefined) return;
  const ratio = (spreads.at(-1)?.spread.median ?? Infinity) / first.spread.median;
  console.log(`  goal: at most × ${goal}: ${ratio <= goal ? 'met' : 'MISSED'}`);
}
