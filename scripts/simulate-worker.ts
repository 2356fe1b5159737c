/* Plays a share of the scenarios in a thread of its own. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { type Exemption, takeCounts } from '../test/simulation/check/exemptions.ts';
import { violationsIn } from '../test/simulation/check/index.ts';
import { enumerated } from '../test/simulation/enumerate.ts';
import { randomScenario } from '../test/simulation/generate.ts';
import { play } from '../test/simulation/play.ts';
import type { Scenario } from '../test/simulation/scenario.ts';

export interface Tally {
  readonly played: number;
  readonly exemptions: Readonly<Partial<Record<Exemption, number>>>;
  readonly failures: readonly {
    readonly index: number;
    readonly scenario: Scenario;
    readonly invariant: string;
    readonly what: string;
  }[];
}

/** Generates the enumerated scenarios and as many random ones, in turn. */
export async function* allScenarios(seed: number, count: number) {
  const struck = await enumerated();
  for (let index = 0; index < Math.max(struck.length, count); index += 1) {
    const scenario = struck[index];
    if (scenario !== undefined) yield { index, scenario };
    if (index < count) yield { index, scenario: randomScenario(seed + index) };
  }
}

if (!isMainThread) parentPort?.postMessage(await playShare());

async function playShare(): Promise<Tally> {
  const { seed, count, worker, workers } = workerData as Readonly<Record<string, number>>;
  const failures: Tally['failures'][number][] = [];
  let played = 0;
  for await (const { index, scenario } of allScenarios(seed ?? 1, count ?? 1)) {
    if (index % (workers ?? 1) !== worker) continue;
    played += 1;
    const [violation] = violationsIn(await play(scenario));
    if (violation !== undefined)
      failures.push({ index, scenario, invariant: violation.invariant, what: violation.what });
  }
  return { played, exemptions: takeCounts(), failures };
}
