import { describe, expect, it } from 'vitest';
import {
  answered,
  bootstrap,
  client,
  clientThatHolds,
  JOB,
  make,
  type Network,
  page,
  type Sent,
  unanswered,
} from './client.ts';

const MINUTE = 60_000;
const refused = answered(401, { message: 'No' });
/** Returns the calls of all requests, with the numbers of their tokens. */
const sent = ({ requests }: ReturnType<typeof client>): string =>
  requests
    .map(({ call, headers }) => call + (/api-token(-\d)/.exec(headers['authorization'] ?? '')?.[1] ?? ''))
    .join(' ');
const forbidden = answered(403, { message: 'No', code: '42501' });
const never = new Promise<never>(() => undefined);

/** Lets the first exchange succeed, and answers the later ones with `later`. */
const afterFirst =
  (later: Network): Network =>
  (sent) =>
    sent.call === 'exchange' && sent.nth > 1 ? later(sent) : undefined;

/** Counts the exchanges that were sent. */
const exchanges = ({ requests }: ReturnType<typeof client>): number =>
  requests.filter(({ call }) => call === 'exchange').length;

describe('a session', () => {
  it('exchanges the key once for calls that start together', async () => {
    const { service, clock, requests } = client();
    await clock.advance(MINUTE);
    await Promise.all([service.read(JOB), service.read(JOB), service.exchange()]);
    expect(requests.map(({ call }) => call)).toEqual(['exchange', 'read', 'read']);
  });

  it('renews the token in the background after 90 % of its lifetime, regardless of the wall clock', async () => {
    const all = client();
    await all.service.read(JOB);
    all.clock.shiftWall(48 * 60 * MINUTE);
    await all.clock.advance(54 * MINUTE - 1);
    await all.service.read(JOB);
    expect(exchanges(all)).toBe(1);
    await all.clock.advance(1);
    await Promise.all([all.service.read(JOB), all.service.read(JOB)]);
    await all.service.read(JOB);
    expect(exchanges(all)).toBe(2);
    expect(all.requests.at(-1)?.headers['authorization']).toBe('Bearer api-token-2');
  });

  it.each([0, -5, 1e12, '60', null])('assumes the documented lifetime if ttl_seconds is %j', async (ttl_seconds) => {
    const all = client(({ call }) => (call === 'exchange' ? answered(200, bootstrap({ ttl_seconds })) : undefined));
    await all.service.read(JOB);
    await all.clock.advance(54 * MINUTE - 1);
    await all.service.read(JOB);
    expect(exchanges(all)).toBe(1);
    await all.clock.advance(1);
    await all.service.read(JOB);
    expect(exchanges(all)).toBe(2);
  });

  it.each([
    ['fails', unanswered(false, 'ECONNREFUSED')],
    ['is rejected', refused],
  ])('uses the current token and tries again every 30 s if the renewal %s', async (_how, answer) => {
    const all = client(afterFirst(() => answer));
    await all.service.read(JOB);
    await all.clock.advance(54 * MINUTE);
    for (const count of [2, 3]) {
      expect(await all.service.read(JOB)).toMatchObject({ kind: 'job' });
      expect(await all.service.read(JOB)).toMatchObject({ kind: 'job' });
      expect(exchanges(all)).toBe(count);
      await all.clock.advance(30_000);
    }
  });

  it.each([
    ['a wrong address', answered(404, { message: 'No' })],
    ['a web page', page(403)],
    ['a web page with status 401', page(401)],
  ])('treats %s as an outage if the service accepted the key before', async (_, answer) => {
    const all = client(afterFirst(() => answer));
    await all.service.read(JOB);
    await all.clock.advance(60 * MINUTE);
    expect(await all.service.read(JOB)).toMatchObject({ kind: 'not_processed' });
  });

  it('keeps a new token if a request with the old one gets a late 401', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const all = client(async ({ call, headers, nth }) => {
      if (call !== 'read' || headers['authorization'] !== 'Bearer api-token-1') return undefined;
      if (nth === 2) await promise;
      return refused;
    });
    const [first, second] = [all.service.read(JOB), all.service.read(JOB)];
    expect(await first).toMatchObject({ kind: 'job' });
    resolve(undefined);
    expect(await second).toMatchObject({ kind: 'job' });
    expect(exchanges(all)).toBe(2);
  });

  it.each(['read', 'cancel'] as const)('replaces a refused token at most every five seconds for a %s', async (call) => {
    const all = client((each) => (each.call === call ? refused : undefined));
    for (const ms of [1_000, 3_999, 1, 4_999]) {
      expect(await make(all.service, call)).toMatchObject({ kind: 'not_processed' });
      await all.clock.advance(ms);
    }
    const [first, second, third] = [1, 2, 3].map((token) => `${call}-${token}`);
    expect(sent(all)).toBe(`exchange ${first} exchange ${second} ${second} ${second} ${second} exchange ${third}`);
  });

  it('lets the reads and cancels within a second after a failed exchange share the next one', async () => {
    const all = client(({ call, nth }) => (call === 'exchange' && nth === 1 ? answered(503) : undefined));
    expect(await all.service.read(JOB)).toMatchObject({ kind: 'not_processed' });
    const read = all.service.read(JOB);
    await all.clock.advance(900);
    const cancelled = all.service.cancel(JOB);
    await all.clock.advance(99);
    expect(sent(all)).toBe('exchange');
    await all.clock.advance(1);
    expect([await read, await cancelled]).toMatchObject([{ kind: 'job' }, { kind: 'job' }]);
    expect(sent(all)).toBe('exchange exchange read-2 cancel-2');
  });

  it('does not let a trigger wait after a failed exchange', async () => {
    const all = client(({ call, nth }) => (call === 'exchange' && nth === 1 ? answered(503) : undefined));
    expect(await all.service.read(JOB)).toMatchObject({ kind: 'not_processed' });
    expect(await make(all.service, 'trigger')).toMatchObject({ kind: 'queued' });
  });

  it('gives up on a stalled exchange and lets the next caller start another', async () => {
    const all = client(({ call, nth }) => (call === 'exchange' && nth === 1 ? never : undefined));
    const first = all.service.read(JOB);
    await all.clock.advance(30_000);
    expect(await first).toMatchObject({
      kind: 'not_processed',
      problem: { cause: 'no response from app.example.test within 30s' },
    });
    expect(await all.service.read(JOB)).toMatchObject({ kind: 'job' });
    expect(exchanges(all)).toBe(2);
  });

  it.each([{ withinMs: 5_000 }, { shareMs: 5_000 }])(
    'starts another exchange for a caller that cannot wait as long as the pending one has taken: %j',
    async (options) => {
      const all = client(({ call, nth }) => (call === 'exchange' && nth === 1 ? never : undefined));
      const patient = all.service.read(JOB);
      await all.clock.advance(5_000);
      expect(await all.service.cancel(JOB, options)).toMatchObject({ kind: 'job' });
      await all.clock.advance(30_000);
      expect(await patient).toMatchObject({ kind: 'not_processed' });
    },
  );

  it('keeps the token of a later exchange if a stalled one eventually succeeds', async () => {
    const { promise, resolve } = Promise.withResolvers<typeof refused>();
    const all = client(({ call, nth }) => (call === 'exchange' && nth === 1 ? promise : undefined));
    const first = all.service.read(JOB);
    await all.clock.advance(1_000);
    await all.service.read(JOB, { withinMs: 1_000 });
    resolve(refused);
    expect(await first).toMatchObject({ kind: 'job' });
    expect(await all.service.read(JOB)).toMatchObject({ kind: 'job' });
    expect(exchanges(all)).toBe(2);
  });

  it('lets callers share the later exchange if a stalled one eventually fails', async () => {
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof unanswered>>();
    const all = client(({ call, nth }) => (call === 'exchange' ? (nth === 1 ? promise : never) : undefined));
    const waiting = [all.service.read(JOB)];
    await all.clock.advance(1_000);
    waiting.push(all.service.read(JOB, { withinMs: 1_000 }));
    resolve(unanswered(false, 'ECONNRESET'));
    await waiting[0];
    waiting.push(all.service.read(JOB));
    await all.clock.advance(30_000);
    expect(await Promise.all(waiting)).toMatchObject(waiting.map(() => ({ kind: 'not_processed' })));
    expect(exchanges(all)).toBe(2);
  });

  it('sends nothing for a caller that has already given up', async () => {
    const { service, requests } = client();
    expect(await service.read(JOB, { signal: AbortSignal.abort() })).toEqual({ kind: 'aborted' });
    expect(requests).toEqual([]);
  });

  it('lets a caller stop waiting without affecting the others', async () => {
    const all = clientThatHolds('exchange');
    const stop = new AbortController();
    const stopped = all.service.read(JOB, { signal: stop.signal });
    const other = all.service.read(JOB);
    stop.abort();
    expect(await stopped).toEqual({ kind: 'aborted' });
    all.release();
    expect(await other).toEqual({ kind: 'none' });
    expect(all.clock.pending).toBe(0);
  });
});

