import { describe, expect, it } from 'vitest';
import { createWorld, FOREIGN_PIPELINE_ID, OTHER_KEY, PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { client, parse } from './client.ts';

const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const RPC = 'POST /rest/v1/rpc/create_pipeline_run_job';

describe('trigger', () => {
  it('queues one run per call, and keeps what was asked for', () => {
    const world = createWorld();
    const { post } = client(world);
    const answers = [
      post(10, { p_pipeline_id: PIPELINE_IDS.orders }),
      post(20, {
        p_pipeline_id: PIPELINE_IDS.orders.toUpperCase(),
        p_job_type: 'pipeline_run',
        p_full_resync: true,
        p_reset_target: true,
      }),
    ];
    expect(answers.map(parse)).toEqual(world.jobs.map(({ id }) => id));
    expect(world.jobs.map(({ id }) => V4.test(id))).toEqual([true, true]);
    expect(world.jobs.map(({ createdAt, parameters }) => [createdAt, parameters])).toEqual([
      [10, parameters(false, false)],
      [20, parameters(true, true)],
    ]);
  });

  it('makes the same ids from the same seed, and others from another', () => {
    const ids = (seed: number) => {
      const world = createWorld({ seed });
      return [1, 2, 3].map(() => client(world).run(0, PIPELINE_IDS.orders));
    };
    expect(ids(7)).toEqual(ids(7));
    expect(new Set([...ids(7), ...ids(8)]).size).toBe(6);
  });

  it.each<[string, unknown, number, string]>([
    ['an unknown argument', { p_pipeline_id: PIPELINE_IDS.orders, p_force: true }, 404, 'PGRST202'],
    ['no pipeline', { p_full_resync: true }, 404, 'PGRST202'],
    ['no UUID', { p_pipeline_id: 'orders' }, 400, '22P02'],
    ['a number', { p_pipeline_id: 5 }, 400, '22P02'],
    ['a text for a boolean', { p_pipeline_id: PIPELINE_IDS.orders, p_full_resync: 'true' }, 400, '22P02'],
    ['another type of job', { p_pipeline_id: PIPELINE_IDS.orders, p_job_type: 'sync' }, 400, 'P0001'],
    ['a reset alone', { p_pipeline_id: PIPELINE_IDS.orders, p_reset_target: true }, 400, 'P0001'],
    ['null for the type of job', { p_pipeline_id: PIPELINE_IDS.orders, p_job_type: null }, 400, 'P0001'],
    ['null for a boolean', { p_pipeline_id: PIPELINE_IDS.orders, p_full_resync: null }, 400, '22P02'],
    ['an array', [{ p_pipeline_id: PIPELINE_IDS.orders }], 400, 'PGRST102'],
    ['an empty array', [], 404, 'PGRST202'],
    ['a text', 'orders', 404, 'PGRST202'],
  ])('rejects %s, and notes it', (_, body, status, code) => {
    const world = createWorld();
    const response = client(world).post(3, body);
    expect(response.status).toBe(status);
    expect(Object.keys(parse(response) as object)).toEqual(['code', 'message', 'details', 'hint']);
    expect(parse(response)).toMatchObject({ code });
    expect(world.jobs).toEqual([]);
    expect(world.violations.map(({ kind, at }) => [kind, at])).toEqual([['bad_request', 3]]);
  });

  it('rejects what is no JSON, and what says that it is something else', () => {
    const world = createWorld();
    const { call } = client(world);
    const json = { 'content-type': 'application/json' };
    const body = JSON.stringify({ p_pipeline_id: PIPELINE_IDS.orders });
    expect(call(0, RPC, json, '{').status).toBe(400);
    expect(call(0, RPC, json, '').status).toBe(404);
    expect(call(0, RPC, { 'content-type': 'text/plain' }, body).status).toBe(400);
    expect(world.jobs).toEqual([]);
  });

  it('takes a body for JSON that says nothing of its kind, and notes it', () => {
    const world = createWorld();
    const { call } = client(world);
    expect(call(0, RPC, {}, JSON.stringify({ p_pipeline_id: PIPELINE_IDS.orders })).status).toBe(200);
    expect(world.violations.map(({ kind }) => kind)).toEqual(['no_media_type']);
  });

  it.each([
    ['in capitals', PIPELINE_IDS.orders.toUpperCase()],
    ['without hyphens', PIPELINE_IDS.orders.replaceAll('-', '')],
    ['in braces', `{${PIPELINE_IDS.orders}}`],
  ])('takes an id %s', (_, id) => {
    const world = createWorld();
    expect(client(world).post(0, { p_pipeline_id: id }).status).toBe(200);
    expect(world.jobs.map(({ pipelineId }) => pipelineId)).toEqual([PIPELINE_IDS.orders]);
  });

  it.each([
    ['inactive', PIPELINE_IDS.inactive],
    ['unknown', 'b0b0b0b0-0000-4000-8000-000000000000'],
    ['foreign', FOREIGN_PIPELINE_ID],
  ])('refuses an %s pipeline, which is not the fault of the client', (_, id) => {
    const world = createWorld();
    const response = client(world).post(0, { p_pipeline_id: id });
    expect([response.status, parse(response)]).toMatchObject([400, { code: 'P0001', details: null }]);
    expect([world.jobs, world.violations]).toEqual([[], []]);
  });

  it('gives each workspace its own pipelines', () => {
    const world = createWorld();
    expect(client(world, OTHER_KEY).post(0, { p_pipeline_id: FOREIGN_PIPELINE_ID }).status).toBe(200);
    expect(client(world, OTHER_KEY).post(0, { p_pipeline_id: PIPELINE_IDS.orders }).status).toBe(400);
  });

  it('answers null without credits, and queues nothing', () => {
    const world = createWorld({ credits: 1 });
    const { post } = client(world);
    expect(parse(post(0, { p_pipeline_id: PIPELINE_IDS.penniless }))).toBeNull();
    expect(parse(post(0, { p_pipeline_id: PIPELINE_IDS.orders }))).toMatch(V4);
    expect(parse(post(0, { p_pipeline_id: PIPELINE_IDS.orders }))).toBeNull();
    expect(world.jobs).toHaveLength(1);
  });
});

function parameters(fullResync: boolean, resetTarget: boolean): object {
  return {
    p_pipeline_id: PIPELINE_IDS.orders,
    p_job_type: 'pipeline_run',
    p_full_resync: fullResync,
    p_reset_target: resetTarget,
  };
}
