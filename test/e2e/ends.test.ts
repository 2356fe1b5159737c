import { describe, expect, it } from 'vitest';
import { PIPELINE_IDS } from '../../sandbox/model/index.ts';
import type { Rule } from '../../sandbox/server/index.ts';
import { playStep, useAction } from '../support/e2e.ts';

const action = useAction();

describe.concurrent('a run that is awaited to its end', () => {
  it.each([
    { pipeline: 'orders', exitCode: 0, outcome: 'succeeded', status: 'completed', level: undefined },
    { pipeline: 'customers', exitCode: 0, outcome: 'succeeded', status: 'completed_with_warning', level: 'warning' },
    { pipeline: 'idle', exitCode: 0, outcome: 'succeeded', status: 'skipped', level: 'notice' },
    { pipeline: 'slow', exitCode: 0, outcome: 'succeeded', status: 'completed', level: undefined },
    { pipeline: 'broken', exitCode: 1, outcome: 'failed', status: 'failed', level: 'error' },
    { pipeline: 'overrun', exitCode: 1, outcome: 'failed', status: 'timed_out', level: 'error' },
  ])('of $pipeline ends the step with $exitCode', async ({ pipeline, exitCode, outcome, status, level }) => {
    const { main, post, runs, calls } = await playStep(action, { with: { pipeline } });
    expect(main.exitCode).toBe(exitCode);
    const [run] = runs;
    expect(runs).toHaveLength(1);
    const message = run?.timeline.at(-1)?.[2];
    expect(main.files.outputs).toMatchObject({
      'job-id': run?.id,
      'job-status': status,
      outcome,
      'status-message': message,
      'pipeline-id': run?.pipelineId,
    });
    expect(main.files.outputs['message']).toContain(message);
    expect(main.files.outputs['duration']).toMatch(/^\d+$/);
    expect(main.annotations.map((annotation) => annotation.level)).toEqual(level === undefined ? [] : [level]);
    expect(main.files.summary).toContain(run?.id);
    expect(calls.filter((kind) => kind === 'trigger')).toHaveLength(1);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it('tells of each change while it lasts, also to a status that nobody knows', async () => {
    const rules: Rule[] = [
      { kind: 'read', nth: 1, how: { do: 'status', status: 'queued', message: null } },
      { kind: 'read', nth: 2, how: { do: 'status', status: 'picked', message: 'Picked up by agent eu-2' } },
      { kind: 'read', nth: 3, how: { do: 'status', status: 'paused', message: null } },
      { kind: 'read', nth: 4, how: { do: 'status', status: 'paused', message: null } },
    ];
    const { main } = await playStep(action, { service: { rules } });
    expect(main.exitCode).toBe(0);
    const changes = main.log.filter((line) => line.includes(' → '));
    expect(changes).toEqual([
      expect.stringContaining('queued → picked: Picked up by agent eu-2'),
      expect.stringContaining('picked → paused (this version'),
      expect.stringContaining('paused → completed: 5 objects synced, 18204 rows'),
    ]);
  });

  it('counts what succeed-on names as a success', async () => {
    const { main } = await playStep(action, { with: { pipeline: 'broken', 'succeed-on': 'failed' } });
    expect(main).toMatchObject({ exitCode: 0, files: { outputs: { outcome: 'succeeded' } } });
  });

  it('counts nothing else as a success then', async () => {
    const { main } = await playStep(action, { with: { 'succeed-on': 'failed' } });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'failed', 'job-status': 'completed' } } });
  });
});

/** The run is in progress at its first reads, however slow the machine is. */
const IN_PROGRESS_AT_FIRST: Rule = { kind: 'read', to: 2, how: { do: 'status', status: 'running' } };

