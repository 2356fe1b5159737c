import { plainSingle } from '../model/plain.ts';
import { alone, type ScenarioSpec, type SingleSpec } from '../model/spec.ts';
import { type Examined, examine } from './examine.ts';

/** A scenario with less in it in which the same goes wrong: as little as can be found by leaving things out. */
export async function shrink(failed: Examined): Promise<Examined> {
  const wanted = kindOf(failed);
  let smallest = failed;
  for (let found = true; found; ) {
    found = false;
    for (const spec of smaller(smallest.spec)) {
      const tried = await examine(spec);
      if (kindOf(tried) !== wanted) continue;
      smallest = tried;
      found = true;
      break;
    }
  }
  return smallest;
}

/** The first violation, without the ids and times that differ from scenario to scenario. */
function kindOf({ violations: [first] }: Pick<Examined, 'violations'>): string {
  return first === undefined ? '' : `${first.invariant} ${first.what.replace(/[0-9a-f-]*[0-9][0-9a-f-]*/g, '')}`;
}

/** Every scenario that is one step simpler: with fewer executions first, then with less in the service and in one of them. */
function* smaller(spec: ScenarioSpec): Generator<ScenarioSpec> {
  const { executions, service, seed } = spec;
  const plain = alone(plainSingle());
  if (executions.length > 1) {
    for (let at = executions.length - 1; at >= 0; at -= 1) {
      yield { ...spec, executions: executions.filter((_, index) => index !== at) };
    }
  }
  for (let at = service.outages.length - 1; at >= 0; at -= 1) {
    yield { ...spec, service: { ...service, outages: service.outages.filter((_, index) => index !== at) } };
  }
  for (const key of ['latencyMs', 'ttlSeconds', 'keyRevokedAtMs', 'echo'] as const) {
    if (service[key] !== plain.service[key]) {
      yield { ...spec, service: { ...service, [key]: plain.service[key] } };
    }
  }
  for (const [at, execution] of executions.entries()) {
    for (const less of smallerExecutions({ seed, ...service, ...execution })) {
      const [only] = alone(less).executions;
      if (only !== undefined) yield { ...spec, executions: executions.with(at, only) };
    }
  }
}

/** Every execution that is one step simpler. */
function* smallerExecutions(spec: SingleSpec): Generator<SingleSpec> {
  const plain = plainSingle();
  for (const key of ['crashes', 'faults', 'disk', 'stalls', 'pipelines'] as const) {
    const list: readonly unknown[] = spec[key];
    const fewest = key === 'pipelines' ? 1 : 0;
    if (list.length <= fewest) continue;
    for (let at = list.length - 1; at >= 0; at -= 1) {
      // What is anchored to a fault by its place keeps its place.
      if (key === 'faults' && spec.crashes.some(({ at: moment }) => 'fault' in moment)) continue;
      yield { ...spec, [key]: list.filter((_, index) => index !== at) };
    }
  }
  for (const key of ['runner', 'clocks', 'lostTimer', 'placement'] as const) {
    if (JSON.stringify(spec[key]) !== JSON.stringify(plain[key])) yield { ...spec, [key]: plain[key] };
  }
  for (const name of Object.keys(spec.inputs)) {
    const { [name]: _, ...inputs } = spec.inputs;
    yield { ...spec, inputs };
  }
  yield* fewerTimes(spec);
  yield* shorterTimelines(spec);
}

function* fewerTimes(spec: SingleSpec): Generator<SingleSpec> {
  for (const [at, fault] of spec.faults.entries()) {
    if (fault.to === fault.from) continue;
    yield { ...spec, faults: spec.faults.with(at, { ...fault, to: fault.from }) };
  }
}

function* shorterTimelines(spec: SingleSpec): Generator<SingleSpec> {
  for (const [at, pipeline] of spec.pipelines.entries()) {
    for (let stage = pipeline.timeline.length - 1; stage > 0; stage -= 1) {
      const timeline = pipeline.timeline.filter((_, index) => index !== stage);
      yield { ...spec, pipelines: spec.pipelines.with(at, { ...pipeline, timeline }) };
    }
  }
}
