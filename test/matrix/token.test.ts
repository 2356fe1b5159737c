// Plays whole steps that last for hours, with token renewals, failing exchanges and complete outages.
import { describe, expect, it } from 'vitest';
import { EXCHANGE } from '../../src/service/exchange.ts';
import { answers, type Step } from '../support/scripted-wire.ts';
import { API_KEY, JOB, tokenOf } from '../support/service.ts';
import { type PlayedStep, playStep, type Script, type StepOptions } from '../support/step.ts';
import { FAULTS, type FaultName } from './faults.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const UNAUTHORIZED = answers(401, { message: 'JWT expired' });

/** Plays a step whose run completes after this duration, with a read every 30 s. */
function playLong(ms: number, options: StepOptions = {}): Promise<PlayedStep> {
  const running = Array.from({ length: Math.floor(ms / (30 * SECOND)) }, () => 'running');
  return playStep({ statuses: [...running, 'completed'], longestMs: 2 * ms + HOUR, ...options });
}

/** Changes the response to requests between two times. */
const between =
  (from: number, to: number, answer: (good: string) => readonly Step[]): Script =>
  (_nth, good, { atMs }) =>
    atMs >= from && atMs < to ? answer(good) : undefined;

function expectSuccess(played: PlayedStep): void {
  expect(played.annotations).toEqual([]);
  expect(played.outputs).toMatchObject({ outcome: 'succeeded', 'job-status': 'completed' });
  expect(played).toMatchObject({ exitCode: 0, timersLeft: 0 });
  expect(played.of('trigger')).toHaveLength(1);
  expect(played.of('cancel')).toEqual([]);
}

describe('a token', () => {
  it('is renewed before it expires, hour after hour, and masked before it is used', async () => {
    const played = await playLong(5 * HOUR);
    expectSuccess(played);
    const minutes = played.of('exchange').map(({ atMs }) => Math.floor(atMs / MINUTE));
    expect(minutes).toEqual([0, 54, 108, 162, 216, 270]);
    expect(new Set(played.of('read').map(tokenOf)).size).toBe(6);
    expect(played.masked).toEqual([API_KEY, ...minutes.map((_, index) => `token-${index + 1}`)]);
  });
});

describe('a 401 for a valid token', () => {
  it('makes a trigger record another intent and repeat its request', async () => {
    const trigger: Script = (nth) => (nth === 1 ? UNAUTHORIZED : undefined);
    const played = await playLong(MINUTE, { scripts: { trigger } });
    expect(played.outputs['outcome']).toBe('succeeded');
    expect(played.of('trigger').map(tokenOf)).toEqual(['token-1', 'token-2']);
    expect(played.facts.match(/intent/g)).toHaveLength(2);
  });

  it('counts as an outage if it lasts for ten minutes', async () => {
    const read = between(5 * MINUTE, 15 * MINUTE, () => UNAUTHORIZED);
    const played = await playLong(30 * MINUTE, { scripts: { read } });
    expectSuccess(played);
    expect(played.log).toContain('contact restored');
  });

  it('loses the run if it lasts longer than max-outage', async () => {
    const played = await playLong(HOUR, { scripts: { read: between(MINUTE, Infinity, () => UNAUTHORIZED) } });
    expect(played.outputs).toMatchObject({ outcome: 'lost', 'job-status': 'running', 'job-id': JOB });
    expect(played.annotations[0]?.message).toContain('rejected a token');
  });
});

const FAILURES: readonly FaultName[] = ['connection refused', 'headers never come', 'web page with 200', 'HTTP 503'];

describe('an exchange that fails when a renewal is due', () => {
  it.each(FAILURES)('counts as an outage once the old token has expired (%s)', async (fault) => {
    const played = await playLong(2 * HOUR, {
      scripts: { exchange: between(50 * MINUTE, 70 * MINUTE, FAULTS[fault]) },
    });
    expectSuccess(played);
    expect(played.log).toMatch(new RegExp(`${EXCHANGE}.*\n.*contact restored`, 's'));
  });

  it.each(FAILURES)('loses the run without a cancel if it never recovers (%s)', async (fault) => {
    const played = await playLong(3 * HOUR, { scripts: { exchange: between(50 * MINUTE, Infinity, FAULTS[fault]) } });
    expect(played.outputs).toMatchObject({ outcome: 'lost', 'job-status': 'running', 'job-id': JOB });
    expect(played.of('cancel')).toEqual([]);
    expect(played.endedAtMs).toBeLessThan(HOUR + 17 * MINUTE);
    expect(played.annotations[0]?.message).toContain(EXCHANGE);
  });
});

