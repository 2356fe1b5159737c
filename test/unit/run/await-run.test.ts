import { describe, expect, it } from 'vitest';
import { newRun } from '../../../src/run/state/run-state.ts';
import { awaitRun } from '../../../src/run/wait.ts';
import type { ReadOutcome } from '../../../src/service/api.ts';
import type { Life, Scripted } from '../../support/fake-service.ts';
import { JOB } from '../../support/service.ts';
import { FAILED, type Stage, type StageOptions, stage } from './stage.ts';

interface Awaited extends Stage {
  readonly end: (longestMs?: number) => Promise<void>;
  readonly readTimes: () => readonly number[];
}

interface AwaitOptions extends StageOptions {
  /** The first reads; those after them tell the life of the run. */
  readonly reads?: readonly Scripted<ReadOutcome>[];
  readonly life?: Life;
  readonly firstAt?: number;
  readonly delayAfterMs?: number;
}

/** Awaits a run that was queued at 0, and completes after five minutes unless its life is another one. */
function awaiting(options: AwaitOptions = {}): Awaited {
  const { reads = [], life = COMPLETES, firstAt: at = 2_000, delayAfterMs = 0 } = options;
  const script = { existing: { [JOB]: life }, read: (nth: number) => reads[nth - 1] };
  const all = stage({ ...options, script: { ...script, ...options.script } });
  Object.assign(all.run, { jobId: JOB, status: 'queued', phase: { at: 'in_progress' } });
  const begin = (): Promise<void> => awaitRun(all.run, JOB, all.parts, { at, delayAfterMs });
  return Object.assign(all, {
    end: (longestMs?: number) => all.clock.until(begin(), longestMs),
    readTimes: () => all.of('read').map((call) => call.at),
  });
}

const COMPLETES: Life = [
  [0, 'queued'],
  [50_000, 'running'],
  [300_000, 'completed'],
];
const ENDLESS: Life = [[0, 'running']];

/** Any text that has this in it. */
const saying = (text: string): string => expect.stringContaining(text) as string;

function many<T>(count: number, one: T): readonly T[] {
  return Array.from({ length: count }, () => one);
}

describe('a run that is awaited', () => {
  it('is read at first when it should be, then at the interval, until it has ended', async () => {
    const all = awaiting();
    await all.end();
    expect(all.readTimes()).toEqual(many(11, 0).map((_, index) => 2_000 + index * 30_000));
    expect(all.run).toMatchObject({
      status: 'completed',
      phase: { at: 'finished', status: 'completed' },
      endedAt: 302_000,
      lastReadAt: 302_000,
    });
    expect(all.records).toEqual([{ kind: 'finished', run: 1, status: 'completed' }]);
    expect(all.told('status')).toMatchObject([
      { from: 'queued', known: true },
      { from: 'running', known: true },
    ]);
    expect(all.told('still')).toHaveLength(9);
  });

  it('keeps the interval from an answer to the next request', async () => {
    const all = awaiting({ life: [[60_000, 'completed']], script: { callMs: 4_000 } });
    await all.end();
    expect(all.readTimes()).toEqual([2_000, 36_000, 70_000]);
  });

  it('waits longer once, after its first read, where many are read at once', async () => {
    const all = awaiting({ firstAt: 0, delayAfterMs: 12_000, life: [[80_000, 'completed']] });
    await all.end();
    expect(all.readTimes()).toEqual([0, 42_000, 72_000, 102_000]);
  });

  it.each(['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped'])(
    'has ended when it is %s',
    async (status) => {
      const all = awaiting({ life: [[0, status]] });
      await all.end();
      expect(all.run.phase).toEqual({ at: 'finished', status });
      expect(all.of('read')).toHaveLength(1);
    },
  );

  it.each(['queued', 'picked', 'running', 'paused', 'COMPLETED', 'completed ', ''])(
    'is in progress when it is %j',
    async (status) => {
      const all = awaiting({
        life: [
          [0, status],
          [60_000, 'completed'],
        ],
      });
      await all.end();
      expect(all.of('read')).toHaveLength(3);
    },
  );

  it('says of a status that it has never heard of it, once', async () => {
    const all = awaiting({
      life: [
        [0, 'paused'],
        [60_000, 'skipped'],
      ],
    });
    await all.end();
    expect(all.told('status')).toMatchObject([{ known: false }, { from: 'paused', known: true }]);
  });

  it('is no longer read once the wait is stopped, not even in the pause', async () => {
    const all = awaiting();
    const reason = { kind: 'timeout', afterMs: 10_000 } as const;
    all.clock.after(10_000, () => all.stopAll({ reason, policy: 'cancel' }));
    await all.end();
    expect(all.clock.now()).toBe(10_000);
    expect(all.of('read')).toHaveLength(1);
    expect(all.run.phase).toEqual({ at: 'in_progress' });
  });

  it('ends a read under way when the wait is stopped', async () => {
    const all = awaiting({ reads: ['stalls'] });
    const reason = { kind: 'signal', by: 'SIGINT' } as const;
    all.clock.after(5_000, () => all.stopAll({ reason, policy: 'cancel' }));
    await all.end();
    expect(all.clock.now()).toBe(5_000);
    expect(all.run.phase).toEqual({ at: 'in_progress' });
  });
});