describe('a rejected key', () => {
  /** Reads at these times, in seconds after the last token has expired, and returns the kinds of the results. */
  const readsAt = async ({ clock, service }: ReturnType<typeof client>, ...seconds: readonly number[]) => {
    const kinds: string[] = [];
    for (const [index, at] of seconds.entries()) {
      await clock.advance((at - (seconds[index - 1] ?? 0)) * 1_000);
      kinds.push((await service.read(JOB)).kind);
    }
    return kinds;
  };

  it('is final immediately before the first token', async () => {
    const { service } = client(({ call }) => (call === 'exchange' ? refused : undefined));
    expect(await service.exchange()).toMatchObject({ kind: 'key_invalid', problem: { isOfKey: true } });
  });

  it('that the service accepted before is final after three rejections over a minute', async () => {
    const all = client(afterFirst(() => refused));
    await all.service.read(JOB);
    await all.clock.advance(60 * MINUTE);
    expect(await all.service.read(JOB)).toMatchObject({
      kind: 'not_processed',
      problem: { call: 'exchange' },
      remark: expect.stringMatching(/rejects the key 3 times over at least 1m/) as string,
    });
    expect(await readsAt(all, 1, 2, 59)).toEqual(['not_processed', 'not_processed', 'not_processed']);
    expect(await readsAt(all, 1)).toEqual(['key_invalid']);
  });

  it('is final only after three rejections over a minute for a session that never had a token, if that is set', async () => {
    const all = client(({ call }) => (call === 'exchange' ? refused : undefined), undefined, {});
    expect(await readsAt(all, 0, 59, 60)).toEqual(['not_processed', 'not_processed', 'key_invalid']);
  });

  it('counts its minute from request to request, because the rest of a response may be late', async () => {
    let respond = (): void => undefined;
    const late = new Promise<typeof refused>((resolve) => {
      respond = () => resolve(refused);
    });
    const all = client(afterFirst(({ nth }) => (nth === 4 ? late : refused)));
    await all.service.read(JOB);
    await all.clock.advance(60 * MINUTE);
    expect(await readsAt(all, 0, 40)).toEqual(['not_processed', 'not_processed']);
    const third = all.service.read(JOB);
    await all.clock.advance(29_000);
    respond();
    expect(await third).toMatchObject({ kind: 'not_processed' });
  });

  it('counts once for all calls that share an exchange', async () => {
    const all = client(afterFirst(() => refused));
    await all.service.read(JOB);
    await all.clock.advance(60 * MINUTE);
    await Promise.all([all.service.read(JOB), all.service.read(JOB)]);
    expect(await readsAt(all, 61)).toEqual(['not_processed']);
    expect(await readsAt(all, 1)).toEqual(['key_invalid']);
  });

  it.each([
    ['an outage of the exchange', answered(503)],
    ['a web page with status 403', page(403)],
    ['a text with status 403, as from a firewall', answered(403, 'error code: 1020')],
    ['a request for a pause', answered(403, { message: 'Slow down' }, { headers: { 'retry-after': '5' } })],
    ['a token that was cut off', answered(200, 'null', { body: 'cut off' })],
  ])('is not confirmed by %s', async (_, answer) => {
    const all = client(afterFirst(({ nth }) => (nth === 2 ? refused : answer)));
    await all.service.read(JOB);
    await all.clock.advance(60 * MINUTE);
    expect(await readsAt(all, 0, 30, 60, 90)).toEqual(Array(4).fill('not_processed'));
  });

  it('does not count while the token is valid', async () => {
    const all = client(afterFirst(() => refused));
    await all.service.read(JOB);
    await all.clock.advance(54 * MINUTE);
    expect(await readsAt(all, 0, 60, 120, 359)).toEqual(Array(4).fill('job'));
    expect(exchanges(all)).toBe(5);
    expect(await readsAt(all, 1)).toEqual(['not_processed']);
  });

  it.each([
    ['three times within a minute', [3_660, 3_661, 3_662]],
    ['twice over a minute', [3_660, 3_721]],
  ])('no longer counts once the service has accepted the key again, and then rejects it %s', async (_, seconds) => {
    const all = client(afterFirst(({ nth }) => (nth === 4 ? undefined : refused)));
    await all.service.read(JOB);
    await all.clock.advance(60 * MINUTE);
    expect(await readsAt(all, 0, 30, 60)).toEqual(['not_processed', 'not_processed', 'job']);
    expect(await readsAt(all, ...seconds)).toEqual(seconds.map(() => 'not_processed'));
  });
});

