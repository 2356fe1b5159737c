// Tests how calls share one token, including failed renewals, rejected keys, and how long each caller waits.
import { describe, expect, it } from 'vitest';
import { EXCHANGE } from '../../../src/service/exchange.ts';
import { make } from '../../matrix/call.ts';
import type { FaultName } from '../../support/faults.ts';
import { meeting } from '../../support/meeting.ts';
import { answers, delayed, type Step } from '../../support/scripted-wire.ts';
import { bench, bootstrap, HEALTHY, JOB, tokenOf } from '../../support/service.ts';

const MINUTE = 60_000;
const STALLED: readonly Step[] = [];
const RUNNING = answers(200, HEALTHY.read);
const UNAUTHORIZED = meeting('denied')(HEALTHY.read);
const failing = (fault: FaultName): readonly Step[] => meeting(fault, 'exchange')(HEALTHY.exchange);
const REFUSED = failing('denied');
const granted = (nth: number, fields = {}): readonly Step[] =>
  answers(200, bootstrap({ token: `token-${nth}`, ...fields }));

/** Grants a token in the first exchange and in the exchanges in `others`. All remaining exchanges get `answer`. */
const grantedOnce =
  (answer: readonly Step[], ...others: readonly number[]) =>
  (nth: number) =>
    [1, ...others].includes(nth) ? granted(nth) : answer;
const kindsOf = (outcomes: readonly { readonly kind: string }[]): string => outcomes.map(({ kind }) => kind).join(' ');

/** Creates a service that responds to each call with a row unless `call` scripts another response. */
function start(exchange: typeof granted = granted, call: Parameters<typeof bench>[0]['call'] = () => RUNNING) {
  const made = bench({ exchange, call });
  const { service, clock, exchanges, calls } = made;
  const read = () => clock.until(service.read(JOB));
  return {
    ...made,
    read,
    /** Reads once, and again when the token is this many minutes old. */
    readAfter: async (minutes: number) => {
      await read();
      await clock.advance(minutes * MINUTE);
      return read();
    },
    exchangedAt: () => exchanges().map(({ atMs }) => atMs),
    tokens: () => calls().map(tokenOf),
  };
}

describe('a token', () => {
  it('is shared by calls that start together, and masked before it is used', async () => {
    const { service, clock, exchanges, tokens, secrets } = start(undefined, () => {
      expect(secrets).toEqual(['token-1']);
      return RUNNING;
    });
    await clock.until(Promise.all([service.connect(), service.read(JOB), service.read(JOB), service.list()]));
    expect(exchanges()).toHaveLength(1);
    expect(tokens()).toEqual(['token-1', 'token-1', 'token-1']);
    expect(secrets).toEqual(['token-1']);
  });

  it('is not used if it cannot be masked', async () => {
    const { read, secrets, calls } = start();
    secrets.push = () => {
      throw new Error('cannot mask');
    };
    await expect(read()).rejects.toThrow('cannot mask');
    expect(calls()).toEqual([]);
  });

  it('is renewed in the background after 90 % of its lifetime, as measured by the monotonic clock', async () => {
    const { clock, read, readAfter, exchanges, tokens } = start((nth) => delayed(nth === 1 ? 0 : 1_000, granted(nth)));
    clock.shiftWall(10 * 60 * MINUTE);
    await readAfter(54 - 1 / MINUTE);
    expect(exchanges()).toHaveLength(1);
    await clock.advance(1);
    await read();
    expect(clock.now()).toBe(54 * MINUTE);
    expect(tokens().at(-1)).toBe('token-1');
    await clock.advance(10_000);
    await read();
    expect(tokens().at(-1)).toBe('token-2');
    expect(exchanges()).toHaveLength(2);
  });

  it('that has expired makes the next call wait for a new token', async () => {
    const { clock, read, service, tokens } = start((nth) => delayed(1_000, granted(nth)));
    await read();
    await clock.advance(60 * MINUTE);
    await clock.until(service.read(JOB, { withinMs: () => 5_000 }));
    expect(tokens()).toEqual(['token-1', 'token-2']);
    expect(clock.pending).toBe(0);
  });

  it.each<[unknown, number]>([
    [60, 60],
    [86_400, 86_400],
    ...[86_401, 1e12, 0, -5, 'soon', '60', null, undefined].map((ttl): [unknown, number] => [ttl, 3_600]),
  ])('with a ttl_seconds of %j expires after %i s', async (ttl_seconds, lifetime) => {
    const { clock, read, service, tokens } = start((nth) => (nth === 2 ? STALLED : granted(nth, { ttl_seconds })));
    await clock.until(service.connect());
    await clock.advance(lifetime * 1_000 - 1);
    await read();
    await clock.advance(1);
    await clock.until(service.read(JOB, { withinMs: () => 1 }));
    expect(tokens()).toEqual(['token-1', 'token-3']);
  });

  it('that expires before the response arrives still serves the call that requested it', async () => {
    const { read } = start((nth) => delayed(100, granted(nth, { ttl_seconds: 0.001 })));
    expect(await read()).toMatchObject({ kind: 'job' });
  });
});

