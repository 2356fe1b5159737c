// Runs the service client against the strict model in the sandbox, which records each request that breaks the contract.
import { describe, expect, it } from 'vitest';
import {
  answer,
  createWorld,
  expireTokens,
  FOREIGN_PIPELINE_ID,
  PIPELINE_IDS,
  revokeKey,
  SANDBOX_KEY,
  type WorldOptions,
} from '../../sandbox/model/index.ts';
import { ORDER, uuid } from '../support/service.ts';
import { network } from './network.ts';

const net = network();
const onSend = (): void => undefined;
const order = (pipelineId: string) => ({ ...ORDER, pipelineId: uuid(pipelineId) });

/** A service client that calls the model, at a time that the test sets. */
function model(options: WorldOptions = {}) {
  const world = createWorld({ backendUrl: 'https://api.example.test', ...options });
  const time = { ms: 0 };
  const service = net.service(SANDBOX_KEY, ({ method, url, headers, body }) => {
    const path = url.slice(new URL(url).origin.length);
    return answer(world, { method, path, headers, body }, time.ms);
  });
  return { world, time, service };
}

describe('the model', () => {
  it('records no violation when a run is triggered and then cancelled', async () => {
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

  it('queues only one run even if the token of the trigger has expired', async () => {
    const { service, world } = model();
    await service.connect();
    expireTokens(world, 0);
    expect(await service.trigger(order(PIPELINE_IDS.orders), { onSend })).toMatchObject({ kind: 'queued' });
    expect(world.jobs).toHaveLength(1);
  });

  it.each([
    ['of an account without credits', PIPELINE_IDS.penniless, 'no_credits'],
    ['that is inactive', PIPELINE_IDS.inactive, 'rejected'],
    ['of another workspace', FOREIGN_PIPELINE_ID, 'rejected'],
  ])('refuses to run a pipeline %s', async (_what, id, kind) => {
    const { service, world } = model();
    expect(await service.trigger(order(id), { onSend })).toMatchObject({ kind });
    expect(world.jobs).toEqual([]);
  });

  it.each(['401', 'null-token', 'no-token', 'empty-token'] as const)(
    'refuses a key that is revoked between two calls (%s)',
    async (refusal) => {
      const { service, world } = model({ refusal });
      await service.connect();
      revokeKey(world, SANDBOX_KEY);
      expect(await service.list()).toMatchObject({ kind: 'key_refused' });
    },
  );
});
