// Plays whole steps that last for hours, with token renewals, rejected tokens and failing exchanges.
import { describe, expect, it } from 'vitest';
import { EXCHANGE } from '../../../src/service/exchange.ts';
import type { FaultName } from '../../support/faults.ts';
import { meeting } from '../../support/meeting.ts';
import type { Step } from '../../support/scripted-wire.ts';
import { API_KEY, JOB, tokenOf } from '../../support/service.ts';
import { type PlayedStep, playStep, type Script, type StepOptions } from '../../support/step.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

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

it('a token is renewed each time before it expires, and is masked', async () => {
  const played = await playLong(5 * HOUR);
  expectSuccess(played);
  const minutes = played.of('exchange').map(({ atMs }) => Math.floor(atMs / MINUTE));
  expect(minutes).toEqual([0, 54, 108, 162, 216, 270]);
  expect(new Set(played.of('read').map(tokenOf)).size).toBe(6);
  expect(played.masked).toEqual([API_KEY, ...minutes.map((_, index) => `token-${index + 1}`)]);
});

it('a rejection of a valid token counts as an outage if it recurs for ten minutes', async () => {
  const read = between(5 * MINUTE, 15 * MINUTE, meeting('denied'));
  const played = await playLong(30 * MINUTE, { scripts: { read } });
  expectSuccess(played);
  expect(played.log).toContain('contact restored');
});

const FAILURES: readonly FaultName[] = ['refused', 'no_response', 'html_ok', 'http_503'];

describe('a token renewal', () => {
  it.each(FAILURES)('that meets the fault "%s" counts as an outage once the token has expired', async (fault) => {
    const played = await playLong(2 * HOUR, {
      scripts: { exchange: between(50 * MINUTE, 70 * MINUTE, meeting(fault)) },
    });
    expectSuccess(played);
    expect(played.log).toMatch(new RegExp(`${EXCHANGE}.*\n.*contact restored`, 's'));
  });

  it.each(FAILURES)(
    'that meets the fault "%s" for longer than max-outage makes the step lose the run without cancelling it',
    async (fault) => {
      const played = await playLong(3 * HOUR, {
        scripts: { exchange: between(50 * MINUTE, Infinity, meeting(fault)) },
      });
      expect(played.outputs).toMatchObject({ outcome: 'lost', 'job-status': 'running', 'job-id': JOB });
      expect(played.of('cancel')).toEqual([]);
      expect(played.endedAtMs).toBeLessThan(HOUR + 17 * MINUTE);
      expect(played.annotations[0]?.message).toContain(EXCHANGE);
    },
  );
});

describe.each(['denied', 'null_token'] as const)('a key rejection by the fault "%s"', (fault) => {
  const stopAtMs = HOUR + 10 * SECOND;
  const rejected = (from: number, to: number, options: StepOptions = {}) =>
    playLong(3 * HOUR, { ...options, scripts: { exchange: between(from, to, meeting(fault, 'exchange')) } });

  it('makes the step lose the run if it recurs for a minute after the token has expired', async () => {
    const played = await rejected(MINUTE, Infinity);
    expect(played.outputs).toMatchObject({ outcome: 'lost', 'job-status': 'running', 'job-id': JOB });
    expect(played.endedAtMs).toBeGreaterThanOrEqual(HOUR + MINUTE);
    expect(played.endedAtMs).toBeLessThanOrEqual(HOUR + 2 * MINUTE);
    expect(played.of('exchange').filter(({ atMs }) => atMs >= HOUR)).toHaveLength(3);
    expect(played.annotations).toHaveLength(1);
    expect(played.annotations[0]?.message).toMatch(/3 times over 1m.*revoked/s);
  });

  it('does not prevent a later retry of a cancel', async () => {
    const played = await rejected(50 * MINUTE, stopAtMs + 5 * SECOND, { interruptAtMs: stopAtMs });
    expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled' });
    expect(played.endedAtMs).toBeLessThan(stopAtMs + 9 * SECOND);
  });

  it('is reported as the cause if a cancel times out', async () => {
    const played = await rejected(50 * MINUTE, Infinity, { interruptAtMs: stopAtMs });
    expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'running' });
    expect(played.endedAtMs).toBeGreaterThan(stopAtMs + 6 * SECOND);
    expect(played.annotations[0]?.message).toContain('revoked');
    expect(played.of('exchange').filter(({ atMs }) => atMs >= stopAtMs).length).toBeLessThan(8);
  });
});
