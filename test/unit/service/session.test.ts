import { describe, expect, it } from 'vitest';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { bench, bootstrap, JOB, ORDER, tokenOf } from '../../support/service.ts';

const MINUTE = 60_000;
const AWAY: readonly Step[] = [{ ms: 10, failed: { code: 'ECONNREFUSED', message: 'refused' } }];
const RUNNING = answers(200, [{ id: JOB, job_status: 'running', status_message: null }]);
const refused = answers(401, { message: 'Invalid API key' });
const granted = (nth: number, fields = {}): Step[] => answers(200, bootstrap({ token: `token-${nth}`, ...fields }));

describe('a token', () => {
  it('is exchanged once for many calls at once', async () => {
    const { service, clock, exchanges, calls, secrets } = bench({ call: () => RUNNING });
    const reads = Promise.all([service.connect(), service.read(JOB), service.read(JOB), service.list()]);
    await clock.until(reads);
    expect(exchanges()).toHaveLength(1);
    expect(calls().map(tokenOf)).toEqual(['token-1', 'token-1', 'token-1']);
    expect(secrets).toEqual(['token-1']);
  });

  it('is told to be masked before it is used', async () => {
    const { service, clock, secrets } = bench({
      call: () => {
        expect(secrets).toEqual(['token-1']);
        return RUNNING;
      },
    });
    await clock.until(service.read(JOB));
    expect.assertions(1);
  });

  it('is renewed in the background at 90 % of its life, by the monotonic clock', async () => {
    const { service, clock, exchanges, calls } = bench({
      exchange: (nth) => (nth === 1 ? granted(1) : granted(nth).map((step) => ({ ...step, ms: 1_000 }))),
      call: () => RUNNING,
    });
    await clock.until(service.read(JOB));
    clock.shiftWall(10 * 60 * MINUTE);
    await clock.advance(54 * MINUTE - 1);
    await clock.until(service.read(JOB));
    expect(exchanges()).toHaveLength(1);
    await clock.advance(1);
    const before = clock.now();
    await clock.until(service.read(JOB));
    expect(clock.now()).toBe(before);
    expect(tokenOf(calls().at(-1))).toBe('token-1');
    expect(exchanges()).toHaveLength(2);
    await clock.advance(10_000);
    await clock.until(service.read(JOB));
    expect(tokenOf(calls().at(-1))).toBe('token-2');
    expect(exchanges()).toHaveLength(2);
  });

  it('is waited for once the old one has expired', async () => {
    const { service, clock, calls } = bench({ call: () => RUNNING });
    await clock.until(service.read(JOB));
    await clock.advance(60 * MINUTE);
    await clock.until(service.read(JOB));
    expect(calls().map(tokenOf)).toEqual(['token-1', 'token-2']);
  });

  it.each([0, -5, 'soon', null, undefined, Number.NaN, 86_401, 1e12, '3600'])(
    'with a lifetime of %s is taken to live an hour',
    async (ttl) => {
      const { service, clock, exchanges } = bench({
        exchange: (nth) => granted(nth, { ttl_seconds: ttl }),
        call: () => RUNNING,
      });
      await clock.until(service.read(JOB));
      await clock.advance(53 * MINUTE);
      await clock.until(service.read(JOB));
      expect(exchanges()).toHaveLength(1);
      await clock.advance(MINUTE);
      await clock.until(service.read(JOB));
      expect(exchanges()).toHaveLength(2);
    },
  );

  it('with a short lifetime is renewed in time', async () => {
    const { service, clock, exchanges } = bench({
      exchange: (nth) => granted(nth, { ttl_seconds: 600 }),
      call: () => RUNNING,
    });
    await clock.until(service.read(JOB));
    await clock.advance(9 * MINUTE);
    await clock.until(service.read(JOB));
    expect(exchanges()).toHaveLength(2);
  });

  it('that is good for zero still serves the call it was exchanged for', async () => {
    const { service, clock } = bench({
      exchange: (nth) => granted(nth, { ttl_seconds: 0.001 }).map((step) => ({ ...step, ms: 100 })),
      call: () => RUNNING,
    });
    expect(await clock.until(service.read(JOB))).toMatchObject({ kind: 'job' });
  });
});

