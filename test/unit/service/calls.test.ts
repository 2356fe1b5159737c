// Tests the exact requests of the five calls, and which rows and response sizes are valid.
import { describe, expect, it } from 'vitest';
import type { CallOptions, Service } from '../../../src/service/api.ts';
import { jobRows } from '../../../src/service/jobs.ts';
import type { JsonValue } from '../../../src/service/reply.ts';
import { answers } from '../../support/scripted-wire.ts';
import { API_KEY, bench, JOB, ORDER, PIPELINE, tokenOf, uuid } from '../../support/service.ts';

const API = 'https://api.example.test';
const HEADERS = { authorization: 'Bearer token-1', apikey: 'anon-key', accept: 'application/json' };
const JSON_TYPE = { 'content-type': 'application/json' };

const TRIGGER = { p_pipeline_id: PIPELINE, p_job_type: 'pipeline_run' };
const onSend = (): void => undefined;

async function requestsOf(make: (service: Service) => Promise<unknown>): Promise<object[]> {
  const { service, clock, sent } = bench({});
  await clock.until(make(service));
  return sent.map(({ request }) => ({ ...request, url: request.url.href }));
}

describe('the service client', () => {
  it('exchanges the API key in one POST without a body', async () => {
    const headers = { authorization: `Bearer ${API_KEY}`, accept: 'application/json' };
    const url = 'https://app.example.test/api/cli/bootstrap';
    expect(await requestsOf((service) => service.connect())).toEqual([{ method: 'POST', url, headers }]);
  });

  it.each<[string, (service: Service) => Promise<unknown>, string, object?, string?]>([
    [
      'lists pipelines with a GET for three fields',
      (service) => service.list(),
      `GET ${API}/rest/v1/pipelines_and_datasources?select=pipeline_id,pipeline_name,pipeline_api_name`,
    ],
    ...[[], ['fullResync'], ['fullResync', 'resetTarget']].map(
      (flags): [string, (service: Service) => Promise<unknown>, string, object, string] => [
        `triggers a run with ${flags.length === 0 ? 'no flags' : flags.join(' and ')} in a POST with four parameters`,
        (service) =>
          service.trigger({ ...ORDER, ...Object.fromEntries(flags.map((flag) => [flag, true])) }, { onSend }),
        `POST ${API}/rest/v1/rpc/create_pipeline_run_job`,
        JSON_TYPE,
        JSON.stringify({ ...TRIGGER, p_full_resync: flags.length > 0, p_reset_target: flags.length > 1 }),
      ],
    ),
    [
      'reads a run with a GET for three fields',
      (service) => service.read(JOB),
      `GET ${API}/rest/v1/jobs?id=eq.${JOB}&select=id,job_status,status_message`,
    ],
    [
      'cancels a run with a PATCH that requires a status in which the run can be cancelled',
      (service) => service.cancel(JOB),
      `PATCH ${API}/rest/v1/jobs?id=eq.${JOB}&job_status=in.(queued,picked,running)&select=id,job_status,status_message`,
      { ...JSON_TYPE, prefer: 'return=representation' },
      '{"job_status":"cancelled"}',
    ],
  ])('%s', async (_what, make, line, headers = {}, body) => {
    const [method, url] = line.split(' ');
    const [, ...requests] = await requestsOf(make);
    expect(requests).toStrictEqual([{ method, url, headers: { ...HEADERS, ...headers }, body }]);
  });
});

describe("a run's row", () => {
  const LONG = 'x'.repeat(999);
  const PADDED = `completed${' '.repeat(300)}x`;
  const parsed = (rows?: JsonValue) => jobRows({ json: rows, text: ' \n' }, JOB);
  const running = (fields: Readonly<Record<string, JsonValue>> = {}) => ({ id: JOB, job_status: 'running', ...fields });

  it.each<[string, Readonly<Record<string, JsonValue>>, object]>([
    ['may have additional fields', { more: 1 }, {}],
    ['may have an unknown status', { job_status: 'hibernating' }, { status: 'hibernating' }],
    ['may have a status in capitals, which the client keeps', { job_status: 'COMPLETED' }, { status: 'COMPLETED' }],
    ['may have a status with spaces, which the client keeps', { job_status: 'completed ' }, { status: 'completed ' }],
    ['may have an empty status', { job_status: '' }, { status: '' }],
    ['may have a message', { status_message: 'Loading: 3 of 5' }, { statusMessage: 'Loading: 3 of 5' }],
    ['may have a message that is null', { status_message: null }, {}],
    ['has no message if status_message is a number', { status_message: 17 }, {}],
    ['has its message on one line', { status_message: '\n\na \tb' }, { statusMessage: 'a b' }],
    ['has a message of at most 1,000 characters', { status_message: `${LONG}xx` }, { statusMessage: `${LONG}…` }],
    ['has no final status if the client shortens its status', { job_status: PADDED }, { status: 'completed…' }],
  ])('%s', (_what, fields, expected) => {
    const job = { id: JOB, status: 'running', statusMessage: null, ...expected };
    expect(parsed([running(fields)])).toEqual({ kind: 'job', job });
  });

  it('may have its id in capitals', () => {
    const id = uuid('aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee');
    const rows = jobRows({ json: [running({ id: id.toUpperCase() })], text: '' }, id);
    expect(rows).toMatchObject({ kind: 'job', job: { id } });
  });

  it('may be missing', () => {
    expect(parsed([])).toEqual({ kind: 'none' });
  });

  it.each<[string, JsonValue | undefined, string]>([
    ['is blank', undefined, 'empty'],
    ['is an object', running(), 'not a list'],
    ['has two rows', [running(), running()], '2 rows'],
    ['has null as a row', [null], 'not an object'],
    ['has a list as a row', [[]], 'not an object'],
    ['has a row for another run', [running({ id: PIPELINE })], 'another run'],
    ['has a row without an id', [{ job_status: 'running' }], 'another run'],
    ['has a row without a status', [{ id: JOB }], 'no job_status'],
    ['has a status that is null', [running({ job_status: null })], 'no job_status'],
  ])('is rejected if the response %s', (_what, rows, why) => {
    expect(parsed(rows)).toEqual({ kind: 'nonsense', why: expect.stringContaining(why) as string });
  });
});

