import { describe, expect, it } from 'vitest';
import { createWorld, isWorkedOn, type Job, OTHER_KEY, PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { client, PRECONDITION, parse } from './client.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const BODY = '{"job_status":"cancelled"}';

describe('cancel', () => {
  it.each([
    ['queued', 0],
    ['picked', 6_000],
    ['running', 12_000],
  ])('cancels a job that is %s, and says so from then on', (before, at) => {
    const world = createWorld();
    const { run, status, cancel } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    expect(status(at, id)).toBe(before);
    const row = { id, job_status: 'cancelled', status_message: 'Cancelled by request' };
    expect(parse(cancel(at, id))).toEqual([row]);
    expect([status(at, id), status(500_000, id)]).toEqual(['cancelled', 'cancelled']);
  });

  it('never overwrites an end, a second cancel included', () => {
    const world = createWorld();
    const { run, status, cancel } = client(world);
    const [done, gone] = [run(0, PIPELINE_IDS.orders), run(0, PIPELINE_IDS.orders)];
    expect(parse(cancel(90_000, done))).toEqual([]);
    expect(status(90_000, done)).toBe('completed');
    cancel(50, gone);
    expect(parse(cancel(60, gone))).toEqual([]);
    expect(world.jobs[1]?.cancelledAt).toBe(50);
  });

  it('changes nothing for ids that are unknown or of another workspace', () => {
    const world = createWorld();
    const id = client(world).run(0, PIPELINE_IDS.orders);
    expect(parse(client(world, OTHER_KEY).cancel(0, id))).toEqual([]);
    expect(parse(client(world).cancel(0, 'b0b0b0b0-0000-4000-8000-000000000000'))).toEqual([]);
    expect(client(world).status(0, id)).toBe('queued');
  });

  it('does not reach a job in a state that the precondition does not name', () => {
    const paused = {
      does: 'pauses',
      timeline: [
        [0, 'queued'],
        [10, 'paused'],
        [20, 'running'],
      ],
    } as const;
    const world = createWorld({ scenarios: { paused }, pipelines: [{ name: 'paused' }] });
    const { run, cancel } = client(world);
    const id = run(0, world.pipelines.at(-1)?.id ?? '');
    expect([parse(cancel(15, id)), parse(cancel(20, id))]).toMatchObject([[], [{ job_status: 'cancelled' }]]);
  });

  it('answers 204 and nothing when no representation is asked for', () => {
    const world = createWorld();
    const { run, call, status } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    const response = call(0, `PATCH /rest/v1/jobs?id=eq.${id}&${PRECONDITION}`, JSON_TYPE, BODY);
    expect([response.status, response.body, status(0, id)]).toEqual([204, '', 'cancelled']);
  });

  it.each([
    ['without the precondition', '', 'cancel_without_precondition'],
    ['with half of it', '&job_status=in.(queued,running)', 'cancel_without_precondition'],
    ['with too much of it', '&job_status=in.(queued,picked,running,failed)', 'cancel_without_precondition'],
  ])('rejects a PATCH %s, and notes it', (_, filter, kind) => {
    const world = createWorld();
    const { run, call, status } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    const response = call(1, `PATCH /rest/v1/jobs?id=eq.${id}${filter}`, JSON_TYPE, BODY);
    expect([response.status, status(1, id)]).toEqual([400, 'queued']);
    expect(world.violations.map((one) => one.kind)).toEqual([kind]);
  });

  it('rejects a PATCH of all jobs', () => {
    const world = createWorld();
    expect(client(world).call(1, `PATCH /rest/v1/jobs?${PRECONDITION}`, JSON_TYPE, BODY).status).toBe(400);
    expect(world.violations.map((one) => one.kind)).toEqual(['cancel_without_id']);
  });

  it('takes the precondition in any order and encoded', () => {
    const world = createWorld();
    const { run, call, status } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    const filter = 'job_status=in.%28running%2Cqueued%2Cpicked%29';
    expect(call(1, `PATCH /rest/v1/jobs?id=eq.${id}&${filter}`, JSON_TYPE, BODY).status).toBe(204);
    expect(status(1, id)).toBe('cancelled');
  });

  it.each([
    ['{"job_status":"completed"}', 403],
    ['{"job_status":"cancelled","status_message":"x"}', 403],
    ['{"job_status":"cancelled","nope":1}', 400],
    ['[{"job_status":"cancelled"}]', 400],
    ['', 400],
    ['{', 400],
  ])('rejects the body %j', (body, status) => {
    const world = createWorld();
    const { run, call } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    const line = `PATCH /rest/v1/jobs?id=eq.${id}&${PRECONDITION}`;
    expect(call(1, line, JSON_TYPE, body).status).toBe(status);
    expect(world.jobs[0]?.cancelledAt).toBeNull();
    expect(world.violations.map(({ kind }) => kind)).toEqual(['bad_request']);
  });

  it.each(['{}', '[]', '5'])('changes nothing for the body %j, and notes it', (body) => {
    const world = createWorld();
    const { run, call } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    const line = `PATCH /rest/v1/jobs?id=eq.${id}&${PRECONDITION}`;
    const response = call(1, line, { ...JSON_TYPE, prefer: 'return=representation' }, body);
    expect([response.status, parse(response), world.jobs[0]?.cancelledAt]).toEqual([200, [], null]);
    expect(world.violations.map(({ kind }) => kind)).toEqual(['bad_request']);
  });
});

describe('the agent', () => {
  it('notices at its next heartbeat, every 10 s since it picked the job', () => {
    expect(abortOf('endless', 27_000)).toEqual({ abortedAt: 36_000, before: true, at: false });
  });

  it('never starts a job that was cancelled before it was picked', () => {
    expect(abortOf('unpicked', 27_000)).toEqual({ abortedAt: 27_000, before: false, at: false });
    expect(abortOf('orders', 5_000)).toEqual({ abortedAt: 5_000, before: false, at: false });
  });

  it('may be done before it notices', () => {
    expect(abortOf('orders', 88_000)).toEqual({ abortedAt: 90_000, before: true, at: false });
  });

  it('works until the end of a job that nobody cancels', () => {
    const world = createWorld({ speed: 10 });
    client(world).run(0, PIPELINE_IDS.orders);
    const job = world.jobs[0] as Job;
    expect([599, 600, 8_999, 9_000].map((at) => isWorkedOn(job, at))).toEqual([false, true, true, false]);
  });
});

function abortOf(name: keyof typeof PIPELINE_IDS, cancelAt: number): object {
  const world = createWorld();
  const { run, cancel } = client(world);
  cancel(cancelAt, run(0, PIPELINE_IDS[name]));
  const job = world.jobs[0] as Job;
  const abortedAt = job.abortedAt ?? Number.NaN;
  return { abortedAt, before: isWorkedOn(job, abortedAt - 1), at: isWorkedOn(job, abortedAt) };
}
