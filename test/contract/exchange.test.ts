import { describe, expect, it } from 'vitest';
import { API_KEY, bootstrap, JOB } from '../support/service.ts';
import { network, type Reply } from './network.ts';

const net = network();

describe('the token exchange', () => {
  it('is one POST with the key and without a body', async () => {
    expect(await net.service().connect()).toMatchObject({ kind: 'connected' });
    expect(net.seen).toHaveLength(1);
    const [request] = net.seen;
    expect(request?.line).toBe('POST https://app.example.test/api/cli/bootstrap');
    expect(request?.body).toBe('');
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${API_KEY}`,
      'content-length': '0',
      'accept-encoding': 'identity',
      'user-agent': 'run-pipeline/test',
    });
    expect(request?.headers).not.toHaveProperty('apikey');
    expect(request?.headers).not.toHaveProperty('content-type');
  });

  it('tells where the key belongs', async () => {
    net.grant({ body: bootstrap({ backend_url: 'https://api.example.test/prefix/' }) });
    const outcome = await net.service().connect();
    expect(outcome).toEqual({
      kind: 'connected',
      account: {
        region: 'eu-1',
        apiUrl: new URL('https://api.example.test/prefix'),
        expiresAt: '2026-01-05T13:00:00Z',
      },
    });
  });

  it('uses the paths of both addresses', async () => {
    net.grant({ body: bootstrap({ backend_url: 'https://api.example.test/prefix/' }) });
    net.reply({ body: [] });
    await net.service({ baseUrl: 'https://app.example.test' }).read(JOB);
    expect(net.calls()[0]?.line).toMatch(/^GET https:\/\/api\.example\.test\/prefix\/rest\/v1\/jobs\?/);
  });

  it('can do without region and expiry', async () => {
    net.grant({ body: bootstrap({ region: 7, expires_at: undefined, ttl_seconds: undefined }) });
    expect(await net.service().connect()).toMatchObject({
      kind: 'connected',
      account: { region: null, expiresAt: null },
    });
  });

  it.each<[string, Reply]>([
    ['401', { status: 401, body: { error: 'unauthorized' } }],
    ['401 without a body', { status: 401 }],
    ['no token', { body: { message: 'Invalid API key' } }],
    ['a token that is null', { body: bootstrap({ token: null }) }],
    ['an empty token', { body: bootstrap({ token: '' }) }],
    ['a token with a space', { body: bootstrap({ token: 'a b' }) }],
    ['a token with a line break', { body: bootstrap({ token: 'a\r\nx: y' }) }],
    ['a token that is not ASCII', { body: bootstrap({ token: 'tök' }) }],
    ['a token that is no text', { body: bootstrap({ token: 17 }) }],
    ['null', { body: 'null' }],
    ['a list', { body: [] }],
    ['a text', { body: '"token"' }],
  ])('refuses the key with %s', async (_how, reply) => {
    net.grant(reply);
    expect(await net.service().connect()).toMatchObject({ kind: 'key_refused' });
  });

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['null', null],
    ['not a URL', 'api.example.test'],
    ['another scheme', 'ftp://api.example.test'],
    ['not https', 'http://api.example.test'],
    ['http on this machine, told by another one', 'http://localhost:8000'],
    ['with credentials', 'https://user:password@api.example.test'],
    ['with a query', 'https://api.example.test/?a=b'],
  ])('gives no usable address of the API host: %s', async (_what, url) => {
    net.grant({ body: bootstrap({ backend_url: url }) });
    const outcome = await net.service().connect();
    expect(outcome).toMatchObject({
      kind: 'rejected',
      problem: { cause: expect.stringMatching('^HTTP 200') as string },
    });
    expect(JSON.stringify(outcome)).toContain('backend_url');
    expect(JSON.stringify(outcome)).not.toContain('password');
  });

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['null', null],
    ['empty', ''],
    ['with a line break', 'anon\r\nx: y'],
    ['not ASCII', 'änon'],
  ])('gives no usable public key: %s', async (_what, key) => {
    net.grant({ body: bootstrap({ backend_anon_key: key }) });
    const outcome = await net.service().connect();
    expect(outcome).toMatchObject({ kind: 'rejected' });
    expect(JSON.stringify(outcome)).toContain('backend_anon_key');
  });

  it.each<[string, Reply, string]>([
    ['a web page', { body: '<!doctype html><title>App</title>', headers: { 'content-type': 'text/html' } }, 'rejected'],
    ['403', { status: 403, body: { message: 'forbidden' } }, 'rejected'],
    ['404', { status: 404, body: 'Not found' }, 'rejected'],
    ['a redirect', { status: 307, headers: { location: 'https://elsewhere.example.test/' } }, 'rejected'],
    ['text', { body: 'OK' }, 'maybe_processed'],
    ['nothing', {}, 'maybe_processed'],
    ['half of it', { body: '{"token": "abc' }, 'maybe_processed'],
    ['500', { status: 500, body: { message: 'boom' } }, 'maybe_processed'],
    ['429', { status: 429 }, 'not_processed'],
  ])('that answers with %s', async (_what, reply, kind) => {
    net.grant(reply);
    expect(await net.service().connect()).toMatchObject({ kind });
    expect(net.seen).toHaveLength(1);
  });
});

describe('a base-url on this machine', () => {
  it.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000', 'https://api.example.test'])(
    'may lead to %s',
    async (url) => {
      const local = net.service({ baseUrl: 'http://localhost:2999/app' });
      net.grantAt('http://localhost:2999/app', { body: bootstrap({ backend_url: url }) });
      expect(await local.connect()).toMatchObject({ kind: 'connected' });
    },
  );

  it('may not lead to another machine without TLS', async () => {
    const local = net.service({ baseUrl: 'http://localhost:2999' });
    net.grantAt('http://localhost:2999', { body: bootstrap({ backend_url: 'http://api.example.test' }) });
    expect(await local.connect()).toMatchObject({ kind: 'rejected' });
  });
});
