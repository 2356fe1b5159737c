import { describe, expect, it } from 'vitest';
import type { Uuid } from '../../../src/base/uuid.ts';
import { bounded } from '../../../src/run/guards.ts';
import { confirmCancel } from '../../../src/run/settle.ts';
import type { Service } from '../../../src/service/api.ts';
import type { Call } from '../../support/fake-service.ts';
import { fakeService, jobNumber, type ServiceScript as Script } from '../../support/fake-service.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { pipelines, stage } from './stage.ts';

const WIDTH = 50;
const ids: readonly Uuid[] = Array.from({ length: 200 }, (_, index) => jobNumber(index + 1));

/** The most calls that were under way at one moment. */
function mostAtOnce(calls: readonly Call[]): number {
  return Math.max(
    ...calls.map(({ atMs: at }) => calls.filter((one) => one.atMs <= at && (one.endedAtMs ?? Infinity) > at).length),
  );
}

interface Bounded {
  readonly clock: VirtualClock;
  readonly service: Service;
  readonly calls: readonly Call[];
}

function boundedService(script: Script): Bounded {
  const clock = new VirtualClock();
  const { service, calls } = fakeService(clock, script);
  return { clock, service: bounded(service), calls };
}

describe('reads and cancels', () => {
  it('are fifty at once and no more, and all have their turn, in order', async () => {
    const { clock, service, calls } = boundedService({ callMs: 300 });
    const all = ids.map((jobId, index) => (index % 2 === 0 ? service.read(jobId) : service.cancel(jobId)));
    await clock.until(Promise.all<unknown>(all));
    expect(calls.map(({ jobId }) => jobId)).toEqual(ids);
    expect(mostAtOnce(calls)).toBe(WIDTH);
    expect(clock.now()).toBe(1_200);
  });

  it('that nobody waits for any more when it is their turn are not made', async () => {
    const { clock, service, calls } = boundedService({ callMs: 300 });
    const controller = new AbortController();
    const { signal } = controller;
    const all = ids.map((jobId) => service.read(jobId, { signal }));
    clock.after(100, () => controller.abort());
    const outcomes = await clock.until(Promise.all(all));
    expect(calls).toHaveLength(WIDTH);
    expect(clock.now()).toBe(100);
    expect(outcomes.every(({ kind }) => kind === 'aborted')).toBe(true);
  });

  it('whose time is over when it is their turn are not made', async () => {
    const { clock, service, calls } = boundedService({ callMs: 300 });
    const before = ids.slice(0, WIDTH).map((jobId) => service.read(jobId));
    const withinMs = (): number => 200 - clock.now();
    const late = ids.slice(WIDTH).map((jobId) => service.cancel(jobId, { withinMs }));
    await clock.until(Promise.all(before));
    const outcomes = await clock.until(Promise.all(late));
    expect(calls.map(({ call }) => call)).toEqual(before.map(() => 'read'));
    expect(outcomes.every(({ kind }) => kind === 'aborted')).toBe(true);
  });

  it('keep the end of a settlement although they wait for their turn', async () => {
    const { clock, service, calls } = boundedService({ cancel: () => 'stalls' });
    const settling = {
      service,
      clock,
      random: () => 0.5,
      until: () => 5_000,
      pace: () => ({ attemptMs: 2_000, pauseMs: 1_000 }),
      pollIntervalMs: 30_000,
      hurry: AbortSignal.abort(),
      onTrouble: () => undefined,
      onSeen: () => undefined,
      reads: { done: 0, lastAt: -Infinity },
    };
    const all = await clock.until(Promise.all(ids.map((jobId) => confirmCancel(jobId, settling))));
    expect(all.every(({ kind }) => kind === 'unsettled')).toBe(true);
    expect(clock.now()).toBeLessThanOrEqual(5_000);
    expect(calls.every(({ atMs: at, withinMs = 0 }) => withinMs > 0 && at + withinMs <= 5_000)).toBe(true);
  });

  it('give their places back when they fail', async () => {
    const { service } = fakeService(new VirtualClock());
    const failing = bounded({ ...service, read: () => Promise.reject(new Error('failed')) });
    const outcomes = await Promise.allSettled(ids.map((jobId) => failing.read(jobId)));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  });

  it('do not keep a trigger waiting', async () => {
    const { clock, service, calls } = boundedService({ read: () => 'stalls' });
    const reads = ids.map((jobId) => service.read(jobId));
    const order = { pipelineId: jobNumber(1), fullResync: false, resetTarget: false };
    await clock.until(service.trigger(order, { onSend: () => undefined }));
    expect(clock.now()).toBe(0);
    expect(calls.map(({ call }) => call)).toContain('trigger');
    await clock.until(Promise.all(reads));
  });
});

it('bounds a whole step, also when all its runs are cancelled in one instant', async () => {
  const all = stage({ targets: pipelines(100), script: { callMs: 200 } });
  all.clock.after(60_000, () => all.interrupt());
  await all.play();
  expect(mostAtOnce(all.calls)).toBeLessThanOrEqual(WIDTH + 1);
  expect(all.of('cancel').map(({ at }) => at)).toEqual(
    Array.from({ length: 100 }, (_, index) => (index < WIDTH ? 60_000 : 60_200)),
  );
  expect(all.runs.every(({ status }) => status === 'cancelled')).toBe(true);
});
