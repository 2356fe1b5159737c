/** A thread that simulates its share of the seeds. */
import { parentPort, workerData } from 'node:worker_threads';
import { COUNTS, type Counts } from '../test/simulation/checker/exemptions.ts';
import { watchRejections } from '../test/simulation/model/simulate.ts';
import { coveredBy } from '../test/simulation/scenarios/cells.ts';
import { type Examined, examine } from '../test/simulation/scenarios/examine.ts';
import { anchored, scenarioNumbered } from '../test/simulation/scenarios/numbered.ts';
import { reportOf } from '../test/simulation/scenarios/report.ts';
import { appendTrace, blockOf } from './traces.ts';

export interface Share {
  readonly from: number;
  readonly to: number;
  readonly worker: number;
  readonly workers: number;
  /** The number of consecutive seeds that the same worker simulates. */
  readonly inARow: number;
  /** Whether to omit disk faults, and to anchor crashes only to instants, requests and responses. */
  readonly anchored: boolean;
  /** The folder for traces; undefined to write none. */
  readonly traces: string | undefined;
  /** Whether to stop at the first scenario that violates an invariant. */
  readonly first: boolean;
}

export interface Tally {
  scenarios: number;
  readonly failures: { readonly seed: number; readonly report: string }[];
  readonly covered: string[];
  readonly counts: Counts;
}

async function work(share: Share): Promise<Tally> {
  const { from, to, worker, workers, inARow, first, traces } = share;
  const covered = new Set<string>();
  const tally: Tally = { scenarios: 0, failures: [], covered: [], counts: COUNTS };
  const violating: { readonly seed: number; readonly examined: Examined }[] = [];
  for (let seed = from; seed < to; seed += 1) {
    if (Math.floor(seed / inARow) % workers !== worker) continue;
    const spec = scenarioNumbered(seed);
    const examined = await examine(share.anchored ? anchored(spec) : spec);
    tally.scenarios += 1;
    if (traces !== undefined) appendTrace(traces, seed, blockOf(examined.facts));
    for (const name of coveredBy(examined.facts)) covered.add(name);
    if (examined.violations.length > 0) violating.push({ seed, examined });
    if (first && violating.length > 0) break;
  }
  // Shrinking checks many more scenarios, which do not count.
  const counts = structuredClone(COUNTS);
  // A bug affects many scenarios and shrinking takes time, so one report is enough.
  for (const [index, { seed, examined }] of violating.entries()) {
    tally.failures.push({ seed, report: index === 0 ? await reportOf(examined) : '' });
  }
  return { ...tally, covered: [...covered], counts };
}

if (parentPort !== null) {
  watchRejections();
  parentPort.postMessage(await work(workerData as Share));
}