describe.concurrent('the requests of a step', () => {
  it('are one exchange, one trigger, reads and one look-up beside for a UUID', async () => {
    const { main, calls, sandbox } = await playStep(action, {
      service: { rules: [IN_PROGRESS_AT_FIRST] },
      with: { pipeline: PIPELINE_IDS.orders },
    });
    expect(main).toMatchObject({ exitCode: 0, files: { outputs: { 'pipeline-name': 'Orders' } } });
    const reads = calls.filter((kind) => kind === 'read');
    expect(reads.length).toBeGreaterThan(2);
    expect([...calls].sort()).toEqual(['exchange', 'list', ...reads, 'trigger'].sort());
    expect(calls[0]).toBe('exchange');
    expect(sandbox.requests.every(({ reused }) => !reused)).toBe(true);
  });

  it.each([
    ['the API name', 'orders'],
    ['the name', 'Orders'],
    ['the UUID in capitals', PIPELINE_IDS.orders.toUpperCase()],
  ])('run the same pipeline for %s', async (_, pipeline) => {
    const { main, runs } = await playStep(action, { with: { pipeline } });
    expect(main.exitCode).toBe(0);
    expect(runs.map(({ pipelineId }) => pipelineId)).toEqual([PIPELINE_IDS.orders]);
  });

  it('carry the options of the run', async () => {
    const { main, runs } = await playStep(action, { with: { 'full-resync': 'true', 'reset-target': 'true' } });
    expect(runs.map(({ parameters }) => parameters)).toMatchObject([
      { p_full_resync: true, p_reset_target: true, p_job_type: 'pipeline_run' },
    ]);
    expect(main.annotations).toMatchObject([
      { level: 'warning', message: expect.stringContaining('Orders') as string },
    ]);
  });

  it('go below the path of base-url', async () => {
    const { main, sandbox } = await playStep(action, { service: { prefix: '/eu/pipelines' } });
    expect(main.exitCode).toBe(0);
    expect(sandbox.requests[0]?.path).toBe('/eu/pipelines/api/cli/bootstrap');
  });

  it('reach a host on IPv6', async () => {
    const { main, calls } = await playStep(action, {
      service: { ipv6: true },
      with: ({ url6 }) => ({ 'base-url': url6 ?? '' }),
    });
    expect(main.exitCode).toBe(0);
    expect(calls[0]).toBe('exchange');
  });
});

describe.concurrent('a step that does not wait', () => {
  it('is over once the id is known', async () => {
    const { main, post, calls, statuses } = await playStep(action, { with: { pipeline: 'endless', wait: 'false' } });
    expect(main).toMatchObject({ exitCode: 0, files: { outputs: { outcome: 'triggered' } } });
    expect(main.files.outputs['job-id']).toMatch(/^[\da-f-]{36}$/);
    expect([...calls].sort()).toEqual(['exchange', 'list', 'trigger']);
    expect(statuses).not.toContain('cancelled');
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });
});

describe.concurrent('a time-out', () => {
  it.each([
    { given: { timeout: '1s' }, pipeline: 'endless' },
    { given: { 'queue-timeout': '150ms' }, pipeline: 'unpicked' },
  ])('$given cancels the run and fails the step', async ({ given, pipeline }) => {
    const { main, post, statuses } = await playStep(action, { with: { pipeline, ...given } });
    expect(main).toMatchObject({
      exitCode: 1,
      files: { outputs: { outcome: 'wait_timed_out', 'job-status': 'cancelled' } },
    });
    expect(main.annotations).toMatchObject([{ level: 'error' }]);
    expect(statuses).toEqual(['cancelled']);
    expect(post?.lines).toEqual([]);
  });

  it.each([
    { given: { timeout: '1s' }, pipeline: 'endless' },
    { given: { 'queue-timeout': '150ms' }, pipeline: 'unpicked' },
  ])('$given leaves the run with on-timeout: leave, for post too', async ({ given, pipeline }) => {
    const { main, post, statuses, calls } = await playStep(action, {
      with: { pipeline, ...given, 'on-timeout': 'leave' },
    });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'wait_timed_out' } } });
    expect(statuses).not.toContain('cancelled');
    expect(calls).not.toContain('cancel');
    expect(post?.lines).toEqual([]);
  });

  it('of the queue ends nothing that was picked', async () => {
    const { main } = await playStep(action, { with: { 'queue-timeout': '60ms' } });
    expect(main.exitCode).toBe(0);
  });

  it('that nobody reaches changes nothing', async () => {
    const { main } = await playStep(action, { with: { timeout: '1h', 'queue-timeout': '1h' } });
    expect(main.exitCode).toBe(0);
  });
});

const GATEWAY = { do: 'answer', status: 503, body: 'upstream unavailable' } as const;

