import { describe, expect, it } from 'vitest';
import { addKey, createWorld, OTHER_KEY, type Refusal, revokeKey, SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import { exchange, parse, send } from './client.ts';

describe('exchange', () => {
  it('answers everything a client needs, and the wall time of the expiry', () => {
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

  it('gives a new token each time, in the workspace of the key', () => {
    const world = createWorld();
    exchange(world);
    exchange(world);
    exchange(world, 0, OTHER_KEY);
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
  ])('refuses an unknown key in the shape %s', (refusal, status, body) => {
    const world = createWorld({ refusal });
    const response = exchange(world, 0, 'ak_nobody');
    expect([response.status, parse(response)]).toEqual([status, body]);
    expect(world.tokens).toEqual([]);
  });

  it('refuses a revoked key, and takes a new one', () => {
    const world = createWorld();
    expect(revokeKey(world, SANDBOX_KEY)).toBe(true);
    expect(revokeKey(world, 'ak_nobody')).toBe(false);
    expect(exchange(world).status).toBe(401);
    addKey(world, 'ak_rotated');
    expect(exchange(world, 0, 'ak_rotated').status).toBe(200);
  });

  it('refuses a legacy key and a missing one, and holds the former against the client', () => {
    const world = createWorld();
    expect(exchange(world, 5, 'eyJhbGciOiJIUzI1NiJ9.e30.x').status).toBe(401);
    expect(send(world, 6, 'POST /api/cli/bootstrap').status).toBe(401);
    expect(world.violations.map(({ kind, at }) => [kind, at])).toEqual([['legacy_key', 5]]);
  });

  it('takes no body', () => {
    const world = createWorld();
    const headers = { authorization: `Bearer ${SANDBOX_KEY}` };
    expect(send(world, 0, 'POST /api/cli/bootstrap', headers, '{}').status).toBe(200);
    expect(world.violations.map(({ kind }) => kind)).toEqual(['exchange_with_body']);
  });

  it('lives below the base path, and the API below that of its own URL', () => {
    const world = createWorld({ basePath: '/eu', backendUrl: 'https://api.example.test/v2/' });
    const headers = { authorization: `Bearer ${SANDBOX_KEY}` };
    expect(exchange(world).status).toBe(404);
    expect(send(world, 0, 'POST /eu/api/cli/bootstrap', headers).status).toBe(200);
    expect(send(world, 0, 'GET /rest/v1/jobs').status).toBe(404);
    expect(send(world, 0, 'GET /v2/rest/v1/jobs').status).toBe(401);
  });
});