describe('a renewal that fails', () => {
  it.each<[string, readonly Step[]]>([
    ['no connection', AWAY],
    ['HTTP 503', answers(503, 'away')],
    ['a maintenance page', answers(200, '<html><title>Maintenance</title>', { 'content-type': 'text/html' })],
    ['HTTP 403', answers(403, { message: 'not now' })],
  ])('because of %s leaves the old token in use, and is tried again after 30 s', async (_why, away) => {
    const { service, clock, exchanges, calls } = bench({
      exchange: (nth) => (nth === 1 ? granted(1) : away),
      call: () => RUNNING,
    });
    await clock.until(service.read(JOB));
    await clock.advance(54 * MINUTE);
    for (let second = 0; second < 60; second += 5) {
      expect(await clock.until(service.read(JOB))).toMatchObject({ kind: 'job' });
      await clock.advance(5_000);
    }
    expect(exchanges()).toHaveLength(3);
    expect(new Set(calls().map(tokenOf))).toEqual(new Set(['token-1']));
  });

  it.each<[string, readonly Step[]]>([
    ['no connection', AWAY],
    ['HTTP 503', answers(503, 'away')],
    ['a maintenance page', answers(200, '<html>', { 'content-type': 'text/html' })],
  ])('because of %s is an outage once the old token is dead: nothing was processed', async (_why, away) => {
    const { service, clock, calls } = bench({
      exchange: (nth) => (nth === 1 ? granted(1) : away),
      call: () => RUNNING,
    });
    await clock.until(service.read(JOB));
    await clock.advance(61 * MINUTE);
    for (const outcome of [
      service.read(JOB),
      service.cancel(JOB),
      service.list(),
      service.trigger(ORDER, { onSend: () => {} }),
    ]) {
      expect(await clock.until(outcome)).toMatchObject({
        kind: 'not_processed',
        retryable: true,
        problem: { attempted: 'exchange the API key for a token' },
      });
    }
    expect(calls()).toHaveLength(1);
  });

  it('is tried again at once for a call that has no token', async () => {
    const { service, clock, exchanges } = bench({
      exchange: (nth) => (nth === 3 ? granted(3) : AWAY),
      call: () => RUNNING,
    });
    expect(await clock.until(service.read(JOB))).toMatchObject({ kind: 'not_processed' });
    expect(await clock.until(service.read(JOB))).toMatchObject({ kind: 'not_processed' });
    expect(await clock.until(service.read(JOB))).toMatchObject({ kind: 'job' });
    expect(exchanges()).toHaveLength(3);
  });
});

describe('a rejected key', () => {
  const rejections: readonly [string, readonly Step[]][] = [
    ['401', refused],
    ['no token', answers(200, { token: null })],
  ];

  it.each(rejections)('(%s) is reported, and asked about again after two seconds', async (_how, rejection) => {
    const { service, clock, exchanges, calls } = bench({
      exchange: (nth) => (nth < 3 ? rejection : granted(nth)),
      call: () => RUNNING,
    });
    expect(await clock.until(service.connect())).toMatchObject({ kind: 'key_refused' });
    await clock.advance(1_999);
    const waiting = Array.from({ length: 300 }, () => service.read(JOB));
    const outcomes = await clock.until(Promise.all(waiting));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['key_refused']));
    expect(exchanges()).toHaveLength(1);
    await clock.advance(1);
    expect(await clock.until(service.read(JOB))).toMatchObject({ kind: 'key_refused' });
    expect(exchanges()).toHaveLength(2);
    await clock.advance(2_000);
    expect(await clock.until(service.read(JOB))).toMatchObject({ kind: 'job' });
    expect(calls()).toHaveLength(1);
  });

  it.each(rejections)(
    '(%s) has no effect while the current token is valid, and is asked about every 30 s',
    async (_how, rejection) => {
      const { service, clock, exchanges, calls } = bench({
        exchange: (nth) => (nth === 1 || nth === 4 ? granted(nth) : rejection),
        call: () => RUNNING,
      });
      await clock.until(service.read(JOB));
      await clock.advance(54 * MINUTE);
      for (let second = 0; second < 70; second += 5) {
        expect(await clock.until(service.read(JOB))).toMatchObject({ kind: 'job' });
        await clock.advance(5_000);
      }
      expect(exchanges().map(({ atMs }) => atMs)).toEqual([0, 3_240_000, 3_270_000, 3_300_000]);
      expect(tokenOf(calls().at(-1))).toBe('token-4');
    },
  );

  it('does not count for a caller that has no token later', async () => {
    const { service, clock, exchanges } = bench({
      exchange: (nth) => (nth === 2 ? refused : granted(nth)),
      call: () => RUNNING,
    });
    await clock.until(service.read(JOB));
    await clock.advance(60 * MINUTE - 500);
    expect(await clock.until(service.read(JOB))).toMatchObject({ kind: 'job' });
    await clock.advance(500);
    expect(await clock.until(service.read(JOB))).toMatchObject({ kind: 'job' });
    expect(exchanges()).toHaveLength(3);
  });

  it('counts once the token has expired', async () => {
    const { service, clock } = bench({ exchange: (nth) => (nth === 1 ? granted(1) : refused), call: () => RUNNING });
    await clock.until(service.read(JOB));
    await clock.advance(60 * MINUTE);
    expect(await clock.until(service.cancel(JOB))).toMatchObject({ kind: 'key_refused' });
  });
});

