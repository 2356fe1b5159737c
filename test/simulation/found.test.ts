/** Scenarios written by hand. Most of them once violated an invariant. */
import { describe, expect, it } from 'vitest';
import { PATHS, type SingleFacts } from './model/facts.ts';
import { ENDLESS_PIPELINE, PLAIN_PIPELINE, plainCrash, plainFault, plainSingle } from './model/plain.ts';
import { simulateAlone } from './model/simulate.ts';
import { alone, type SingleSpec } from './model/spec.ts';
import { examine, violationsIn } from './scenarios/examine.ts';

const QUEUED = { ...PLAIN_PIPELINE, timeline: [[0, 'queued', null]] } as const;
const LATER = plainCrash(600_000, 'cancel');
/** Blocks the record that a run is queued, which main writes about 120 ms after the start. */
const BLOCKED_RECORD = { file: 'state', from: 3, to: 3, ms: 6_000 } as const;

/** Simulates a scenario of one queued run, which must violate no invariant. */
async function factsOf(changes: Partial<SingleSpec>): Promise<SingleFacts> {
  const facts = await simulateAlone(plainSingle({ pipelines: [QUEUED], ...changes }));
  expect(violationsIn(facts)).toEqual([]);
  return facts;
}

describe('main', () => {
  const rows: Readonly<Record<string, Partial<SingleSpec> & { readonly outcome: string }>> = {
    'ignores timeout for a detached run, even if its trigger takes longer': {
      outcome: 'triggered',
      inputs: { wait: 'false', timeout: '1s' },
      faults: [plainFault('trigger', 'slow', { commit: 'at_once', ms: 5_000 })],
    },
    'stops at the queue timeout even if the read at that moment fails': {
      outcome: 'wait_timed_out',
      inputs: { 'queue-timeout': '10s' },
      faults: [plainFault('read', 'reset', { from: 2, to: 2 })],
      crashes: [LATER],
    },
    'knows that a trigger with a rejected token had no effect when a signal arrives before the retry': {
      outcome: 'cancelled',
      faults: [plainFault('trigger', 'denied'), plainFault('exchange', 'no_response', { from: 2, to: 2 })],
      crashes: [plainCrash(2_000, 'cancel')],
    },
    'stops soon after its runner dies, long before it would print the next line': {
      outcome: 'cancelled',
      inputs: { 'poll-interval': '2m' },
      crashes: [plainCrash(60_000, 'worker_killed')],
    },
  };

  it.each(Object.entries(rows))('%s', async (_, { outcome, ...changes }) => {
    const { main, post, crashed } = await factsOf(changes);
    expect(main.outputs.get('outcome')).toBe(outcome);
    expect(post?.annotations ?? []).toEqual([]);
    if (crashed.length > 0) expect(main.end?.atMs).toBeLessThan((crashed[0]?.atMs ?? 0) + 10_000);
  });

  it.each(['triggered', 'cancelled'])('names a pipeline that may have other runs (%s)', async (outcome) => {
    const { main } = await factsOf({
      pipelines: [QUEUED, { ...QUEUED, name: 'Load', apiName: 'load' }],
      inputs: { 'on-lost-response': 'retry', wait: String(outcome === 'cancelled') },
      faults: [plainFault('trigger', 'reset', { commit: 'at_once' })],
      crashes: outcome === 'cancelled' ? [plainCrash(30_000, 'cancel')] : [],
    });
    expect(main.outputs.get('outcome')).toBe(outcome);
  });

  it('handles a signal as soon as a blocked write returns, and cancels the run at once', async () => {
    const crashes = [plainCrash(1_000, 'cancel')];
    const { stalls, main, requests } = await factsOf({ stalls: [BLOCKED_RECORD], crashes });
    const returnedMs = stalls[0]?.untilMs ?? Infinity;
    expect(stalls[0]?.fromMs).toBeLessThan(1_000);
    expect(main.observed[0]?.atMs).toBe(returnedMs);
    const cancel = requests.find(({ call }) => call === 'cancel');
    expect((cancel?.atMs ?? Infinity) - returnedMs).toBeLessThanOrEqual(1);
  });
});

describe('post', () => {
  it('sends at most four cancels in its last ten seconds', async () => {
    const { requests, post } = await factsOf({
      faults: [plainFault('cancel', 'empty', { on: 'post', to: 999 })],
      crashes: [plainCrash(30_000, 'kill')],
    });
    const endMs = post?.end?.atMs ?? 0;
    const last = requests.filter(({ on, call, atMs }) => on === 'post' && call === 'cancel' && atMs > endMs - 10_000);
    expect([1, 2, 3, 4]).toContain(last.length);
  });

  it.each(['before', 'after'] as const)(
    'cancels a timed-out run if main receives SIGKILL %s its last read',
    async (when) => {
      const inputs = { timeout: '20s', 'on-cancel': 'leave' };
      const { requests } = await factsOf({ inputs, crashes: [LATER] });
      const effect = requests.filter(({ call }) => call === 'read').at(-1)?.effect ?? 0;
      const { files, world } = await factsOf({ inputs, crashes: [plainCrash({ effect, when }, 'kill')] });
      expect(files.get(PATHS.state)).toContain('stopped');
      expect(world.jobs).toMatchObject([{ cancelledAt: expect.any(Number) as number }]);
    },
  );

  it('cancels the run of a frozen main process even if the runner cancels post', async () => {
    const crashes = [plainCrash(30_000, 'beside_frozen'), plainCrash(100, 'cancel', 'post')];
    const { world } = await factsOf({ crashes });
    expect(world.jobs).toMatchObject([{ cancelledAt: expect.any(Number) as number }]);
  });

  it("reads the journal if the state lacks some of main's records", async () => {
    const { world } = await factsOf({
      // The state file stores only the first and the last record.
      disk: [{ file: 'state', from: 2, to: 3, part: 0.7 }],
      faults: [plainFault('cancel', 'reset', { to: 99 })],
      crashes: [plainCrash(30_000, 'sigterm')],
    });
    expect(world.jobs).toMatchObject([{ cancelledAt: expect.any(Number) as number }]);
  });
});