describe('three reads in a row', () => {
  it.each([
    ['without the run', { kind: 'missing' }, 'no run with this id'],
    ['that are refused', FAILED.rejected, 'HTTP 403'],
  ] as const)('%s lose it, and leave it', async (_, outcome, came) => {
    const all = awaiting({ reads: many(3, outcome) });
    await all.end();
    expect(all.of('read')).toHaveLength(3);
    expect(all.run.phase).toMatchObject({ at: 'lost', problem: { cause: saying(came) } });
    expect(all.records).toEqual([{ kind: 'lost', run: 1 }]);
  });

  it('must be of one kind', async () => {
    const { rejected, perhaps } = FAILED;
    const missing = { kind: 'missing' } as const;
    const all = awaiting({
      reads: [missing, missing, rejected, rejected, missing, missing, perhaps, missing, missing],
    });
    await all.end();
    expect(all.run.phase).toEqual({ at: 'finished', status: 'completed' });
  });

  it('are not two, with a good one between', async () => {
    const missing = { kind: 'missing' } as const;
    const good = { kind: 'job', job: { id: JOB, status: 'running', statusMessage: null } } as const;
    const all = awaiting({ reads: [missing, missing, good, missing, missing] });
    await all.end();
    expect(all.run.phase.at).toBe('finished');
  });
});

describe('an outage', () => {
  const outage = { plan: { maxOutageMs: 100_000 }, life: ENDLESS };

  it.each([FAILED.perhaps, FAILED.notProcessed, FAILED.notRetryable, FAILED.unauthorized])(
    'loses the run after max-outage: %j',
    async (failure) => {
      const all = awaiting({ ...outage, reads: many(50, failure) });
      await all.end();
      expect(all.readTimes()).toEqual([2_000, 32_000, 62_000, 92_000, 122_000]);
      expect(all.run.phase).toMatchObject({ at: 'lost', problem: { cause: saying(failure.problem.cause) } });
      expect(all.records).toEqual([{ kind: 'lost', run: 1 }]);
      expect(all.told('read_failed')).toHaveLength(4);
    },
  );

  it('counts from the last good answer, and is forgotten with the next one', async () => {
    const good = { kind: 'job', job: { id: JOB, status: 'running', statusMessage: null } } as const;
    const bad = many(3, FAILED.perhaps);
    const all = awaiting({ ...outage, reads: [good, ...bad, good, ...bad, good, ...many(9, FAILED.perhaps)] });
    await all.end();
    expect(all.told('contact_again')).toMatchObject([{ afterMs: 120_000 }, { afterMs: 120_000 }]);
    expect(all.of('read')).toHaveLength(13);
    expect(all.run.phase.at).toBe('lost');
  });

  it('is no longer than the service wishes between two reads', async () => {
    const all = awaiting({ reads: [FAILED.busy, FAILED.busy] });
    await all.end(60_000_000);
    expect(all.readTimes().slice(0, 4)).toEqual([2_000, 47_000, 92_000, 122_000]);
  });

  it('is more than one bad read, however long the interval is', async () => {
    const good = { kind: 'job', job: { id: JOB, status: 'running', statusMessage: null } } as const;
    const { perhaps } = FAILED;
    const all = awaiting({
      ...outage,
      plan: { maxOutageMs: 100_000, pollIntervalMs: 1_200_000 },
      reads: [good, perhaps, good, perhaps, perhaps],
    });
    await all.end(6_000_000);
    expect(all.of('read')).toHaveLength(5);
    expect(all.run.phase.at).toBe('lost');
  });

  it('is final after three rejections of the key over a minute', async () => {
    const all = awaiting({ reads: Array.from({ length: 9 }, () => FAILED.keyRefused) });
    await all.end();
    expect(all.readTimes()).toEqual([2_000, 32_000, 62_000]);
    expect(all.run.phase).toMatchObject({ at: 'lost', problem: { cause: saying('HTTP 401, 3 times over 1m') } });
  });

  it('is not final while three rejections of the key are less than a minute apart', async () => {
    const reads = Array.from({ length: 5 }, () => FAILED.keyRefused);
    const all = awaiting({ plan: { pollIntervalMs: 14_000 }, reads });
    await all.end();
    expect(all.readTimes().slice(0, 6)).toEqual([2_000, 16_000, 30_000, 44_000, 58_000, 72_000]);
    expect(all.run.phase).toMatchObject({ at: 'finished' });
  });

  it('begins again with a good answer between rejections of the key', async () => {
    const good = { kind: 'job', job: { id: JOB, status: 'running', statusMessage: null } } as const;
    const { keyRefused } = FAILED;
    const all = awaiting({ reads: [keyRefused, keyRefused, good, keyRefused, keyRefused] });
    await all.end();
    expect(all.run.phase).toMatchObject({ at: 'finished' });
  });

  it('that comes in the instant of a stop leaves the run to whoever stopped it', async () => {
    const reason = { kind: 'timeout', afterMs: 1 } as const;
    const all = awaiting({
      around: (service) => ({
        ...service,
        read: async () => {
          all.stopAll({ reason, policy: 'cancel' });
          return FAILED.keyRefused;
        },
      }),
    });
    await all.end();
    expect(all.run.phase).toEqual({ at: 'in_progress' });
    expect(all.records).toMatchObject([{ kind: 'stopped' }]);
  });
});