describe.each<[string, readonly Step[]]>([
  ['HTTP 401', answers(401, { message: 'key revoked' })],
  ['a token that is null', answers(200, { token: null })],
])('a rejected key (%s)', (_how, rejection) => {
  const stopAtMs = HOUR + 10 * SECOND;
  const rejected = (from: number, to: number, options: StepOptions = {}) =>
    playLong(3 * HOUR, { ...options, scripts: { exchange: between(from, to, () => rejection) } });

  it('fails the step at once before the first trigger', async () => {
    const played = await rejected(0, Infinity);
    expect(played).toMatchObject({ exitCode: 1, endedAtMs: 0, calls: 'exchange' });
    expect(played.outputs).toMatchObject({ outcome: 'not_triggered', 'job-status': 'not_queued' });
  });

  it('counts as an outage if the step is without a token for less than a minute', async () => {
    const played = await rejected(50 * MINUTE, HOUR + 45 * SECOND);
    expectSuccess(played);
    expect(played.log).toMatch(new RegExp(`${EXCHANGE}: HTTP.*\n.*contact restored`, 's'));
  });

  it('loses the run after three rejections over a minute without a valid token', async () => {
    const played = await rejected(MINUTE, Infinity);
    expect(played.outputs).toMatchObject({ outcome: 'lost', 'job-status': 'running', 'job-id': JOB });
    expect(played.endedAtMs).toBeGreaterThanOrEqual(HOUR + MINUTE);
    expect(played.endedAtMs).toBeLessThanOrEqual(HOUR + 2 * MINUTE);
    expect(played.of('exchange').filter(({ atMs }) => atMs >= HOUR)).toHaveLength(3);
    expect(played.annotations).toHaveLength(1);
    expect(played.annotations[0]?.message).toMatch(/3 times over 1m.*revoked/s);
  });

  it('does not prevent a cancel while the current token is valid', async () => {
    const played = await rejected(MINUTE, Infinity, { interruptAtMs: 54 * MINUTE + 3 * SECOND });
    expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled' });
    expect(played.of('cancel').map(tokenOf)).toEqual(['token-1']);
  });

  it('does not end a cancel that can still succeed', async () => {
    const played = await rejected(50 * MINUTE, stopAtMs + 5 * SECOND, { interruptAtMs: stopAtMs });
    expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled' });
    expect(played.endedAtMs).toBeLessThan(stopAtMs + 9 * SECOND);
  });

  it('is reported as the cause if a cancel runs out of time', async () => {
    const played = await rejected(50 * MINUTE, Infinity, { interruptAtMs: stopAtMs });
    expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'running' });
    expect(played.endedAtMs).toBeGreaterThan(stopAtMs + 6 * SECOND);
    expect(played.annotations[0]?.message).toContain('revoked');
    expect(played.of('exchange').filter(({ atMs }) => atMs >= stopAtMs).length).toBeLessThan(8);
  });
});

describe('a run of a day', () => {
  /** The minutes between which all calls, exchanges or reads fail, and the fault that they meet. */
  const OUTAGES: readonly (readonly [number, number, 'all' | 'exchange' | 'read', FaultName])[] = [
    [95, 104, 'all', 'connection refused'],
    [161, 170, 'exchange', 'web page with 200'],
    [210, 224, 'read', 'HTTP 503'],
    [377, 386, 'all', 'connect never answers'],
    [431, 445, 'exchange', 'HTTP 502'],
    [600, 613, 'read', "another run's row"],
    [702, 711, 'all', 'DNS: no answer'],
    [915, 927, 'read', 'HTTP 401'],
    [1_000, 1_001, 'all', 'TLS: certificate expired'],
    [1_190, 1_204, 'all', 'headers never come'],
    [1_377, 1_391, 'exchange', 'HTTP 429, Retry-After absurd'],
  ];
  const failing =
    (call: 'exchange' | 'read'): Script =>
    (_nth, good, { atMs }) => {
      const minute = atMs / MINUTE;
      const outage = OUTAGES.find(([from, to, what]) => minute >= from && minute < to && [call, 'all'].includes(what));
      if (outage !== undefined) return FAULTS[outage[3]](good);
      return atMs < 24 * HOUR ? undefined : answers(200, good.replace('"running"', '"completed"'));
    };

  it('succeeds despite eleven outages, with a bounded number of requests and log lines', async () => {
    let nth = 0;
    const random = (): number => (nth++ * 0.7) % 1;
    const scripts = { exchange: failing('exchange'), read: failing('read') };
    const played = await playStep({ statuses: ['running'], scripts, longestMs: 48 * HOUR, random });
    expectSuccess(played);
    expect(Number(played.outputs['duration'])).toBeCloseTo((24 * HOUR) / SECOND, -2);
    const reads = played.of('read');
    const tokens = new Set(reads.map(tokenOf)).size;
    expect(tokens).toBeGreaterThanOrEqual(24);
    // While the service rejects every token with 401, each read requests a new token.
    expect(tokens).toBeLessThan(90);
    // The step repeats a read immediately after a 401.
    const repeated = reads.filter(({ atMs }, at) => atMs - (reads[at - 1]?.atMs ?? -Infinity) < 30 * SECOND);
    expect(repeated.length).toBeLessThan(30);
    expect(reads.length).toBeGreaterThan(2_700);
    expect(reads.length).toBeLessThan(2_950);
    const restored = played.lines.filter((line) => line.includes('contact restored'));
    expect(restored.length).toBeGreaterThanOrEqual(7);
    expect(restored.length).toBeLessThanOrEqual(OUTAGES.length);
    expect(played.lines.length).toBeLessThan(500);
  });
});
