// The model's agent, and the responses to cancels that test/parity does not compare with an independent service.
import { describe, expect, it } from 'vitest';
import { createWorld, isWorkedOn, type Job, PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { client, JSON_TYPE, PRECONDITION, parse, violationsOf } from './client.ts';

const BODY = '{"job_status":"cancelled"}';

/** Sends a PATCH for a queued run. */
function patch(query: (id: string) => string, body = BODY) {
  const world = createWorld();
  const { run, call } = client(world);
  const id = run(0, PIPELINE_IDS.orders);
  return { world, job: world.jobs[0], response: call(1, `PATCH /rest/v1/jobs?${query(id)}`, JSON_TYPE, body) };
}

describe('a cancel', () => {
  it('is final, because neither time nor another cancel changes the run', () => {
    const world = createWorld();
    const { run, status, cancel } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    const row = { id, job_status: 'cancelled', status_message: 'Cancelled by request' };
    expect(parse(cancel(50, id))).toEqual([row]);
    expect(parse(cancel(60, id))).toEqual([]);
    expect(world.jobs[0]?.cancelledAt).toBe(50);
    expect([status(49, id), status(500_000, id)]).toEqual(['queued', 'cancelled']);
  });

  it('has no effect if the precondition does not name the current status', () => {
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

  it('gets an empty 204 response unless it asks for the rows', () => {
    const { response, job } = patch((id) => `id=eq.${id}&${PRECONDITION}`);
    expect([response.status, response.body, job?.cancelledAt]).toEqual([204, '', 1]);
  });

  it.each<[string, (id: string) => string, string]>([
    ['the precondition', (id) => `id=eq.${id}`, 'cancel_without_precondition'],
    ['`picked`', (id) => `id=eq.${id}&job_status=in.(queued,running)`, 'cancel_without_precondition'],
    [
      'an exact precondition',
      (id) => `id=eq.${id}&${PRECONDITION.replace(')', ',failed)')}`,
      'cancel_without_precondition',
    ],
    ['an id', () => PRECONDITION, 'cancel_without_id'],
  ])('without %s fails and leaves a violation on record', (_, query, kind) => {
    const { response, job, world } = patch(query);
    expect([response.status, job?.cancelledAt]).toEqual([400, null]);
    expect(violationsOf(world)).toEqual([kind]);
  });

  it.each([
    ['{"job_status":"completed"}', 403],
    ['{"job_status":"cancelled","status_message":"x"}', 403],
    ['{"job_status":"cancelled","nope":1}', 400],
    ['[{"job_status":"cancelled"}]', 400],
    ['', 400],
    ['{', 400],
    ['{}', 204],
    ['[]', 204],
    ['5', 204],
  ])('with the body %j has no effect, gets the status %i and leaves a violation on record', (body, status) => {
    const { response, job, world } = patch((id) => `id=eq.${id}&${PRECONDITION}`, body);
    expect([response.status, job?.cancelledAt]).toEqual([status, null]);
    expect(violationsOf(world)).toEqual(['bad_request']);
  });
});

describe('the agent', () => {
  it.each([
    ['aborts a cancelled run at its next heartbeat, every 10 s after the pickup', 'endless', 27_000, 36_000, true],
    ['never starts a run that was cancelled before its pickup', 'orders', 5_000, 5_000, false],
    ['never starts a cancelled run that it never picks up', 'unpicked', 27_000, 27_000, false],
    ['may finish a cancelled run before its next heartbeat', 'orders', 88_000, 90_000, true],
  ] as const)('%s', (_, name, cancelAt, abortedAt, worksUntilThen) => {
    const world = createWorld();
    const { run, cancel } = client(world);
    cancel(cancelAt, run(0, PIPELINE_IDS[name]));
    const job = world.jobs[0] as Job;
    expect(job.abortedAt).toBe(abortedAt);
    expect([isWorkedOn(job, abortedAt - 1), isWorkedOn(job, abortedAt)]).toEqual([worksUntilThen, false]);
  });

  it('works on a run from its pickup to its final status', () => {
    const world = createWorld({ speed: 10 });
    client(world).run(0, PIPELINE_IDS.orders);
    const job = world.jobs[0] as Job;
    expect([599, 600, 8_999, 9_000].map((at) => isWorkedOn(job, at))).toEqual([false, true, true, false]);
  });
});