const OUTAGES: readonly FaultName[] = ['refused', 'http_503', 'html_ok', 'http_403'];
const REJECTIONS: readonly FaultName[] = ['denied', 'null_token'];

describe('a renewal', () => {
  it.each([...OUTAGES, ...REJECTIONS])(
    'that meets the fault "%s" has no effect while the token is valid, and is repeated after 30 s',
    async (fault) => {
      const { clock, read, readAfter, exchangedAt, tokens } = start(grantedOnce(failing(fault), 4));
      await readAfter(54);
      for (const pauseMs of [29_999, 1, 30_000, 1_000]) {
        await clock.advance(pauseMs);
        expect(await read()).toMatchObject({ kind: 'job' });
      }
      expect(exchangedAt()).toEqual([0, 3_240_000, 3_270_000, 3_300_000]);
      expect(tokens().at(-1)).toBe('token-4');
    },
  );

  it.each(OUTAGES)('that meets the fault "%s" is retryable once the token has expired', async (fault) => {
    const { readAfter } = start(grantedOnce(failing(fault)));
    expect(await readAfter(60)).toMatchObject({ kind: 'not_processed', retryable: true });
  });

  it('that fails is repeated immediately for the next call if there is no valid token', async () => {
    const { read, exchanges } = start((nth) => (nth === 3 ? granted(3) : failing('http_503')));
    expect(kindsOf([await read(), await read(), await read()])).toBe('not_processed not_processed job');
    expect(exchanges()).toHaveLength(3);
  });

  it('that fails with a rejected key does not prevent an exchange after the token expires', async () => {
    const { clock, read, readAfter, exchangedAt } = start((nth) => (nth === 2 ? REFUSED : granted(nth)));
    expect(await readAfter(60 - 500 / MINUTE)).toMatchObject({ kind: 'job' });
    await clock.advance(500);
    expect(await read()).toMatchObject({ kind: 'job' });
    expect(exchangedAt()).toHaveLength(3);
  });
});

it.each(REJECTIONS)(
  'a key rejection by the fault "%s" applies to all calls for two seconds, until the next exchange',
  async (fault) => {
    const { service, clock, read, exchanges, calls } = start((nth) => (nth < 3 ? failing(fault) : granted(nth)));
    expect(await clock.until(service.connect())).toMatchObject({ kind: 'key_refused' });
    await clock.advance(1_999);
    const outcomes = await clock.until(Promise.all(Array.from({ length: 300 }, () => service.read(JOB))));
    expect(new Set(kindsOf(outcomes).split(' '))).toEqual(new Set(['key_refused']));
    expect(exchanges()).toHaveLength(1);
    await clock.advance(1);
    expect(await read()).toMatchObject({ kind: 'key_refused' });
    expect(exchanges()).toHaveLength(2);
    await clock.advance(2_000);
    expect(await read()).toMatchObject({ kind: 'job' });
    expect(calls()).toHaveLength(1);
  },
);

describe('a 401 response', () => {
  it('causes only one renewal if several calls share the token', async () => {
    const { service, clock, exchanges, calls } = start(undefined, (sent, nth) =>
      tokenOf(sent) === 'token-1' ? delayed(nth * 50, UNAUTHORIZED) : RUNNING,
    );
    const all = [service.read(JOB), service.read(JOB), service.cancel(JOB), service.cancel(JOB)];
    expect(kindsOf(await clock.until(Promise.all(all)))).toBe('job job job job');
    expect(exchanges()).toHaveLength(2);
    expect(calls()).toHaveLength(8);
  });

  it.each([
    ['read', 2],
    ['cancel', 3],
    ['list', 3],
    ['trigger', 3],
  ] as const)('to each request makes a %s fail after %i requests', async (name, requests) => {
    const { service, clock, exchanges, tokens, traces } = start(undefined, () => delayed(5, UNAUTHORIZED));
    expect(await clock.until(make(name, service))).toMatchObject({ kind: 'unauthorized' });
    expect(tokens()).toEqual(['token-1', 'token-2', 'token-3'].slice(0, requests));
    expect(exchanges()).toHaveLength(requests);
    expect(traces.at(-1)).toMatchObject({ attempt: requests, status: 401, ms: 5 });
    await clock.until(service.read(JOB));
    expect(tokens()[requests]).toBe(`token-${requests + 1}`);
  });

  it.each([
    ['down_20s', { kind: 'not_processed', retryAfterMs: 20_000 }],
    ['denied', { kind: 'key_refused' }],
  ] as const)(
    'before an exchange that meets the fault "%s" proves that no trigger was processed',
    async (fault, expected) => {
      const { service, clock } = start(grantedOnce(failing(fault)), () => UNAUTHORIZED);
      expect(await clock.until(make('trigger', service))).toMatchObject(expected);
    },
  );
});

