import { describe, expect, it } from 'vitest';
import { confirmCancel, type Settlement, type Settling } from '../../../src/run/settle.ts';
import type { CancelOutcome, Problem, ReadOutcome } from '../../../src/service/api.ts';
import {
  type Call as Called,
  rowOf,
  type Scripted,
  fakeService as scriptedService,
} from '../../support/fake-service.ts';
import { JOB } from '../../support/service.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { FAILED } from './stage.ts';

interface SettleOptions {
  /** What the cancels and the reads bring, one after the other; the last stays. */
  readonly cancels: readonly Scripted<CancelOutcome>[];
  readonly reads?: readonly Scripted<ReadOutcome>[];
  readonly untilMs?: number;
  readonly attemptMs?: number;
  /** When the settling must hurry, in milliseconds; it then ends 9 s later. */
  readonly hurryAt?: number;
  readonly pollIntervalMs?: number;
}

interface Settled {
  readonly settlement: Settlement;
  readonly calls: readonly Called[];
  readonly endedAt: number;
  readonly troubles: readonly Problem[];
  /** The statuses of all rows that came back. */
  readonly seen: readonly string[];
  /** The calls in short: `cancel read cancel`. */
  readonly order: string;
  readonly readTimes: readonly number[];
}

const UNCHANGED: CancelOutcome = { kind: 'unchanged' };
const MISSING: ReadOutcome = { kind: 'missing' };
const ACCEPTED = {
  kind: 'accepted',
  problem: { attempted: 'cancel the run', cause: 'HTTP 200, but the response was cut off' },
} as const;

async function settle(options: SettleOptions): Promise<Settled> {
  const clock = new VirtualClock();
  const hurry = new AbortController();
  const troubles: Problem[] = [];
  const seen: string[] = [];
  const { cancels, reads = [MISSING], untilMs = 60_000, attemptMs = 10_000, hurryAt } = options;
  const { service, calls } = scriptedService(clock, {
    cancel: (nth) => cancels[nth - 1] ?? cancels.at(-1) ?? UNCHANGED,
    read: (nth) => reads[nth - 1] ?? reads.at(-1) ?? MISSING,
  });
  if (hurryAt === 0) hurry.abort();
  else if (hurryAt !== undefined) clock.after(hurryAt, () => hurry.abort());
  const isHurried = (): boolean => hurry.signal.aborted;
  const settling: Settling = {
    service,
    clock,
    random: () => 0.5,
    until: () => Math.min(untilMs, isHurried() ? (hurryAt ?? 0) + 9_000 : untilMs),
    pace: () => (isHurried() ? { attemptMs: 2_000, pauseMs: 1_000 } : { attemptMs, pauseMs: 8_000 }),
    pollIntervalMs: options.pollIntervalMs ?? 30_000,
    hurry: hurry.signal,
    onTrouble: (problem) => troubles.push(problem),
    onSeen: ({ status }) => seen.push(status),
    reads: { done: 0, lastAt: -Infinity },
  };
  const settlement = await clock.until(confirmCancel(JOB, settling));
  return {
    settlement,
    calls,
    endedAt: clock.now(),
    troubles,
    seen,
    order: calls.map(({ call }) => call).join(' '),
    readTimes: calls.filter(({ call }) => call === 'read').map(({ atMs }) => atMs),
  };
}

