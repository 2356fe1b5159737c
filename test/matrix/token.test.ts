import { describe, expect, it } from 'vitest';
import { answers, type Step } from '../support/scripted-wire.ts';
import { API_KEY, bootstrap, JOB, tokenOf } from '../support/service.ts';
import { type PlayedStep, playStep, type StepOptions } from '../support/step.ts';
import { FAULTS, type FaultName } from './faults.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** As many statuses as reads at every 30 s take to be over after so long. */
function lasting(ms: number): string[] {
  return [...Array.from({ length: Math.floor(ms / (30 * SECOND)) }, () => 'running'), 'completed'];
}

const long = (ms: number): StepOptions => ({ statuses: lasting(ms), longestMs: 2 * ms + HOUR });

function granting(fields: (nth: number) => Readonly<Record<string, unknown>>) {
  return (nth: number) => answers(200, bootstrap({ token: `token-${nth}`, ...fields(nth) }));
}

function expectSuccess(played: PlayedStep): void {
  expect(played.annotations).toEqual([]);
  expect(played.outputs).toMatchObject({ outcome: 'succeeded', 'job-status': 'completed' });
  expect(played.exitCode).toBe(0);
  expect(played.of('trigger')).toHaveLength(1);
}

describe('a token', () => {
  it('is renewed in time, hour after hour, and each is masked before it is used', async () => {
    const played = await playStep(long(5 * HOUR));
    expectSuccess(played);
    const at = played.of('exchange').map(({ atMs }) => Math.floor(atMs / MINUTE));
    expect(at).toEqual([0, 54, 108, 162, 216, 270]);
    expect(new Set(played.of('read').map(tokenOf)).size).toBe(6);
    expect(played.masked).toEqual([API_KEY, ...at.map((_, index) => `token-${index + 1}`)]);
  });

  it.each([-9, -2, 2, 9, 24 * 365])('does not care for a runner clock that is %i h off', async (hours) => {
    const played = await playStep({ ...long(2 * HOUR), wallOffMs: hours * HOUR });
    expectSuccess(played);
    expect(played.of('exchange')).toHaveLength(3);
  });

  it.each([
    ['long ago', '1999-12-31T23:59:59Z'],
    ['never', '9999-12-31T23:59:59Z'],
    ['a text', 'soon'],
    ['missing', undefined],
  ])('does not care for what expires_at says: %s', async (_what, expires_at) => {
    const played = await playStep({ ...long(2 * HOUR), scripts: { exchange: granting(() => ({ expires_at })) } });
    expectSuccess(played);
    expect(played.of('exchange')).toHaveLength(3);
  });

  it.each([
    ['missing', undefined],
    ['zero', 0],
    ['less than nothing', -3_600],
    ['a text', '3600'],
    ['no number', null],
    ['absurd', 1e300],
    ['more than a day', 86_401],
  ])('with a ttl_seconds that is %s is taken for an hour', async (_what, ttl_seconds) => {
    const played = await playStep({ ...long(2 * HOUR), scripts: { exchange: granting(() => ({ ttl_seconds })) } });
    expectSuccess(played);
    expect(played.of('exchange')).toHaveLength(3);
  });

  it.each([
    ['a minute', 60],
    ['a second', 1],
    ['next to nothing', 0.001],
  ])('with a ttl_seconds of %s is renewed for each read that needs it, and no more often', async (_what, ttl) => {
    const played = await playStep({
      ...long(10 * MINUTE),
      scripts: { exchange: granting(() => ({ ttl_seconds: ttl })) },
    });
    expectSuccess(played);
    const calls = played.sent.length - played.of('exchange').length;
    expect(played.of('exchange').length).toBeLessThanOrEqual(calls + 1);
  });
});