describe('a caller with little time', () => {
  const withinMs = (): number => 2_000;

  it('does not wait longer if the service first rejects the token', async () => {
    const { service, clock } = start(undefined, (_, nth) => (nth === 1 ? delayed(1_500, UNAUTHORIZED) : STALLED));
    await clock.until(service.read(JOB, { withinMs: () => 2_000 - clock.now() }));
    expect(clock.now()).toBe(2_000);
  });

  it('starts its own renewal if the current one takes too long, and shares the token with other callers', async () => {
    const { service, clock, exchanges, tokens } = start((nth) => (nth === 1 ? STALLED : granted(nth)));
    const patient = service.read(JOB);
    await clock.advance(2_000);
    expect(await clock.until(service.cancel(JOB, { withinMs }))).toMatchObject({ kind: 'job' });
    expect(clock.now()).toBe(2_000);
    expect(exchanges()).toHaveLength(2);
    expect(await clock.until(patient)).toMatchObject({ kind: 'job' });
    expect(tokens()).toEqual(['token-2', 'token-2']);
  });

  const failsFirst = (nth: number) => (nth === 1 ? delayed(2_500, failing('http_503')) : delayed(900, granted(nth)));

  it('joins a renewal that is younger than its time limit', async () => {
    const { service, clock, exchanges } = start(failsFirst);
    void service.connect();
    await clock.advance(1_999);
    expect(await clock.until(service.cancel(JOB, { withinMs }))).toMatchObject({ kind: 'not_processed' });
    expect([clock.now(), exchanges().length]).toEqual([2_500, 1]);
  });

  it('shares its own renewal with later callers, but not with those that wait for an earlier one', async () => {
    const { service, clock, exchanges } = start(failsFirst);
    const cancel = () => service.cancel(JOB, { withinMs });
    const early = service.read(JOB);
    await clock.advance(2_000);
    const late = [cancel(), cancel()];
    expect(await clock.until(early)).toMatchObject({ kind: 'not_processed' });
    expect(clock.now()).toBe(2_500);
    late.push(cancel());
    expect(kindsOf(await clock.until(Promise.all(late)))).toBe('job job job');
    expect([clock.now(), exchanges().length]).toEqual([2_900, 2]);
  });

  it.each([
    ['the exchange stalls', () => STALLED, undefined, 0, EXCHANGE],
    ['its request stalls', granted, () => STALLED, 1, 'cancel the run'],
    ['it waits for a renewal that stalls', () => STALLED, undefined, 0, EXCHANGE],
  ])('fails within its time limit if %s', async (what, exchange, call, requests, attempted) => {
    const { service, clock, calls } = start(exchange, call);
    const waits = what.startsWith('it waits');
    if (waits) void service.connect();
    const cause = waits ? 'no response within 2s' : (expect.stringMatching(/ within 2s$/) as string);
    const expected = { kind: 'not_processed', retryable: true, problem: { attempted, cause } };
    expect(await clock.until(service.cancel(JOB, { withinMs }))).toMatchObject(expected);
    expect(clock.now()).toBe(2_000);
    expect(calls()).toHaveLength(requests);
  });

  it('keeps its newer token if the stalled renewal succeeds later', async () => {
    const { service, clock, tokens } = start((nth) => delayed(nth === 1 ? 2_500 : 0, granted(nth)));
    void service.connect();
    await clock.advance(2_000);
    await clock.until(service.cancel(JOB, { withinMs }));
    await clock.advance(20_000);
    await clock.until(service.cancel(JOB, { withinMs }));
    expect(tokens()).toEqual(['token-2', 'token-2']);
  });
});

describe("a caller's signal", () => {
  it('stops that caller from waiting for a renewal, which continues for the other callers', async () => {
    const { service, clock, sent } = start((nth) => delayed(1_000, granted(nth)));
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

  it.each(['read', 'connect'] as const)('that is already aborted prevents every request of `%s`', async (call) => {
    const { service, clock, sent } = start();
    const options = { signal: AbortSignal.abort() };
    const outcome = call === 'read' ? service.read(JOB, options) : service.connect(options);
    expect(await clock.until<Promise<unknown>>(outcome)).toEqual({ kind: 'aborted' });
    expect(sent).toEqual([]);
  });
});
