import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { MODES } from '../../sandbox/runner/index.ts';
import type { Rule } from '../../sandbox/server/index.ts';
import { playStep, useAction } from '../support/e2e.ts';

const action = useAction();

// Some of this is waiting for a runner's own deadlines.
vi.setConfig({ maxConcurrency: 12 });

const ENDLESS = { pipeline: 'endless', 'poll-interval': '1h' };
/** Each read brings a change, and so the log a line. */
const CHANGES: readonly Rule[] = [{ kind: 'read', every: 2, how: { do: 'status', status: 'picked' } }];

describe.concurrent('a step whose reader is gone', () => {
  it('cancels its run when stdout is closed, although nobody signals it', async () => {
    const { main, post, statuses } = await playStep(action, {
      service: { rules: CHANGES },
      with: { pipeline: 'endless' },
      interrupt: () => ({ mode: 'always', when: (process) => process.line(/is queued/) }),
    });
    expect(main.exitCode).toBe(1);
    expect(main.files.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled' });
    expect(statuses).toEqual(['cancelled']);
    expect(post).toBeUndefined();
  });

  it('leaves it with on-cancel: leave', async () => {
    const { main, statuses, calls } = await playStep(action, {
      service: { rules: CHANGES },
      with: { pipeline: 'endless', 'on-cancel': 'leave' },
      interrupt: () => ({ mode: 'always', when: (process) => process.line(/is queued/) }),
    });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'cancelled' } } });
    expect(statuses).not.toContain('cancelled');
    expect(calls).not.toContain('cancel');
  });

  it('cancels its run without any post step when the machine goes', async () => {
    const { main, post, statuses } = await playStep(action, {
      with: ENDLESS,
      interrupt: () => ({ mode: 'shutdown', when: (process) => process.line(/is queued/) }),
    });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'cancelled' } } });
    expect(statuses).toEqual(['cancelled']);
    expect(post).toBeUndefined();
  });
});

describe.concurrent('a signal', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s cancels, and is named', async (name) => {
    const { main, statuses } = await playStep(action, {
      with: ENDLESS,
      interrupt: () => ({
        mode: { ...MODES.workflow, hears: 'nothing' },
        async when(process) {
          await process.line(/is queued/);
          process.signal(name);
        },
      }),
    });
    expect(main).toMatchObject({ exitCode: 1, signal: null });
    expect(main.files.outputs['message']).toContain(name);
    expect(main.annotations).toMatchObject([{ level: 'notice', message: expect.stringContaining(name) as string }]);
    expect(statuses).toEqual(['cancelled']);
  });

  it('that comes after another one changes nothing', async () => {
    const { main, statuses, calls, post } = await playStep(action, {
      service: { rules: [{ kind: 'cancel', how: { do: 'hold', point: 'before-commit' } }] },
      with: ENDLESS,
      interrupt: ({ sandbox }) => ({
        mode: { ...MODES.workflow, hears: 'nothing' },
        async when(process) {
          await process.line(/is queued/);
          process.signal('SIGINT');
          await sandbox.arrival('cancel');
          for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.signal(name);
          await process.line(/Step interrupted \(SIGINT\)/);
          sandbox.release('cancel');
        },
      }),
    });
    expect(main).toMatchObject({ exitCode: 1, signal: null });
    expect(main.log.filter((line) => /SIGTERM|SIGHUP/.test(line))).toEqual([]);
    expect(calls.filter((kind) => kind === 'cancel')).toHaveLength(1);
    expect(statuses).toEqual(['cancelled']);
    expect(post?.lines).toEqual([]);
  });

  it('overwrites no end: a run that was quicker keeps its status', async () => {
    const { main, statuses } = await playStep(action, {
      with: { 'poll-interval': '1h' },
      interrupt: ({ sandbox }) => ({
        mode: 'workflow',
        async when(process) {
          await process.line(/is queued/);
          // `orders` is over after 90 ms, and nobody has looked since.
          const begun = sandbox.world.jobs[0]?.createdAt ?? 0;
          await sleep(Math.max(0, begun + 100 - sandbox.now()));
        },
      }),
    });
    expect(statuses).toEqual(['completed']);
    expect(main).toMatchObject({
      exitCode: 1,
      files: { outputs: { 'job-status': 'completed', outcome: 'cancelled' } },
    });
  });

  it('while the step itself runs out of time fails the job, and cancels the run all the same', async () => {
    const { main, statuses, post } = await playStep(action, {
      with: ENDLESS,
      interrupt: () => ({ mode: 'step-timeout', when: (process) => process.line(/is queued/) }),
    });
    expect(main.exitCode).toBe(1);
    expect(statuses).toEqual(['cancelled']);
    expect(post?.lines).toEqual([]);
  });
});

describe.concurrent('what a runner with little patience reads', () => {
  it('is complete when it gives up a step in the background after 7.5 s, whatever the service does', async () => {
    const { main, mainAlive, post } = await playStep(action, {
      service: { rules: [{ kind: 'cancel', how: { do: 'silence', point: 'before-commit' } }] },
      with: ENDLESS,
      step: { onPostStart: (process) => void process.line(/signals it to stop/).then(() => process.cancel()) },
      interrupt: () => ({ mode: 'background', when: (process) => process.line(/is queued/) }),
    });
    expect(mainAlive.before).toBe(true);
    expect(main.files.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'queued' });
    expect(main.files.outputs['message']).toContain(main.files.outputs['job-id']);
    expect(main.files.summary).toContain(main.files.outputs['job-id']);
    expect(main.files.broken).toEqual([]);
    expect(post?.exitCode).toBe(0);
  });

  it.each([
    ['after the whole ladder', MODES.workflow],
    ['by post, where no signal came', { ...MODES.container, waitsMs: 0 }],
  ])('is enough to cancel the run of a main that hangs, and is killed %s', async (_, mode) => {
    const { main, statuses, post, mainAlive } = await playStep(action, {
      with: ENDLESS,
      interrupt: () => ({
        mode,
        async when(process) {
          await process.line(/is queued/);
          process.signal('SIGSTOP');
        },
      }),
    });
    expect(main.signal).toBe('SIGKILL');
    expect(mainAlive.after).toBe(false);
    expect(statuses).toEqual(['cancelled']);
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(post?.log).toContainEqual(expect.stringMatching(/was cancelled/));
  });
});

describe.concurrent('a run that nobody waits for', () => {
  const DETACHED = { ...ENDLESS, wait: 'false' };

  it.each([
    { status: 'cancelled', given: {}, cancelled: true },
    { status: 'failure', given: {}, cancelled: false },
    { status: 'success', given: {}, cancelled: false },
    { status: 'cancelled', given: { 'on-cancel': 'leave' }, cancelled: false },
  ] as const)(
    'in a job that has become $status later, with $given: cancelled is $cancelled',
    async ({ status, given, cancelled }) => {
      const { post, statuses } = await playStep(action, {
        with: { ...DETACHED, ...given },
        step: (job) => ({
          onMainEnd() {
            job.status = status;
          },
        }),
      });
      expect(statuses.includes('cancelled')).toBe(cancelled);
      expect(post).toMatchObject({ exitCode: 0, annotations: [] });
      if (!cancelled) expect(post?.lines).toEqual([]);
    },
  );

  it('goes on when the job was cancelled before the step began', async () => {
    const { post, statuses } = await playStep(action, {
      with: DETACHED,
      step: (job) => {
        job.status = 'cancelled';
        return {};
      },
    });
    expect(statuses).not.toContain('cancelled');
    expect(post?.lines).toEqual([]);
  });
});