describe('a run is settled', () => {
  it('by the row that the cancel changed', async () => {
    const { settlement, order, endedAt } = await settle({ cancels: [rowOf(JOB, 'cancelled', 'by request')] });
    expect(settlement).toEqual({ kind: 'settled', job: { id: JOB, status: 'cancelled', statusMessage: 'by request' } });
    expect([order, endedAt]).toEqual(['cancel', 0]);
  });

  it.each(['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped'])(
    'by a read that says %s, when the cancel changed nothing',
    async (status) => {
      const { settlement, order } = await settle({ cancels: [UNCHANGED], reads: [rowOf(JOB, status)] });
      expect(settlement).toMatchObject({ kind: 'settled', job: { status } });
      expect(order).toBe('cancel read');
    },
  );

  it.each(['queued', 'picked', 'running', 'paused'])(
    'not by a read that says %s: that may be a lagging replica, and it is cancelled again',
    async (status) => {
      const { settlement, order, troubles } = await settle({
        cancels: [UNCHANGED, rowOf(JOB, 'cancelled')],
        reads: [rowOf(JOB, status)],
      });
      expect(settlement).toMatchObject({ kind: 'settled', job: { status: 'cancelled' } });
      expect(order).toBe('cancel read cancel');
      expect(troubles).toMatchObject([{ cause: `its status is still ${status}` }]);
    },
  );

  it('not by a row from the cancel that is no end', async () => {
    const { settlement, order } = await settle({
      cancels: [rowOf(JOB, 'cancelling')],
      reads: [rowOf(JOB, 'cancelling'), rowOf(JOB, 'cancelled')],
    });
    expect(order).toBe('cancel read cancel read');
    expect(settlement).toMatchObject({ kind: 'settled', job: { status: 'cancelled' } });
  });

  it('not by two answers without a row', async () => {
    const { settlement, endedAt, calls, troubles } = await settle({ cancels: [UNCHANGED], reads: [MISSING] });
    expect(settlement).toMatchObject({
      kind: 'unsettled',
      problem: { cause: expect.stringContaining('not seen to finish') as string },
    });
    expect(troubles[0]).toMatchObject({ remedy: expect.stringContaining('workspace') as string });
    expect(calls.length).toBeGreaterThan(5);
    expect(endedAt).toBeLessThanOrEqual(60_000);
  });
});

describe('reads that confirm a cancel', () => {
  it('are three, and then keep the interval', async () => {
    const { readTimes, calls } = await settle({
      cancels: [UNCHANGED],
      reads: [rowOf(JOB, 'running')],
      untilMs: 150_000,
    });
    const [, , third = 0, fourth = 0, fifth = 0] = readTimes;
    expect(third).toBeLessThan(5_000);
    expect(fourth - third).toBeGreaterThanOrEqual(30_000);
    expect(fifth - fourth).toBeGreaterThanOrEqual(30_000);
    expect(calls.filter(({ call }) => call === 'cancel').length).toBeGreaterThan(readTimes.length);
  });

  it('do not follow a cancel that failed', async () => {
    const { order } = await settle({ cancels: [FAILED.perhaps, FAILED.rejected, rowOf(JOB, 'cancelled')] });
    expect(order).toBe('cancel cancel cancel');
  });

  it('follow one that was accepted with an unusable body', async () => {
    const { order, settlement } = await settle({ cancels: [ACCEPTED], reads: [rowOf(JOB, 'cancelled')] });
    expect(order).toBe('cancel read');
    expect(settlement.kind).toBe('settled');
  });

  it('leave the unusable body as the problem while none of them is due', async () => {
    const { settlement } = await settle({ cancels: [ACCEPTED], reads: [rowOf(JOB, 'running')], untilMs: 20_000 });
    expect(settlement).toEqual({ kind: 'unsettled', problem: ACCEPTED.problem });
  });
});

