import { describe, expect, it } from 'vitest';
import {
  answer,
  createWorld,
  expireTokens,
  FOREIGN_PIPELINE_ID,
  PIPELINE_IDS,
  revokeKey,
  SANDBOX_KEY,
  type World,
  type WorldOptions,
} from '../../sandbox/model/index.ts';
import { uuid } from '../support/service.ts';
import { network, type Reply, type Seen } from './network.ts';

const net = network();
const onSend = (): void => {};

/** A service whose other side is the model, at an instant that the test sets. */
function model(options: WorldOptions = {}) {
  const world = createWorld({ backendUrl: 'https://api.example.test', ...options });
  const time = { ms: 0 };
  for (const host of ['https://app.example.test', 'https://api.example.test']) {
    net.serveWith(`${host}/*`, (seen) => modelReply(world, seen, host, time.ms));
  }
  return { world, time, service: net.service({ apiKey: SANDBOX_KEY }) };
}

function modelReply(world: World, seen: Seen, host: string, nowMs: number): Reply {
  const [method = '', url = ''] = seen.line.split(' ');
  return answer(world, { method, path: url.slice(host.length), headers: seen.headers, body: seen.body }, nowMs);
}

function order(pipelineId: string) {
  return { pipelineId: uuid(pipelineId), fullResync: false, resetTarget: false };
}

describe('the strict model of the service', () => {
  it('finds nothing wrong with a whole life', async () => {
    const { service, world, time } = model();
    expect(await service.connect()).toMatchObject({ kind: 'connected', account: { region: 'eu-1' } });
    expect(await service.list()).toMatchObject({ kind: 'pipelines', mayBeTruncated: false });
    const queued = await service.trigger(order(PIPELINE_IDS.endless), { onSend });
    if (queued.kind !== 'queued') throw new Error(`The trigger was ${queued.kind}.`);
    expect(await service.read(queued.jobId)).toMatchObject({ job: { status: 'queued' } });
    time.ms = 60_000;
    expect(await service.read(queued.jobId)).toMatchObject({ job: { status: 'running' } });
    expect(await service.cancel(queued.jobId)).toMatchObject({ job: { status: 'cancelled' } });
    expect(await service.cancel(queued.jobId)).toEqual({ kind: 'unchanged' });
    expect(await service.read(queued.jobId)).toMatchObject({ job: { status: 'cancelled' } });
    expect(world.jobs).toHaveLength(1);
    expect(world.violations).toEqual([]);
  });

  it('queues one run although the token had expired', async () => {
    const { service, world } = model();
    await service.connect();
    expireTokens(world, 0);
    expect(await service.trigger(order(PIPELINE_IDS.orders), { onSend })).toMatchObject({ kind: 'queued' });
    expect(world.jobs).toHaveLength(1);
  });

  it.each([
    ['penniless', PIPELINE_IDS.penniless, 'no_credits'],
    ['inactive', PIPELINE_IDS.inactive, 'rejected'],
    ["another workspace's", FOREIGN_PIPELINE_ID, 'rejected'],
  ])('does not run a pipeline that is %s', async (_what, id, kind) => {
    const { service, world } = model();
    expect(await service.trigger(order(id), { onSend })).toMatchObject({ kind });
    expect(world.jobs).toEqual([]);
  });

  it.each(['401', 'null-token', 'no-token', 'empty-token'] as const)(
    'refuses a revoked key with %s, in the middle too',
    async (refusal) => {
      const { service, world } = model({ refusal });
      await service.connect();
      revokeKey(world, SANDBOX_KEY);
      expect(await service.list()).toMatchObject({ kind: 'key_refused' });
    },
  );

  it('lists a pipeline once, however many rows it has', async () => {
    const { service } = model({ pipelines: [{ name: 'Wide', rows: 40 }] });
    const outcome = await service.list();
    const pipelines = outcome.kind === 'pipelines' ? outcome.pipelines : [];
    expect(pipelines.filter(({ name }) => name === 'Wide')).toHaveLength(1);
  });
});
