import { describe, expect, it } from 'vitest';
import type { RequestTrace } from '../../../../src/service/api.ts';
import type { HttpConnection } from '../../../../src/service/http/connection.ts';
import { createTransport, type Limits } from '../../../../src/service/http/transport.ts';
import { answers, type Step, scriptedWire } from '../../../support/scripted-wire.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const REQUEST = { method: 'GET', url: new URL('https://api.example.test/rest/v1/jobs?id=eq.1'), headers: {} } as const;
const LIMITS: Limits = { deadline: { allMs: 30_000 }, maxBytes: 100 };

function bench(script: readonly Step[]) {
  const clock = new VirtualClock();
  const traces: RequestTrace[] = [];
  const { connection, sent } = scriptedWire(clock, () => script);
  const transport = createTransport({ connection, clock, onTrace: (trace) => traces.push(trace) });
  return { clock, sent, traces, attempt: (limits: Limits = LIMITS) => clock.until(transport(REQUEST, limits)) };
}

describe('an attempt', () => {
  it('collects an answer', async () => {
    const { attempt, clock, sent } = bench([
      { connected: true, ms: 20 },
      { status: 201, headers: { date: 'now' }, ms: 30 },
      { text: '{"a":' },
      { text: '1}', ms: 10 },
      { end: 'complete' },
    ]);
    expect(await attempt()).toEqual({
      kind: 'answered',
      status: 201,
      headers: { date: 'now' },
      text: '{"a":1}',
      body: 'complete',
    });
    expect(clock.now()).toBe(60);
    expect(clock.pending).toBe(0);
    expect(sent[0]?.hungUpAtMs).toBeUndefined();
  });

  it('ends a body that arrives in thousands of tiny chunks, and no other', async () => {
    const chunks = (count: number, text: string): Step[] => [
      { connected: true },
      { status: 200 },
      ...Array.from({ length: count }, (): Step => ({ text })),
      { end: 'complete' },
    ];
    const limits = { ...LIMITS, maxBytes: 300_000 };
    expect(await bench(chunks(2_000, 'x')).attempt(limits)).toMatchObject({ body: 'complete' });
    expect(await bench(chunks(2_001, 'x')).attempt(limits)).toMatchObject({ body: 'too_large' });
    expect(await bench(chunks(3_000, 'x'.repeat(64))).attempt(limits)).toMatchObject({ body: 'complete' });
  });

  it('keeps what came of a body that breaks off, whether the connection ends or fails', async () => {
    const head: Step[] = [{ connected: true }, { status: 200 }, { text: '"abc' }];
    const expected = { kind: 'answered', status: 200, headers: {}, text: '"abc', body: 'cut_off' };
    expect(await bench([...head, { end: 'cut_off' }]).attempt()).toEqual(expected);
    expect(await bench([...head, { failed: { message: 'reset' } }]).attempt()).toEqual(expected);
  });

  it('puts characters together that were cut, and shows bytes that are none', async () => {
    const euro = new TextEncoder().encode('€');
    const { attempt } = bench([
      { connected: true },
      { status: 200 },
      { bytes: euro.subarray(0, 1) },
      { bytes: euro.subarray(1) },
      { bytes: Uint8Array.of(0xff) },
      { end: 'complete' },
    ]);
    expect(await attempt()).toMatchObject({ text: '€\uFFFD' });
  });
});

describe('a deadline', () => {
  it('ends an attempt that never connects, as not connected', async () => {
    const { attempt, clock, sent } = bench([]);
    expect(await attempt()).toEqual({ kind: 'unanswered', connected: false, deadlineMs: 30_000 });
    expect(clock.now()).toBe(30_000);
    expect(sent[0]?.hungUpAtMs).toBe(30_000);
  });

  it('ends an attempt without an answer, as connected', async () => {
    const { attempt } = bench([{ connected: true, ms: 29_000 }]);
    expect(await attempt()).toEqual({ kind: 'unanswered', connected: true, deadlineMs: 30_000 });
  });

  it('covers a body that stalls, and keeps what came of it', async () => {
    const { attempt, clock } = bench([{ connected: true }, { status: 200, ms: 20_000 }, { text: '[' }]);
    expect(await attempt()).toMatchObject({ kind: 'answered', text: '[', body: 'stalled' });
    expect(clock.now()).toBe(30_000);
  });

  it('is not put off by a body that trickles', async () => {
    const trickle = Array.from({ length: 100 }, () => ({ text: ' ', ms: 1_000 }));
    const { attempt, clock } = bench([{ connected: true }, { status: 200 }, ...trickle]);
    expect(await attempt()).toMatchObject({ body: 'stalled' });
    expect(clock.now()).toBe(30_000);
  });

  const split: Limits = { deadline: { connectMs: 15_000, answerMs: 120_000 }, maxBytes: 100 };

  it('in two parts is short until the connection stands', async () => {
    const { attempt, clock } = bench([{ connected: true, ms: 15_001 }]);
    expect(await attempt(split)).toEqual({ kind: 'unanswered', connected: false, deadlineMs: 15_000 });
    expect(clock.now()).toBe(15_000);
  });

  it('in two parts is long from there on', async () => {
    const late = bench([{ connected: true, ms: 14_999 }, ...answers(200, 'ok').slice(1)]);
    expect(await late.attempt(split)).toMatchObject({ kind: 'answered', text: 'ok' });
    const never = bench([{ connected: true, ms: 14_999 }]);
    expect(await never.attempt(split)).toEqual({ kind: 'unanswered', connected: true, deadlineMs: 120_000 });
    expect(never.clock.now()).toBe(134_999);
  });
});

