import { describe, expect, it } from 'vitest';
import { addPipeline, createWorld, OTHER_KEY, PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { client, parse } from './client.ts';

describe('list', () => {
  it('names every pipeline of the workspace, inactive ones too', () => {
    const rows = parse(client(createWorld()).list(0)) as object[];
    expect(rows).toHaveLength(Object.keys(PIPELINE_IDS).length);
    expect(rows[0]).toEqual({ pipeline_id: PIPELINE_IDS.orders, pipeline_name: 'Orders', pipeline_api_name: 'orders' });
  });

  it('shows nothing of another workspace', () => {
    const rows = parse(client(createWorld(), OTHER_KEY).list(0, 'select=pipeline_name'));
    expect(rows).toEqual([{ pipeline_name: 'Foreign' }]);
  });

  it('finds names with commas, quotes and backslashes in them', () => {
    const world = createWorld();
    const names = ['a, b', 'a "b"', 'a \\ b'];
    for (const name of names) addPipeline(world, { name });
    const quoted = names.map((name) => JSON.stringify(name)).join(',');
    const query = `pipeline_name=in.(${encodeURIComponent(quoted)},Orders)&select=pipeline_name`;
    const found = parse(client(world).list(0, query)) as { pipeline_name: string }[];
    expect(found.map(({ pipeline_name }) => pipeline_name)).toEqual(['Orders', ...names]);
  });

  it('is cut off at 1,000 rows without a word', () => {
    const pipelines = Array.from({ length: 1_200 }, (_, n) => ({ name: `Copy ${String(n)}` }));
    const response = client(createWorld({ pipelines })).list(0, 'select=pipeline_name');
    expect([response.status, parse(response)]).toMatchObject([200, { length: 1_000 }]);
  });

  it('takes pipelines without an API name, and repeats those with several datasources', () => {
    const world = createWorld();
    addPipeline(world, { name: 'Sales / EU', apiName: null, rows: 2, scenario: 'idle' });
    addPipeline(world, { name: 'Sales (US)' });
    const rows = parse(client(world).list(0, 'select=pipeline_name,pipeline_api_name')) as object[];
    expect(rows.slice(-3)).toEqual([
      { pipeline_name: 'Sales / EU', pipeline_api_name: null },
      { pipeline_name: 'Sales / EU', pipeline_api_name: null },
      { pipeline_name: 'Sales (US)', pipeline_api_name: 'sales_us_' },
    ]);
  });

  it('filters like any collection', () => {
    const { list } = client(createWorld());
    const query = `select=pipeline_name&pipeline_id=eq.${PIPELINE_IDS.slow}`;
    expect(parse(list(0, query))).toEqual([{ pipeline_name: 'Slow' }]);
    expect(parse(list(0, 'select=pipeline_name&pipeline_api_name=in.("idle",slow)'))).toHaveLength(2);
    expect(list(0, 'select=datasource_id').status).toBe(400);
  });
});
