import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { RequestTrace } from '../../../../src/service/api.ts';
import type { HttpConnection } from '../../../../src/service/http/connection.ts';
import { createTransport, type Limits } from '../../../../src/service/http/transport.ts';
import { answers, type Step, scriptedWire } from '../../../support/scripted-wire.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const REQUEST = { method: 'GET', url: new URL('https://api.example.test/'), headers: {} } as const;
const LIMITS: Limits = { deadline: { allMs: 30_000 }, maxBytes: 100 };
const SPLIT: Limits = { deadline: { connectMs: 15_000, answerMs: 120_000 }, maxBytes: 100 };

function bench(script: readonly Step[]) {
  const clock = new VirtualClock();
  const { connection } = scriptedWire(clock, () => script);
  return { clock, connection };
}

describe('a connection that stands', () => {
  it('has its answer timed from then on, not from the head', async () => {
    const { clock, connection } = bench([
      { connected: true, ms: 10_000 },
      { status: 200, ms: 100_000 },
    ]);
    expect(await clock.until(createTransport({ connection, clock })(REQUEST, SPLIT))).toMatchObject({
      kind: 'answered',
      body: 'stalled',
    });
    expect(clock.now()).toBe(130_000);
  });

  it('is known by a head as well', async () => {
    const { clock, connection } = bench([{ status: 200, ms: 10_000 }, { text: 'ok', ms: 50_000 }, { end: 'complete' }]);
    expect(await clock.until(createTransport({ connection, clock })(REQUEST, SPLIT))).toMatchObject({
      text: 'ok',
      body: 'complete',
    });
  });
});

describe('an answer that is too large', () => {
  it('is hung up once the connection can be, if all of it came before', async () => {
    const clock = new VirtualClock();
    let hungUp = 0;
    const hasty: HttpConnection = (_request, events) => {
      events.connected();
      events.head(200, {});
      events.chunk(new Uint8Array(101));
      return () => {
        hungUp += 1;
      };
    };
    const answer = await clock.until(createTransport({ connection: hasty, clock })(REQUEST, LIMITS));
    expect(answer).toMatchObject({ kind: 'answered', body: 'too_large' });
    expect(hungUp).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('is none without a head', async () => {
    const { clock, connection } = bench([{ connected: true }, { text: 'x'.repeat(200) }, { end: 'cut_off' }]);
    expect(await clock.until(createTransport({ connection, clock })(REQUEST, LIMITS))).toEqual({
      kind: 'unanswered',
      connected: true,
    });
  });
});

describe('a signal that outlives many attempts', () => {
  it.each<[string, readonly Step[]]>([
    ['an answer', answers(200, 'ok')],
    ['a failure', [{ failed: { message: 'odd' } }]],
    ['a deadline', []],
  ])('is not listened to any more after %s', async (_what, script) => {
    const { clock, connection } = bench(script);
    const { signal } = new AbortController();
    await clock.until(createTransport({ connection, clock })(REQUEST, { ...LIMITS, signal }));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a trace', () => {
  it('of a request that was aborted says so, and how long it took', async () => {
    const { clock, connection } = bench([{ connected: true }]);
    const traces: RequestTrace[] = [];
    const transport = createTransport({ connection, clock, onTrace: (trace) => traces.push(trace) });
    await clock.advance(5_000);
    const controller = new AbortController();
    clock.after(700, () => controller.abort());
    await clock.until(transport(REQUEST, { ...LIMITS, signal: controller.signal }));
    expect(traces).toEqual([{ method: 'GET', path: '/', attempt: 1, ms: 700, failure: 'aborted' }]);
  });
});
