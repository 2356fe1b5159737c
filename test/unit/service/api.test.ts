import { describe, expect, it } from 'vitest';
import type { Answered } from '../../../src/service/send.ts';
import {
  API_KEY,
  answered,
  client,
  clientThatHolds,
  JOB,
  type Network,
  ORDER,
  PIPELINE,
  row,
  unanswered,
} from './client.ts';

const OTHER = '11111111-2222-4333-8444-555555555555';
const signal = new AbortController().signal;

/** Answers every read with these rows. */
const rows =
  (...all: readonly unknown[]): Network =>
  ({ call }) =>
    call === 'read' ? answered(200, all) : undefined;

describe('a read', () => {
  it('returns the row with the requested id', async () => {
    const { service } = client(rows(row({ id: JOB.toUpperCase(), status_message: 'step 1' })));
    expect(await service.read(JOB)).toEqual({ kind: 'job', job: { status: 'running', message: 'step 1' } });
  });

  it.each([
    ['two rows', [row(), row()], 'with 2 rows instead of one'],
    ['the row of another run', [row({ id: OTHER })], 'with the row of another run'],
    ['a row without a status', [row({ job_status: undefined })], 'with a row that lacks job_status'],
    ['a status that is not text', [row({ job_status: 7 })], 'with a row that lacks job_status'],
    ['a row that is not an object', ['completed'], 'with the row of another run'],
  ])('is an outage if the response has %s', async (_what, all, why) => {
    const { service } = client(rows(...all));
    expect(await service.read(JOB)).toMatchObject({ kind: 'maybe_processed', problem: { cause: `HTTP 200 ${why}` } });
  });

  // Cleaning must never turn an unknown status into a known one.
  it.each([
    ['completed', 'completed'],
    ['COMPLETED', 'COMPLETED'],
    ['in-progress', 'in-progress'],
    [' completed ', '" completed "'],
    ['completed\u200b', '"completed"'],
    // These are words of the output `job-status`.
    ['not_queued', '"not_queued"'],
    ['unknown', '"unknown"'],
    ['\u001b[1mcompleted', '"completed"'],
    ['"completed"', `"'completed'"`],
    ['paused by agent', '"paused by agent"'],
    ['::error::x', '":\u200B:error::x"'],
    ['##[error]x', '"#\u200B#[error]x"'],
    ['', '""'],
    ['完了', '"完了"'],
    ['x'.repeat(100), 'x'.repeat(100)],
    ['x'.repeat(200), `"${'x'.repeat(60)}…${'x'.repeat(39)}"`],
  ])('shows the status %j as %j', async (received, status) => {
    const { service } = client(rows(row({ job_status: received })));
    const expected = status.includes(':') ? (expect.stringMatching(/^":/) as string) : status;
    expect(await service.read(JOB)).toMatchObject({ job: { status: expected } });
  });

  it.each([
    ['keeps the lines of a message', 'a\r\n\u001b[1mb\u0007', 'a\nb'],
    ['returns an empty message for null', null, ''],
    ['returns an empty message for an object', { a: 1 }, ''],
  ])('%s', async (_what, status_message, message) => {
    const { service } = client(rows(row({ status_message })));
    expect(await service.read(JOB)).toMatchObject({ job: { message } });
  });

  it('removes the middle of a message with more than 16,384 characters', async () => {
    const { service } = client(rows(row({ status_message: `begin ${'x'.repeat(60_000)} end` })));
    const result = await service.read(JOB);
    const message = result.kind === 'job' ? result.job.message : '';
    expect(message).toHaveLength(16_384);
    expect(message).toMatch(/^begin x+…x+ end$/);
  });
});

describe('an oversized row', () => {
  const huge: Answered = answered(200, ' [{"id"', { body: 'too large' });

  it('makes later reads and cancels of its run omit the message', async () => {
    const { service, requests } = client(({ call, url }) =>
      call === 'read' && url.search.includes('status_message') ? huge : undefined,
    );
    expect(await service.read(JOB)).toMatchObject({ kind: 'maybe_processed' });
    expect(await service.read(JOB)).toMatchObject({
      job: { message: '(status message omitted: the response was too large)' },
    });
    await service.cancel(JOB);
    await service.read(OTHER);
    expect(requests.slice(1).map(({ url }) => url.searchParams.get('select'))).toEqual([
      'id,job_status,status_message',
      'id,job_status',
      'id,job_status',
      'id,job_status,status_message',
    ]);
  });

  it('fails every read after one request if it is too large even without the message', async () => {
    const { service, requests } = client(({ call }) => (call === 'read' ? huge : undefined));
    for (const count of [1, 2, 3]) {
      expect(await service.read(JOB)).toMatchObject({ kind: 'maybe_processed' });
      expect(requests.filter(({ call }) => call === 'read')).toHaveLength(count);
    }
  });

  it('is not assumed after an oversized web page', async () => {
    const { service, requests } = client(({ call }) =>
      call === 'read' ? answered(200, '<html>', { body: 'too large' }) : undefined,
    );
    await service.read(JOB);
    await service.read(JOB);
    expect(requests.at(-1)?.url.search).toContain('status_message');
  });
});

describe('a trigger', () => {
  it.each([
    ['is complete', answered(200, `"${JOB}"`)],
    ['contains it in capitals', answered(200, `"${JOB.toUpperCase()}"`)],
    ['contains it between white space of any kind', answered(200, `\uFEFF\u00A0"${JOB}"\u2003\n`)],
    ['does not prove its end', answered(200, `"${JOB}"`, { body: 'unframed' })],
    ['is cut off after it', answered(200, ` "${JOB}"`, { body: 'cut off' })],
    ['stalls after it', answered(200, `"${JOB}"`, { body: 'stalled' })],
  ])('returns the id of a response that %s', async (_how, answer) => {
    const { service } = client(({ call }) => (call === 'trigger' ? answer : undefined));
    expect(await service.trigger(ORDER, { beforeSend: () => undefined, signal })).toEqual({
      kind: 'queued',
      jobId: JOB,
    });
  });

  it('needs only the id from the response', async () => {
    const { service, requests } = client();
    await service.trigger(ORDER, { beforeSend: () => undefined, signal });
    const { isEnough } = requests.at(-1)?.limits ?? {};
    expect([`"${JOB}`, `"${JOB}"`, 'null'].map((text) => isEnough?.(text))).toEqual([false, true, false]);
  });

  it('asks the caller again before it repeats the request with a new token', async () => {
    const { service, requests } = client(({ call }) => (call === 'trigger' ? answered(401) : undefined));
    let asked = 0;
    const result = await service.trigger(ORDER, {
      beforeSend: () => {
        asked += 1;
        return asked < 3 ? undefined : { attempted: 'ask', cause: 'asked too often' };
      },
      signal,
    });
    expect(result).toMatchObject({ kind: 'aborted' });
    expect(requests.filter(({ call }) => call === 'trigger')).toHaveLength(2);
  });
});

describe('a list', () => {
  const listed = async (...all: readonly unknown[]) => {
    const { service } = client(({ call }) => (call === 'list' ? answered(200, all) : undefined));
    return service.list();
  };

  it('has a pipeline for each row with an id', async () => {
    const [orders, again] = [
      { pipeline_id: PIPELINE, pipeline_name: 'Orders', pipeline_api_name: 'orders' },
      { pipeline_id: PIPELINE.toUpperCase(), pipeline_name: 'Orders', pipeline_api_name: 'orders' },
    ];
    expect(await listed(orders, { pipeline_id: null }, 7, again)).toEqual({
      kind: 'pipelines',
      pipelines: Array(2).fill({ id: PIPELINE, name: 'Orders', apiName: 'orders', received: ['Orders', 'orders'] }),
      rowCount: 4,
      isPartial: false,
    });
  });

  it('has names without control characters', async () => {
    expect(await listed({ pipeline_id: PIPELINE, pipeline_name: ' a\u001b[1m\n b ' })).toMatchObject({
      pipelines: [{ name: 'a b', apiName: '' }],
    });
  });

  it.each([
    [200, {}, false],
    [206, {}, true],
    [200, { 'content-range': '0-0/2' }, true],
    [200, { 'content-range': '0-0/1' }, false],
    [200, { 'content-range': '0-0/*' }, false],
  ])('with the status %i and the headers %j is partial: %j', async (status, headers, isPartial) => {
    const rows = [{ pipeline_id: PIPELINE }];
    const { service } = client(({ call }) => (call === 'list' ? answered(status, rows, { headers }) : undefined));
    expect(await service.list()).toMatchObject({ rowCount: 1, isPartial });
  });

  it('is not quoted if it is an error that is longer than any other body', async () => {
    const { service } = client(({ call }) =>
      call === 'list' ? answered(400, `too long ${'x'.repeat(262_144)}`) : undefined,
    );
    expect(await service.list()).toMatchObject({ problem: { cause: 'HTTP 400' } });
  });

  it('has no names that are too long to be looked up', async () => {
    const row = { pipeline_id: PIPELINE, pipeline_name: 'x'.repeat(1_001), pipeline_api_name: 'x'.repeat(1_000) };
    expect(await listed(row)).toMatchObject({ pipelines: [{ name: '', received: ['', 'x'.repeat(1_000)] }] });
  });

  it.each(['[1', '"[]"', '{"a":[]}'])('is not accepted if its body is %s', async (body) => {
    const { service } = client(({ call }) => (call === 'list' ? answered(200, body) : undefined));
    expect(await service.list()).toMatchObject({ problem: { cause: expect.stringMatching(/not JSON|not a list/) } });
  });

  it('may be 4 MiB long, and a page 1 MiB', async () => {
    const { service, requests } = client();
    await service.list();
    await service.listPage(undefined);
    expect(requests.slice(-2).map(({ limits }) => limits.maxBytes)).toEqual([4_194_304, 1_048_576]);
  });
});

describe('the pause for a Retry-After header', () => {
  const pauseFor = async (headers: Answered['headers']) => {
    const { service } = client(({ call }) => (call === 'read' ? answered(429, '', { headers }) : undefined));
    const result = await service.read(JOB);
    return 'retryAfterMs' in result ? result.retryAfterMs : 'none';
  };

  it.each<[string, number]>([
    ['20', 20_000],
    ['0', 0],
    ['99999999999999999999', 60_000],
    // The wall clock of the tests starts at this hour.
    ['Mon, 05 Jan 2026 12:00:45 GMT', 45_000],
    ['Mon, 05 Jan 2026 11:00:00 GMT', 0],
  ])('with the value "%s" is %i ms', async (retryAfter, ms) => {
    expect(await pauseFor({ 'retry-after': retryAfter })).toBe(ms);
  });

  it.each(['-5', '1.5', 'soon 1', undefined])('with the value "%s" is not set', async (retryAfter) => {
    expect(await pauseFor({ 'retry-after': retryAfter })).toBeUndefined();
  });

  it("is the time from the service's own date to the date in the header", async () => {
    const headers = { 'retry-after': 'Tue, 06 Jan 2026 08:00:45 GMT', date: 'Tue, 06 Jan 2026 08:00:15 GMT' };
    expect(await pauseFor(headers)).toBe(30_000);
  });
});

describe('the requests', () => {
  it('are limited to 50 at a time, except for POSTs, and waiting counts toward the time limit', async () => {
    const { service, clock, requests, release } = clientThatHolds('read');
    await service.exchange();
    const reads = Array.from({ length: 60 }, () => service.read(JOB));
    await clock.advance(4_000);
    expect(requests).toHaveLength(51);
    await service.trigger(ORDER, { beforeSend: () => undefined, signal });
    expect(requests).toHaveLength(52);
    release();
    await Promise.all(reads);
    expect(requests).toHaveLength(62);
    expect(requests.at(-1)?.limits.withinMs).toBe(26_000);
  });

  it('share the time limit of a call with the preceding exchange', async () => {
    const { service, clock, requests, release } = clientThatHolds('exchange');
    const cancelled = service.cancel(JOB, { withinMs: 6_000 });
    await clock.advance(4_000);
    release();
    await cancelled;
    expect(requests.map(({ limits }) => limits.withinMs)).toEqual([6_000, 2_000]);
  });

  it('that wait for their turn are not sent once the caller has given up', async () => {
    const { service, clock, requests, release } = clientThatHolds('read');
    await service.exchange();
    const reads = Array.from({ length: 50 }, () => service.read(JOB));
    const stop = new AbortController();
    const waiting = service.read(JOB, { signal: stop.signal });
    await clock.advance(0);
    stop.abort();
    release();
    expect(await waiting).toEqual({ kind: 'aborted' });
    await Promise.all(reads);
    expect(requests).toHaveLength(51);
  });

  it('each leave a line without secrets in the debug log', async () => {
    const { service, clock, lines } = client(({ call, nth }) => {
      if (call !== 'read') return undefined;
      return [
        answered(503, '', { body: 'stalled' }),
        unanswered(true, 'ECONNRESET'),
        unanswered(false, '', `odd ${API_KEY}`),
        { kind: 'aborted' } as const,
      ][nth - 1];
    });
    const path = `/rest/v1/jobs?id=eq.${JOB}&select=id,job_status,status_message`;
    await clock.advance(1_000);
    for (let nth = 1; nth <= 5; nth += 1) await service.read(JOB);
    expect(lines).toEqual([
      'POST /api/cli/bootstrap: HTTP 200, 0 ms',
      `GET ${path}: HTTP 503, body stalled, 0 ms`,
      `GET ${path}: no response (connected: ECONNRESET), 0 ms`,
      `GET ${path}: no response (not connected: odd ***), 0 ms`,
      `GET ${path}: aborted, 0 ms`,
      `GET ${path}: HTTP 200, 0 ms`,
    ]);
  });
});