describe('queue-timeout', () => {
  const limited = { plan: { queueTimeoutMs: 60_000, onTimeout: 'leave' } } as const;

  it('stops the wait at the next read after it', async () => {
    const all = awaiting({ ...limited, life: [[0, 'queued']] });
    await all.end();
    expect(all.readTimes()).toEqual([2_000, 32_000, 62_000]);
    expect(all.run.stop).toEqual({ reason: { kind: 'queue_timeout', afterMs: 60_000 }, policy: 'leave', at: 62_000 });
    expect(all.run).toMatchObject({ status: 'queued', phase: { at: 'left' } });
  });

  it.each(['picked', 'running', 'paused'])('has nothing to say to a run that is %s', async (status) => {
    const all = awaiting({
      ...limited,
      life: [
        [0, 'queued'],
        [40_000, status],
        [400_000, 'completed'],
      ],
    });
    await all.end();
    expect(all.run.stop).toBeUndefined();
    expect(all.run.phase.at).toBe('finished');
  });

  it('is not over for a run that a stale row shows as queued', async () => {
    const all = awaiting({
      ...limited,
      life: [
        [0, 'running'],
        [120_000, 'queued'],
        [150_000, 'running'],
        [200_000, 'completed'],
      ],
    });
    await all.end();
    expect(all.run.stop).toBeUndefined();
    expect(all.run.phase.at).toBe('finished');
  });

  it('begins again with each stretch in the queue, at its first read', async () => {
    const all = awaiting({
      ...limited,
      life: [
        [0, 'queued'],
        [40_000, 'running'],
        [100_000, 'queued'],
      ],
    });
    await all.end();
    // Seen at 122 s first.
    expect(all.run.stop?.at).toBe(182_000);
  });

  it('is not over at the first read of a run that existed before', async () => {
    const plan = { queueTimeoutMs: 1_000, onTimeout: 'leave' } as const;
    const all = awaiting({ plan, firstAt: 0, life: [[0, 'queued']] });
    Object.assign(all.run, { attached: true, status: undefined });
    await all.end();
    expect(all.readTimes()).toEqual([0, 30_000]);
  });

  it('is not declared on an answer that did not come', async () => {
    const all = awaiting({
      ...limited,
      life: [
        [0, 'queued'],
        [65_000, 'running'],
        [100_000, 'completed'],
      ],
      reads: many(3, FAILED.perhaps),
    });
    await all.end();
    expect(all.run.phase.at).toBe('finished');
  });
});

describe('a run that existed before', () => {
  function attached(reads: readonly Scripted<ReadOutcome>[]): Awaited {
    const all = awaiting({ reads, firstAt: 0 });
    const fresh = newRun(1, { kind: 'job', jobId: JOB });
    Object.assign(all.run, fresh, { attached: true, jobId: JOB, phase: { at: 'in_progress' } });
    return all;
  }

  it('and is not found on its first read is lost at once', async () => {
    const all = attached([{ kind: 'missing' }]);
    await all.end();
    expect(all.readTimes()).toEqual([0]);
    expect(all.run.phase.at).toBe('lost');
  });

  it('and cannot be read at first is read again', async () => {
    const all = attached([FAILED.perhaps, FAILED.rejected]);
    await all.end();
    expect(all.run.phase.at).toBe('finished');
  });

  it('and was seen before may be missing as often as any other', async () => {
    const good = { kind: 'job', job: { id: JOB, status: 'running', statusMessage: null } } as const;
    const missing = { kind: 'missing' } as const;
    const all = attached([good, missing, missing]);
    await all.end();
    expect(all.run.phase.at).toBe('finished');
  });
});