const { runner, placement: STEP } = plainSingle();
const CONTAINER = { ...STEP, job: 2, container: true };
const FIRST_CONTAINER = { ...CONTAINER, job: 1 };
const NEXT_STEP = { ...STEP, begins: 'sequential', action: '__run-pipeline_2' } as const;
const COMPOSITE = { ...STEP, begins: 'sequential', action: '__composite' } as const;
const SLOW_TRIGGER = plainFault('trigger', 'slow', { commit: 'at_once', ms: 1_000 });

/** Post starts while main waits for the list, and exits long before the response to the trigger can arrive. */
const LATE_TRIGGER = [plainFault('list', 'slow', { commit: 'at_once', ms: 1_000 }), { ...SLOW_TRIGGER, ms: 30_000 }];

/** Main keeps running while post sees only what `sight` permits. */
function unseen(sight: SingleSpec['runner']['sight']): Partial<SingleSpec> {
  return { runner: { ...runner, sight }, faults: LATE_TRIGGER, crashes: [plainCrash(200, 'beside')] };
}

/** The executions of each scenario. By default, each has its own pipeline, whose run never ends. */
const SCENARIOS: Readonly<Record<string, readonly Partial<SingleSpec>[]>> = {
  'warns about a run whose main process exited before post started because the runner had stopped reading its output': [
    {
      faults: [plainFault('trigger', 'reset', { commit: 'late', ms: 12_000 })],
      crashes: [plainCrash({ fault: 0, plus: 0, when: 'after' }, 'beside')],
    },
  ],
  'stops a main process without a record before it triggers a run': [
    {
      disk: [{ file: 'journal', from: 1, to: 1, part: 0 }],
      faults: LATE_TRIGGER,
      crashes: [plainCrash(200, 'beside_lost')],
    },
  ],
  'warns that a run may exist if the journal is empty': [
    {
      disk: [{ file: 'journal', from: 1, to: 9, part: 0 }],
      faults: [SLOW_TRIGGER],
      crashes: [plainCrash(300, 'kill_lost')],
    },
  ],
  'stops a main process in another PID namespace before it triggers a run': [unseen('nothing')],
  'stops a main process hidden by the options of /proc before it triggers a run': [unseen('existence')],
  'stops a main process of another user before it triggers a run': [unseen('no_signals')],
  'ignores the runs of another job after its own main process has rejected an input': [
    { mode: 'bad_input' },
    { placement: CONTAINER, crashes: [plainCrash(300_000, 'cancel')] },
  ],
  'leaves the detached run of another job in progress after the runner has lost the state': [
    { crashes: [plainCrash(20_000, 'kill_lost')] },
    { placement: CONTAINER, inputs: { wait: 'false' } },
  ],
  'does not report the runs of another step after a dry run': [
    { crashes: [plainCrash(22_000, 'beside_lost')] },
    { mode: 'dry_run', placement: NEXT_STEP },
  ],
  'settles the run of its own main process after another process with the same id has exited': [
    { placement: FIRST_CONTAINER, pipelines: [PLAIN_PIPELINE] },
    { placement: CONTAINER, crashes: [plainCrash(120_000, 'beside_frozen')] },
  ],
  'names the run of its own main process even if another process has the same id': [
    { placement: FIRST_CONTAINER, mode: 'attach', pipelines: [{ ...PLAIN_PIPELINE, earlierMs: 120_000 }] },
    { placement: CONTAINER, faults: [SLOW_TRIGGER], crashes: [plainCrash(200, 'beside_frozen')] },
  ],
  'stops its main process, whose first write blocks, even if the only journal belongs to another step': [
    // The post step of this execution runs last and gives the other main process 20 s more.
    { mode: 'bad_input', runner: { ...runner, postAfterMs: 20_000 } },
    { placement: COMPOSITE, crashes: [plainCrash(85_000, 'beside_lost')] },
    { placement: COMPOSITE, stalls: [{ file: 'journal', from: 1, to: 1, ms: 6_000 }] },
  ],
  'repeats a message that main printed after its runner had stopped reading': [
    { inputs: { 'on-cancel': 'leave' }, faults: [SLOW_TRIGGER], crashes: [plainCrash(200, 'beside_lost')] },
  ],
};

it.each(Object.entries(SCENARIOS))('post %s', async (_, changes) => {
  const executions = changes.flatMap((one, number) => {
    const pipelines = [{ ...ENDLESS_PIPELINE, name: `Load ${number}`, apiName: `load_${number}` }];
    return alone(plainSingle({ pipelines, ...one })).executions;
  });
  const { violations } = await examine({ ...alone(plainSingle()), executions });
  expect(violations).toEqual([]);
});
