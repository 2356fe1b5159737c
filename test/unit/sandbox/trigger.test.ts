// The model's responses to triggers that test/parity does not compare with an independent service.
import { describe, expect, it } from 'vitest';
import { createWorld, PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { client, JSON_TYPE, parse, violationsOf } from './client.ts';

const RPC = 'POST /rest/v1/rpc/create_pipeline_run_job';
const ORDERS = { p_pipeline_id: PIPELINE_IDS.orders };

describe('a trigger', () => {
  it('queues a run with a version 4 UUID that depends only on the seed', () => {
    const ids = (seed: number) => {
      const { run } = client(createWorld({ seed }));
      return [1, 2, 3].map(() => run(0, PIPELINE_IDS.orders));
    };
    expect(ids(7)).toEqual(ids(7));
    expect(new Set([...ids(7), ...ids(8)]).size).toBe(6);
    for (const id of ids(7)) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it.each<[string, unknown, number, string]>([
    ['an unknown argument', { ...ORDERS, p_force: true }, 404, 'PGRST202'],
    ['no pipeline', { p_full_resync: true }, 404, 'PGRST202'],
    ['a malformed id', { p_pipeline_id: 'orders' }, 400, '22P02'],
    ['a number as the id', { p_pipeline_id: 5 }, 400, '22P02'],
    ['a string as a boolean', { ...ORDERS, p_full_resync: 'true' }, 400, '22P02'],
    ['null as a boolean', { ...ORDERS, p_full_resync: null }, 400, '22P02'],
    ['another job type', { ...ORDERS, p_job_type: 'sync' }, 400, 'P0001'],
    ['a reset without a resync', { ...ORDERS, p_reset_target: true }, 400, 'P0001'],
    ['an array', [ORDERS], 400, 'PGRST102'],
    ['an empty array', [], 404, 'PGRST202'],
  ])('with %s fails and leaves a violation on record', (_, body, status, code) => {
    const world = createWorld();
    const response = client(world).post(3, body);
    expect([response.status, parse(response)]).toMatchObject([status, { code }]);
    expect(Object.keys(parse(response) as object)).toEqual(['code', 'message', 'details', 'hint']);
    expect(world.jobs).toEqual([]);
    expect(world.violations.map(({ kind, at }) => [kind, at])).toEqual([['bad_request', 3]]);
  });

  it.each<[string, Readonly<Record<string, string>>, string, number, string]>([
    ['invalid JSON', JSON_TYPE, '{', 400, 'bad_request'],
    ['no body', JSON_TYPE, '', 404, 'bad_request'],
    ['another media type', { 'content-type': 'text/plain' }, JSON.stringify(ORDERS), 400, 'bad_request'],
    ['no media type', {}, JSON.stringify(ORDERS), 200, 'no_media_type'],
  ])('with %s leaves a violation on record', (_, headers, body, status, kind) => {
    const world = createWorld();
    expect(client(world).call(0, RPC, headers, body).status).toBe(status);
    expect(world.jobs).toHaveLength(status === 200 ? 1 : 0);
    expect(violationsOf(world)).toEqual([kind]);
  });

  it('of the pipeline `penniless` returns null and queues no run', () => {
    const world = createWorld();
    expect(parse(client(world).post(0, { p_pipeline_id: PIPELINE_IDS.penniless }))).toBeNull();
    expect([world.jobs, world.violations]).toEqual([[], []]);
  });
});
