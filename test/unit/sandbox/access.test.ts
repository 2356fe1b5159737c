// Tests the model's token exchange and the lifetime of its tokens.
import { describe, expect, it } from 'vitest';
import { createWorld, type Refusal, SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import { exchange, parse, send, signIn, violationsOf } from './client.ts';

const KEY = { authorization: `Bearer ${SANDBOX_KEY}` };
const LIST = 'GET /rest/v1/pipelines_and_datasources?select=pipeline_id';

describe('the token exchange', () => {
  it('returns a token, the API address and the wall-clock time of expiry', () => {
    const world = createWorld({ epochMs: Date.UTC(2026, 0, 1), backendUrl: 'https://api.example.test' });
    expect(parse(exchange(world, 60_000))).toEqual({
      token: expect.stringMatching(/^at_[0-9a-f]{40}$/) as string,
      backend_url: 'https://api.example.test',
      backend_anon_key: world.anonKey,
      region: 'eu-1',
      ttl_seconds: 3600,
      expires_at: '2026-01-01T01:01:00.000Z',
    });
  });

  it.each<[Refusal, number, unknown]>([
    ['401', 401, { error: 'unauthorized', message: 'Invalid API key' }],
    ['403', 403, { code: '42501', message: 'Invalid API key', details: null, hint: null }],
    ['null-token', 200, { token: null }],
    ['no-token', 200, { message: 'Invalid API key' }],
    ['empty-token', 200, { token: '' }],
  ])('rejects an unknown key with the response "%s"', (refusal, status, body) => {
    const world = createWorld({ refusal });
    const response = exchange(world, 0, 'ak_unknown');
    expect([response.status, parse(response)]).toEqual([status, body]);
    expect(world.tokens).toEqual([]);
  });

  it.each([
    ['a legacy key', 401, 'a violation', { authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x' }, '', ['legacy_key']],
    ['no key', 401, 'no violation', {}, '', []],
    ['a body', 200, 'a violation', KEY, '{}', ['exchange_with_body']],
  ])('given %s, responds with HTTP %i and records %s', (_what, status, _violation, headers, body, kinds) => {
    const world = createWorld();
    expect(send(world, 5, 'POST /api/cli/bootstrap', headers, body).status).toBe(status);
    expect(violationsOf(world)).toEqual(kinds);
  });
});

it.each([
  ['POST /api/cli/bootstrap', 404],
  ['POST /eu/api/cli/bootstrap', 200],
  ['GET /rest/v1/jobs', 404],
  ['GET /v2/rest/v1/jobs', 401],
])('with the base path /eu and an API at /v2/, the response to %s has the status %i', (line, status) => {
  const world = createWorld({ basePath: '/eu', backendUrl: 'https://api.example.test/v2/' });
  expect(send(world, 0, line, KEY).status).toBe(status);
});

it('a token is valid until it expires', () => {
  const world = createWorld({ ttlSeconds: 60 });
  const headers = signIn(world, 1_000);
  expect(send(world, 60_999, LIST, headers).status).toBe(200);
  const late = send(world, 61_000, LIST, headers);
  expect([late.status, parse(late)]).toMatchObject([401, { code: 'PGRST303' }]);
  expect(late.headers['www-authenticate']).toContain('invalid_token');
  expect(world.violations).toEqual([]);
});
