import { expect, it } from 'vitest';
import { PATHS } from './model/facts.ts';
import { PLAIN_PIPELINE, plainSingle } from './model/plain.ts';
import type { SingleSpec } from './model/spec.ts';
import { examineAlone } from './scenarios/examine.ts';

// Each was found by a scenario of its own, and shrunk to what it takes.

const QUEUED = { ...PLAIN_PIPELINE, timeline: [[0, 'queued', null]] } as const;
const LATER = { on: 'main', at: { ms: 600_000 }, kind: 'cancel' } as const;

async function outcomeOf(spec: SingleSpec): Promise<string | undefined> {
  const { facts, violations } = await examineAlone(spec);
  expect(violations).toEqual([]);
  return facts.main.outputs.get('outcome');
}

it('a time-out has no effect on a run that is not waited for, however long its trigger takes', async () => {
  const slow = { on: 'main', call: 'trigger', from: 1, to: 1, what: 'slow', commit: 'at_once' } as const;
  const outcome = await outcomeOf(
    plainSingle({ inputs: { wait: 'false', timeout: '1s' }, faults: [{ ...slow, ms: 5_000, retryAfter: null }] }),
  );
  expect(outcome).toBe('triggered');
});

it('a time in the queue is not forgotten when the read at its end fails', async () => {
  const reset = { on: 'main', call: 'read', from: 2, to: 2, what: 'reset', commit: 'never' } as const;
  const outcome = await outcomeOf(
    plainSingle({
      pipelines: [QUEUED],
      inputs: { 'queue-timeout': '10s' },
      faults: [{ ...reset, ms: 1, retryAfter: null }],
      crashes: [LATER],
    }),
  );
  expect(outcome).toBe('wait_timed_out');
});

it('post does not hammer the service at the end of its time', async () => {
  const empty = { on: 'post', call: 'cancel', from: 1, to: 999, what: 'empty', commit: 'never' } as const;
  const { facts, violations } = await examineAlone(
    plainSingle({
      pipelines: [QUEUED],
      faults: [{ ...empty, ms: 1, retryAfter: null }],
      crashes: [{ on: 'main', at: { ms: 30_000 }, kind: 'kill' }],
    }),
  );
  expect(violations).toEqual([]);
  const cancels = facts.requests.filter(({ on, call }) => on === 'post' && call === 'cancel');
  const lastTenSeconds = cancels.filter(({ atMs }) => atMs > (facts.post?.end?.atMs ?? 0) - 10_000);
  expect(lastTenSeconds.length).toBeLessThanOrEqual(4);
});

it.each(['before', 'after'] as const)(
  'what a time-out has decided is known to post when main is killed %s its last read',
  async (when) => {
    const spec = plainSingle({ pipelines: [QUEUED], inputs: { timeout: '20s', 'on-cancel': 'leave' } });
    const undisturbed = await examineAlone({ ...spec, crashes: [LATER] });
    const last = undisturbed.facts.requests.filter(({ call }) => call === 'read').at(-1);
    const effect = last?.effect ?? 0;
    const { facts, violations } = await examineAlone({
      ...spec,
      crashes: [{ on: 'main', at: { effect, when }, kind: 'kill' }],
    });
    expect(violations).toEqual([]);
    expect(facts.files.get(PATHS.state)).toContain('stopped');
    expect(facts.world.jobs[0]?.cancelledAt).not.toBeNull();
  },
);

it('a post that is observedRequests to stop makes a main that hangs end, and cancels while it can', async () => {
  const { facts, violations } = await examineAlone(
    plainSingle({
      pipelines: [QUEUED],
      crashes: [
        { on: 'main', at: { ms: 30_000 }, kind: 'beside_frozen' },
        { on: 'post', at: { ms: 100 }, kind: 'cancel' },
      ],
    }),
  );
  expect(violations).toEqual([]);
  expect(facts.world.jobs[0]?.cancelledAt).not.toBeNull();
});

it('a trigger that was refused for its token is not in doubt when a signal comes before it is sent again', async () => {
  const once = { from: 1, to: 1, commit: 'never', ms: 1, retryAfter: null } as const;
  const { facts, violations } = await examineAlone(
    plainSingle({
      pipelines: [QUEUED],
      faults: [
        { ...once, on: 'main', call: 'trigger', what: 'denied' },
        { ...once, on: 'main', call: 'exchange', what: 'mute', from: 2, to: 2 },
      ],
      crashes: [{ on: 'main', at: { ms: 2_000 }, kind: 'cancel' }],
    }),
  );
  expect(violations).toEqual([]);
  expect(facts.main.outputs.get('outcome')).toBe('cancelled');
  expect(facts.main.end?.atMs).toBe(2_000);
  expect(facts.post?.annotations).toEqual([]);
});

it('post looks into the journal when records of main are missing from the state', async () => {
  const { facts, violations } = await examineAlone(
    plainSingle({
      pipelines: [QUEUED],
      // The state file takes the first record and the last, and nothing in between.
      disk: [{ file: 'state', from: 2, to: 3, part: 0.7 }],
      faults: [
        { on: 'main', call: 'cancel', from: 1, to: 99, what: 'reset', commit: 'never', ms: 1, retryAfter: null },
      ],
      crashes: [{ on: 'main', at: { ms: 30_000 }, kind: 'sigterm' }],
    }),
  );
  expect(violations).toEqual([]);
  expect(facts.main.outputs.get('outcome')).toBe('cancelled');
  expect(facts.world.jobs[0]?.cancelledAt).not.toBeNull();
});

it('main stops when its runner has died, long before it prints the next line', async () => {
  const { facts, violations } = await examineAlone(
    plainSingle({
      pipelines: [QUEUED],
      inputs: { 'poll-interval': '2m' },
      crashes: [{ on: 'main', at: { ms: 60_000 }, kind: 'worker_killed' }],
    }),
  );
  expect(violations).toEqual([]);
  expect(facts.main.end?.atMs).toBeLessThan(70_000);
  expect(facts.world.jobs.map((job) => job.cancelledAt === null)).toEqual([false]);
});
