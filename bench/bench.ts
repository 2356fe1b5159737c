import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { action, bare, bundledToolkit, type Contender, nothing, post } from './contenders.ts';
import { awaitedHour, cancelArrival, endToExit, exitAtOnce, triggerArrival, wholeRun } from './measures.ts';
import { measureParsers } from './parsers/index.ts';
import { sizes } from './sizes.ts';
import { show, spreadOf } from './spread.ts';

/*
 * Compares the cost of the action with that of Node itself, of the same requests with node:http alone, and of an action
 * written with the toolkit. The contenders take turns within each round, so that other load on the machine affects all of
 * them alike. Ratios compare medians.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '25' },
    /** The folder of another checkout, whose action the benchmark measures too. */
    against: { type: 'string' },
    /** Only measures how long hostile input takes to parse, and fails if it takes too long. */
    parsers: { type: 'boolean', default: false },
  },
});
if (values.parsers) process.exit((await measureParsers()) ? 0 : 1);
const rounds = Number(values.rounds);

interface Measure {
  readonly what: string;
  readonly unit: string;
  readonly contenders: readonly Contender[];
  readonly once: (contender: Contender) => Promise<number>;
  /** The last contender may cost at most `ratio` times as much as `than`. */
  readonly goal?: { readonly than: Contender; readonly ratio: number };
  readonly rounds?: number;
}

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
try {
  const toolkit = await bundledToolkit(folder);
  const [ours, oursPost] = [action(), post()];
  const other = values.against === undefined ? [] : [action('the other checkout', values.against)];
  const otherPost = values.against === undefined ? [] : [post('the other checkout, post', values.against)];
  const rivals = [bare, toolkit, ...other, ours];
  const measures: Measure[] = [
    {
      what: 'start to exit on a missing input',
      unit: 'ms',
      contenders: [nothing, ...rivals],
      once: exitAtOnce,
      goal: { than: nothing, ratio: 2 },
    },
    {
      what: "start to the trigger's arrival",
      unit: 'ms',
      contenders: rivals,
      once: triggerArrival,
      goal: { than: bare, ratio: 1.2 },
    },
    { what: 'start to exit for a run finished by the first read', unit: 'ms', contenders: rivals, once: wholeRun },
    { what: 'final status to exit', unit: 'ms', contenders: rivals, once: endToExit },
    {
      what: 'post with nothing to do',
      unit: 'ms',
      contenders: [nothing, ...otherPost, oursPost],
      once: exitAtOnce,
      goal: { than: nothing, ratio: 1.3 },
    },
    { what: "signal to the cancel's arrival", unit: 'ms', contenders: rivals, once: cancelArrival },
    {
      what: 'peak memory of an awaited hour at 30 s',
      unit: 'MB',
      contenders: rivals,
      once: async (one) => (await awaitedHour(one)).peakMb,
      goal: { than: bare, ratio: 1.2 },
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
  for (const measure of measures) await report(measure);
  for (const line of sizes()) console.log(line);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function report({ what, unit, contenders, once, goal, rounds: own }: Measure): Promise<void> {
  const values = new Map<Contender, number[]>(contenders.map((contender) => [contender, []]));
  // The first round only warms up the file system's cache.
  for (let round = 0; round <= (own ?? rounds); round += 1) {
    for (const contender of contenders) {
      const value = await once(contender);
      if (round > 0) values.get(contender)?.push(value);
    }
  }
  const medianOf = (contender: Contender): number => spreadOf(values.get(contender) ?? []).median;
  console.log(`\n${what} (${own ?? rounds} rounds; median and middle half)`);
  for (const contender of contenders) {
    const ratios = contenders
      .filter((other) => other !== contender && contenders.indexOf(other) < contenders.indexOf(contender))
      .map((other) => `${(medianOf(contender) / medianOf(other)).toFixed(2)} × ${other.name}`);
    console.log(
      `  ${contender.name.padEnd(25)}${show(spreadOf(values.get(contender) ?? []), unit).padEnd(30)}${ratios.join(', ')}`,
    );
  }
  if (goal === undefined) return;
  const last = contenders.at(-1) ?? goal.than;
  const ratio = medianOf(last) / medianOf(goal.than);
  const verdict = ratio <= goal.ratio ? 'met' : 'MISSED';
  console.log(`  goal: at most ${goal.ratio} × ${goal.than.name}: ${verdict} (${ratio.toFixed(2)})`);
}
