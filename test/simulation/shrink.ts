/* Makes a scenario smaller as long as it still violates the same invariant. */
import { violationsIn } from './check/index.ts';
import type { History } from './history.ts';
import { play } from './play.ts';
import { PLAIN_PIPELINE, PLAIN_SCENARIO, PLAIN_STEP, type Scenario, type StepSpec } from './scenario.ts';

/** The maximum number of effects, plus seconds of virtual time, to play: about 6 s of one core. */
const MOST_WORK = 100_000;

/** Returns the smallest scenario found that violates the invariant. */
export async function shrink(scenario: Scenario, invariant: string): Promise<Scenario> {
  let smallest = scenario;
  let candidates = candidatesOf(smallest);
  let work = 0;
  // After a success, the next candidate of the smaller scenario has the same index. It is the smallest if none succeeds.
  for (let index = 0, inVain = 0; inVain < candidates.length && work < MOST_WORK; ) {
    const candidate = candidates[index % candidates.length];
    if (candidate === undefined) break;
    const history = await play(candidate);
    work += workOf(history);
    if (violationsIn(history).some((each) => each.invariant === invariant)) {
      smallest = candidate;
      candidates = candidatesOf(smallest);
      inVain = 0;
    } else {
      index += 1;
      inVain += 1;
    }
  }
  return smallest;
}

function workOf({ endedAt, trace }: History): number {
  return trace.length + endedAt / 1_000;
}

/** Returns scenarios that are smaller by one thing. */
function candidatesOf(scenario: Scenario): Scenario[] {
  const { service, steps } = scenario;
  return [
    ...(steps.length > 1 ? without(steps).map((fewer) => ({ ...scenario, steps: fewer })) : []),
    ...plainerThan(service, PLAIN_SCENARIO.service).map((plainer) => ({ ...scenario, service: plainer })),
    ...steps.flatMap((step, index) =>
      smallerThan(step).map((smaller) => ({ ...scenario, steps: steps.with(index, smaller) })),
    ),
  ];
}

function smallerThan(step: StepSpec): StepSpec[] {
  const { clock, faults, incidents, inputs, pipelines, runner } = step;
  const inputNames = Object.keys(inputs);
  return [
    ...without(incidents).map((fewer) => ({ ...step, incidents: fewer })),
    ...without(faults).map((fewer) => ({ ...step, faults: fewer })),
    ...(pipelines.length > 1 ? without(pipelines).map((fewer) => ({ ...step, pipelines: fewer })) : []),
    ...inputNames.map((name) => ({
      ...step,
      inputs: Object.fromEntries(Object.entries(inputs).filter(([other]) => other !== name)),
    })),
    ...plainerThan(step, PLAIN_STEP, ['task', 'pipelines', 'incidents', 'inputs', 'clock', 'runner']),
    ...plainerThan(runner, PLAIN_STEP.runner, ['job']).map((plainer) => ({ ...step, runner: plainer })),
    ...plainerThan(clock, PLAIN_STEP.clock).map((plainer) => ({ ...step, clock: plainer })),
    ...pipelines.flatMap((pipeline, index) =>
      plainerThan(pipeline, PLAIN_PIPELINE, ['existsSinceMs']).map((plainer) => ({
        ...step,
        pipelines: pipelines.with(index, plainer),
      })),
    ),
    ...faults.flatMap((fault, index) =>
      fault.times === 1 ? [] : [{ ...step, faults: faults.with(index, { ...fault, times: 1 }) }],
    ),
  ];
}

/** Returns each list with one item less. */
function without<T>(items: readonly T[]): T[][] {
  return items.map((_, index) => items.toSpliced(index, 1));
}

/** Returns each value with one more plain member. */
function plainerThan<T extends object>(value: T, plain: T, kept: readonly (keyof T)[] = []): T[] {
  const names = (Object.keys(plain) as (keyof T)[]).filter((name) => !kept.includes(name));
  return names
    .filter((name) => JSON.stringify(value[name]) !== JSON.stringify(plain[name]))
    .map((name) => ({ ...value, [name]: plain[name] }));
}
