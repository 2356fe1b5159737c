/* Plays a scenario and returns its history. */
import type { History } from './history.ts';
import { KEY, Machine } from './machine.ts';
import { Runner } from './runner.ts';
import type { Scenario } from './scenario.ts';

/** No scenario takes so long in virtual time. */
const LONGEST_MS = 12 * 3_600_000;
/** The service may process a request some seconds after its client has given up. */
const AFTERMATH_MS = 5_000;

let current: Machine | undefined;
/** A rejection that no code handles is an error of the process whose code ran last. */
const onRejection = (error: unknown): void => current?.running?.fail(error);
let isWatching = false;

/** Plays a scenario in virtual time. The same scenario always has the same history. */
export async function play(scenario: Scenario): Promise<History> {
  if (!isWatching) process.on('unhandledRejection', onRejection);
  isWatching = true;
  const machine = new Machine(scenario);
  current = machine;
  const runner = new Runner(machine);
  const isOver = await machine.clock.until(runner.run(), LONGEST_MS).then(
    () => true,
    (error: unknown) => {
      if (!String(error).includes('still pending')) throw error;
      return false;
    },
  );
  const endedAt = machine.now;
  await machine.clock.advance(AFTERMATH_MS);
  for (const { history } of runner.steps) {
    for (const role of ['main', 'post'] as const) {
      const step = history[role]?.step;
      if (step !== undefined)
        history.summaries.push(machine.files.get(`/runner/files/summary_${role}${step + 1}`) ?? '');
    }
  }
  return {
    scenario,
    key: KEY,
    service: machine.service,
    steps: runner.steps.map(({ history }) => history),
    pipelineIds: runner.steps.map(({ pipelineIds }) => pipelineIds),
    givenIds: runner.steps.map(({ givenIds }) => givenIds),
    files: machine.files,
    story: machine.story,
    isOver: isOver && !machine.isEndless,
    endedAt,
  };
}
