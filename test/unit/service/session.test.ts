import { describe, expect, it } from 'vitest';
import { answered, bootstrap, client, clientThatHolds, JOB, type Network, page, unanswered } from './client.ts';

const MINUTE = 60_000;
const refused = answered(401, { message: 'No' });
const rejected = answered(403, { message: 'No' });
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
    await Promise.all([service.read(JOB), service.read(JOB), service.connect()]);
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

  it('reports a rejected key only once the token has expired', async () => {
    const all = client(afterFirst(() => refused));
    await all.service.read(JOB);
    await all.clock.advance(60 * MINUTE - 1);
    expect(await all.service.read(JOB)).toMatchObject({ kind: 'job' });
    await all.clock.advance(1);
    expect(await all.service.read(JOB)).toMatchObject({ kind: 'key_refused' });
  });

  it.each([
    ['another refusal', rejected],
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

  it('gives up on a stalled exchange and lets the next caller start another', async () => {
    const all = client(({ call, nth }) => (call === 'exchange' && nth === 1 ? never : undefined));
    const first = all.service.read(JOB);
    await all.clock.advance(30_000);
    expect(await first).toMatchObject({ kind: 'not_processed', problem: { cause: 'no response within 30s' } });
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

  it('keeps the token of a later exchange if a stalled one finally ends', async () => {
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

  it('lets callers share the later exchange if a stalled one finally fails', async () => {
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

describe('a grant', () => {
  const connect = (fields: object) => {
    const all = client(({ call }) => (call === 'exchange' ? answered(200, bootstrap(fields)) : undefined));
    return all.service.connect();
  };

  it('contains the region and the API host', async () => {
    expect(await connect({ region: ' eu\u0007 ' })).toMatchObject({
      kind: 'granted',
      region: 'eu',
      apiUrl: new URL('https://api.example.test'),
      ttlMs: 3_600_000,
    });
  });

  it('has an empty region if the service names none', async () => {
    expect(await connect({ region: null })).toMatchObject({ kind: 'granted', region: '' });
  });

  it.each([
    ['no token', { token: null }, 'key_refused', 'without a usable token'],
    ['a token that is not a valid header', { token: 'a b' }, 'key_refused', 'without a usable token'],
    ['no anon key', { backend_anon_key: '' }, 'rejected', 'without a usable backend_anon_key'],
    ['no backend_url', { backend_url: null }, 'rejected', 'with a backend_url that is not a URL'],
    ['http', { backend_url: 'http://api.example.test' }, 'rejected', 'uses http'],
    ['a loopback host', { backend_url: 'http://127.0.0.1' }, 'rejected', 'uses http'],
    ['credentials', { backend_url: 'https://u:p@api.example.test' }, 'rejected', 'contains credentials'],
    ['the key', { backend_url: 'https://api.example.test/ak_0123456789abcdef' }, 'rejected', 'contains a secret'],
    ['the key in capitals', { backend_url: 'https://AK%5F0123456789ABCDEF.test' }, 'rejected', 'backend_url'],
    ['the key as token', { token: 'x-ak_0123456789abcdef' }, 'key_refused', 'without a usable token'],
    ['the key as anon key', { backend_anon_key: 'ak_0123456789abcdef' }, 'rejected', 'backend_anon_key'],
  ])('with %s is refused', async (_what, fields, kind, cause) => {
    const outcome = await connect(fields);
    expect(outcome).toMatchObject({ kind, problem: { cause: expect.stringContaining(cause) as string } });
    expect(JSON.stringify(outcome)).not.toMatch(/0123456789abcdef/i);
  });
});
