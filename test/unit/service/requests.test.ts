import { describe, expect, it } from 'vitest';
import type { Service } from '../../../src/service/api.ts';
import { answers } from '../../support/scripted-wire.ts';
import { API_KEY, bench, bootstrap, JOB, ORDER, PIPELINE, tokenOf } from '../../support/service.ts';

const API = 'https://api.example.test';
const AUTHORIZED = { authorization: 'Bearer token-1', apikey: 'anon-key', accept: 'application/json' };
const JSON_BODY = { 'content-type': 'application/json' };

/** The requests of one call, as data: nothing more than this leaves. */
async function requestsOf(make: (service: Service) => Promise<unknown>, fields = {}): Promise<object[]> {
  const { service, clock, sent } = bench({
    exchange: () => answers(200, bootstrap(fields)),
    call: () => answers(200, []),
  });
  await clock.until(make(service));
  return sent.map(({ request }) => ({ ...request, url: request.url.href }));
}

describe('a request, to the last character', () => {
  it('exchanges the key', async () => {
    expect(await requestsOf((service) => service.connect())).toEqual([
      {
        method: 'POST',
        url: 'https://app.example.test/api/cli/bootstrap',
        headers: { authorization: `Bearer ${API_KEY}`, accept: 'application/json' },
      },
    ]);
  });

  it.each<[string, (service: Service) => Promise<unknown>, object]>([
    [
      'lists pipelines',
      (service) => service.list(),
      {
        method: 'GET',
        url: `${API}/rest/v1/pipelines_and_datasources?select=pipeline_id,pipeline_name,pipeline_api_name`,
        headers: AUTHORIZED,
        body: undefined,
      },
    ],
    [
      'triggers a run',
      (service) => service.trigger({ ...ORDER, fullResync: true }, { onSend: () => undefined }),
      {
        method: 'POST',
        url: `${API}/rest/v1/rpc/create_pipeline_run_job`,
        headers: { ...AUTHORIZED, ...JSON_BODY },
        body: `{"p_pipeline_id":"${PIPELINE}","p_job_type":"pipeline_run","p_full_resync":true,"p_reset_target":false}`,
      },
    ],
    [
      'reads a run',
      (service) => service.read(JOB),
      {
        method: 'GET',
        url: `${API}/rest/v1/jobs?id=eq.${JOB}&select=id,job_status,status_message`,
        headers: AUTHORIZED,
        body: undefined,
      },
    ],
    [
      'cancels a run',
      (service) => service.cancel(JOB),
      {
        method: 'PATCH',
        url: `${API}/rest/v1/jobs?id=eq.${JOB}&job_status=in.(queued,picked,running)&select=id,job_status,status_message`,
        headers: { ...AUTHORIZED, ...JSON_BODY, prefer: 'return=representation' },
        body: '{"job_status":"cancelled"}',
      },
    ],
  ])('%s', async (_what, make, request) => {
    const [, second, ...rest] = await requestsOf(make);
    expect(second).toStrictEqual(request);
    expect(rest).toEqual([]);
  });

  it('keeps the path of the address that the exchange named', async () => {
    const [, second] = await requestsOf((service) => service.read(JOB), { backend_url: `${API}/eu/` });
    expect(second).toMatchObject({ url: `${API}/eu/rest/v1/jobs?id=eq.${JOB}&select=id,job_status,status_message` });
  });
});

describe('a row', () => {
  it.each([
    ['a text', 'Loading: 3 of 5', 'Loading: 3 of 5'],
    ['null', null, null],
    ['a number', 17, null],
    ['an object', { a: 1 }, null],
    ['missing', undefined, null],
  ])('whose message is %s', async (_what, status_message, statusMessage) => {
    const { service, clock } = bench({
      call: () => answers(200, [{ id: JOB, job_status: 'running', status_message }]),
    });
    expect(await clock.until(service.read(JOB))).toEqual({
      kind: 'job',
      job: { id: JOB, status: 'running', statusMessage },
    });
  });
});

describe('the rows of a list', () => {
  const list = async (rows: readonly unknown[]) => {
    const { service, clock } = bench({ call: () => answers(200, rows) });
    return clock.until(service.list());
  };

  it('count as far as they are pipelines', async () => {
    const pipeline = { pipeline_id: PIPELINE, pipeline_name: 'Orders', pipeline_api_name: null };
    expect(await list([null, 7, { pipeline_id: null }, { pipeline_id: 'no-uuid' }, pipeline])).toEqual({
      kind: 'pipelines',
      pipelines: [{ id: PIPELINE, name: 'Orders', apiName: null }],
      mayBeTruncated: false,
    });
  });

  it('are no list when none of them could be one', async () => {
    expect(await list([null, 7, { id: PIPELINE }])).toMatchObject({
      kind: 'rejected',
      problem: {
        cause: expect.stringMatching(/^HTTP 200, but with rows that are not pipelines: /) as string,
        remedy: expect.stringMatching(/^Use the UUID/) as string,
      },
    });
  });
});

describe('a list that is asked for beside', () => {
  it('costs nobody the token, although it is not let in, and is not asked for again', async () => {
    const { service, clock, calls, exchanges } = bench({
      call: (sent) =>
        sent.path.includes('pipelines')
          ? answers(401, { message: 'JWT expired' })
          : answers(200, [{ id: JOB, job_status: 'running' }]),
    });
    await clock.until(service.list({ isBackground: true }));
    await clock.until(service.read(JOB));
    expect(exchanges()).toHaveLength(1);
    expect(calls().map(tokenOf)).toEqual(['token-1', 'token-1']);
  });
});
