// Tests the model's token exchange and the lifetime of its tokens.
import { describe, expect, it } from 'vitest';
import { createWorld, SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import { exchange, parse, send, signIn, violationsOf } from './client.ts';

const KEY = { authorization: `Bearer ${SANDBOX_KEY}` };

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

  it('rejects an unknown key', () => {
    const world = createWorld();
    const { status, body } = exchange(world, 0, 'ak_unknown');
    expect([status, body]).toEqual([401, '{"error":"unauthorized","message":"Invalid API key"}']);
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
  ['is valid until', 60_999, 200, {}, undefined],
  ['is not valid once', 61_000, 401, { code: 'PGRST303' }, expect.stringContaining('invalid_token') as string],
])('a token %s it expires', (_when, atMs, status, body, challenge) => {
  const world = createWorld({ ttlSeconds: 60 });
  const path = 'GET /rest/v1/pipelines_and_datasources?select=pipeline_id';
  const response = send(world, atMs, path, signIn(world, 1_000));
  expect([response.status, parse(response)]).toMatchObject([status, body]);
  expect(response.headers['www-authenticate']).toEqual(challenge);
  expect(world.violations).toEqual([]);
});
