import { plainLife } from '../life/plain.ts';
import type { LifeSpec } from '../life/spec.ts';
import { type Examined, examine } from './examine.ts';

/** A life with less in it in which the same goes wrong: as little as can be found by leaving things out. */
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

/** What was found first, without the ids and times that differ from life to life. */
function kindOf({ findings: [first] }: Examined): string {
  return first === undefined ? '' : `${first.law} ${first.what.replace(/[0-9a-f-]*[0-9][0-9a-f-]*/g, '')}`;
}

/** Every life that is one step simpler. */
function* smaller(spec: LifeSpec): Generator<LifeSpec> {
  const plain = plainLife();
  for (const key of ['strikes', 'faults', 'outages', 'disk', 'pipelines'] as const) {
    const list: readonly unknown[] = spec[key];
    const fewest = key === 'pipelines' ? 1 : 0;
    if (list.length <= fewest) continue;
    for (let at = list.length - 1; at >= 0; at -= 1) {
      // What is anchored to a fault by its place keeps its place.
      if (key === 'faults' && spec.strikes.some(({ at: moment }) => 'fault' in moment)) continue;
      yield { ...spec, [key]: list.filter((_, index) => index !== at) };
    }
  }
  for (const key of ['runner', 'clocks', 'latencyMs', 'ttlSeconds', 'keyRevokedAtMs', 'lostTimer'] as const) {
    if (JSON.stringify(spec[key]) !== JSON.stringify(plain[key])) yield { ...spec, [key]: plain[key] };
  }
  for (const name of Object.keys(spec.inputs)) {
    const { [name]: _, ...inputs } = spec.inputs;
    yield { ...spec, inputs };
  }
  yield* fewerTimes(spec);
  yield* shorterTimelines(spec);
}

function* fewerTimes(spec: LifeSpec): Generator<LifeSpec> {
  for (const [at, fault] of spec.faults.entries()) {
    if (fault.to === fault.from) continue;
    yield { ...spec, faults: spec.faults.with(at, { ...fault, to: fault.from }) };
  }
}

function* shorterTimelines(spec: LifeSpec): Generator<LifeSpec> {
  for (const [at, pipeline] of spec.pipelines.entries()) {
    for (let stage = pipeline.timeline.length - 1; stage > 0; stage -= 1) {
      const timeline = pipeline.timeline.filter((_, index) => index !== stage);
      yield { ...spec, pipelines: spec.pipelines.with(at, { ...pipeline, timeline }) };
    }
  }
}

/** What a life differs in from a plain one: all that a replay needs. */
export function asReplay(spec: LifeSpec): string {
  const plain = plainLife();
  const changes = Object.entries(spec).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(plain[key as keyof LifeSpec]),
  );
  return JSON.stringify(Object.fromEntries(changes));
}

/** The life that a replay stands for. */
export function ofReplay(json: string): LifeSpec {
  return plainLife(JSON.parse(json) as Partial<LifeSpec>);
}
