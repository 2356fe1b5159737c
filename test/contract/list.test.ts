import { describe, expect, it } from 'vitest';
import { PIPELINE } from '../support/service.ts';
import { expectAuthorized, network, type Reply } from './network.ts';

const net = network();
const OTHER = '77777777-6666-4555-8444-333333333333';

function row(id: unknown, name: unknown = 'Orders', apiName: unknown = 'orders'): object {
  return { pipeline_id: id, pipeline_name: name, pipeline_api_name: apiName };
}

describe('a list', () => {
  it('is one GET of three fields', async () => {
    net.reply({ body: [] });
    expect(await net.service().list()).toEqual({ kind: 'pipelines', pipelines: [], mayBeTruncated: false });
    expect(net.calls()).toHaveLength(1);
    const [request] = net.calls();
    expect(request?.line).toBe(
      'GET https://api.example.test/rest/v1/pipelines_and_datasources?select=pipeline_id,pipeline_name,pipeline_api_name',
    );
    expect(request?.body).toBe('');
    expect(request?.headers).not.toHaveProperty('content-length');
    expectAuthorized(request);
  });

  it('holds each pipeline once, whatever its rows', async () => {
    net.reply({
      body: [
        row(PIPELINE, null, 'orders'),
        row(null),
        row(OTHER.toUpperCase(), 'Ünï', null),
        row(PIPELINE, 'Orders', 'ignored'),
        row('no-uuid'),
        row(17),
        { pipeline_name: 'no id' },
        null,
        'text',
        [],
        row(undefined),
      ],
    });
    expect(await net.service().list()).toEqual({
      kind: 'pipelines',
      pipelines: [
        { id: PIPELINE, name: 'Orders', apiName: 'orders' },
        { id: OTHER, name: 'Ünï', apiName: null },
      ],
      mayBeTruncated: false,
    });
  });

  it('takes a name that is no text for none', async () => {
    net.reply({ body: [row(PIPELINE, 17, { a: 1 })] });
    expect(await net.service().list()).toMatchObject({ pipelines: [{ name: null, apiName: null }] });
  });

  it.each([
    [999, false],
    [1_000, true],
    [1_500, true],
  ])('of %i rows: perhaps cut off: %s', async (rows, mayBeTruncated) => {
    net.reply({ body: Array.from({ length: rows }, () => row(PIPELINE)) });
    expect(await net.service().list()).toMatchObject({ mayBeTruncated, pipelines: [{ id: PIPELINE }] });
  });

  it.each<[string, Reply, string]>([
    ['null', { body: 'null' }, 'rejected'],
    ['an object', { body: { rows: [] } }, 'rejected'],
    ['a text', { body: '"x"' }, 'rejected'],
    ['rows of something else', { body: [{ id: PIPELINE }, 7] }, 'rejected'],
    ['datasources alone', { body: [row(null)] }, 'pipelines'],
    ['no JSON', { body: '[' }, 'maybe_processed'],
    ['403', { status: 403, body: { message: 'no' } }, 'rejected'],
    ['500', { status: 500 }, 'maybe_processed'],
  ])('that is %s', async (_what, reply, kind) => {
    net.reply(reply);
    const outcome = await net.service().list();
    expect(outcome.kind).toBe(kind);
    if ('problem' in outcome) expect(outcome.problem.attempted).toBe('list the pipelines');
  });
});
