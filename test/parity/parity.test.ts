// Compares the sandbox with an independent PostgREST-compatible service and runs the action's bundle against it.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWorld, PIPELINE_IDS } from '../../sandbox/model/index.ts';
import { POLL_INTERVAL, play as playProcess, type StepScene, useAction } from '../support/e2e.ts';
import { BAD_CREDENTIALS, CORRECT } from './cases.ts';
import { load, observeBoth } from './services.ts';
import { type SupabaseLite, startSupabaseLite } from './supabase-lite.ts';

const action = useAction();
let lite: SupabaseLite;

beforeAll(async () => {
  lite = await startSupabaseLite();
});
afterAll(() => lite.close());

// Supabase Lite prints each error that it returns.
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});

describe('the sandbox responds like an independent service when a client', () => {
  it.each([...CORRECT, ...BAD_CREDENTIALS].map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const seen = await observeBoth(lite, one);
    const [ours = seen.lite.code, theirs] = one.codes ?? [];
    expect(seen.sandbox).toEqual({ ...seen.lite, code: ours });
    if (theirs !== undefined) expect(seen.lite.code).toBe(theirs);
    if (CORRECT.includes(one)) expect(seen.violations).toEqual([]);
  });
});

interface Scene extends Pick<StepScene, 'inputs' | 'incidents'> {
  /** Changes the run as an agent does, before the service responds to the nth status request. */
  readonly agent?: (nthRead: number) => Promise<unknown>;
}

const LIST = 'GET /rest/v1/pipelines_and_datasources';
const TRIGGER = 'POST /rest/v1/rpc/create_pipeline_run_job';
const READ = 'GET /rest/v1/jobs';
const CANCEL = 'PATCH /rest/v1/jobs';

/** Runs one step from its start to the end of its post step. */
async function play({ agent, ...scene }: Scene) {
  await load(lite, createWorld(), 0);
  const calls: string[] = [];
  lite.onRequest = async (line) => {
    const call = line.replace(/\?.*/, '');
    calls.push(call);
    if (call === READ) await agent?.(calls.filter((one) => one === READ).length);
  };
  const { main, post } = await playProcess(action, { other: lite, ...scene });
  return { main, post, calls, jobs: await lite.sql('select * from public.jobs') };
}

/** Changes the only run. */
const setStatus = (status: string, message: string | null): Promise<unknown> =>
  lite.sql('update public.jobs set job_status = $1, status_message = $2', status, message);

describe('the bundle with an independent service', () => {
  it('triggers one run by the name of its pipeline and waits for its final status', async () => {
    const stages = [
      ['picked', null],
      ['running', 'Loading: 3 of 5 objects'],
      ['completed', '5 objects synced'],
    ] as const;
    const { main, post, calls, jobs } = await play({
      inputs: { 'full-resync': 'true', 'reset-target': 'true' },
      agent: (nthRead) => {
        const [status, message] = stages[nthRead - 1] ?? stages[2];
        return setStatus(status, message);
      },
    });
    expect(main).toMatchObject({ exitCode: 0, signal: null });
    expect(jobs).toMatchObject([
      { pipeline_id: PIPELINE_IDS.orders, full_resync: true, reset_target: true, job_status: 'completed' },
    ]);
    expect(main.files.outputs).toMatchObject({
      'job-id': jobs[0]?.['id'],
      'job-status': 'completed',
      outcome: 'succeeded',
      'status-message': '5 objects synced',
      'pipeline-id': PIPELINE_IDS.orders,
    });
    expect(calls).toEqual([LIST, TRIGGER, READ, READ, READ, READ]);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it('cancels its run after SIGINT', async () => {
    const firstRead = Promise.withResolvers<undefined>();
    const { main, post, calls, jobs } = await play({
      agent: async (nthRead) => {
        if (nthRead > 1) return;
        await setStatus('running', null);
        firstRead.resolve(undefined);
      },
      inputs: { pipeline: 'orders', 'poll-interval': POLL_INTERVAL },
      incidents: [{ what: 'cancel', at: () => firstRead.promise }],
    });
    expect(jobs).toMatchObject([{ pipeline_id: PIPELINE_IDS.orders, job_status: 'cancelled' }]);
    expect(main.files.outputs).toMatchObject({ 'job-id': jobs[0]?.['id'], outcome: 'cancelled' });
    expect(main.exitCode).not.toBe(0);
    expect(calls.filter((call) => call === TRIGGER)).toHaveLength(1);
    expect(calls).toContain(CANCEL);
    expect(post?.exitCode).toBe(0);
  });
});
