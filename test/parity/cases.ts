// Requests that a correct client may send, and requests with bad credentials.
import { FOREIGN_PIPELINE_ID, PIPELINE_IDS, SANDBOX_KEY, type WorldOptions } from '../../sandbox/model/index.ts';

/** The owner or the defect of a request's token. `header` is a whole `Authorization` header, or null to omit it. */
export type Credentials =
  | 'valid'
  | 'of the other workspace'
  | 'expired'
  /** The token has the claims of one token and the signature of another. */
  | 'tampered'
  | 'signed with another secret'
  | 'unsigned'
  | { readonly header: string | null };

/** A request to which both services must respond alike. */
export interface Case {
  /** Describes the request, beginning with a verb. */
  readonly name: string;
  /** Method and path under /rest/v1/. `{running}` stands for that run's id. */
  readonly request: string;
  readonly body?: object;
  readonly credentials?: Credentials;
  /** The apikey header. The default is the one that the token exchange returns. */
  readonly apikey?: string;
  readonly world?: WorldOptions;
  /** The error codes of the two services if they differ. */
  readonly codes?: readonly [sandbox: string, lite: string];
}

type More = Omit<Case, 'name' | 'request' | 'body'>;

const call =
  (verb: string, request: string, body?: object) =>
  (what: string, query: string, more: More = {}): Case => ({
    name: `${verb} ${what}`,
    request: `${request}?${query}`,
    ...(body !== undefined && { body }),
    ...more,
  });
const list = call('lists', 'GET pipelines_and_datasources');
const read = call('reads', 'GET jobs');
const cancel = call('cancels', 'PATCH jobs', { job_status: 'cancelled' });
const trigger = (what: string, fields: object = {}, more: More = {}): Case => ({
  name: `triggers ${what}`,
  request: 'POST rpc/create_pipeline_run_job',
  body: { p_pipeline_id: PIPELINE_IDS.orders, ...fields },
  ...more,
});

const UNKNOWN_ID = 'b0b0b0b0-0000-4000-8000-000000000000';
const LAST_ID = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
const NAMES = 'select=pipeline_id,pipeline_name,pipeline_api_name';
const JOB = 'select=id,job_status,status_message';
const RUNNING = `id=eq.{running}&${JOB}`;
const ACTIVE = 'job_status=in.(queued,picked,running)';
/** The sandbox returns PostgreSQL's default code, and Supabase Lite a code that maps to a 400. */
const RAISED: More = { codes: ['P0001', 'PT400'] };

/** More pipelines than one response contains. They are identical because the service does not specify their order. */
const MANY: More = { world: { pipelines: Array.from({ length: 1_200 }, () => ({ name: 'Copy', apiName: 'copy' })) } };
const UNICODE = { name: '"Ünï, (code)" 💾 & \\', apiName: 'unicode' };
const UNUSUAL = [{ name: 'Two sources', rows: 2 }, { name: 'No API name', apiName: null }, UNICODE];
const ODD: More = { world: { pipelines: UNUSUAL } };

