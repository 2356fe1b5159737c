/* Plays a scenario and returns its history. */
import { addKey, createWorld, type PipelineOptions, revokeKey, type WorldOptions } from '../../sandbox/model/index.ts';
import { Machine } from '../support/machine.ts';
import type { History } from './history.ts';
import { apiNameOf, historyOf, KEY, nameOf, Runner } from './runner.ts';
import type { Scenario } from './scenario.ts';

/** No scenario takes so long in virtual time. */
const LONGEST_MS = 12 * 3_600_000;
/** No scenario has so many effects. */
const MOST_LINES = 20_000;
/** The service may process a request a few seconds after its client has given up. */
const AFTERMATH_MS = 5_000;

let current: Machine | undefined;
/** An unhandled rejection is an error of the process whose code ran last. */
const onRejection = (error: unknown): void => current?.running?.fail(error);
let isWatching = false;

/** Plays a scenario in virtual time. The same scenario always has the same history. */
export async function play(scenario: Scenario): Promise<History> {
  if (!isWatching) process.on('unhandledRejection', onRejection);
  isWatching = true;
  const { seed, service } = scenario;
  // A reading every 30 s is the default. The checker counts the reads of a run itself.
  const world = createWorld({ seed, ttlSeconds: service.ttlSeconds, minReadIntervalMs: 0, ...fleetOf(scenario) });
  addKey(world, KEY);
  const machine = new Machine(world, MOST_LINES);
  current = machine;
  if (service.keyRevokedAtMs !== null) machine.clock.after(service.keyRevokedAtMs, () => revokeKey(world, KEY));
  const runner = new Runner(machine, scenario);
  const isOver = await machine.clock.until(runner.run(), LONGEST_MS).then(
    () => true,
    (error: unknown) => {
      if (!String(error).includes('still pending')) throw error;
      return false;
    },
  );
  const endedAt = machine.now;
  await machine.clock.advance(AFTERMATH_MS);
  return {
    scenario,
    key: KEY,
    service: machine.service,
    steps: runner.steps.map(historyOf),
    pipelineIds: runner.steps.map(({ pipelineIds }) => pipelineIds),
    givenIds: runner.steps.map(({ givenIds }) => givenIds),
    files: machine.disk.texts,
    trace: machine.trace,
    isOver: isOver && !machine.isEndless,
    endedAt,
  };
}

function fleetOf({ service: { fleet }, steps: [first] }: Scenario): WorldOptions {
  if (fleet === null) return {};
  const { cap, hasNamesake, pipelines: count, rows } = fleet;
  const pipelines = Array.from({ length: count }, (_, nth): PipelineOptions => ({ name: `Fleet ${nth}`, rows }));
  const [target] = first?.pipelines ?? [];
  if (hasNamesake && target !== undefined) pipelines[0] = { name: apiNameOf(0, 0), apiName: nameOf(target, 0), rows };
  return { cap, pipelines };
}
