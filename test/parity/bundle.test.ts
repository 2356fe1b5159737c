/** The bundle, in a folder of its own, against a server that nobody here wrote. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWorld, PIPELINE_IDS, SANDBOX_KEY, type WorldOptions } from '../../sandbox/model/index.ts';
import { type Interrupt, Job, runStep, type StepResult } from '../../sandbox/runner/index.ts';
import { POLL_INTERVAL, useAction } from '../support/e2e.ts';
import { type Lite, type SqlRow, startLite } from './lite.ts';
import { load } from './stage.ts';

const action = useAction();
let lite: Lite;

beforeAll(async () => {
  lite = await startLite();
});
afterAll(() => lite.close());

// The other service prints each error that it answers.
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});

interface Scene {
  readonly with?: Readonly<Record<string, string>>;
  readonly world?: WorldOptions;
  /** Does what an agent does, once the nth read has been answered. */
  readonly agent?: (nthRead: number) => Promise<unknown>;
  readonly interrupt?: Interrupt;
}

interface Played extends StepResult {
  readonly calls: readonly string[];
  readonly jobs: readonly SqlRow[];
}

/** One step from its start to the end of its post. */
async function play(scene: Scene): Promise<Played> {
  await load(lite, createWorld(scene.world), 0);
  const calls: string[] = [];
  lite.onRequest = async (line) => {
    const call = /^\w+ \/rest\/v1\/(?:rpc\/)?\w+/.exec(line)?.[0] ?? line;
    calls.push(call);
    if (call === READ) await scene.agent?.(calls.filter((one) => one === READ).length);
  };
  const job = new Job({ action: action.folder });
  const address = { 'api-key': SANDBOX_KEY, 'base-url': lite.url, 'poll-interval': POLL_INTERVAL };
  try {
    const step = { with: { ...address, pipeline: 'orders', ...scene.with } };
    const result = await runStep(job, step, scene.interrupt);
    return { ...result, calls, jobs: await lite.sql('select * from public.jobs') };
  } finally {
    await job.close();
  }
}

const LIST = 'GET /rest/v1/pipelines_and_datasources';
const TRIGGER = 'POST /rest/v1/rpc/create_pipeline_run_job';
const READ = 'GET /rest/v1/jobs';
const CANCEL = 'PATCH /rest/v1/jobs';

/** What the agent makes of the only job. */
const becomes = (status: string, message: string | null): Promise<unknown> =>
  lite.sql('update public.jobs set job_status = $1, status_message = $2', status, message);

describe('the bundle against a server that nobody here wrote', () => {
  it('triggers one run by the name of its pipeline, and follows it to its end', async () => {
    const stages = [
      ['picked', null],
      ['running', 'Loading: 3 of 5 objects'],
      ['completed', '5 objects synced'],
    ] as const;
    const { main, post, calls, jobs } = await play({
      with: { 'full-resync': 'true', 'reset-target': 'true' },
      agent: (nthRead) => {
        const [status, message] = stages[nthRead - 1] ?? stages[2];
        return becomes(status, message);
      },
    });
    expect(main).toMatchObject({ exitCode: 0, signal: null });
    const [job] = jobs;
    expect(jobs).toMatchObject([
      { pipeline_id: PIPELINE_IDS.orders, full_resync: true, reset_target: true, job_status: 'completed' },
    ]);
    expect(main.files.outputs).toMatchObject({
      'job-id': job?.['id'],
      'job-status': 'completed',
      outcome: 'succeeded',
      'status-message': '5 objects synced',
      'pipeline-id': PIPELINE_IDS.orders,
    });
    expect(calls).toEqual([LIST, TRIGGER, READ, READ, READ, READ]);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it('cancels its run when it hears SIGINT', async () => {
    const readOnce = Promise.withResolvers<undefined>();
    const { main, post, calls, jobs } = await play({
      agent: async (nthRead) => {
        if (nthRead > 1) return;
        await becomes('running', null);
        readOnce.resolve(undefined);
      },
      interrupt: { mode: 'workflow', when: () => readOnce.promise },
    });
    expect(jobs).toMatchObject([{ pipeline_id: PIPELINE_IDS.orders, job_status: 'cancelled' }]);
    expect(main.files.outputs).toMatchObject({ 'job-id': jobs[0]?.['id'], outcome: 'cancelled' });
    expect(main.exitCode).not.toBe(0);
    expect(calls.filter((call) => call === TRIGGER)).toHaveLength(1);
    expect(calls).toContain(CANCEL);
    expect(post?.exitCode).toBe(0);
  });

  it.each<{ readonly name: string; readonly says: RegExp; readonly calls: readonly string[] } & Scene>([
    { name: 'a key that is refused', with: { 'api-key': 'ak_of_nobody' }, says: /key/, calls: [] },
    { name: 'an unknown pipeline', with: { pipeline: 'nothing' }, says: /nothing/, calls: [LIST] },
    {
      name: 'a pipeline that is not active',
      with: { pipeline: 'inactive' },
      says: /Pipeline is not active/,
      calls: [LIST, TRIGGER],
    },
    { name: 'no credits', world: { credits: 0 }, says: /credits/, calls: [LIST, TRIGGER] },
  ])('queues nothing for $name, and says why', async ({ says, calls: expected, ...scene }) => {
    const { main, post, calls, jobs } = await play(scene);
    expect(jobs).toEqual([]);
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'not_triggered' } } });
    expect(main.annotations).toMatchObject([{ level: 'error', message: expect.stringMatching(says) as string }]);
    expect(calls).toEqual(expected);
    expect(post).toMatchObject({ exitCode: 0, log: [] });
  });
});