export const CORRECT: readonly Case[] = [
  list('all pipelines', NAMES),
  list('all pipelines of the other workspace', NAMES, { credentials: 'of the other workspace' }),
  list('more pipelines than one response contains', 'select=pipeline_name&pipeline_name=eq.Copy', MANY),
  list('pipelines that have two rows, no API name or an unusual name', NAMES, ODD),
  list('only the names of pipelines', 'select=pipeline_name'),
  list('pipelines in the order of their ids', `${NAMES}&order=pipeline_id`, ODD),
  list('the first page of pipelines', `${NAMES}&order=pipeline_id&limit=3`),
  list('the next page of pipelines', `${NAMES}&order=pipeline_id&limit=3&pipeline_id=gt.${PIPELINE_IDS.slow}`),
  list('a page after the last pipeline', `${NAMES}&order=pipeline_id&limit=3&pipeline_id=gt.${LAST_ID}`),
  list('a page that is larger than a response', 'select=pipeline_name&order=pipeline_name&limit=5000', MANY),
  read('a queued run', `id=eq.{queued}&${JOB}`),
  read('a picked run', `id=eq.{picked}&${JOB}`),
  read('an unfinished run', RUNNING),
  read('a finished run', `id=eq.{finished}&${JOB}`),
  read('a run of the other workspace', `id=eq.{foreign}&${JOB}`),
  read('a run with an unknown id', `id=eq.${UNKNOWN_ID}&${JOB}`),
  read('a run with a percent-encoded query', `id=eq%2E{queued}&${JOB.replaceAll(',', '%2C')}`),
  read('only the status of a run', 'id=eq.{running}&select=job_status'),
  trigger('a run with no parameters except the pipeline'),
  trigger('a run with all parameters', { p_job_type: 'pipeline_run', p_full_resync: true, p_reset_target: true }),
  trigger('a full resync', { p_full_resync: true, p_reset_target: false }),
  trigger('a run with the last credit', {}, { world: { credits: 1 } }),
  trigger('a run without credits', {}, { world: { credits: 0 } }),
  trigger('an unknown pipeline', { p_pipeline_id: UNKNOWN_ID }, RAISED),
  trigger('a pipeline of the other workspace', { p_pipeline_id: FOREIGN_PIPELINE_ID }, RAISED),
  trigger('an inactive pipeline', { p_pipeline_id: PIPELINE_IDS.inactive }, RAISED),
  cancel('a queued run', `id=eq.{queued}&${ACTIVE}&${JOB}`),
  cancel('a picked run', `id=eq.{picked}&${ACTIVE}&${JOB}`),
  cancel('an unfinished run', `id=eq.{running}&${ACTIVE}&${JOB}`),
  cancel('a finished run', `id=eq.{finished}&${ACTIVE}&${JOB}`),
  cancel('a run of the other workspace', `id=eq.{foreign}&${ACTIVE}&${JOB}`),
  cancel('a run with an unknown id', `id=eq.${UNKNOWN_ID}&${ACTIVE}&${JOB}`),
  cancel('a run with an encoded precondition', `id=eq.{running}&job_status=in.%28running%2Cqueued%2Cpicked%29&${JOB}`),
  cancel('a run and selects only the status', `id=eq.{running}&${ACTIVE}&select=job_status`),
];

const lacking = (what: string, more: More): Case => ({ ...read('', RUNNING, more), name: what });
/** Supabase Lite 0.10 handles requests without a valid token in the role `anon`, which has no privileges. */
const NO_TOKEN = ['PGRST302', '42501'] as const;
const BAD_TOKEN = ['PGRST301', '42501'] as const;

export const BAD_CREDENTIALS: readonly Case[] = [
  list('pipelines with an expired token', NAMES, { credentials: 'expired' }),
  read('a run with an expired token', RUNNING, { credentials: 'expired' }),
  trigger('a run with an expired token', {}, { credentials: 'expired' }),
  cancel('a run with an expired token', `id=eq.{running}&${ACTIVE}&${JOB}`, { credentials: 'expired' }),
  lacking('sends a token with the signature of another secret', { credentials: 'signed with another secret' }),
  lacking('sends an unsigned token', { credentials: 'unsigned', codes: BAD_TOKEN }),
  lacking('sends a tampered token', { credentials: 'tampered' }),
  lacking('sends a token of the other workspace', { credentials: 'of the other workspace' }),
  lacking('sends the API key as a token', { credentials: { header: `Bearer ${SANDBOX_KEY}` }, codes: BAD_TOKEN }),
  lacking('sends no Authorization header', { credentials: { header: null }, codes: NO_TOKEN }),
  lacking('sends no apikey', { apikey: '' }),
  lacking('sends an unknown apikey', { apikey: 'sb_publishable_other' }),
];
