import { liveAlone } from '../life/life.ts';
import { PLAIN_PIPELINE, plainLife } from '../life/plain.ts';
import type { Random } from '../life/random.ts';
import { type LifeSpec, MAIN_STRIKES, POST_STRIKES, type ProcessName, type Strike } from '../life/spec.ts';

/** What leaves half a write behind: only what ends at once. */
const ENDS_AT_ONCE = ['kill', 'kill_lost', 'power'] as const;

const ENDLESS = { ...PLAIN_PIPELINE, timeline: PLAIN_PIPELINE.timeline.slice(0, 3) };

/** Lives in which nothing goes wrong by itself: every effect of theirs is struck, one after the other. */
export const BASES: Readonly<Record<string, LifeSpec>> = {
  'awaited to its end': plainLife(),
  'given by its UUID, and not waited for': plainLife({
    pipelines: [{ ...PLAIN_PIPELINE, given: 'uuid' }],
    inputs: { wait: 'false' },
    runner: { ...plainLife().runner, jobStatusAtEnd: 'cancelled' },
  }),
  'cancelled by a time-out': plainLife({ pipelines: [ENDLESS], inputs: { timeout: '40s' } }),
  'left by a time-out': plainLife({
    pipelines: [ENDLESS],
    inputs: { timeout: '40s', 'on-timeout': 'leave', 'on-cancel': 'leave' },
  }),
  'taken up again': plainLife({
    mode: 'resume',
    pipelines: [{ ...ENDLESS, earlierMs: 20_000 }],
    inputs: { timeout: '40s' },
  }),
  'awaited by its id, and cancelled if asked': plainLife({
    mode: 'attach',
    pipelines: [{ ...PLAIN_PIPELINE, earlierMs: 20_000 }],
    inputs: { 'on-cancel': 'cancel' },
  }),
  'two runs, one after the other': plainLife({
    pipelines: [PLAIN_PIPELINE, { ...PLAIN_PIPELINE, name: 'Customers', apiName: 'customers' }],
    inputs: { 'max-parallel': '1' },
  }),
};

/** Lives in which post has something to do. */
export const POST_BASES: Readonly<Record<string, LifeSpec>> = {
  'after a kill': plainLife({
    pipelines: [ENDLESS],
    strikes: [{ on: 'main', at: { ms: 50_000 }, kind: 'kill' }],
  }),
  'with holes in the state, and a main that could not cancel': plainLife({
    pipelines: [ENDLESS],
    disk: [{ file: 'state', from: 2, to: 3, part: 0.7 }],
    faults: [
      {
        on: 'main',
        call: 'cancel',
        from: 1,
        to: 99,
        what: 'reset',
        commit: 'never',
        ms: 1,
        retryAfter: null,
      },
    ],
    strikes: [{ on: 'main', at: { ms: 50_000 }, kind: 'sigterm' }],
  }),
  'beside a main that does not end': plainLife({
    pipelines: [ENDLESS],
    strikes: [{ on: 'main', at: { ms: 50_000 }, kind: 'beside_frozen' }],
  }),
};

/** Every life that comes of striking every effect of a process, before it, after it and in the middle of it. */
export async function* struckEverywhere(base: LifeSpec, on: ProcessName): AsyncGenerator<LifeSpec> {
  const facts = await liveAlone(base);
  const effects = (on === 'main' ? facts.main.effects : facts.post?.effects) ?? 0;
  const kinds = on === 'main' ? MAIN_STRIKES : POST_STRIKES;
  for (let effect = 1; effect <= effects; effect += 1) {
    for (const kind of kinds) yield struck(base, { on, at: { effect, when: 'before' }, kind });
    for (const kind of ENDS_AT_ONCE) {
      if (!kinds.includes(kind)) continue;
      yield struck(base, { on, at: { effect, when: 'after' }, kind });
      yield struck(base, { on, at: { effect, when: 'torn' }, kind });
    }
  }
}

/** One of these lives, without counting effects first: some strikes never come. */
export function struckSomewhere(random: Random): LifeSpec {
  const on = random.chance(0.8) ? 'main' : 'post';
  const base = random.pick(Object.values(on === 'main' ? BASES : POST_BASES));
  const kind = random.pick(on === 'main' ? MAIN_STRIKES : POST_STRIKES);
  const when = random.pick(['before', 'after', 'torn'] as const);
  return struck(base, { on, at: { effect: random.between(1, on === 'main' ? 90 : 40), when }, kind });
}

function struck(base: LifeSpec, strike: Strike): LifeSpec {
  const patience: Strike = { on: 'main', at: { ms: 600_000 }, kind: 'cancel' };
  return { ...base, strikes: [...base.strikes, strike, patience] };
}