describe.concurrent('trouble on the way', () => {
  it('while polling is an outage that passes', async () => {
    const { main, calls } = await playStep(action, {
      service: { rules: [IN_PROGRESS_AT_FIRST, { kind: 'read', from: 2, to: 4, how: GATEWAY }] },
    });
    expect(main).toMatchObject({ exitCode: 0, files: { outputs: { outcome: 'succeeded' } } });
    expect(main.log).toContainEqual(expect.stringContaining('HTTP 503'));
    expect(calls.filter((kind) => kind === 'trigger')).toHaveLength(1);
  });

  it('for longer than max-outage loses the run, and leaves it', async () => {
    const { main, post, statuses } = await playStep(action, {
      service: { rules: [{ kind: 'read', how: GATEWAY }] },
      with: { pipeline: 'endless', 'max-outage': '100ms' },
    });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'lost' } } });
    expect(main.files.outputs['message']).toContain(main.files.outputs['job-id']);
    expect(statuses).not.toContain('cancelled');
    expect(post?.lines).toEqual([]);
  });

  it.each<[string, Rule]>([
    ['reset', { kind: 'trigger', how: { do: 'reset', point: 'after-commit' } }],
    ['cut off', { kind: 'trigger', how: { do: 'cut', afterBytes: 12, framing: 'length' } }],
    ['answered by a gateway', { kind: 'trigger', how: { ...GATEWAY, commit: true } }],
  ])('that has the trigger %s leaves it unknown, and sends no second one', async (_, rule) => {
    const { main, post, calls } = await playStep(action, { service: { rules: [rule] }, with: { pipeline: 'endless' } });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'unknown', 'job-status': 'unknown' } } });
    expect(main.files.outputs['job-id']).toBeUndefined();
    expect(main.annotations).toMatchObject([{ level: 'error', message: expect.stringContaining('Endless') as string }]);
    expect(calls.filter((kind) => kind === 'trigger')).toHaveLength(1);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it('of that kind is taken at one’s word with on-lost-response: retry', async () => {
    const { main, runs } = await playStep(action, {
      service: { rules: [{ kind: 'trigger', nth: 1, how: { do: 'reset', point: 'after-commit' } }] },
      with: { 'on-lost-response': 'retry' },
    });
    expect(main.exitCode).toBe(0);
    expect(runs).toHaveLength(2);
    expect(main.annotations).toMatchObject([{ level: 'warning' }]);
  });

  it('that surely kept the trigger from being processed is retried', async () => {
    const busy = { do: 'answer', status: 429, headers: { 'retry-after': '0' }, body: '' } as const;
    const { main, runs } = await playStep(action, { service: { rules: [{ kind: 'trigger', nth: 1, how: busy }] } });
    expect(main.exitCode).toBe(0);
    expect(runs).toHaveLength(1);
  });

  it('with a token that expires is answered by a new exchange', async () => {
    const { main, calls } = await playStep(action, {
      service: { rules: [{ kind: 'read', nth: 1, how: { do: 'refuse-token' } }] },
    });
    expect(main.exitCode).toBe(0);
    expect(calls.filter((kind) => kind === 'exchange')).toHaveLength(2);
  });
});

describe.concurrent('nothing is triggered', () => {
  it.each([
    { why: 'a pipeline that is not active', given: { pipeline: 'inactive' }, says: /not active|inactive/i },
    { why: 'an account out of credits', given: { pipeline: 'penniless' }, says: /credits/ },
    { why: 'a name that no pipeline has', given: { pipeline: 'ordres' }, says: /orders/i },
    { why: 'a key that is refused', given: { 'api-key': 'ak_revoked' }, says: /key/ },
    {
      why: 'a pipeline of another workspace',
      given: { pipeline: '74df2e10-97bb-4320-a7f4-6c66b34ea5aa' },
      says: /not accessible/,
    },
  ])('for $why, and the outputs say so', async ({ given, says }) => {
    const { main, post, runs } = await playStep(action, { with: given });
    expect(runs).toEqual([]);
    expect(main).toMatchObject({
      exitCode: 1,
      files: { outputs: { outcome: 'not_triggered', 'job-status': 'not_queued' } },
    });
    expect(main.files.outputs['message']).toMatch(says);
    expect(main.annotations).toMatchObject([{ level: 'error' }]);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it.each([
    { why: 'an empty key', given: { 'api-key': '' } },
    { why: 'a legacy key', given: { 'api-key': 'eyJhbGciOiJIUzI1NiJ9.e30.x' } },
    { why: 'an address without https', given: { 'base-url': 'http://app.example.com' } },
    { why: 'a duration without a unit', given: { timeout: '45' } },
    { why: 'reset-target alone', given: { 'reset-target': 'true' } },
  ])('and nothing is sent for $why', async ({ given }) => {
    const { main, post, sandbox } = await playStep(action, { with: given });
    expect(sandbox.connections()).toBe(0);
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'not_triggered' } } });
    expect(main.annotations[0]).toMatchObject({ level: 'error' });
    // A secret is masked before anything else; nobody sees that line.
    expect(post).toMatchObject({ exitCode: 0, log: [] });
    expect(sandbox.connections()).toBe(0);
  });
});