describe('a token that the service doubts', () => {
  const isOld = ({ headers }: Sent): boolean => headers['authorization'] === 'Bearer api-token-1';

  it.each(['list', 'read', 'cancel'] as const)('is replaced, and the request repeated once: %s', async (call) => {
    const all = client((each) => (each.call === call && isOld(each) ? forbidden : undefined));
    expect(await make(all.service, call)).not.toHaveProperty('problem');
    expect(sent(all)).toBe(`exchange ${call}-1 exchange ${call}-2`);
  });

  it('is replaced immediately, even if an earlier exchange has just failed', async () => {
    const all = client(({ call, nth }) =>
      call === 'exchange' && nth === 1 ? answered(503) : call === 'read' && nth === 1 ? forbidden : undefined,
    );
    expect(await all.service.read(JOB)).toMatchObject({ kind: 'not_processed' });
    await all.clock.advance(1_000);
    expect(await all.service.read(JOB)).toMatchObject({ kind: 'job' });
    expect(sent(all)).toBe('exchange exchange read-2 exchange read-3');
  });

  it('is replaced once for all calls', async () => {
    const all = client((each) => (each.call !== 'exchange' && isOld(each) ? forbidden : undefined));
    await Promise.all([all.service.read(JOB), all.service.cancel(JOB), all.service.list()]);
    await all.service.read(JOB);
    expect(sent(all)).toBe('exchange read-1 cancel-1 list-1 exchange read-2 cancel-2 list-2 read-2');
  });

  it('means a denial if the token that replaced it is doubted too, until a call succeeds', async () => {
    let isDenied = true;
    const all = client(({ call }) => (isDenied && call === 'read' ? forbidden : undefined));
    for (const _ of [1, 2]) expect(await all.service.read(JOB)).toMatchObject({ kind: 'rejected' });
    expect(sent(all)).toBe('exchange read-1 exchange read-2 read-2');
    isDenied = false;
    await all.service.read(JOB);
    isDenied = true;
    await all.service.read(JOB);
    expect(sent(all)).toBe('exchange read-1 exchange read-2 read-2 read-2 read-2 exchange read-3');
  });

  it('stays in use until another has arrived', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const all = client(async ({ call, nth }) => {
      if (call === 'exchange' && nth === 2) await promise;
      return call === 'read' && nth === 1 ? forbidden : undefined;
    });
    const doubted = all.service.read(JOB);
    await all.clock.advance(1_000);
    expect(await all.clock.until(all.service.read(JOB), 1_000)).toMatchObject({ kind: 'job' });
    resolve(undefined);
    expect(await doubted).toMatchObject({ kind: 'job' });
    expect(sent(all)).toBe('exchange read-1 exchange read-1 read-2');
  });

  it.each([
    ['fails', unanswered(false, 'ECONNREFUSED')],
    ['rejects the key', refused],
  ])('means a denial if the exchange %s, and the key is exchanged again after 30 s', async (_, answer) => {
    const all = client((each) =>
      each.call === 'exchange' && each.nth > 1 ? answer : each.call === 'read' ? forbidden : undefined,
    );
    for (const _read of [1, 2])
      expect(await all.service.read(JOB)).toMatchObject({
        kind: 'rejected',
        problem: { cause: expect.stringContaining('HTTP 403') as string },
      });
    expect(sent(all)).toBe('exchange read-1 exchange read-1');
    await all.clock.advance(30_000);
    expect(await all.service.read(JOB)).toMatchObject({ kind: 'rejected' });
    expect(sent(all)).toBe('exchange read-1 exchange read-1 read-1 exchange');
  });

  it('means a denial if no other token arrives in the time of the call', async () => {
    const all = client(({ call, nth }) =>
      call === 'exchange' && nth > 1 ? never : call === 'read' ? forbidden : undefined,
    );
    const read = all.service.read(JOB, { withinMs: 10_000 });
    await all.clock.advance(10_000);
    expect(await read).toMatchObject({ kind: 'rejected' });
  });

  it('means nothing to a caller that stops waiting for another', async () => {
    const all = client(({ call, nth }) =>
      call === 'exchange' && nth > 1 ? never : call === 'read' ? forbidden : undefined,
    );
    const stop = new AbortController();
    const read = all.service.read(JOB, { signal: stop.signal });
    await all.clock.advance(1_000);
    stop.abort();
    expect(await read).toEqual({ kind: 'aborted' });
  });
});

