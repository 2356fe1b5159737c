import { PLAIN_PIPELINE, plainSingle } from '../model/plain.ts';
import type { Random } from '../model/random.ts';
import { simulateAlone } from '../model/simulate.ts';
import {
  type Crash,
  type CrashKind,
  MAIN_CRASHES,
  POST_CRASHES,
  type ProcessName,
  type SingleSpec,
} from '../model/spec.ts';

/** What leaves half a write behind: only what ends at once. */
const ENDS_AT_ONCE = ['kill', 'kill_lost', 'power'] as const;

const ENDLESS = { ...PLAIN_PIPELINE, timeline: PLAIN_PIPELINE.timeline.slice(0, 3) };

/** Lives in which nothing goes wrong by itself: every effect of theirs is crashed, one after the other. */
export const BASES: Readonly<Record<string, SingleSpec>> = {
  'awaited to its end': plainSingle(),
  'given by its UUID, and not waited for': plainSingle({
    pipelines: [{ ...PLAIN_PIPELINE, given: 'uuid' }],
    inputs: { wait: 'false' },
    runner: { ...plainSingle().runner, jobStatusAtEnd: 'cancelled' },
  }),
  'cancelled by a time-out': plainSingle({ pipelines: [ENDLESS], inputs: { timeout: '40s' } }),
  'left by a time-out': plainSingle({
    pipelines: [ENDLESS],
    inputs: { timeout: '40s', 'on-timeout': 'leave', 'on-cancel': 'leave' },
  }),
  'taken up again': plainSingle({
    mode: 'resume',
    pipelines: [{ ...ENDLESS, earlierMs: 20_000 }],
    inputs: { timeout: '40s' },
  }),
  'awaited by its id, cancelled on request': plainSingle({
    mode: 'attach',
    pipelines: [{ ...PLAIN_PIPELINE, earlierMs: 20_000 }],
    inputs: { 'on-cancel': 'cancel' },
  }),
  'two runs, one after the other': plainSingle({
    pipelines: [PLAIN_PIPELINE, { ...PLAIN_PIPELINE, name: 'Customers', apiName: 'customers' }],
    inputs: { 'max-parallel': '1' },
  }),
};

/** Lives in which post has something to do. */
export const POST_BASES: Readonly<Record<string, SingleSpec>> = {
  'after a kill': plainSingle({ pipelines: [ENDLESS], crashes: [{ on: 'main', at: { ms: 50_000 }, kind: 'kill' }] }),
  'with holes in the state, and a main that could not cancel': plainSingle({
    pipelines: [ENDLESS],
    disk: [{ file: 'state', from: 2, to: 3, part: 0.7 }],
    faults: [{ on: 'main', call: 'cancel', from: 1, to: 99, what: 'reset', commit: 'never', ms: 1, retryAfter: null }],
    crashes: [{ on: 'main', at: { ms: 50_000 }, kind: 'sigterm' }],
  }),
  'beside a main that does not end': plainSingle({
    pipelines: [ENDLESS],
    crashes: [{ on: 'main', at: { ms: 50_000 }, kind: 'beside_frozen' }],
  }),
};

/** Crashes that differ from another one in what the runner does alone: each comes at a part of the effects. */
const RARE: ReadonlySet<CrashKind> = new Set([
  'cancel_twice',
  'step_timeout',
  'sighup',
  'out_of_memory',
  'worker_killed',
]);

/** Every scenario that comes of a crash at every effect of a process, before it, after it and in the middle of it. */
export async function* crashedEverywhere(base: SingleSpec, on: ProcessName): AsyncGenerator<SingleSpec> {
  const facts = await simulateAlone(base);
  const effects = (on === 'main' ? facts.main.effects : facts.post?.effects) ?? 0;
  const kinds = on === 'main' ? MAIN_CRASHES : POST_CRASHES;
  for (let effect = 1; effect <= effects; effect += 1) {
    for (const [index, kind] of kinds.entries()) {
      const isDue = !RARE.has(kind) || (effect + index) % RARE.size === 0;
      if (isDue) yield crashed(base, { on, at: { effect, when: 'before' }, kind });
    }
    for (const kind of ENDS_AT_ONCE) {
      if (!kinds.includes(kind)) continue;
      yield crashed(base, { on, at: { effect, when: 'after' }, kind });
      yield crashed(base, { on, at: { effect, when: 'torn' }, kind });
    }
  }
}

/** One of these scenarios, without counting effects first: some crashes never come. */
export function crashedSomewhere(random: Random): SingleSpec {
  const on = random.chance(0.8) ? 'main' : 'post';
  const base = random.pick(Object.values(on === 'main' ? BASES : POST_BASES));
  const kind = random.pick(on === 'main' ? MAIN_CRASHES : POST_CRASHES);
  const when = random.pick(['before', 'after', 'torn'] as const);
  return crashed(base, { on, at: { effect: random.between(1, on === 'main' ? 90 : 40), when }, kind });
}

function crashed(base: SingleSpec, crash: Crash): SingleSpec {
  const patience: Crash = { on: 'main', at: { ms: 600_000 }, kind: 'cancel' };
  return { ...base, crashes: [...base.crashes, crash, patience] };
}
