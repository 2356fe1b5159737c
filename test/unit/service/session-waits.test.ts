import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { bench, bootstrap, JOB, ORDER, tokenOf } from '../../support/service.ts';

const MINUTE = 60_000;
const STALLED: readonly Step[] = [];
const RUNNING = answers(200, [{ id: JOB, job_status: 'running', status_message: null }]);
const slowly = (nth: number, ms: number): Step[] => {
  const [first, ...rest] = answers(200, bootstrap({ token: `token-${nth}` }));
  return first === undefined ? rest : [{ ...first, ms }, ...rest];
};

describe('a wait for a token', () => {
  it('without a time of its own lasts as long as the exchange does', async () => {
    const { service, clock } = bench({ exchange: () => slowly(1, 29_000), call: () => RUNNING });
    expect(await clock.until(service.read(JOB))).toMatchObject({ kind: 'job' });
    expect(clock.now()).toBe(29_000);
  });

  it('for an exchange that somebody else began ends with its own time, in words of its own', async () => {
    const { service, clock } = bench({ exchange: () => STALLED });
    void service.connect();
    await clock.advance(500);
    expect(await clock.until(service.cancel(JOB, { withinMs: () => 2_000 }))).toEqual({
      kind: 'not_processed',
      retryable: true,
      problem: { attempted: 'exchange the API key for a token', cause: 'no answer within 2s' },
    });
    expect(clock.now()).toBe(2_500);
  });

  it('leaves no timer and no listener behind, whether there was a token or none', async () => {
    for (const script of [slowly(1, 500), answers(503, '')]) {
      const { service, clock } = bench({ exchange: () => script, call: () => RUNNING });
      const { signal } = new AbortController();
      await clock.until(service.read(JOB, { withinMs: () => 2_000, signal }));
      expect(clock.pending).toBe(0);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    }
  });

  it('of a trigger ends with its signal, and nothing is sent', async () => {
    const { service, clock, calls } = bench({ exchange: () => STALLED });
    const controller = new AbortController();
    clock.after(700, () => controller.abort());
    const sendings: number[] = [];
    const onSend = (): void => {
      sendings.push(clock.now());
    };
    const outcome = await clock.until(service.trigger(ORDER, { onSend, signal: controller.signal }));
    expect(outcome).toEqual({ kind: 'aborted' });
    expect(clock.now()).toBe(700);
    expect(sendings).toEqual([]);
    expect(calls()).toEqual([]);
  });

  it('is for the exchange under way, also after one that it overtook has ended', async () => {
    const { service, clock, exchanges, calls } = bench({
      exchange: (nth) => (nth === 1 ? STALLED : slowly(nth, 1_500)),
      call: () => RUNNING,
    });
    const first = service.connect();
    await clock.advance(29_000);
    const second = service.read(JOB, { withinMs: () => 2_000 });
    await clock.advance(1_000);
    expect(await clock.until(first)).toMatchObject({ kind: 'not_processed' });
    const third = service.read(JOB);
    expect((await clock.until(Promise.all([second, third]))).map(({ kind }) => kind)).toEqual(['job', 'job']);
    expect(exchanges()).toHaveLength(2);
    expect(calls().map(tokenOf)).toEqual(['token-2', 'token-2']);
  });
});

describe('a renewal in the background that fails', () => {
  it('is tried again with the first call that comes 30 s later', async () => {
    const { service, clock, exchanges } = bench({
      exchange: (nth) => (nth === 1 ? slowly(1, 0) : answers(503, '')),
      call: () => RUNNING,
    });
    await clock.until(service.read(JOB));
    await clock.advance(54 * MINUTE);
    await clock.until(service.read(JOB));
    expect(exchanges()).toHaveLength(2);
    await clock.advance(29_999);
    await clock.until(service.read(JOB));
    expect(exchanges()).toHaveLength(2);
    await clock.advance(1);
    await clock.until(service.read(JOB));
    expect(exchanges()).toHaveLength(3);
  });
});
