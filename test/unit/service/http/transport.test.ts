// Tests the result, deadlines, limits, signal and trace of one attempt in virtual time.
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { RequestTrace } from '../../../../src/service/api.ts';
import { type Answered, createTransport, type Limits } from '../../../../src/service/http/transport.ts';
import { answers, type Step, scriptedWire } from '../../../support/scripted-wire.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const REQUEST = { method: 'GET', url: new URL('https://api.example.test/rest/v1/jobs?id=eq.1'), headers: {} } as const;
const LIMITS: Limits = { deadline: { allMs: 30_000 }, maxBytes: 100 };
const SPLIT: Limits = { deadline: { connectMs: 15_000, answerMs: 120_000 }, maxBytes: 100 };
const CONNECTED: Step = { connected: true };
const HEAD: readonly Step[] = [CONNECTED, { status: 200 }];
const COMPLETE: Step = { end: 'complete' };

/** Makes one attempt, which the signal aborts after `abortAtMs`. */
async function attempt(script: readonly Step[], limits: Partial<Limits> = {}, abortAtMs?: number) {
  const clock = new VirtualClock();
  const traces: RequestTrace[] = [];
  const controller = new AbortController();
  const { signal } = controller;
  const { connection, sent } = scriptedWire(clock, () => script);
  const transport = createTransport({ connection, clock, onTrace: (trace) => traces.push(trace) });
  const stopTimer = abortAtMs === undefined ? undefined : clock.after(abortAtMs, () => controller.abort());
  const answer = await clock.until(transport(REQUEST, { ...LIMITS, signal, ...limits }));
  const atMs = clock.now();
  stopTimer?.();
  // No timer or listener may outlive the attempt, regardless of its result.
  expect(clock.pending).toBe(0);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  return { answer, atMs, traces, sent, hungUpAtMs: sent[0]?.hungUpAtMs };
}

describe('an attempt', () => {
  it('collects a complete response without hanging up', async () => {
    const { answer, atMs, hungUpAtMs } = await attempt([
      { connected: true, ms: 20 },
      { status: 201, headers: { date: 'now' }, ms: 30 },
      { text: '[' },
      { text: '1]', ms: 10 },
      COMPLETE,
    ]);
    expect(answer).toEqual({ kind: 'answered', status: 201, headers: { date: 'now' }, text: '[1]', body: 'complete' });
    expect([atMs, hungUpAtMs]).toEqual([60, undefined]);
  });

  it.each<[string, Step]>([
    ['ends', { end: 'cut_off' }],
    ['fails', { failed: { message: 'reset' } }],
  ])('keeps the part of a body that arrives before the connection %s', async (_how, step) => {
    const { answer } = await attempt([...HEAD, { text: '"abc' }, step]);
    expect(answer).toEqual({ kind: 'answered', status: 200, headers: {}, text: '"abc', body: 'cut_off' });
  });

  it.each<[string, Step, object]>([
    ['ends', COMPLETE, {}],
    ['fails', { failed: { message: 'reset' } }, { error: { message: 'reset' } }],
  ])('without a response head counts as unanswered if the connection %s', async (_how, step, rest) => {
    const isEnough = ({ text }: Answered): boolean => text !== '';
    const { answer } = await attempt([CONNECTED, { text: 'x' }, { text: 'x'.repeat(200) }, step], { isEnough });
    expect(answer).toEqual({ kind: 'unanswered', connected: true, ...rest });
  });

  it.each([
    ['decodes UTF-8 that is split between chunks', [[0xe2], [0x82, 0xac]], '€'],
    ['replaces invalid bytes', [[0xff]], '\uFFFD'],
  ])('%s', async (_what, chunks, text) => {
    const { answer } = await attempt([...HEAD, ...chunks.map((each) => ({ bytes: Uint8Array.from(each) })), COMPLETE]);
    expect(answer).toMatchObject({ text });
  });
});