describe('a 401', () => {
  const unauthorized = answers(401, { message: 'JWT expired' });

  it('is answered by a new token and another try', async () => {
    const { service, clock, calls, traces } = bench({
      call: (sent) => (tokenOf(sent) === 'token-1' ? unauthorized : RUNNING),
    });
    expect(await clock.until(service.read(JOB))).toMatchObject({ kind: 'job' });
    expect(calls().map(tokenOf)).toEqual(['token-1', 'token-2']);
    expect(traces.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 200],
      [1, 401],
      [1, 200],
      [2, 200],
    ]);
  });

  it('of many calls with the same token makes one renewal', async () => {
    const { service, clock, exchanges, calls } = bench({
      call: (sent, nth) => (tokenOf(sent) === 'token-1' ? unauthorized.map((s) => ({ ...s, ms: nth * 50 })) : RUNNING),
    });
    const outcomes = await clock.until(
      Promise.all([service.read(JOB), service.read(JOB), service.cancel(JOB), service.cancel(JOB)]),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(['job', 'job', 'job', 'job']);
    expect(exchanges()).toHaveLength(2);
    expect(calls()).toHaveLength(8);
  });

  it.each([
    ['read', 2],
    ['cancel', 3],
    ['list', 3],
    ['trigger', 3],
  ] as const)('ends a %s after %i tries', async (name, tries) => {
    const { service, clock, exchanges, calls } = bench({ call: () => unauthorized });
    let sendings = 0;
    const onSend = (): void => {
      sendings += 1;
    };
    const outcome = {
      read: () => service.read(JOB),
      cancel: () => service.cancel(JOB),
      list: () => service.list(),
      trigger: () => service.trigger(ORDER, { onSend }),
    }[name]();
    expect(await clock.until(outcome)).toMatchObject({
      kind: 'unauthorized',
      problem: { cause: 'HTTP 401 "JWT expired"' },
    });
    expect(calls().map(tokenOf)).toEqual(['token-1', 'token-2', 'token-3'].slice(0, tries));
    expect(exchanges()).toHaveLength(tries);
    if (name === 'trigger') expect(sendings).toBe(3);
  });

  it('after which the exchange fails was not processed', async () => {
    const { service, clock } = bench({
      exchange: (nth) => (nth === 1 ? granted(1) : answers(503, '', { 'retry-after': '7' })),
      call: () => unauthorized,
    });
    const outcome = await clock.until(service.trigger(ORDER, { onSend: () => {} }));
    expect(outcome).toMatchObject({
      kind: 'not_processed',
      retryAfterMs: 7_000,
      problem: { attempted: 'exchange the API key for a token', cause: 'HTTP 503' },
    });
  });

  it('after which the key is refused says so', async () => {
    const { service, clock } = bench({
      exchange: (nth) => (nth === 1 ? granted(1) : refused),
      call: () => unauthorized,
    });
    expect(await clock.until(service.cancel(JOB))).toMatchObject({ kind: 'key_refused' });
  });
});

describe('an exception of onSecret', () => {
  it('keeps an unmasked token from being used', async () => {
    const { service, clock, secrets, calls } = bench({ call: () => RUNNING });
    secrets.push = () => {
      throw new Error('cannot mask');
    };
    await expect(clock.until(service.read(JOB))).rejects.toThrow('cannot mask');
    expect(calls()).toEqual([]);
  });
});
