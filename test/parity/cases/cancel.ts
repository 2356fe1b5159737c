import { type Case, JSON_TYPE, SELECT, UNKNOWN_ID } from '../case.ts';
import type { Jobs } from '../stage.ts';

const PRECONDITION = 'job_status=in.(queued,picked,running)';
const BODY = '{"job_status":"cancelled"}';
const HEADERS = { ...JSON_TYPE, prefer: 'return=representation' };

type Which = keyof Jobs | { readonly id: string };
interface Variant {
  readonly of?: Which;
  readonly filter?: string;
  readonly select?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const wrong = (name: string, variant: Variant): Case => ({
  name: `cancel: ${name}`,
  asks: (jobs) => {
    const { of = 'running', filter = PRECONDITION, select = SELECT, headers = HEADERS, body = BODY } = variant;
    const id = typeof of === 'string' ? jobs[of] : of.id;
    const query = [`id=eq.${id}`, filter, select].filter((part) => part !== '').join('&');
    return { method: 'PATCH', path: `/rest/v1/jobs?${query}`, headers, body };
  },
});
const right = (name: string, variant: Variant): Case => ({ ...wrong(name, variant), right: true });

export const cancelCases: readonly Case[] = [
  right('a queued job', { of: 'queued' }),
  right('a picked job', { of: 'picked' }),
  right('a running job', { of: 'running' }),
  right('a finished job', { of: 'finished' }),
  right('a job of another workspace', { of: 'foreign' }),
  right('an unknown id', { of: { id: UNKNOWN_ID } }),
  right('the precondition in another order, in percents', { filter: 'job_status=in.%28running%2Cqueued%2Cpicked%29' }),
  right('the precondition in quotes', { filter: 'job_status=in.("queued","picked","running")' }),
  right('the status alone in the answer', { select: 'select=job_status' }),
  wrong('without Prefer', { headers: JSON_TYPE }),
  wrong('without Prefer, a finished job', { of: 'finished', headers: JSON_TYPE }),
  wrong('with Prefer: return=minimal', { headers: { ...JSON_TYPE, prefer: 'return=minimal' } }),
  wrong('with one preference more', { headers: { ...JSON_TYPE, prefer: 'return=representation, handling=lenient' } }),
  wrong('without the precondition', { filter: '' }),
  wrong('without the precondition, a finished job', { of: 'finished', filter: '' }),
  wrong('with half of the precondition', { of: 'queued', filter: 'job_status=in.(queued,picked)' }),
  wrong('with an empty precondition', { filter: 'job_status=in.()' }),
  wrong('with a precondition that is none', { filter: 'job_status=running' }),
  wrong('an id that is none', { of: { id: 'notauuid' } }),
  wrong('an unknown filter', { filter: `${PRECONDITION}&job=eq.1` }),
  wrong('an unknown field in the answer', { select: 'select=id,nope' }),
  wrong('no select', { select: '' }),
  wrong('to another status', { body: '{"job_status":"completed"}' }),
  wrong('to no status', { body: '{"job_status":null}' }),
  wrong('to a number', { body: '{"job_status":5}' }),
  wrong('and the message with it', { body: '{"job_status":"cancelled","status_message":"x"}' }),
  wrong('and an unknown field with it', { body: '{"job_status":"cancelled","nope":1}' }),
  wrong('an unknown field alone', { body: '{"status":"cancelled"}' }),
  wrong('nothing', { body: '{}' }),
  wrong('no body', { body: '' }),
  wrong('a body that is not JSON', { body: 'cancelled' }),
  wrong('a list', { body: `[${BODY}]` }),
  wrong('an empty list', { body: '[]' }),
  wrong('a number', { body: '5' }),
  wrong('no media type', { headers: { prefer: 'return=representation' } }),
  wrong('JSON as plain text', { headers: { ...HEADERS, 'content-type': 'text/plain' } }),
  {
    name: 'cancel: every job',
    asks: () => ({ method: 'PATCH', path: `/rest/v1/jobs?${PRECONDITION}&${SELECT}`, headers: HEADERS, body: BODY }),
  },
];