describe('the pipeline list', () => {
  const listOf = async (body: unknown, options: CallOptions = {}) => {
    const { service, clock } = bench({ call: () => answers(200, body) });
    return clock.until(service.list(options));
  };
  const row = (id: unknown, name: unknown = null, apiName: unknown = null) => ({
    pipeline_id: id,
    pipeline_name: name,
    pipeline_api_name: apiName,
  });

  it('contains each pipeline once, with the first valid name of each kind, and skips other rows', async () => {
    const others = [null, 7, 'text', [], {}, row(null), row('no-uuid'), row(17)];
    const rows = [row(PIPELINE, null, 'orders'), row(JOB, 17, {}), row(PIPELINE, 'Orders', 'ignored')];
    expect(await listOf([...others, ...rows, row(PIPELINE, 'Other')])).toEqual({
      kind: 'pipelines',
      pipelines: [
        { id: PIPELINE, name: 'Orders', apiName: 'orders' },
        { id: JOB, name: null, apiName: null },
      ],
      mayBeTruncated: false,
    });
  });

  it.each([
    ['pipelines', 'an empty list', []],
    ['pipelines', 'a list of datasources only', [row(null)]],
    ['rejected', 'a list without pipelines or datasources', [null, 7, { id: PIPELINE }]],
    ['rejected', 'an object', { rows: [] }],
    ['rejected', 'a list nested 200,000 times', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['rejected', 'an object nested 200,000 times', `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`],
    ['maybe_processed', 'not JSON', '['],
  ])('has the outcome "%s" if the response is %s', async (kind, _what, body) => {
    expect(await listOf(body)).toMatchObject({ kind });
  });

  it.each([
    [999, 'complete', false],
    [1_000, 'possibly truncated', true],
  ])('with %i rows counts as %s', async (rows, _what, mayBeTruncated) => {
    const all = Array.from({ length: rows }, () => row(PIPELINE));
    expect(await listOf(all)).toMatchObject({ mayBeTruncated, pipelines: [{ id: PIPELINE }] });
  });

  it('is requested only once in the background, without a renewal, if the service rejects the token', async () => {
    const { service, clock, calls, exchanges } = bench({
      call: ({ path }) => answers(path.includes('pipelines') ? 401 : 200, [{ id: JOB, job_status: 'running' }]),
    });
    await clock.until(service.list({ isBackground: true }));
    await clock.until(service.read(JOB));
    expect(exchanges()).toHaveLength(1);
    expect(calls().map(tokenOf)).toEqual(['token-1', 'token-1']);
  });
});

describe('a response that is expensive to decode', () => {
  const row = { pipeline_id: PIPELINE, pipeline_name: '%', id: JOB, job_status: 'running', status_message: '%' };

  it.each<[string, (service: Service) => Promise<unknown>, string]>([
    ['is decoded completely by the list', (service) => service.list(), '"%"'],
    ['is redacted by the background list', (service) => service.list({ isBackground: true }), '"***"'],
    ['is redacted by a read', (service) => service.read(JOB), '"***"'],
  ])('%s', async (_what, make, text) => {
    const { service, clock } = bench({ call: () => answers(200, [{ odd: Array(800).fill('%'), ...row }]) });
    expect(JSON.stringify(await clock.until(make(service)))).toContain(text);
  });
});

describe('a response', () => {
  const KIB_256 = 262_144;

  const limits: readonly [string, number, (service: Service) => Promise<object>, whole: string, tooLarge: string][] = [
    ['exchange', KIB_256, (service) => service.connect(), 'key_refused', 'maybe_processed'],
    ['list', 16 * KIB_256, (service) => service.list(), 'pipelines', 'maybe_processed'],
    ['background list', KIB_256, (service) => service.list({ isBackground: true }), 'pipelines', 'maybe_processed'],
    ['trigger', KIB_256, (service) => service.trigger(ORDER, { onSend }), 'maybe_processed', 'maybe_processed'],
    ['read', KIB_256, (service) => service.read(JOB), 'missing', 'maybe_processed'],
    ['cancel', KIB_256, (service) => service.cancel(JOB), 'unchanged', 'accepted'],
  ];
  const cases = limits.flatMap(([call, bytes, make, whole, tooLarge]) => [
    { call, size: bytes, make, kind: whole, is: 'is accepted' },
    { call, size: bytes + 1, make, kind: tooLarge, is: 'is too large' },
  ]);

  it.each(cases)('to the "$call" call with $size bytes $is', async ({ call, size, make, kind, is }) => {
    const script = () => answers(200, `[${' '.repeat(size - 2)}]`);
    const { service, clock } = bench(call === 'exchange' ? { exchange: script } : { call: script });
    const outcome = await clock.until(make(service));
    expect(outcome).toMatchObject({ kind });
    expect(JSON.stringify(outcome).includes('too large')).toBe(is === 'is too large');
  });
});
