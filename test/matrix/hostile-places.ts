// Lists the places where hostile text can appear, each with a step that receives the text.
import { answers, type Step } from '../support/scripted-wire.ts';
import { bootstrap, JOB, PIPELINE } from '../support/service.ts';
import type { Request, StepOptions } from '../support/step.ts';

/** Builds a step in which a response contains this text. */
export type Place = (text: string) => StepOptions;

const row = (fields: Readonly<Record<string, unknown>>): readonly Step[] =>
  answers(200, [{ id: JOB, job_status: 'running', status_message: null, ...fields }]);

/** Applies from the second read on, when the step knows the id and the first status. */
function reading(script: readonly Step[]): StepOptions {
  return { inputs: { 'max-outage': '2m' }, scripts: { read: (nth) => (nth > 1 ? script : undefined) } };
}

function cancelling(script: readonly Step[]): StepOptions {
  return { statuses: ['running'], interruptAtMs: 40_000, scripts: { cancel: () => script } };
}

function exchanging(fields: Readonly<Record<string, unknown>>): StepOptions {
  return { scripts: { exchange: () => answers(200, bootstrap(fields)) } };
}

function listing(fields: Readonly<Record<string, unknown>>, inputs: StepOptions['inputs'] = {}): StepOptions {
  const rows = [{ pipeline_id: PIPELINE, pipeline_name: 'Orders', pipeline_api_name: 'orders', ...fields }];
  return { inputs, scripts: { list: () => answers(200, rows) } };
}

/** Responds to one kind of request with a failure in which every field is hostile. */
function failing(call: Request, answer: (text: string) => readonly Step[]): Place {
  return (text) => ({
    inputs: { 'max-outage': '2m' },
    scripts: { [call]: (nth: number) => (call === 'read' && nth === 1 ? undefined : answer(text)) },
  });
}

/** Failures before the first run and during the wait suffice, as all calls share the code that quotes responses. */
const FAILING: readonly Request[] = ['exchange', 'read'];

const FAILURES: Readonly<Record<string, (text: string) => readonly Step[]>> = {
  'PostgREST error': (text) => answers(400, { message: text, code: text, hint: text, details: text }),
  'log-in error': (text) => answers(403, { error: text, error_description: text }),
  'error of another shape': (text) => answers(500, { [text]: text }),
  'plain text': (text) => answers(503, text),
  'web page': (text) => answers(502, `<html><title>${text}</title>${text}`, { 'content-type': 'text/html' }),
  redirect: (text) => answers(302, '', { location: text }),
  headers: (text) => answers(429, '', { 'retry-after': text, date: text, 'content-type': text }),
  'text instead of JSON': (text) => answers(200, text),
  'JSON string': (text) => answers(200, JSON.stringify(text)),
  'JSON object': (text) => answers(200, { message: text, token: text }),
  'error of the connection': (text) => [{ failed: { code: text, message: text } }],
  'error of the proxy': (text) => [
    { failed: { code: 'ECONNRESET', message: `tunneling socket could not be established, cause=${text}` } },
  ],
};

/** Every place in a response that can contain text. */
export const PLACES: Readonly<Record<string, Place>> = {
  'exchange: region': (region) => exchanging({ region }),
  'exchange: expires_at': (expires_at) => exchanging({ expires_at }),
  'exchange: token': (token) => exchanging({ token }),
  'exchange: backend_url': (backend_url) => exchanging({ backend_url }),
  'exchange: backend_anon_key': (backend_anon_key) => exchanging({ backend_anon_key }),
  'exchange: ttl_seconds': (ttl_seconds) => exchanging({ ttl_seconds }),
  'list: pipeline_name': (pipeline_name) => ({ ...listing({ pipeline_name }), statuses: ['running', 'failed'] }),
  'list: pipeline_name, dry run': (pipeline_name) => listing({ pipeline_name }, { 'dry-run': 'true' }),
  'list: pipeline_name, several': (pipeline_name) => ({
    ...listing({ pipeline_name }, { pipeline: `orders\n${JOB}`, 'fail-fast': 'true' }),
    statuses: ['running', 'failed'],
  }),
  'list: pipeline_name, reset': (pipeline_name) =>
    listing({ pipeline_name }, { 'reset-target': 'true', 'full-resync': 'true' }),
  'list: pipeline_api_name, suggested': (pipeline_api_name) => ({
    ...listing({ pipeline_api_name, pipeline_name: pipeline_api_name }, { pipeline: `INJECTED orders` }),
  }),
  'list: pipeline_id': (pipeline_id) => listing({ pipeline_id }),
  'trigger: id': (id) => ({ scripts: { trigger: () => answers(200, JSON.stringify(id)) } }),
  'read: id': (id) => reading(row({ id })),
  'read: job_status': (job_status) => ({
    ...reading(row({ job_status })),
    inputs: { timeout: '3m', 'on-timeout': 'leave' },
  }),
  'read: status_message': (status_message) => reading(row({ job_status: 'failed', status_message })),
  'read: status_message of a success': (status_message) =>
    reading(row({ job_status: 'completed_with_warning', status_message })),
  'read: another field': (text) => reading(row({ job_status: 'completed', [text]: text })),
  'read: status of an earlier run': (job_status) => ({
    inputs: { 'job-id': JOB, timeout: '3m' },
    scripts: { read: () => row({ job_status, status_message: job_status }) },
  }),
  'cancel: id': (id) => cancelling(row({ id })),
  'cancel: job_status': (job_status) => cancelling(row({ job_status })),
  'cancel: status_message': (status_message) => cancelling(row({ job_status: 'failed', status_message })),
  ...Object.fromEntries(
    FAILING.flatMap((call) =>
      Object.entries(FAILURES).map(([how, answer]) => [`${call}: ${how}`, failing(call, answer)]),
    ),
  ),
};
