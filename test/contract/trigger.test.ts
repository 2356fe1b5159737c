import { describe, expect, it } from 'vitest';
import { JOB, ORDER, PIPELINE } from '../support/service.ts';
import { expectAuthorized, network, type Reply } from './network.ts';

const net = network();
const onSend = (): void => {};

describe('a trigger', () => {
  it.each([
    [false, false],
    [true, false],
    [true, true],
  ])('is one POST that names all four parameters (full resync %s, reset %s)', async (fullResync, resetTarget) => {
    net.reply({ body: `"${JOB}"` });
    const order = { pipelineId: PIPELINE, fullResync, resetTarget };
    expect(await net.service().trigger(order, { onSend })).toEqual({ kind: 'queued', jobId: JOB });
    expect(net.calls()).toHaveLength(1);
    const [request] = net.calls();
    expect(request?.line).toBe('POST https://api.example.test/rest/v1/rpc/create_pipeline_run_job');
    expect(JSON.parse(request?.body ?? '')).toEqual({
      p_pipeline_id: PIPELINE,
      p_job_type: 'pipeline_run',
      p_full_resync: fullResync,
      p_reset_target: resetTarget,
    });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(request?.body ?? '')),
    });
    expectAuthorized(request);
  });

  it('without credits makes no run', async () => {
    net.reply({ body: 'null' });
    expect(await net.service().trigger(ORDER, { onSend })).toEqual({ kind: 'no_credits' });
  });

  it('of a pipeline that cannot run tells why in the words of the service', async () => {
    net.reply({
      status: 400,
      body: { code: 'P0001', message: 'Pipeline is not active', details: null, hint: 'Activate it.' },
    });
    expect(await net.service().trigger(ORDER, { onSend })).toEqual({
      kind: 'rejected',
      problem: {
        attempted: 'trigger the run',
        cause: 'HTTP 400 "Pipeline is not active" (code P0001, hint: "Activate it.")',
        remedy:
          'Check that the pipeline exists, is active, and belongs to the workspace in which the API key was created.',
      },
    });
  });

  it.each<[string, Reply, string]>([
    ['text', { body: 'queued' }, 'maybe_processed'],
    ['nothing', {}, 'maybe_processed'],
    ['a text that is no id', { body: '"queued"' }, 'maybe_processed'],
    ['a list', { body: [JOB] }, 'maybe_processed'],
    ['a web page', { body: '<html>', headers: { 'content-type': 'text/html' } }, 'maybe_processed'],
    ['500 as text', { status: 500, body: 'Internal Server Error' }, 'maybe_processed'],
    ['502 as a web page', { status: 502, body: '<html><title>Bad Gateway</title>' }, 'maybe_processed'],
    ['503', { status: 503 }, 'maybe_processed'],
    ['408', { status: 408 }, 'maybe_processed'],
    ['429', { status: 429 }, 'not_processed'],
    ['404', { status: 404, body: { message: 'no such function', code: 'PGRST202' } }, 'rejected'],
    ['a redirect', { status: 308, headers: { location: 'https://elsewhere.example.test/' } }, 'rejected'],
  ])('answered with %s is sent once', async (_what, reply, kind) => {
    net.reply(reply);
    expect(await net.service().trigger(ORDER, { onSend })).toMatchObject({ kind });
    expect(net.calls()).toHaveLength(1);
  });
});