describe('a cancel that fails', () => {
  it.each([FAILED.perhaps, FAILED.notProcessed, FAILED.unauthorized, FAILED.rejected, FAILED.notRetryable])(
    'is tried again while there is time: %j',
    async (failure) => {
      const { settlement, endedAt, calls } = await settle({ cancels: [failure] });
      expect(settlement).toEqual({ kind: 'unsettled', problem: failure.problem });
      expect(endedAt).toBeGreaterThan(50_000);
      expect(endedAt).toBeLessThanOrEqual(60_000);
      // The pauses grow: a minute is no time for hundreds of tries.
      expect(calls.length).toBeGreaterThan(8);
      expect(calls.length).toBeLessThan(30);
    },
  );

  it('goes on while the key is rejected, and settles the run when it is accepted again', async () => {
    const { settlement } = await settle({
      cancels: [FAILED.keyRefused, UNCHANGED, FAILED.keyRefused, rowOf(JOB, 'cancelled')],
      reads: [FAILED.keyRefused],
    });
    expect(settlement).toMatchObject({ kind: 'settled' });
  });

  it('says that the key was rejected if time runs out after that, whatever came of the last attempts', async () => {
    const { settlement, endedAt } = await settle({
      cancels: [FAILED.keyRefused, ...Array.from({ length: 50 }, () => FAILED.perhaps)],
    });
    expect(settlement).toMatchObject({ kind: 'unsettled', problem: FAILED.keyRefused.problem });
    expect(endedAt).toBeGreaterThan(50_000);
  });

  it('does not blame the key if it was accepted after a rejection', async () => {
    const { settlement } = await settle({
      cancels: [FAILED.keyRefused, UNCHANGED, ...Array.from({ length: 50 }, () => FAILED.perhaps)],
      reads: [rowOf(JOB, 'running')],
    });
    expect(settlement).toMatchObject({ kind: 'unsettled', problem: FAILED.perhaps.problem });
  });

  it('waits as long as the service wishes', async () => {
    const { calls } = await settle({ cancels: [FAILED.busy, rowOf(JOB, 'cancelled')] });
    expect(calls.map(({ atMs }) => atMs)).toEqual([0, 45_000]);
  });

  it('does not wait so long that no try is left', async () => {
    const { calls, settlement } = await settle({ cancels: [FAILED.busy, rowOf(JOB, 'cancelled')], untilMs: 20_000 });
    expect(calls.map(({ atMs }) => atMs)).toEqual([0, 10_000]);
    expect(settlement.kind).toBe('settled');
  });

  it('says so, and of every row that came back', async () => {
    const { settlement, troubles, seen } = await settle({
      cancels: [UNCHANGED, FAILED.perhaps],
      reads: [rowOf(JOB, 'running')],
    });
    expect(settlement).toMatchObject({ problem: FAILED.perhaps.problem });
    expect(seen).toEqual(['running']);
    expect(troubles.length).toBeGreaterThan(5);
  });
});

describe('the time for it', () => {
  it('bounds every request', async () => {
    const { calls, endedAt } = await settle({ cancels: ['stalls'], untilMs: 25_000 });
    expect(calls.every(({ withinMs = 0, atMs }) => withinMs <= 10_000 && atMs + withinMs <= 25_000)).toBe(true);
    expect(endedAt).toBeLessThanOrEqual(25_000);
  });

  it('is none when it is up already', async () => {
    const { settlement, calls } = await settle({ cancels: [rowOf(JOB, 'cancelled')], untilMs: 0 });
    expect(calls).toEqual([]);
    expect(settlement).toMatchObject({ kind: 'unsettled', problem: { cause: 'there was no time left for a request' } });
  });

  it('shrinks with a signal: the attempt under way ends, and the next ones are short', async () => {
    const { calls, endedAt } = await settle({ cancels: ['stalls'], hurryAt: 3_000 });
    expect(calls[0]).toMatchObject({ atMs: 0, withinMs: 10_000 });
    expect(calls[1]).toMatchObject({ atMs: 3_000, withinMs: 2_000 });
    expect(calls.slice(1).every(({ withinMs = 0 }) => withinMs <= 2_000)).toBe(true);
    expect(endedAt).toBeLessThanOrEqual(12_000);
  });

  it('shrinks with a signal in a pause, which then ends', async () => {
    const { calls } = await settle({ cancels: [FAILED.busy, rowOf(JOB, 'cancelled')], hurryAt: 3_000 });
    expect(calls.map(({ atMs }) => atMs)).toEqual([0, 3_000]);
  });

  it('is used for several short attempts in a hurry', async () => {
    const { calls, endedAt } = await settle({ cancels: ['stalls'], hurryAt: 0 });
    expect(calls.length).toBeGreaterThanOrEqual(3);
    expect(endedAt).toBeLessThanOrEqual(9_000);
  });
});