describe('a 401 for a token that is good', () => {
  it('now and then costs one new token each, and nothing else', async () => {
    const played = await playStep({
      ...long(HOUR),
      scripts: { read: (nth) => (nth % 10 === 5 ? answers(401, { message: 'JWT expired' }) : undefined) },
    });
    expectSuccess(played);
    const refused = Math.ceil((played.of('read').length - 4) / 10);
    expect(refused).toBeGreaterThan(5);
    expect(played.of('exchange')).toHaveLength(1 + refused);
  });

  it('at the trigger is answered with a new token, and triggers once', async () => {
    const played = await playStep({
      ...long(MINUTE),
      scripts: { trigger: (nth) => (nth === 1 ? answers(401, { message: 'JWT expired' }) : undefined) },
    });
    expect(played.outputs['outcome']).toBe('succeeded');
    expect(played.of('trigger').map(tokenOf)).toEqual(['token-1', 'token-2']);
    const intents = played.files.text('/files/state').match(/"kind":"intent"/g);
    expect(intents).toHaveLength(2);
  });

  it('for ten minutes is an outage, which passes', async () => {
    const isAway = (ms: number): boolean => ms > 5 * MINUTE && ms < 15 * MINUTE;
    const played = await playStep({
      ...long(30 * MINUTE),
      scripts: { read: (_nth, _usual, { atMs }) => (isAway(atMs) ? answers(401, '') : undefined) },
    });
    expectSuccess(played);
    expect(played.lines.join('\n')).toMatch(/contact restored after \d+m/);
  });

  it('for longer than max-outage loses the run, and says that the token is refused', async () => {
    const played = await playStep({
      ...long(HOUR),
      scripts: { read: (nth) => (nth > 3 ? answers(401, '') : undefined) },
    });
    expect(played.outputs).toMatchObject({ outcome: 'lost', 'job-status': 'running', 'job-id': JOB });
    expect(played.annotations[0]?.message).toContain('rejected a token');
  });
});

const AWAY: readonly FaultName[] = [
  'connection refused',
  'connect never answers',
  'headers never come',
  'body cut off halfway',
  'reset after the request body',
  'not JSON',
  'web page with 200',
  'HTTP 302 to another host',
  'HTTP 403 as a web page',
  'HTTP 404',
  'HTTP 429, Retry-After absurd',
  'HTTP 500',
  'HTTP 502',
  'HTTP 503',
];

describe('an exchange that is away while a renewal is due', () => {
  const away =
    (fault: FaultName, from: number, to: number) =>
    (_nth: number, good: string, { atMs }: { readonly atMs: number }): readonly Step[] | undefined =>
      atMs >= from && atMs < to ? FAULTS[fault](good) : undefined;

  it.each(AWAY)('is not noticed while the old token lasts: %s', async (fault) => {
    const played = await playStep({ ...long(2 * HOUR), scripts: { exchange: away(fault, 50 * MINUTE, 59 * MINUTE) } });
    expectSuccess(played);
    expect(new Set(played.of('read').map(tokenOf)).size).toBe(3);
    const tries = played.of('exchange').filter(({ atMs }) => atMs > MINUTE && atMs < HOUR);
    expect(tries.length).toBeGreaterThan(5);
    expect(tries.length).toBeLessThan(15);
  });

  it.each(AWAY)('is an outage when the old token is over, and passes: %s', async (fault) => {
    const played = await playStep({ ...long(2 * HOUR), scripts: { exchange: away(fault, 50 * MINUTE, 70 * MINUTE) } });
    expectSuccess(played);
    expect(played.lines.join('\n')).toMatch(/Could not exchange the API key for a token.*\n.*contact restored/s);
  });

  it.each(AWAY)('loses the run when it lasts, and leaves it: %s', async (fault) => {
    const played = await playStep({ ...long(3 * HOUR), scripts: { exchange: away(fault, 50 * MINUTE, Infinity) } });
    expect(played.outputs).toMatchObject({ outcome: 'lost', 'job-status': 'running', 'job-id': JOB });
    expect(played.of('cancel')).toEqual([]);
    expect(played.endedAtMs).toBeLessThan(HOUR + 17 * MINUTE);
    expect(played.annotations[0]?.message).toMatch(
      /^Lost contact with run .* Could not exchange the API key for a token: .*; no valid response for 1\dm/,
    );
  });
});

