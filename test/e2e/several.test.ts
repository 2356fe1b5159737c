import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runJob } from '../../sandbox/runner/index.ts';
import { onStage, playStep, seenBy, useAction } from '../support/e2e.ts';

const action = useAction();

const THREE = { pipeline: 'endless\nunpicked\norders', 'poll-interval': '1h' };

describe.concurrent('a step with several pipelines', () => {
  it('succeeds when all of them do, and tells of each in the order of the input', async () => {
    const { main, post, runs } = await playStep(action, { with: { pipeline: 'orders\nidle\ncustomers' } });
    expect(main.exitCode).toBe(0);
    const results = JSON.parse(main.files.outputs['results'] ?? '') as readonly Record<string, string>[];
    expect(results.map((each) => [each['pipeline'], each['job-status'], each['outcome']])).toEqual([
      ['orders', 'completed', 'succeeded'],
      ['idle', 'skipped', 'succeeded'],
      ['customers', 'completed_with_warning', 'succeeded'],
    ]);
    expect(results.map((each) => each['job-id'])).toEqual(runs.map(({ id }) => id));
    expect(main.files.outputs['job-id']).toBe(runs.map(({ id }) => id).join('\n'));
    expect(post?.lines).toEqual([]);
  });

  it('fails with the worst of them', async () => {
    const { main } = await playStep(action, { with: { pipeline: 'orders\nbroken' } });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'failed', 'job-status': 'failed' } } });
    expect(main.annotations.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('cancels all of them by a signal', async () => {
    const { main, post, statuses } = await playStep(action, {
      service: { model: { speed: 1 } },
      with: THREE,
      interrupt: ({ sandbox }) => ({ mode: 'workflow', when: () => sandbox.end('trigger', 3) }),
    });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'cancelled' } } });
    expect(statuses).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(post?.lines).toEqual([]);
  });

  it('triggers none that had not had its turn when the signal came', async () => {
    const { main, post, statuses } = await playStep(action, {
      with: { ...THREE, 'max-parallel': '1' },
      interrupt: () => ({ mode: 'workflow', when: (process) => process.line(/is queued/) }),
    });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'cancelled' } } });
    expect(statuses).toEqual(['cancelled']);
    expect(post?.lines).toEqual([]);
  });

  it('has post cancel what a killed main had triggered', async () => {
    const { post, statuses, calls } = await playStep(action, {
      service: { model: { speed: 1 } },
      with: THREE,
      interrupt: () => ({ mode: 'act-host', when: (process) => process.line(/(?:Orders|orders): run .* is queued/) }),
    });
    expect(statuses).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(calls.filter((kind) => kind === 'trigger')).toHaveLength(3);
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
  });
});

describe.concurrent('a run that exists already', () => {
  it('is awaited by its id, and left at a cancel unless the workflow says otherwise', async () => {
    await onStage(action, {}, async ({ job, sandbox, inputs }) => {
      const start = { 'api-key': sandbox.key, 'base-url': sandbox.url, pipeline: 'endless', wait: 'false' };
      const first = await runJob({ action: action.folder, with: start });
      const id = first.main.files.outputs['job-id'] ?? '';
      for (const [policy, status] of [
        ['leave', 'running'],
        ['cancel', 'cancelled'],
      ] as const) {
        const step = job.step({ with: inputs({ 'job-id': id, ...(policy === 'cancel' && { 'on-cancel': policy }) }) });
        const main = step.startMain();
        await main.process.line(/running/);
        main.process.signal('SIGINT');
        expect((await main.ended).exitCode).toBe(1);
        expect(seenBy(sandbox).statuses).toEqual([status]);
      }
    });
  });
});

describe.concurrent('a dry run', () => {
  it('looks everything up and triggers nothing', async () => {
    const { main, post, calls } = await playStep(action, { with: { 'dry-run': 'true', pipeline: 'orders\nidle' } });
    expect(main).toMatchObject({ exitCode: 0, files: { outputs: { outcome: 'dry_run' } } });
    expect(calls).toEqual(['exchange', 'list']);
    expect(post?.lines).toEqual([]);
  });
});

describe.concurrent('the action that cancels runs by their ids', () => {
  it('cancels what goes on, keeps what is over, and fails for what it cannot find', async () => {
    await onStage(action, {}, async ({ sandbox }) => {
      const address = { 'api-key': sandbox.key, 'base-url': sandbox.url };
      const ids: string[] = [];
      for (const pipeline of ['endless', 'idle']) {
        const { main } = await runJob({ action: action.folder, with: { ...address, pipeline, wait: 'false' } });
        ids.push(main.files.outputs['job-id'] ?? '');
      }
      const cancel = join(action.folder, 'cancel');
      const { main, post } = await runJob({ action: cancel, with: { ...address, 'job-id': ids.join('\n') } });
      expect(main.exitCode).toBe(0);
      expect(post).toBeUndefined();
      expect(seenBy(sandbox).statuses).toEqual(['cancelled', 'skipped']);
      const results = JSON.parse(main.files.outputs['results'] ?? '') as readonly Record<string, string>[];
      expect(results.map((each) => each['job-status'])).toEqual(['cancelled', 'skipped']);
    });
  });
});