describe('an exchange', () => {
  const exchange = (fields: object) => {
    const all = client(({ call }) => (call === 'exchange' ? answered(200, bootstrap(fields)) : undefined));
    return all.service.exchange();
  };

  it('returns the region and the API host, but not the token', async () => {
    expect(await exchange({ region: ' eu\u0007 ' })).toEqual({
      kind: 'granted',
      region: 'eu',
      apiUrl: new URL('https://api.example.test'),
    });
  });

  it('returns an empty region if the service names none', async () => {
    expect(await exchange({ region: null })).toMatchObject({ kind: 'granted', region: '' });
  });

  it.each([
    ['no token', { token: null }, 'key_invalid', 'without a usable token'],
    ['a token that is not a valid header', { token: 'a b' }, 'key_invalid', 'without a usable token'],
    ['no anon key', { backend_anon_key: '' }, 'rejected', 'without a usable backend_anon_key'],
    ['no backend_url', { backend_url: null }, 'rejected', 'with a backend_url that is not a URL'],
    ['http', { backend_url: 'http://api.example.test' }, 'rejected', 'uses http'],
    ['a loopback host', { backend_url: 'http://127.0.0.1' }, 'rejected', 'uses http'],
    ['credentials', { backend_url: 'https://u:p@api.example.test' }, 'rejected', 'contains credentials'],
    ['the key', { backend_url: 'https://api.example.test/ak_0123456789abcdef' }, 'rejected', 'contains a secret'],
    ['the key in capitals', { backend_url: 'https://AK%5F0123456789ABCDEF.test' }, 'rejected', 'backend_url'],
    ['the key as token', { token: 'x-ak_0123456789abcdef' }, 'key_invalid', 'without a usable token'],
    ['the key as anon key', { backend_anon_key: 'ak_0123456789abcdef' }, 'rejected', 'backend_anon_key'],
  ])('with %s is refused', async (_what, fields, kind, cause) => {
    const result = await exchange(fields);
    expect(result).toMatchObject({ kind, problem: { cause: expect.stringContaining(cause) as string } });
    expect(JSON.stringify(result)).not.toMatch(/0123456789abcdef/i);
  });
});