describe('a key that the exchange rejects in the middle', () => {
  const rejections: readonly [string, readonly Step[]][] = [
    ['with 401', answers(401, { message: 'key revoked' })],
    ['by no token', answers(200, { token: null })],
  ];
  const between =
    (rejection: readonly Step[], from: number, to: number) =>
    (_nth: number, _good: string, { atMs }: { readonly atMs: number }): readonly Step[] | undefined =>
      atMs >= from && atMs < to ? rejection : undefined;

  it.each(rejections)('%s has no effect while the current token is valid', async (_how, rejection) => {
    const played = await playStep({
      ...long(2 * HOUR),
      scripts: { exchange: between(rejection, 50 * MINUTE, 59 * MINUTE) },
    });
    expectSuccess(played);
    const tries = played.of('exchange').filter(({ atMs }) => atMs > MINUTE && atMs < HOUR);
    expect(tries.length).toBeGreaterThan(5);
    expect(tries.length).toBeLessThan(15);
  });

  it.each(rejections)('%s is an outage of less than a minute without a token', async (_how, rejection) => {
    const played = await playStep({
      ...long(2 * HOUR),
      scripts: { exchange: between(rejection, 50 * MINUTE, HOUR + 45 * SECOND) },
    });
    expectSuccess(played);
    expect(played.lines.join('\n')).toMatch(/Could not exchange the API key for a token: HTTP.*\n.*contact restored/s);
  });

  it.each(rejections)(
    '%s ends the wait after three rejections over a minute without a token',
    async (_how, rejection) => {
      const played = await playStep({ ...long(3 * HOUR), scripts: { exchange: between(rejection, MINUTE, Infinity) } });
      expect(played.outputs).toMatchObject({ outcome: 'lost', 'job-status': 'running', 'job-id': JOB });
      expect(played.endedAtMs).toBeGreaterThanOrEqual(HOUR + MINUTE);
      expect(played.endedAtMs).toBeLessThanOrEqual(HOUR + 2 * MINUTE);
      expect(played.of('exchange').filter(({ atMs }) => atMs >= HOUR)).toHaveLength(3);
      expect(played.annotations).toHaveLength(1);
      expect(played.annotations[0]?.message).toMatch(
        /Could not exchange the API key .*, 3 times over 1m\.\nIt was not cancelled, and may still be in progress\.\nThe API key is wrong or has been revoked/,
      );
    },
  );

  it.each(rejections)('%s before the first trigger ends the step at once', async (_how, rejection) => {
    const played = await playStep({ scripts: { exchange: () => rejection } });
    expect(played).toMatchObject({ exitCode: 1, endedAtMs: 0 });
    expect(played.of('exchange')).toHaveLength(1);
    expect(played.outputs).toMatchObject({ outcome: 'not_triggered', 'job-status': 'not_queued' });
  });

  it.each(rejections)(
    '%s does not keep the run from being cancelled while the current token is valid',
    async (_how, rejection) => {
      const played = await playStep({
        ...long(3 * HOUR),
        interruptAtMs: 54 * MINUTE + 3 * SECOND,
        scripts: { exchange: between(rejection, MINUTE, Infinity) },
      });
      expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled' });
      expect(played.of('cancel').map(tokenOf)).toEqual(['token-1']);
    },
  );

  it.each(rejections)('%s does not end a cancel that can still succeed', async (_how, rejection) => {
    const stopAt = HOUR + 10 * SECOND;
    const played = await playStep({
      ...long(3 * HOUR),
      interruptAtMs: stopAt,
      scripts: { exchange: between(rejection, 50 * MINUTE, stopAt + 5 * SECOND) },
    });
    expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled' });
    expect(played.endedAtMs).toBeLessThan(stopAt + 9 * SECOND);
  });

  it.each(rejections)('%s is the reason when a cancel runs out of time', async (_how, rejection) => {
    const stopAt = HOUR + 10 * SECOND;
    const played = await playStep({
      ...long(3 * HOUR),
      interruptAtMs: stopAt,
      scripts: { exchange: between(rejection, 50 * MINUTE, Infinity) },
    });
    expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'running' });
    expect(played.endedAtMs).toBeGreaterThan(stopAt + 6 * SECOND);
    expect(played.annotations[0]?.message).toContain('The API key is wrong or has been revoked');
    expect(played.of('exchange').filter(({ atMs }) => atMs >= stopAt).length).toBeLessThan(8);
  });
});