describe('a deadline', () => {
  const trickle = Array.from({ length: 99 }, (): Step => ({ text: ' ', ms: 1_000 }));

  it.each<[string, readonly Step[], object]>([
    ['stalls during the body', [CONNECTED, { status: 200, ms: 20_000 }, { text: '[' }], { text: '[', body: 'stalled' }],
    ['trickles in', [...HEAD, ...trickle], { body: 'stalled' }],
  ])('ends an attempt whose response %s', async (_what, script, expected) => {
    const { answer, atMs, hungUpAtMs } = await attempt(script);
    expect(answer).toMatchObject(expected);
    expect([atMs, hungUpAtMs]).toEqual([30_000, 30_000]);
  });

  const connectedAt = (ms: number): Step => ({ connected: true, ms });
  const status = (ms: number): Step => ({ status: 200, ms });

  it.each<[string, readonly Step[], number, object]>([
    ['applies the first while connecting', [connectedAt(15_001)], 15_000, { connected: false, deadlineMs: 15_000 }],
    ['starts the second once connected', [connectedAt(14_999)], 134_999, { connected: true, deadlineMs: 120_000 }],
    ['counts the body towards the second', [connectedAt(10_000), status(100_000)], 130_000, { body: 'stalled' }],
    [
      'starts the second with the response if no connection was reported',
      [status(14_999), { ...COMPLETE, ms: 119_999 }],
      134_998,
      { body: 'complete' },
    ],
  ])('with two parts %s', async (_how, script, endsAtMs, expected) => {
    const { answer, atMs } = await attempt(script, SPLIT);
    expect(answer).toMatchObject(expected);
    expect(atMs).toBe(endsAtMs);
  });
});

describe('the body limit', () => {
  it('ends a response that exceeds it, and keeps the beginning', async () => {
    const texts = ['a'.repeat(60), 'b'.repeat(60), 'c'].map((text) => ({ text }));
    const { answer, atMs, hungUpAtMs } = await attempt([...HEAD, ...texts]);
    expect(answer).toMatchObject({ body: 'too_large', text: 'a'.repeat(60) + 'b'.repeat(40) });
    expect(hungUpAtMs).toBe(atMs);
  });

  it('closes a connection that reports an oversized body at once', async () => {
    const steps: readonly Step[] = [...HEAD, { bytes: new Uint8Array(101) }, { text: '' }];
    const script = steps.map((step): Step => ({ ...step, atOnce: true }));
    const { answer, hungUpAtMs } = await attempt(script, { isEnough: () => true });
    expect(answer).toMatchObject({ body: 'too_large' });
    expect(hungUpAtMs).toBe(0);
  });

  it.each([
    [2_000, 1, 'complete'],
    [2_001, 1, 'too_large'],
    [2_001, 31, 'too_large'],
    [2_001, 32, 'complete'],
  ])('also restricts tiny chunks, so a body of %i chunks of length %i is %s', async (count, size, body) => {
    const chunks = Array.from({ length: count }, (): Step => ({ text: 'x'.repeat(size) }));
    const { answer } = await attempt([...HEAD, ...chunks, COMPLETE], { maxBytes: 300_000 });
    expect(answer).toMatchObject({ body });
  });
});

