import { describe, expect, it } from 'vitest';
import { createWorld, expireTokens, revokeKey, SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import { parse, send, signIn } from './client.ts';

const LIST = 'GET /rest/v1/pipelines_and_datasources?select=pipeline_id';

describe('authentication', () => {
  it('lets a token in until its time is over', () => {
    const world = createWorld({ ttlSeconds: 60 });
    const headers = signIn(world, 1_000);
    expect(send(world, 60_999, LIST, headers).status).toBe(200);
    const late = send(world, 61_000, LIST, headers);
    expect(late.status).toBe(401);
    expect(parse(late)).toEqual({ code: 'PGRST303', message: 'JWT expired', details: null, hint: null });
    expect(late.headers['www-authenticate']).toContain('invalid_token');
    expect(world.violations).toEqual([]);
  });

  it('expires all tokens when told to', () => {
    const world = createWorld();
    const headers = signIn(world, 0);
    expireTokens(world, 500);
    expect(send(world, 499, LIST, headers).status).toBe(200);
    expect(send(world, 500, LIST, headers).status).toBe(401);
    expect(send(world, 500, LIST, signIn(world, 500)).status).toBe(200);
  });

  it('refuses the tokens of a revoked key at once', () => {
    const world = createWorld();
    const headers = signIn(world);
    revokeKey(world, SANDBOX_KEY);
    expect(send(world, 1, LIST, headers).status).toBe(401);
  });

  it.each([
    ['no apikey', { apikey: '' }, 'missing_apikey'],
    ['another apikey', { apikey: 'anon_other' }, 'wrong_apikey'],
    ['no bearer', { authorization: '' }, 'missing_bearer'],
    ['an unknown token', { authorization: 'Bearer at_nobody' }, 'unknown_token'],
    ['the key itself', { authorization: `Bearer ${SANDBOX_KEY}` }, 'key_as_token'],
  ])('refuses %s, and notes it', (_, wrong, kind) => {
    const world = createWorld();
    const response = send(world, 7, LIST, { ...signIn(world), ...wrong });
    expect(response.status).toBe(401);
    expect(parse(response)).toHaveProperty('message');
    expect(world.violations).toEqual([{ kind, at: 7, detail: expect.stringContaining('pipelines') as string }]);
  });
});

describe('routes', () => {
  it.each([
    ['GET /rest/v1/datasources', 'PGRST205'],
    ['POST /rest/v1/rpc/create_job', 'PGRST202'],
    ['GET /rest/v2/jobs', 'PGRST125'],
    ['GET /', 'PGRST125'],
  ])('knows no %s', (line, code) => {
    const world = createWorld();
    const response = send(world, 0, line, signIn(world));
    expect([response.status, parse(response)]).toMatchObject([404, { code }]);
    expect(world.violations.map(({ kind }) => kind)).toEqual(['unknown_route']);
  });

  it.each([
    ['GET /api/cli/bootstrap', 'POST'],
    ['DELETE /rest/v1/jobs?id=eq.x', 'GET, PATCH'],
    ['POST /rest/v1/pipelines_and_datasources', 'GET'],
  ])('refuses the method of %s', (line, allow) => {
    const world = createWorld();
    const response = send(world, 0, line, signIn(world));
    expect([response.status, response.headers['allow']]).toEqual([405, allow]);
    expect(world.violations.map(({ kind }) => kind)).toEqual(['wrong_method']);
  });
});
