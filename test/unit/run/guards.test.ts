// Tests the limit for concurrent reads and cancels, which wait in a queue once fifty of them are in flight.
import { describe, expect, it } from 'vitest';
import { bounded } from '../../../src/run/guards.ts';
import { fakeService, jobNumber, pipelines, type ServiceScript } from '../../support/fake-service.ts';
import { ORDER } from '../../support/service.ts';
import { playStep } from '../../support/step.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const ids = Array.from({ length: 200 }, (_, index) => jobNumber(index + 1));

function boundedService(script: ServiceScript) {
  const clock = new VirtualClock();
  const { service, calls } = fakeService(clock, script);
  return { clock, service: bounded(service), calls };
}

describe('the limit for concurrent reads and cancels', () => {
  it('is fifty, and calls are made in order', async () => {
    const { clock, service, calls } = boundedService({ callMs: 300 });
    await clock.until(
      Promise.all<unknown>(ids.map((id, index) => (index % 2 === 0 ? service.read(id) : service.cancel(id)))),
    );
    expect(calls.map(({ jobId }) => jobId)).toEqual(ids);
    expect(calls.map(({ atMs }) => atMs)).toEqual(ids.map((_, index) => Math.floor(index / 50) * 300));
  });

  it('makes a call wait, and the call is dropped if it is aborted meanwhile', async () => {
    const { clock, service, calls } = boundedService({ callMs: 300 });
    const controller = new AbortController();
    clock.after(100, () => controller.abort());
    const outcomes = await clock.until(Promise.all(ids.map((id) => service.read(id, { signal: controller.signal }))));
    expect([calls.length, clock.now()]).toEqual([50, 100]);
    expect(outcomes.every(({ kind }) => kind === 'aborted')).toBe(true);
  });

  it('makes a call wait, and the call is dropped if it runs out of time meanwhile', async () => {
    const { clock, service, calls } = boundedService({ callMs: 300 });
    const reads = ids.slice(0, 50).map((id) => service.read(id));
    const late = ids.slice(50).map((id) => service.cancel(id, { withinMs: () => 300 - clock.now() }));
    await clock.until(Promise.all(reads));
    const outcomes = await clock.until(Promise.all(late));
    expect(calls.filter(({ call }) => call === 'cancel')).toEqual([]);
    expect(outcomes.every(({ kind }) => kind === 'aborted')).toBe(true);
  });

  it('does not block later calls if earlier calls throw', async () => {
    const made: string[] = [];
    const read = (id: string) => {
      made.push(id);
      return Promise.reject(new Error('failed'));
    };
    const { service } = fakeService(new VirtualClock());
    const failing = bounded({ ...service, read });
    await Promise.allSettled(ids.map((id) => failing.read(id)));
    expect(made).toEqual(ids);
  });

  it('does not apply to triggers', async () => {
    const { clock, service } = boundedService({ read: () => 'stalls' });
    const reads = ids.map((id) => service.read(id));
    await clock.until(service.trigger(ORDER, { onSend: () => undefined }));
    expect(clock.now()).toBe(0);
    await clock.until(Promise.all(reads));
  });

  it('makes a step cancel a hundred runs in two batches', async () => {
    const { made, statuses } = await playStep({
      inputs: { pipeline: pipelines(100) },
      service: { callMs: 200 },
      interruptAtMs: 60_000,
    });
    const cancels = made('cancel');
    expect(cancels.map(({ atMs }) => atMs)).toEqual(cancels.map((_, index) => (index < 50 ? 60_000 : 60_200)));
    expect(statuses.match(/cancelled/g)).toHaveLength(100);
  });
});