describe('a response whose beginning may suffice', () => {
  const attemptUntilFullStop = async (steps: readonly Step[]) => {
    const asked: Answered[] = [];
    const isEnough = (soFar: Answered): boolean => asked.push(soFar) > 0 && soFar.text.endsWith('.');
    const { answer, atMs } = await attempt([CONNECTED, ...steps], { maxBytes: 10_000, isEnough });
    return { answer, atMs, asked, text: asked.map(({ text }) => text).join('|') };
  };
  const head: Step = { status: 200, headers: { date: 'now' } };

  it('is checked after each chunk until it suffices', async () => {
    const { asked, text } = await attemptUntilFullStop([head, { text: 'a' }, { text: 'b.' }, { text: 'c' }]);
    expect(text).toBe('a|ab.');
    expect(asked[0]).toEqual({ kind: 'answered', status: 200, headers: { date: 'now' }, body: 'complete', text: 'a' });
  });

  it.each<[string, readonly Step[], number, object]>([
    ['is cut 100 ms after it suffices', [{ text: 'a.' }, { ms: 60, text: ' ' }], 100, { text: 'a. ', body: 'stalled' }],
    ['is complete if it ends within 100 ms', [{ text: 'a.' }, { ms: 99, end: 'complete' }], 99, { body: 'complete' }],
    ['suffices with 1,024 bytes', [{ text: `${'a'.repeat(1_023)}.` }], 100, { body: 'stalled' }],
    ['does not suffice with 1,025 bytes', [{ text: `${'a'.repeat(1_024)}.` }], 30_000, { body: 'stalled' }],
  ])('%s', async (_what, steps, endsAtMs, expected) => {
    const { answer, atMs } = await attemptUntilFullStop([head, ...steps]);
    expect(answer).toMatchObject(expected);
    expect(atMs).toBe(endsAtMs);
  });
});

describe('a signal', () => {
  it.each([false, true])('that is already aborted prevents a request (untilConnected: %s)', async (untilConnected) => {
    const { answer, sent, traces } = await attempt(answers(200, []), { signal: AbortSignal.abort(), untilConnected });
    expect(answer).toEqual({ kind: 'aborted' });
    expect([sent, traces]).toEqual([[], []]);
  });

  it.each<[string, readonly Step[]]>([
    ['before the connection is established', []],
    ['before a response arrives', [CONNECTED]],
    ['in the middle of a body', [...HEAD, { text: '[' }]],
  ])('aborts an attempt %s, and the trace contains the duration', async (_when, script) => {
    const { answer, hungUpAtMs, traces } = await attempt(script, {}, 500);
    expect(answer).toEqual({ kind: 'aborted' });
    expect(hungUpAtMs).toBe(500);
    expect(traces).toEqual([expect.objectContaining({ attempt: 1, ms: 500, failure: 'aborted' })]);
  });

  it.each([
    ['aborts an attempt before', 4_999, { answer: { kind: 'aborted' }, hungUpAtMs: 4_999 }],
    ['does not abort an attempt after', 5_001, { answer: { status: 200 }, hungUpAtMs: undefined }],
  ])('%s the connection is established if untilConnected is set', async (_what, abortAtMs, expected) => {
    const script: Step[] = [{ connected: true, ms: 5_000 }, { status: 200, ms: 1_000 }, COMPLETE];
    expect(await attempt(script, { untilConnected: true }, abortAtMs)).toMatchObject(expected);
  });
});

describe('a trace', () => {
  it('contains the method, path, attempt, duration and status, but not the host', async () => {
    const script = answers(503, '').map((step) => ({ ...step, ms: 5 }));
    const { traces } = await attempt(script, { attempt: 2 });
    expect(traces).toEqual([{ method: 'GET', path: '/rest/v1/jobs?id=eq.1', attempt: 2, ms: 20, status: 503 }]);
  });

  it.each<[string, readonly Step[], object]>([
    ['an error', [{ failed: { code: 'ECONNREFUSED', message: 'x' } }], { failure: 'not connected: ECONNREFUSED' }],
    ['an error without code', [CONNECTED, { failed: { message: 'odd\nthing' } }], { failure: 'connected: odd thing' }],
    ['a deadline', [CONNECTED], { failure: 'connected: deadline' }],
    ['a cut-off body', [{ status: 200 }, { end: 'cut_off' }], { status: 200, failure: 'body cut off' }],
  ])('reports %s as the reason for a failure', async (_what, script, expected) => {
    const { traces } = await attempt(script);
    expect(traces).toEqual([expect.objectContaining(expected)]);
  });
});