describe('a cap', () => {
  it('ends an answer that is larger, and keeps its beginning', async () => {
    const { attempt, sent, clock } = bench([
      { connected: true },
      { status: 200 },
      { text: 'a'.repeat(60) },
      { text: 'b'.repeat(60) },
      { text: 'c' },
    ]);
    expect(await attempt()).toMatchObject({ body: 'too_large', text: 'a'.repeat(60) + 'b'.repeat(40) });
    expect(sent[0]?.hungUpAtMs).toBe(clock.now());
    expect(clock.pending).toBe(0);
  });

  it('lets an answer of exactly its size pass', async () => {
    const { attempt } = bench(answers(200, 'a'.repeat(100)));
    expect(await attempt()).toMatchObject({ body: 'complete' });
  });
});

describe('a signal', () => {
  it('that is aborted already keeps the request from leaving', async () => {
    const { attempt, sent } = bench(answers(200, []));
    expect(await attempt({ ...LIMITS, signal: AbortSignal.abort() })).toEqual({ kind: 'aborted' });
    expect(sent).toEqual([]);
  });

  it.each([
    ['before the connection stands', []],
    ['before an answer', [{ connected: true } as const]],
    ['in the middle of a body', [{ connected: true } as const, { status: 200 }, { text: '[' }]],
  ])('ends the attempt %s', async (_when, script) => {
    const { attempt, clock, sent } = bench(script);
    const controller = new AbortController();
    clock.after(500, () => controller.abort());
    expect(await attempt({ ...LIMITS, signal: controller.signal })).toEqual({ kind: 'aborted' });
    expect(sent[0]?.hungUpAtMs).toBe(500);
    expect(clock.pending).toBe(0);
  });
});

describe('a signal that only aborts what is not connected yet', () => {
  const untilConnected = (signal: AbortSignal): Limits => ({ ...LIMITS, signal, untilConnected: true });

  it('aborts an attempt that is connecting', async () => {
    const { attempt, clock, sent } = bench([{ connected: true, ms: 5_000 }]);
    const controller = new AbortController();
    clock.after(4_999, () => controller.abort());
    expect(await attempt(untilConnected(controller.signal))).toEqual({ kind: 'aborted' });
    expect(sent[0]?.hungUpAtMs).toBe(4_999);
    expect(clock.pending).toBe(0);
  });

  it('aborts nothing from the event on that reports the connection', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const connection: HttpConnection = (_request, events) => {
      clock.after(5_000, () => {
        events.connected();
        controller.abort();
        events.head(200, {});
        events.end(true);
      });
      return () => undefined;
    };
    const answer = createTransport({ connection, clock })(REQUEST, untilConnected(controller.signal));
    expect(await clock.until(answer)).toMatchObject({ kind: 'answered', status: 200 });
  });

  it('keeps a request from being sent when it is aborted before', async () => {
    const { attempt, sent } = bench(answers(200, []));
    expect(await attempt(untilConnected(AbortSignal.abort()))).toEqual({ kind: 'aborted' });
    expect(sent).toEqual([]);
  });
});

describe('a trace', () => {
  it('tells of each attempt, without host', async () => {
    const { attempt, traces } = bench(answers(503, '', {}).map((step) => ({ ...step, ms: 5 })));
    await attempt({ ...LIMITS, attempt: 2 });
    expect(traces).toEqual([{ method: 'GET', path: '/rest/v1/jobs?id=eq.1', attempt: 2, ms: 20, status: 503 }]);
  });

  it.each<[string, readonly Step[], object]>([
    ['a refusal', [{ failed: { code: 'ECONNREFUSED', message: 'x' } }], { failure: 'not connected: ECONNREFUSED' }],
    ['a deadline', [{ connected: true }], { failure: 'connected: deadline' }],
    ['a cut-off body', [{ status: 200 }, { end: 'cut_off' }], { status: 200, failure: 'body cut off' }],
  ])('says why: %s', async (_what, script, expected) => {
    const { attempt, traces } = bench(script);
    await attempt();
    expect(traces).toEqual([expect.objectContaining(expected)]);
  });
});
