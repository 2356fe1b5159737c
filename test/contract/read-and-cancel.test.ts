import { describe, expect, it } from 'vitest';
import { JOB, PIPELINE } from '../support/service.ts';
import { expectAuthorized, network, type Reply } from './network.ts';

const net = network();

function row(fields: Readonly<Record<string, unknown>> = {}): object {
  return { id: JOB, job_status: 'running', status_message: null, ...fields };
}

describe('a read', () => {
  it('is one GET of three fields of one run', async () => {
    net.reply({ body: [row()] });
    expect(await net.service().read(JOB)).toEqual({
      kind: 'job',
      job: { id: JOB, status: 'running', statusMessage: null },
    });
    expect(net.calls()).toHaveLength(1);
    const [request] = net.calls();
    expect(request?.line).toBe(
      `GET https://api.example.test/rest/v1/jobs?id=eq.${JOB}&select=id,job_status,status_message`,
    );
    expect(request?.body).toBe('');
    expect(request?.headers).not.toHaveProperty('content-length');
    expectAuthorized(request);
  });

  it('of no row finds no run', async () => {
    net.reply({ body: [] });
    expect(await net.service().read(JOB)).toEqual({ kind: 'missing' });
  });
});

describe('a cancel', () => {
  it('is one PATCH with its precondition', async () => {
    net.reply({ body: [row({ job_status: 'cancelled' })] });
    expect(await net.service().cancel(JOB)).toEqual({
      kind: 'job',
      job: { id: JOB, status: 'cancelled', statusMessage: null },
    });
    expect(net.calls()).toHaveLength(1);
    const [request] = net.calls();
    expect(request?.line).toBe(
      `PATCH https://api.example.test/rest/v1/jobs?id=eq.${JOB}&job_status=in.(queued,picked,running)&select=id,job_status,status_message`,
    );
    expect(request?.body).toBe('{"job_status":"cancelled"}');
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', prefer: 'return=representation' });
    expectAuthorized(request);
  });

  it('of no row changes nothing', async () => {
    net.reply({ body: [] });
    expect(await net.service().cancel(JOB)).toEqual({ kind: 'unchanged' });
  });
});

describe.each(['read', 'cancel'] as const)('a row of a %s', (name) => {
  it.each([
    'queued',
    'picked',
    'running',
    'completed',
    'completed_with_warning',
    'failed',
    'cancelled',
    'timed_out',
    'skipped',
    'hibernating',
    'COMPLETED',
    '',
  ])('may have the status %j', async (status) => {
    net.reply({ body: [row({ job_status: status, status_message: 'said so' })] });
    expect(await net.service()[name](JOB)).toEqual({ kind: 'job', job: { id: JOB, status, statusMessage: 'said so' } });
  });

  it('may have an id in capitals, more fields than asked for, and a message that is no text', async () => {
    net.reply({ body: [row({ id: JOB.toUpperCase(), extra: 1, status_message: { a: 1 } })] });
    expect(await net.service()[name](JOB)).toMatchObject({ job: { id: JOB, statusMessage: null } });
  });

  it.each<[string, Reply]>([
    ['two rows', { body: [row(), row()] }],
    ['the right row and a foreign one', { body: [row(), row({ id: PIPELINE })] }],
    ['a foreign row', { body: [row({ id: PIPELINE })] }],
    ['a row without an id', { body: [row({ id: undefined })] }],
    ['a row without a status', { body: [row({ job_status: undefined })] }],
    ['a status that is null', { body: [row({ job_status: null })] }],
    ['a status that is a number', { body: [row({ job_status: 3 })] }],
    ['a row that is null', { body: [null] }],
    ['a row that is a list', { body: [[]] }],
    ['an object', { body: row() }],
    ['null', { body: 'null' }],
    ['text', { body: 'OK' }],
    ['a web page', { body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['204', { status: 204 }],
    ['500', { status: 500, body: { message: 'boom', code: 'XX000' } }],
    ['503 as a web page', { status: 503, body: '<html>', headers: { 'content-type': 'text/html' } }],
  ])('does not count if it is %s', async (_what, reply) => {
    net.reply(reply);
    const isAccepted = name === 'cancel' && (reply.status ?? 200) < 300;
    expect(await net.service()[name](JOB)).toMatchObject({ kind: isAccepted ? 'accepted' : 'maybe_processed' });
    expect(net.calls()).toHaveLength(1);
  });

  it.each<[string, Reply]>([
    [
      "PostgREST's words",
      { status: 400, body: { code: '22P02', message: 'invalid input', hint: null, details: null } },
    ],
    ['text', { status: 403, body: 'forbidden' }],
    ['a web page', { status: 403, body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['nothing', { status: 406 }],
  ])('is not given: a no with %s', async (_what, reply) => {
    net.reply(reply);
    expect(await net.service()[name](JOB)).toMatchObject({ kind: 'rejected' });
  });
});
