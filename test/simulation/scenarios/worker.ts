import { parentPort, workerData } from 'node:worker_threads';
import { isExpected } from '../expected-failures.ts';
import { coveredBy } from './cells.ts';
import { examine, watchRejections } from './examine.ts';
import { scenarioNumbered } from './numbered.ts';
import { reportOf } from './report.ts';

/** What a worker is told: its share of the seeds, and whether to simulate each of them twice. */
export interface Share {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly twice: boolean;
  /** Stop at the first scenario that breaks an invariant. */
  readonly first: boolean;
}

export interface Tally {
  scenarios: number;
  /** How many violate no invariant but those of bugs that are not fixed yet. */
  expected: number;
  readonly failures: { readonly seed: number; readonly report: string }[];
  readonly covered: string[];
}

async function work({ from, to, step, twice, first }: Share): Promise<Tally> {
  const covered = new Set<string>();
  const tally: Tally = { scenarios: 0, expected: 0, failures: [], covered: [] };
  for (let seed = from; seed < to; seed += step) {
    const examined = await examine(scenarioNumbered(seed));
    tally.scenarios += 1;
    for (const name of coveredBy(examined.facts)) covered.add(name);
    const isSame = !twice || (await examine(examined.spec)).facts.digest() === examined.facts.digest();
    if (!isSame) tally.failures.push({ seed, report: `Seed ${seed} differs when it is simulated again.` });
    const { length } = examined.violations;
    if (length > 0 && isExpected(examined.spec, examined.violations)) {
      tally.expected += 1;
    } else if (length > 0) {
      // One bug breaks many scenarios, and shrinking takes its time: one report is enough.
      const report = tally.failures.length === 0 ? await reportOf(examined) : '';
      tally.failures.push({ seed, report });
    }
    if (first && tally.failures.length > 0) break;
  }
  return { ...tally, covered: [...covered] };
}

if (parentPort !== null) {
  watchRejections();
  parentPort.postMessage(await work(workerData as Share));
}
