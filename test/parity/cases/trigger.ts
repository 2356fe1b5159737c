import { FOREIGN_PIPELINE_ID, PIPELINE_IDS, type WorldOptions } from '../../../sandbox/model/index.ts';
import { type Case, JSON_TYPE, UNKNOWN_ID } from '../case.ts';

const PATH = '/rest/v1/rpc/create_pipeline_run_job';
const ORDERS = PIPELINE_IDS.orders;

const right = (name: string, body: object, world: WorldOptions = {}): Case => ({
  ...wrong(name, body, world),
  right: true,
});
const wrong = (name: string, body: object | string, world: WorldOptions = {}): Case => ({
  name: `trigger: ${name}`,
  asks: () => ({
    method: 'POST',
    path: PATH,
    headers: JSON_TYPE,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }),
  world,
});
/** With another media type, or none. */
const typed = (name: string, headers: Readonly<Record<string, string>>, body: string): Case => ({
  name: `trigger: ${name}`,
  asks: () => ({ method: 'POST', path: PATH, headers, body }),
});

const orders = (more: object = {}): object => ({ p_pipeline_id: ORDERS, ...more });

export const triggerCases: readonly Case[] = [
  right('the pipeline alone', orders()),
  right('every parameter', orders({ p_job_type: 'pipeline_run', p_full_resync: true, p_reset_target: true })),
  right('a full resync', orders({ p_full_resync: true, p_reset_target: false })),
  right('an id in capitals', { p_pipeline_id: ORDERS.toUpperCase() }),
  right('the last credit', orders(), { credits: 1 }),
  right('without credits', orders(), { credits: 0 }),
  right('an unknown pipeline', { p_pipeline_id: UNKNOWN_ID }),
  right('a pipeline of another workspace', { p_pipeline_id: FOREIGN_PIPELINE_ID }),
  right('an inactive pipeline', { p_pipeline_id: PIPELINE_IDS.inactive }),
  right('an inactive pipeline without credits', { p_pipeline_id: PIPELINE_IDS.inactive }, { credits: 0 }),
  wrong('an id without hyphens', { p_pipeline_id: ORDERS.replaceAll('-', '') }),
  wrong('an id that is none', { p_pipeline_id: 'orders' }),
  wrong('an empty id', { p_pipeline_id: '' }),
  wrong('a number for an id', { p_pipeline_id: 5 }),
  wrong('null for an id', { p_pipeline_id: null }),
  wrong('a list for an id', { p_pipeline_id: [ORDERS] }),
  wrong('no id', { p_full_resync: true }),
  wrong('no arguments', {}),
  wrong('an unknown argument', orders({ p_force: true })),
  wrong('another type of job', orders({ p_job_type: 'sync' })),
  wrong('null for the type of job', orders({ p_job_type: null })),
  wrong('a number for the type of job', orders({ p_job_type: 5 })),
  wrong('a reset without a resync', orders({ p_reset_target: true })),
  wrong('a word for true', orders({ p_full_resync: 'true' })),
  wrong('a number for true', orders({ p_full_resync: 1 })),
  wrong('a word that is no truth', orders({ p_full_resync: 'maybe_processed' })),
  wrong('null for a truth', orders({ p_full_resync: null })),
  wrong('no body', ''),
  wrong('a body that is not JSON', 'p_pipeline_id'),
  wrong('a body that is cut off', `{"p_pipeline_id":"${ORDERS}"`),
  wrong('a body with more behind it', `{"p_pipeline_id":"${ORDERS}"} {}`),
  wrong('an empty list', []),
  wrong('a list', [orders()]),
  wrong('a list of a number', [5]),
  wrong('a number', '5'),
  wrong('null', 'null'),
  wrong('an argument twice', `{"p_pipeline_id":"${UNKNOWN_ID}","p_pipeline_id":"${ORDERS}"}`),
  typed('no media type', {}, JSON.stringify(orders())),
  typed('JSON as plain text', { 'content-type': 'text/plain' }, JSON.stringify(orders())),
  typed(
    'a media type with a character set',
    { 'content-type': 'application/json; charset=utf-8' },
    JSON.stringify(orders()),
  ),
  typed('a form', { 'content-type': 'application/x-www-form-urlencoded' }, `p_pipeline_id=${ORDERS}`),
  { name: 'trigger: by GET', asks: () => ({ method: 'GET', path: `${PATH}?p_pipeline_id=${ORDERS}` }) },
];
