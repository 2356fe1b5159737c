// Lists the places where hostile text can appear, each with a step that receives the text.
import type { Call } from '../support/fault-scripts.ts';
import { answers, type Step } from '../support/scripted-wire.ts';
import { answersRow, bootstrap, JOB, PIPELINE } from '../support/service.ts';
import type { StepOptions } from '../support/step.ts';

/** Builds a step in which a response contains this text. */
export type Place = (text: string) => StepOptions;

/** Changes the second read and all later reads, so that the step already knows the id and a status. */
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
function failing(call: Call, answer: (text: string) => readonly Step[]): Place {
  return (text) => ({
    inputs: { 'max-outage': '2m' },
    scripts: { [call]: (nth: number) => (call === 'read' && nth === 1 ? undefined : answer(text)) },
  });
}

/** Two calls suffice, one before the first run and one during the wait, because all calls quote responses alike. */
const FAILING: readonly Call[] = ['exchange', 'read'];

const FAILURES: Readonly<Record<string, (text: string) => readonly Step[]>> = {
  'a PostgREST error': (text) => answers(400, { message: text, code: text, hint: text, details: text }),
  'a log-in error': (text) => answers(403, { error: text, error_description: text }),
  'an error with unknown fields': (text) => answers(500, { [text]: text }),
  'a plain-text error': (text) => answers(503, text),
  'a web page': (text) => answers(502, `<html><title>${text}</title>${text}`, { 'content-type': 'text/html' }),
  'a redirect': (text) => answers(302, '', { location: text }),
  'the headers': (text) => answers(429, '', { 'retry-after': text, date: text, 'content-type': text }),
  'text instead of JSON': (text) => answers(200, text),
  'a JSON string': (text) => answers(200, JSON.stringify(text)),
  'a JSON object': (text) => answers(200, { message: text, token: text }),
  'a connection error': (text) => [{ failed: { code: text, message: text } }],
  'a proxy error': (text) => [
    { failed: { code: 'ECONNRESET', message: `tunneling socket could not be established, cause=${text}` } },
  ],
};

/** Every place in a response that can contain text. */
export const PLACES: Readonly<Record<string, Place>> = {
  'the region of an exchange response': (region) => exchanging({ region }),
  'the expires_at of an exchange response': (expires_at) => exchanging({ expires_at }),
  'the token of an exchange response': (token) => exchanging({ token }),
  'the backend_url of an exchange response': (backend_url) => exchanging({ backend_url }),
  'the backend_anon_key of an exchange response': (backend_anon_key) => exchanging({ backend_anon_key }),
  'the ttl_seconds of an exchange response': (ttl_seconds) => exchanging({ ttl_seconds }),
  'the pipeline_name of a list': (text) => ({ ...listing({ pipeline_name: text }), statuses: ['running', 'failed'] }),
  'the pipeline_name of a list in a dry run': (pipeline_name) => listing({ pipeline_name }, { 'dry-run': 'true' }),
  'the pipeline_name of a list for several pipelines': (pipeline_name) => ({
    ...listing({ pipeline_name }, { pipeline: `orders\n${JOB}`, 'fail-fast': 'true' }),
    statuses: ['running', 'failed'],
  }),
  'the pipeline_name of a list before a reset': (pipeline_name) =>
    listing({ pipeline_name }, { 'reset-target': 'true', 'full-resync': 'true' }),
  'the pipeline_api_name of a suggested pipeline': (pipeline_api_name) =>
    listing({ pipeline_api_name, pipeline_name: pipeline_api_name }, { pipeline: 'INJECTED orders' }),
  'the pipeline_id of a list': (pipeline_id) => listing({ pipeline_id }),
  'the id in the trigger response': (id) => ({ scripts: { trigger: () => answers(200, JSON.stringify(id)) } }),
  'a run id': (id) => reading(answersRow({ id })),
  'the job_status of a run': (job_status) => ({
    ...reading(answersRow({ job_status })),
    inputs: { timeout: '3m', 'on-timeout': 'leave' },
  }),
  'the status_message of a run': (status_message) => reading(answersRow({ job_status: 'failed', status_message })),
  'the status_message of a successful run': (status_message) =>
    reading(answersRow({ job_status: 'completed_with_warning', status_message })),
  'an unknown field of a run': (text) => reading(answersRow({ job_status: 'completed', [text]: text })),
  'the fields of an earlier run': (job_status) => ({
    inputs: { 'job-id': JOB, timeout: '3m' },
    scripts: { read: () => answersRow({ job_status, status_message: job_status }) },
  }),
  'the id of a cancelled run': (id) => cancelling(answersRow({ id })),
  'the job_status of a cancelled run': (job_status) => cancelling(answersRow({ job_status })),
  'the status_message of a cancelled run': (text) =>
    cancelling(answersRow({ job_status: 'failed', status_message: text })),
  ...Object.fromEntries(
    FAILING.flatMap((call) =>
      Object.entries(FAILURES).map(([how, answer]) => [`${how} in response to "${call}"`, failing(call, answer)]),
    ),
  ),
};
