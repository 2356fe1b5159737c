// Tests the model's agent, and the responses that test/parity does not compare with an independent service.
import { describe, expect, it } from 'vitest';
import { createWorld, isWorkedOn, type Job, PIPELINE_IDS, SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import { client, JSON_TYPE, PRECONDITION, parse, violationsOf } from './client.ts';

const READ = 'GET /rest/v1/jobs?';
const TRIGGER = 'POST /rest/v1/rpc/create_pipeline_run_job';
const PATCH = 'PATCH /rest/v1/jobs?';
const CANCEL = `${PATCH}id=eq.{id}&${PRECONDITION}`;
const ORDERS = { p_pipeline_id: PIPELINE_IDS.orders };
const CANCELLED = { job_status: 'cancelled' };
const UNSAFE = 'cancel_without_precondition';
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

type Headers = Readonly<Record<string, string>>;

/** Sends a request, in which `{id}` stands for a queued run. A body other than a string becomes JSON. */
function send(line: string, body: unknown = '', headers: Headers = JSON_TYPE) {
  const world = createWorld();
  const { run, call } = client(world);
  const path = line.replaceAll('{id}', run(0, PIPELINE_IDS.orders));
  return { world, response: call(3, path, headers, typeof body === 'string' ? body : JSON.stringify(body)) };
}

it.each<[what: string, line: string, body: unknown, status: number, code: string, kind?: string, headers?: Headers]>([
  ['a read without an apikey', `${READ}id=eq.{id}`, '', 401, '', 'missing_apikey', { apikey: '' }],
  ['a read with an incorrect apikey', `${READ}id=eq.{id}`, '', 401, '', 'wrong_apikey', { apikey: 'anon_other' }],
  ['a read without a token', `${READ}id=eq.{id}`, '', 401, 'PGRST302', 'missing_bearer', { authorization: '' }],
  ['a read with an unknown token', `${READ}id=eq.{id}`, '', 401, 'PGRST301', 'unknown_token', bearer('at_unknown')],
  ['a read with the key as its token', `${READ}id=eq.{id}`, '', 401, 'PGRST301', 'key_as_token', bearer(SANDBOX_KEY)],
  ['a read without an id', `${READ}select=id`, '', 200, '', 'read_without_id'],
  ['a trigger with an unknown argument', TRIGGER, { ...ORDERS, p_force: true }, 404, 'PGRST202'],
  ['a trigger with invalid JSON', TRIGGER, '{', 400, 'PGRST102'],
  ['a cancel without an id', `${PATCH}${PRECONDITION}`, CANCELLED, 400, '21000', 'cancel_without_id'],
  ['a cancel without a precondition', `${PATCH}id=eq.{id}`, CANCELLED, 400, '21000', UNSAFE],
  ['a cancel without `picked`', CANCEL.replace('picked,', ''), CANCELLED, 400, '21000', UNSAFE],
])(
  'a bad request such as %s has no effect and is recorded as a violation',
  (_, line, body, status, code, kind, headers) => {
    const { world, response } = send(line, body, headers);
    expect(response.status).toBe(status);
    expect(response.body).toContain(code);
    expect(world.jobs.map(({ cancelledAt }) => cancelledAt)).toEqual([null]);
    expect(world.violations).toMatchObject([{ kind: kind ?? 'bad_request', at: 3 }]);
  },
);

it.each([
  ['orders', ['queued', 'picked', 'running', 'completed']],
  ['broken', ['queued', 'picked', 'running', 'failed']],
  ['idle', ['queued', 'picked', 'skipped']],
  ['overrun', ['queued', 'picked', 'running', 'timed_out']],
  ['endless', ['queued', 'picked', 'running']],
  ['unpicked', ['queued']],
] as const)('a read for a run of the pipeline %s returns the statuses %j over time', (name, statuses) => {
  const { run, status } = client(createWorld());
  const id = run(1_000, PIPELINE_IDS[name]);
  const seen = Array.from({ length: 660 }, (_, second) => status(1_000 + second * 1_000, id));
  expect([...new Set(seen)]).toEqual(statuses);
});

describe('the minimum interval between reads', () => {
  it('applies to each run separately and makes an early read a violation', () => {
    const world = createWorld({ exemptReads: 0, minReadIntervalMs: 10 });
    const { run, read } = client(world);
    const [a, b] = [run(0, PIPELINE_IDS.orders), run(0, PIPELINE_IDS.orders)];
    for (const at of [2, 12, 21, 31]) read(at, a);
    read(2, b);
    expect(world.jobs.map(({ reads }) => reads)).toEqual([[2, 12, 21, 31], [2]]);
    expect(world.violations).toEqual([
      { kind: 'read_too_soon', at: 21, detail: `job ${a} was read 9 ms after its previous read` },
    ]);
  });

  it('exempts one read per run, and three after each PATCH', () => {
    const world = createWorld();
    const { run, read, cancel } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    for (const at of [0, 1, 30_000]) read(at, id);
    cancel(30_001, id);
    for (const at of [30_002, 30_003, 30_004, 60_000]) read(at, id);
    expect(world.violations).toEqual([]);
    read(60_001, id);
    expect(violationsOf(world)).toEqual(['read_too_soon']);
  });
});

it('a cancel is final, because neither time nor another cancel changes the run', () => {
  const world = createWorld();
  const { run, status, cancel } = client(world);
  const id = run(0, PIPELINE_IDS.orders);
  const row = { id, job_status: 'cancelled', status_message: 'Cancelled by request' };
  expect(parse(cancel(50, id))).toEqual([row]);
  expect(parse(cancel(60, id))).toEqual([]);
  expect(world.jobs[0]?.cancelledAt).toBe(50);
  expect([status(49, id), status(500_000, id)]).toEqual(['queued', 'cancelled']);
});

it.each([
  ['aborts a cancelled run at its next heartbeat (every 10 s after the pickup)', 'endless', 27_000, 36_000, true],
  ['never starts a run that was cancelled before its pickup', 'orders', 5_000, 5_000, false],
  ['immediately aborts a cancelled run that it would never pick up', 'unpicked', 27_000, 27_000, false],
  ['may finish a cancelled run before its next heartbeat', 'orders', 88_000, 90_000, true],
] as const)('the agent %s', (_, name, cancelAt, abortedAt, worksUntilThen) => {
  const world = createWorld();
  const { run, cancel } = client(world);
  cancel(cancelAt, run(0, PIPELINE_IDS[name]));
  const job = world.jobs[0] as Job;
  expect(job.abortedAt).toBe(abortedAt);
  expect([isWorkedOn(job, abortedAt - 1), isWorkedOn(job, abortedAt)]).toEqual([worksUntilThen, false]);
});
