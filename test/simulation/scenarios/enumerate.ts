/** Scenarios with a crash at each effect of an otherwise uneventful scenario. */
import { MAIN_CRASHES, POST_CRASHES } from '../model/crashes.ts';
import { ENDLESS_PIPELINE, PLAIN_PIPELINE, plainCrash, plainFault, plainSingle } from '../model/plain.ts';
import type { Random } from '../model/random.ts';
import { simulateAlone } from '../model/simulate.ts';
import type { Crash, CrashKind, ProcessName, SingleSpec } from '../model/spec.ts';

/** Only a process that exits at once leaves half a write behind. */
const ENDS_AT_ONCE: readonly CrashKind[] = ['kill', 'kill_lost', 'power'];

/** A run that ends before its third read, because further reads would cause the same effects. */
const SHORT_PIPELINE = { ...PLAIN_PIPELINE, timeline: PLAIN_PIPELINE.timeline.with(-1, [32_000, 'completed', null]) };

function endless(changes: Partial<SingleSpec>): SingleSpec {
  return plainSingle({ pipelines: [ENDLESS_PIPELINE], ...changes });
}

/** Scenarios with one triggered run, in which nothing but the crash goes wrong. */
export const ONE_RUN_BASES: Readonly<Record<string, SingleSpec>> = {
  'a run that succeeds': plainSingle({ pipelines: [SHORT_PIPELINE] }),
  'a detached run of a pipeline given by its UUID': plainSingle({
    pipelines: [{ ...PLAIN_PIPELINE, given: 'uuid' }],
    inputs: { wait: 'false' },
    runner: { ...plainSingle().runner, jobStatusAtEnd: 'cancelled' },
  }),
  'a run cancelled on timeout': endless({ inputs: { timeout: '40s' } }),
  'a run left on timeout': endless({ inputs: { timeout: '40s', 'on-timeout': 'leave', 'on-cancel': 'leave' } }),
};

/** Scenarios with an existing run or two runs, in which nothing but the crash goes wrong. */
export const OTHER_BASES: Readonly<Record<string, SingleSpec>> = {
  'an earlier run that is resumed': plainSingle({
    mode: 'resume',
    pipelines: [{ ...ENDLESS_PIPELINE, earlierMs: 20_000 }],
    inputs: { timeout: '40s' },
  }),
  'a run that is awaited by its id and has on-cancel: cancel': plainSingle({
    mode: 'attach',
    pipelines: [{ ...PLAIN_PIPELINE, earlierMs: 20_000 }],
    inputs: { 'on-cancel': 'cancel' },
  }),
  'two runs in sequence': plainSingle({
    pipelines: [SHORT_PIPELINE, { ...SHORT_PIPELINE, name: 'Customers', apiName: 'customers' }],
    inputs: { 'max-parallel': '1' },
  }),
};

/** Scenarios in which post has work to do. */
export const POST_BASES: Readonly<Record<string, SingleSpec>> = {
  'a killed main process': endless({ crashes: [plainCrash(50_000, 'kill')] }),
  'a main process that cannot cancel its run and whose state lacks records': endless({
    disk: [{ file: 'state', from: 2, to: 3, part: 0.7 }],
    faults: [plainFault('cancel', 'reset', { to: 99 })],
    crashes: [plainCrash(50_000, 'sigterm')],
  }),
  'a killed main process whose run the service hides at first': endless({
    faults: [plainFault('cancel', 'empty', { on: 'post', to: 2 }), plainFault('read', 'empty', { on: 'post', to: 3 })],
    crashes: [plainCrash(50_000, 'kill')],
  }),
  'a main process that never exits': endless({ crashes: [plainCrash(50_000, 'beside_frozen')] }),
};

/** Crashes that differ only in the runner's behaviour. Each happens at only some of the effects. */
const RARE: readonly CrashKind[] = ['cancel_twice', 'step_timeout', 'sighup', 'out_of_memory', 'worker_killed'];

/** Crashes a process before each effect. A crash that ends it at once also happens after and during each effect. */
export async function* crashedEverywhere(base: SingleSpec, on: ProcessName): AsyncGenerator<SingleSpec> {
  const facts = await simulateAlone(base);
  const effects = (on === 'main' ? facts.main.effects : facts.post?.effects) ?? 0;
  const kinds = on === 'main' ? MAIN_CRASHES : POST_CRASHES;
  for (let effect = 1; effect <= effects; effect += 1) {
    for (const [index, kind] of kinds.entries()) {
      const isDue = !RARE.includes(kind) || (effect + index) % RARE.length === 0;
      if (isDue) yield crashed(base, { on, at: { effect, when: 'before' }, kind });
      if (!ENDS_AT_ONCE.includes(kind)) continue;
      yield crashed(base, { on, at: { effect, when: 'after' }, kind });
      yield crashed(base, { on, at: { effect, when: 'torn' }, kind });
    }
  }
}

/** Picks one of these scenarios. It does not count the effects first, so some crashes never happen. */
export function crashedSomewhere(random: Random): SingleSpec {
  const on = random.chance(0.8) ? 'main' : 'post';
  const base = random.pick(Object.values(on === 'main' ? { ...ONE_RUN_BASES, ...OTHER_BASES } : POST_BASES));
  const kind = random.pick(on === 'main' ? MAIN_CRASHES : POST_CRASHES);
  const when = random.pick(['before', 'after', 'torn'] as const);
  const at = { effect: random.between(1, on === 'main' ? 70 : 40), when };
  const sight = random.pick(['all', 'all', 'nothing', 'existence', 'no_signals'] as const);
  const runner = { ...base.runner, noTemp: random.chance(0.2), sight };
  return crashed({ ...base, runner }, { on, at, kind });
}

function crashed(base: SingleSpec, crash: Crash): SingleSpec {
  return { ...base, crashes: [...base.crashes, crash, plainCrash(600_000, 'cancel')] };
}
