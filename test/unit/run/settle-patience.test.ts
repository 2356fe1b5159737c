import { describe, expect, it } from 'vitest';
import { confirmCancel, type Settlement, type Settling } from '../../../src/run/settle.ts';
import type { CallOptions, CancelOutcome, Problem, ReadOutcome } from '../../../src/service/api.ts';
import {
  type Call as Called,
  rowOf,
  type Scripted,
  fakeService as scriptedService,
} from '../../support/fake-service.ts';
import { JOB } from '../../support/service.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { FAILED } from './stage.ts';

interface Script {
  /** What the cancels and the reads bring, one after the other; the last stays. */
  readonly cancels?: readonly Scripted<CancelOutcome>[];
  readonly reads?: readonly Scripted<ReadOutcome>[];
  readonly untilMs?: number;
  readonly settling?: Partial<Settling>;
}

interface Settled {
  readonly settlement: Settlement;
  readonly calls: readonly Called[];
  readonly timesOf: (call: Called['call']) => readonly number[];
  readonly options: readonly (CallOptions | undefined)[];
  readonly troubles: readonly Problem[];
  readonly endedAt: number;
}

const RUNNING = rowOf(JOB, 'running');
const CANCELLED = rowOf(JOB, 'cancelled');
const MISSING = { kind: 'missing' } as const;
const UNCHANGED = { kind: 'unchanged' } as const;

async function settle({
  cancels = [UNCHANGED],
  reads = [MISSING],
  untilMs = 60_000,
  settling,
}: Script): Promise<Settled> {
  const clock = new VirtualClock();
  const troubles: Problem[] = [];
  const options: (CallOptions | undefined)[] = [];
  const { service, calls } = scriptedService(clock, {
    cancel: (nth) => cancels[nth - 1] ?? cancels.at(-1) ?? UNCHANGED,
    read: (nth) => reads[nth - 1] ?? reads.at(-1) ?? MISSING,
  });
  const settlement = await clock.until(
    confirmCancel(JOB, {
      service: {
        ...service,
        cancel: (jobId, given) => {
          options.push(given);
          return service.cancel(jobId, given);
        },
        read: (jobId, given) => {
          options.push(given);
          return service.read(jobId, given);
        },
      },
      clock,
      random: () => 0.5,
      until: () => untilMs,
      pace: () => ({ attemptMs: 10_000, pauseMs: 8_000 }),
      pollIntervalMs: 30_000,
      hurry: new AbortController().signal,
      onTrouble: (problem) => troubles.push(problem),
      onSeen: () => undefined,
      reads: { done: 0, lastAt: -Infinity },
      ...settling,
    }),
  );
  const timesOf = (call: Called['call']): readonly number[] =>
    calls.filter((one) => one.call === call).map(({ atMs }) => atMs);
  return { settlement, calls, timesOf, options, troubles, endedAt: clock.now() };
}

describe('a run that may be none of this key', () => {
  const settling = { mostMissing: 3, pollIntervalMs: 1 };

  it('is taken for none after so many reads in a row without it', async () => {
    const { settlement, timesOf, endedAt } = await settle({ settling });
    expect(timesOf('read')).toHaveLength(3);
    expect(settlement).toMatchObject({
      kind: 'unsettled',
      problem: { cause: expect.stringContaining('no run with this id') as string },
    });
    expect(endedAt).toBeLessThan(5_000);
  });

  it('is cancelled on when a read in between shows it', async () => {
    const { settlement, timesOf } = await settle({
      reads: [MISSING, MISSING, RUNNING, MISSING, MISSING, CANCELLED],
      settling,
    });
    expect(timesOf('read')).toHaveLength(6);
    expect(settlement.kind).toBe('settled');
  });

  it('is none although some cancels and reads in between failed, which says nothing about it', async () => {
    const { settlement, timesOf } = await settle({
      cancels: [UNCHANGED, FAILED.perhaps, UNCHANGED],
      reads: [MISSING, FAILED.perhaps, MISSING, MISSING, CANCELLED],
      settling,
    });
    expect(timesOf('read')).toHaveLength(4);
    expect(settlement.kind).toBe('unsettled');
  });

  it('is cancelled as long as there is time, where it surely is one', async () => {
    const { timesOf, endedAt } = await settle({ settling: { pollIntervalMs: 1 } });
    expect(timesOf('read').length).toBeGreaterThan(8);
    expect(endedAt).toBeGreaterThan(45_000);
  });
});

describe('the pause between two cancels', () => {
  it('that the service wishes longer ends in time for a last one, whenever it begins', async () => {
    const { timesOf, settlement } = await settle({
      cancels: [FAILED.perhaps, FAILED.busy, CANCELLED],
      untilMs: 20_000,
    });
    const [, , last] = timesOf('cancel');
    expect(last).toBe(10_000);
    expect(settlement.kind).toBe('settled');
  });

  it('is not waited out when time is up at its end', async () => {
    const [, pauseMs = 0] = (await settle({ cancels: [FAILED.perhaps] })).timesOf('cancel');
    const { endedAt, troubles, calls } = await settle({ cancels: [FAILED.perhaps], untilMs: pauseMs });
    expect(calls).toHaveLength(1);
    expect(endedAt).toBe(0);
    // It would say that another one comes.
    expect(troubles).toEqual([]);
  });
});

it('reads again when the interval since the last read is just over', async () => {
  const script = { cancels: [UNCHANGED], reads: [RUNNING] };
  const [, , third = 0, fourth = 0] = (await settle(script)).timesOf('cancel');
  const { timesOf } = await settle({ ...script, settling: { pollIntervalMs: fourth - third } });
  expect(timesOf('read').slice(2, 4)).toEqual([third, fourth]);
});
