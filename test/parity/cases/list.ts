import { PIPELINE_IDS, type WorldOptions } from '../../../sandbox/model/index.ts';
import type { Case } from '../case.ts';

const FIELDS = 'select=pipeline_id,pipeline_name,pipeline_api_name';

const right = (name: string, query: string, world: WorldOptions = {}): Case => ({
  ...wrong(name, query, world),
  right: true,
});
const wrong = (name: string, query: string, world: WorldOptions = {}): Case => ({
  name: `list: ${name}`,
  asks: () => ({ method: 'GET', path: `/rest/v1/pipelines_and_datasources?${query}` }),
  world,
});

/** More than the service answers with, and all alike, as their order is promised by nobody. */
const many = Array.from({ length: 1_200 }, () => ({ name: 'Copy', apiName: 'copy' }));

const odd = [
  { name: 'Two sources', rows: 2 },
  { name: 'No API name', apiName: null },
  { name: '"Ünï, (code)" 💾 & \\', apiName: 'unicode' },
];

export const listCases: readonly Case[] = [
  right('all pipelines', FIELDS),
  { ...right('all pipelines of another workspace', FIELDS), as: 'other workspace' },
  right('more pipelines than are answered', 'select=pipeline_name&pipeline_name=eq.Copy', { pipelines: many }),
  right('pipelines with two datasources, without an API name, with odd names', FIELDS, { pipelines: odd }),
  right('names alone', 'select=pipeline_name'),
  right('one by its API name', `pipeline_api_name=eq.orders&${FIELDS}`),
  right('one by its id', `pipeline_id=eq.${PIPELINE_IDS.orders}&${FIELDS}`),
  right('one by a name in capitals', `pipeline_api_name=eq.ORDERS&${FIELDS}`),
  right('two by their names, one in quotes', `pipeline_name=in.(Orders,%22Two%20sources%22)&${FIELDS}`, {
    pipelines: odd,
  }),
  right('one by a name with a comma, in quotes', `pipeline_name=in.(%22a,%20b%22)&${FIELDS}`, {
    pipelines: [{ name: 'a, b' }],
  }),
  wrong('an unknown field', 'select=pipeline_id,name'),
  wrong('an unknown filter', `name=eq.orders&${FIELDS}`),
  wrong('an id that is none', `pipeline_id=eq.orders&${FIELDS}`),
  wrong('all fields', 'select=*'),
];
