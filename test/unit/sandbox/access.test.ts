// The model's token exchange, its checks of credentials, and its routes.
import { describe, expect, it } from 'vitest';
import {
  addKey,
  createWorld,
  expireTokens,
  OTHER_KEY,
  type Refusal,
  revokeKey,
  SANDBOX_KEY,
} from '../../../sandbox/model/index.ts';
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

  it('returns a new token each time, for the workspace of the key', () => {
    const world = createWorld();
    for (const key of [SANDBOX_KEY, SANDBOX_KEY, OTHER_KEY]) exchange(world, 0, key);
    const [first, second, other] = world.tokens;
    expect(first?.value).not.toBe(second?.value);
    expect(first?.workspaceId).toBe(second?.workspaceId);
    expect(other?.workspaceId).not.toBe(first?.workspaceId);
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

  it('rejects a revoked key and its tokens, and accepts a newly added key', () => {
    const world = createWorld();
    const headers = signIn(world);
    expect(revokeKey(world, SANDBOX_KEY)).toBe(true);
    expect(revokeKey(world, 'ak_unknown')).toBe(false);
    expect([exchange(world).status, send(world, 1, LIST, headers).status]).toEqual([401, 401]);
    addKey(world, 'ak_rotated');
    expect(exchange(world, 0, 'ak_rotated').status).toBe(200);
  });

  it.each([
    ['a legacy key', { authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x' }, '', 401, ['legacy_key']],
    ['no key', {}, '', 401, []],
    ['a body', KEY, '{}', 200, ['exchange_with_body']],
  ])('responds to a request with %s and records any violation by the client', (_, headers, body, status, kinds) => {
    const world = createWorld();
    expect(send(world, 5, 'POST /api/cli/bootstrap', headers, body).status).toBe(status);
    expect(violationsOf(world)).toEqual(kinds);
  });

  it('has an address below the base path, while the API has one below the path of its own URL', () => {
    const world = createWorld({ basePath: '/eu', backendUrl: 'https://api.example.test/v2/' });
    expect(exchange(world).status).toBe(404);
    expect(send(world, 0, 'POST /eu/api/cli/bootstrap', KEY).status).toBe(200);
    expect(send(world, 0, 'GET /rest/v1/jobs').status).toBe(404);
    expect(send(world, 0, 'GET /v2/rest/v1/jobs').status).toBe(401);
  });
});

describe('a data call', () => {
  it('succeeds until its token expires', () => {
    const world = createWorld({ ttlSeconds: 60 });
    const headers = signIn(world, 1_000);
    expect(send(world, 60_999, LIST, headers).status).toBe(200);
    const late = send(world, 61_000, LIST, headers);
    expect([late.status, parse(late)]).toMatchObject([401, { code: 'PGRST303' }]);
    expect(late.headers['www-authenticate']).toContain('invalid_token');
    expect(world.violations).toEqual([]);
  });

  it('fails from the expiry of all tokens until the next exchange', () => {
    const world = createWorld();
    const headers = signIn(world, 0);
    expireTokens(world, 500);
    expect(send(world, 499, LIST, headers).status).toBe(200);
    expect(send(world, 500, LIST, headers).status).toBe(401);
    expect(send(world, 500, LIST, signIn(world, 500)).status).toBe(200);
  });

  it.each([
    ['no apikey', { apikey: '' }, 'missing_apikey'],
    ['another apikey', { apikey: 'anon_other' }, 'wrong_apikey'],
    ['no token', { authorization: '' }, 'missing_bearer'],
    ['an unknown token', { authorization: 'Bearer at_unknown' }, 'unknown_token'],
    ['the key as its token', KEY, 'key_as_token'],
  ])('with %s fails and leaves a violation on record', (_, headers, kind) => {
    const world = createWorld();
    expect(send(world, 7, LIST, { ...signIn(world), ...headers }).status).toBe(401);
    expect(world.violations).toEqual([{ kind, at: 7, detail: expect.stringContaining('pipelines') as string }]);
  });

  it.each([
    ['GET /rest/v1/datasources', 404, 'PGRST205', undefined],
    ['POST /rest/v1/rpc/create_job', 404, 'PGRST202', undefined],
    ['GET /rest/v2/jobs', 404, 'PGRST125', undefined],
    ['GET /api/cli/bootstrap', 405, 'PGRST117', 'POST'],
    ['DELETE /rest/v1/jobs?id=eq.x', 405, 'PGRST117', 'GET, PATCH'],
    ['POST /rest/v1/pipelines_and_datasources', 405, 'PGRST117', 'GET'],
  ])('to %s fails with status %i and leaves a violation on record', (line, status, code, allow) => {
    const world = createWorld();
    const response = send(world, 0, line, signIn(world));
    expect([response.status, parse(response)]).toMatchObject([status, { code }]);
    expect(response.headers['allow']).toBe(allow);
    expect(violationsOf(world)).toEqual([status === 404 ? 'unknown_route' : 'wrong_method']);
  });
});
