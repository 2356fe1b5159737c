// Tests the sandbox's model: what it rejects, how its runs proceed, and how it misbehaves. test/parity compares
// the responses to correct requests with those of an independent service.
import { describe, expect, it } from 'vitest';
import type { ServiceEffect } from '../../../sandbox/faults.ts';
import { createWorld, PIPELINE_IDS, SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import { client, exchange, JSON_TYPE, PRECONDITION, parse, send, violationsOf } from './client.ts';

type Headers = Readonly<Record<string, string>>;

const EXCHANGE = 'POST /api/cli/bootstrap';
const LIST = 'GET /rest/v1/pipelines_and_datasources?select=pipeline_id';
const READ = 'GET /rest/v1/jobs?';
const TRIGGER = 'POST /rest/v1/rpc/create_pipeline_run_job';
const PATCH = 'PATCH /rest/v1/jobs?';
const CANCEL = `${PATCH}id=eq.{id}&${PRECONDITION}`;
const ORDERS = { p_pipeline_id: PIPELINE_IDS.orders };
const CANCELLED = { job_status: 'cancelled' };

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

describe('the token exchange', () => {
  it('returns a token, the API address and the expiry time', () => {
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

  it.each([
    ['rejects an unknown key', bearer('ak_unknown'), '', 401, []],
    ['rejects a request without a key', {}, '', 401, []],
    ['rejects a legacy key and records a violation', bearer('eyJhbGciOiJIUzI1NiJ9.e30.x'), '', 401, ['legacy_key']],
    ['records a body as a violation', bearer(SANDBOX_KEY), '{}', 200, ['exchange_with_body']],
  ])('%s', (_what, headers, body, status, kinds) => {
    const world = createWorld();
    expect(send(world, 5, EXCHANGE, headers, body).status).toBe(status);
    expect([world.tokens.length, violationsOf(world)]).toEqual([status === 200 ? 1 : 0, kinds]);
  });
});

it.each<[what: string, line: string, body: unknown, status: number, kind?: string, headers?: Headers]>([
  ['a read without an apikey', `${READ}id=eq.{id}`, '', 401, 'missing_apikey', { apikey: '' }],
  ['a read with another apikey', `${READ}id=eq.{id}`, '', 401, 'wrong_apikey', { apikey: 'anon_other' }],
  ['a read without a token', `${READ}id=eq.{id}`, '', 401, 'missing_bearer', { authorization: '' }],
  ['a read with the key as its token', `${READ}id=eq.{id}`, '', 401, 'unknown_token', bearer(SANDBOX_KEY)],
  ['a read without an id', `${READ}select=id`, '', 200, 'read_without_id'],
  ['a read of several ids', `${READ}id=in.({id})`, '', 200, 'read_without_id'],
  ['a read of an unknown column', `${READ}id=eq.{id}&select=id,job_state`, '', 400],
  ['a read with a filter that is not specified', `${READ}id=like.{id}`, '', 400],
  ['a read with an id that is not a UUID', `${READ}id=eq.7`, '', 400],
  ['a trigger with an unknown parameter', TRIGGER, { ...ORDERS, p_force: true }, 404],
  ['a trigger without a pipeline', TRIGGER, {}, 404],
  ['a trigger with the name of a pipeline', TRIGGER, { p_pipeline_id: 'orders' }, 400],
  ['a trigger with an unknown job type', TRIGGER, { ...ORDERS, p_job_type: 'full' }, 400],
  ['a trigger with a flag that is not a boolean', TRIGGER, { ...ORDERS, p_full_resync: 'true' }, 400],
  ['a trigger that resets the target without a full resync', TRIGGER, { ...ORDERS, p_reset_target: true }, 400],
  ['a trigger with invalid JSON', TRIGGER, '{', 400],
  ['a trigger with a body that is not JSON', TRIGGER, ORDERS, 400, 'bad_request', { 'content-type': 'text/plain' }],
  ['a cancel without an id', `${PATCH}${PRECONDITION}`, CANCELLED, 400, 'cancel_without_id'],
  ['a cancel without a precondition', `${PATCH}id=eq.{id}`, CANCELLED, 400, 'cancel_without_precondition'],
  ['a cancel without `picked`', CANCEL.replace('picked,', ''), CANCELLED, 400, 'cancel_without_precondition'],
  ['a cancel with another status', CANCEL, { job_status: 'failed' }, 403],
  ['a cancel that changes another field', CANCEL, { ...CANCELLED, status_message: 'x' }, 403],
  ['an unknown path', 'GET /rest/v1/runs', '', 404, 'unknown_route'],
  ['an unknown method', 'DELETE /rest/v1/jobs', '', 405, 'wrong_method'],
])('%s is a violation and has no effect', (_, line, body, status, kind = 'bad_request', headers = {}) => {
  const world = createWorld();
  const { run, call } = client(world);
  const path = line.replaceAll('{id}', run(0, PIPELINE_IDS.orders));
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  expect(call(3, path, { ...JSON_TYPE, ...headers }, text).status).toBe(status);
  expect(world.jobs.map(({ cancelledAt }) => cancelledAt)).toEqual([null]);
  expect(world.violations).toMatchObject([{ kind, at: 3 }]);
});

it('a trigger without a media type is a violation', () => {
  const world = createWorld();
  client(world).call(3, TRIGGER, {}, JSON.stringify(ORDERS));
  expect([world.jobs.length, violationsOf(world)]).toEqual([1, ['no_media_type']]);
});

it.each(['&order=id', '&limit=many', '&pipeline_id=gt.7'])('a list with the parameter %s is a violation', (query) => {
  const world = createWorld();
  expect(client(world).call(0, `${LIST}${query}`).status).toBe(400);
  expect(violationsOf(world)).toEqual(['bad_request']);
});

describe('the minimum interval between reads', () => {
  it('applies to each run separately, and makes an early read a violation', () => {
    const world = createWorld({ exemptReads: 0, minReadIntervalMs: 10 });
    const { run, read } = client(world);
    const [a, b] = [run(0, PIPELINE_IDS.orders), run(0, PIPELINE_IDS.orders)];
    for (const at of [2, 12, 21, 31]) read(at, a);
    read(2, b);
    expect(world.jobs.map(({ reads }) => reads)).toEqual([[2, 12, 21, 31], [2]]);
    expect(world.violations).toMatchObject([{ kind: 'read_too_soon', at: 21 }]);
  });

  it('exempts one read per run, and three after each PATCH', () => {
    const world = createWorld();
    const { run, read, cancel } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    for (const at of [0, 1, 30_000]) read(at, id);
    cancel(30_001, id);
    for (const at of [30_002, 30_003, 30_004, 60_000]) read(at, id);
    expect(world.violations).toEqual([]);
    read(60_001, id);
    expect(violationsOf(world)).toEqual(['read_too_soon']);
  });

  it('applies to reads whose response a fault replaces', () => {
    const world = createWorld({ exemptReads: 0 });
    const id = client(world).run(0, PIPELINE_IDS.orders);
    const { read } = client(world, SANDBOX_KEY, { do: 'empty' });
    for (const at of [0, 1]) read(at, id);
    expect(violationsOf(world)).toEqual(['read_too_soon']);
  });
});

describe('a service that', () => {
  /** Starts a run, and then a client whose requests have this effect. */
  function misbehaving(effect: ServiceEffect) {
    const world = createWorld({ minReadIntervalMs: 0 });
    const id = client(world).run(0, PIPELINE_IDS.orders);
    return { world, ...client(world, SANDBOX_KEY, effect), id };
  }

  it('lags hides recent changes from reads, but not from cancels', () => {
    const { id, status, cancel } = misbehaving({ do: 'lag', byMs: 2_000 });
    expect([status(1_999, id), status(2_000, id)]).toEqual([undefined, 'queued']);
    cancel(8_000, id);
    expect([status(9_999, id), status(10_000, id)]).toEqual(['picked', 'cancelled']);
    expect(parse(cancel(9_000, id))).toEqual([]);
  });

  it("confuses runs returns someone else's finished run", () => {
    const { id, read } = misbehaving({ do: 'foreign-row' });
    expect(parse(read(0, id))).toMatchObject([{ id: expect.not.stringMatching(id), job_status: 'completed' }]);
  });

  it('responds with null does not queue a run', () => {
    const { world, post } = misbehaving({ do: 'null' });
    expect(parse(post(0, ORDERS))).toBeNull();
    expect([world.jobs.length, violationsOf(world)]).toEqual([1, []]);
  });

  it.each([
    ['reversed', [11, 10, 9], [11, 10, 9]],
    ['the first', [0, 1, 2], [0, 1, 2]],
    ['empty', [], [3, 4, 5]],
  ] as const)(
    'answers a request for a page with one that is %s still returns the whole list unchanged',
    (is, first, second) => {
      const { call, list } = misbehaving({ do: 'page', is });
      const ids: string[] = Object.values(PIPELINE_IDS).toSorted();
      const page = (after = ''): number[] => {
        const rows = parse(call(0, `${LIST}&order=pipeline_id&limit=3${after}`)) as { pipeline_id: string }[];
        return rows.map(({ pipeline_id: id }) => ids.indexOf(id));
      };
      expect([page(), page(`&pipeline_id=gt.${ids[2]}`)]).toEqual([first, second]);
      expect(parse(list(0))).toHaveLength(ids.length);
    },
  );
});
