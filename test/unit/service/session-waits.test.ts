import { describe, expect, it } from 'vitest';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { bench, bootstrap, JOB, tokenOf } from '../../support/service.ts';

const STALLED: readonly Step[] = [];
const RUNNING = answers(200, [{ id: JOB, job_status: 'running', status_message: null }]);
const granted = (nth: number, fields = {}): Step[] => answers(200, bootstrap({ token: `token-${nth}`, ...fields }));

describe('a caller with little time', () => {
  it('does not wait for a renewal that has stalled, but starts its own', async () => {
    const { service, clock, exchanges, calls } = bench({
      exchange: (nth) => (nth === 1 ? STALLED : granted(nth)),
      call: () => RUNNING,
    });
    const slow = service.read(JOB);
    await clock.advance(2_000);
    expect(await clock.until(service.cancel(JOB, { withinMs: () => 2_000 }))).toMatchObject({ kind: 'job' });
    expect(clock.now()).toBe(2_000);
    expect(exchanges()).toHaveLength(2);
    expect(tokenOf(calls()[0])).toBe('token-2');
    // It goes on with the token that the other one has brought.
    expect(await clock.until(slow)).toMatchObject({ kind: 'job' });
  });

  it('joins a renewal that is younger than its own time, and shares its own with others', async () => {
    const { service, clock, exchanges } = bench({
      exchange: (nth) => (nth === 1 ? STALLED : granted(nth).map((step) => ({ ...step, ms: 300 }))),
      call: () => RUNNING,
    });
    void service.connect();
    await clock.advance(1_999);
    const early = service.cancel(JOB, { withinMs: () => 2_000 });
    await clock.advance(1);
    const late = [1, 2, 3].map(() => service.cancel(JOB, { withinMs: () => 2_000 }));
    expect((await clock.until(Promise.all(late))).map(({ kind }) => kind)).toEqual(['job', 'job', 'job']);
    expect(await clock.until(early)).toMatchObject({ kind: 'not_processed' });
    expect(clock.now()).toBe(3_999);
    expect(exchanges()).toHaveLength(2);
  });

  it('is told after its own time that there is no token', async () => {
    const { service, clock, calls } = bench({ exchange: () => STALLED });
    expect(await clock.until(service.cancel(JOB, { withinMs: () => 2_000 }))).toMatchObject({
      kind: 'not_processed',
      retryable: true,
    });
    expect(clock.now()).toBe(2_000);
    expect(calls()).toEqual([]);
  });

  it('has its own deadline for the request', async () => {
    const { service, clock } = bench({ call: () => STALLED });
    expect(await clock.until(service.cancel(JOB, { withinMs: () => 2_000 }))).toMatchObject({
      kind: 'not_processed',
      problem: { cause: 'no connection to api.example.test within 2s' },
    });
    expect(clock.now()).toBe(2_000);
  });

  it('does not get an older token back when the stalled renewal answers at last', async () => {
    const { service, clock, calls } = bench({
      exchange: (nth) => granted(nth).map((step) => ({ ...step, ms: nth === 1 ? 2_500 : 0 })),
      call: () => RUNNING,
    });
    void service.connect();
    await clock.advance(5_000);
    await clock.until(service.cancel(JOB, { withinMs: () => 2_000 }));
    await clock.advance(20_000);
    await clock.until(service.cancel(JOB, { withinMs: () => 2_000 }));
    expect(calls().map(tokenOf)).toEqual(['token-2', 'token-2']);
  });
});

describe("a caller's signal", () => {
  it('ends its wait, but not the renewal that others wait for', async () => {
    const { service, clock, sent } = bench({
      exchange: () => granted(1).map((step) => ({ ...step, ms: 1_000 })),
      call: () => RUNNING,
    });
    const controller = new AbortController();
    const impatient = service.read(JOB, { signal: controller.signal });
    const patient = service.read(JOB);
    await clock.advance(500);
    controller.abort();
    expect(await clock.until(impatient)).toEqual({ kind: 'aborted' });
    expect(clock.now()).toBe(500);
    expect(await clock.until(patient)).toMatchObject({ kind: 'job' });
    expect(sent[0]?.hungUpAtMs).toBeUndefined();
  });

  it('that is aborted already sends nothing', async () => {
    const { service, clock, sent } = bench({});
    const signal = AbortSignal.abort();
    expect(await clock.until(service.read(JOB, { signal }))).toEqual({ kind: 'aborted' });
    expect(await clock.until(service.connect({ signal }))).toEqual({ kind: 'aborted' });
    expect(sent).toEqual([]);
  });
});
