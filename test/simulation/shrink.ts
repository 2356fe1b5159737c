/* Makes a scenario smaller as long as it still violates the same invariant. */
import { violationsIn } from './check/index.ts';
import { play } from './play.ts';
import { PLAIN_PIPELINE, PLAIN_SCENARIO, PLAIN_STEP, type Scenario, type StepSpec } from './scenario.ts';

const WITHIN_MS = 15_000;

/** Returns the smallest scenario found within some seconds that violates the invariant. */
export async function shrink(scenario: Scenario, invariant: string): Promise<Scenario> {
  const until = performance.now() + WITHIN_MS;
  let smallest = scenario;
  for (let isShrinking = true; isShrinking; ) {
    isShrinking = false;
    for (const candidate of candidatesOf(smallest)) {
      if (performance.now() > until) return smallest;
      if (JSON.stringify(candidate) === JSON.stringify(smallest) || !(await violates(candidate, invariant))) continue;
      smallest = candidate;
      isShrinking = true;
      break;
    }
  }
  return smallest;
}

async function violates(scenario: Scenario, invariant: string): Promise<boolean> {
  return violationsIn(await play(scenario)).some((each) => each.invariant === invariant);
}

function* candidatesOf(scenario: Scenario): Generator<Scenario> {
  const { service, steps } = scenario;
  for (const fewer of without(steps)) if (fewer.length > 0) yield { ...scenario, steps: fewer };
  for (const plainer of plainerThan(service, PLAIN_SCENARIO.service)) yield { ...scenario, service: plainer };
  for (const [index, step] of steps.entries()) {
    for (const smaller of smallerSteps(step)) yield { ...scenario, steps: steps.with(index, smaller) };
  }
}

function* smallerSteps(step: StepSpec): Generator<StepSpec> {
  for (const incidents of without(step.incidents)) yield { ...step, incidents };
  for (const faults of without(step.faults)) yield { ...step, faults };
  for (const pipelines of without(step.pipelines)) if (pipelines.length > 0) yield { ...step, pipelines };
  for (const name of Object.keys(step.inputs)) {
    const { [name]: _, ...inputs } = step.inputs;
    yield { ...step, inputs };
  }
  for (const plainer of plainerThan(step, PLAIN_STEP)) yield plainer;
  for (const runner of plainerThan(step.runner, PLAIN_STEP.runner)) yield { ...step, runner };
  for (const clock of plainerThan(step.clock, PLAIN_STEP.clock)) yield { ...step, clock };
  for (const [index, pipeline] of step.pipelines.entries()) {
    for (const plainer of plainerThan(pipeline, PLAIN_PIPELINE)) {
      const isRight = (plainer.existsSinceMs === null) === (pipeline.existsSinceMs === null);
      if (isRight) yield { ...step, pipelines: step.pipelines.with(index, plainer) };
    }
  }
  for (const [index, fault] of step.faults.entries()) {
    if (fault.to > fault.from) yield { ...step, faults: step.faults.with(index, { ...fault, to: fault.from }) };
  }
}

/** Each list with one item less. */
function* without<T>(items: readonly T[]): Generator<readonly T[]> {
  for (const index of items.keys()) yield items.toSpliced(index, 1);
}

/** Each value with one more plain member. What a step does and what it does it with stay. */
function* plainerThan<T extends object>(value: T, plain: T): Generator<T> {
  for (const name of Object.keys(plain) as (keyof T & string)[]) {
    if (['task', 'pipelines', 'incidents', 'inputs', 'clock', 'runner', 'job'].includes(name)) continue;
    if (JSON.stringify(value[name]) !== JSON.stringify(plain[name])) yield { ...value, [name]: plain[name] };
  }
}
