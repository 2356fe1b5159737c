// Tests how steps respond to a runner's signals, closed pipes and short deadlines, and to the status of the job.
import { describe, expect, it, vi } from 'vitest';
import { MODES } from '../../sandbox/runner/index.ts';
import { POLL_INTERVAL, playProcess, useAction } from '../support/e2e.ts';

const action = useAction();

// Some of these tests wait for a runner's deadlines.
vi.setConfig({ maxConcurrency: 12 });

/** The test itself sends the signals. */
const NO_LADDER = { ...MODES.workflow, hears: 'nothing' } as const;

describe.concurrent('a step with a closed stdout', () => {
  it.each([
    ['cancels its run without a signal', 'cancel', true],
    ['leaves its run in progress if on-cancel is leave', 'leave', false],
  ])('%s', async (_, policy, cancels) => {
    const { main, post, statuses, calls } = await playProcess(action, {
      // Every read shows a change, and every change adds a line to the log.
      rules: [{ kind: 'read', every: 2, how: { do: 'status', status: 'picked' } }],
      inputs: { 'poll-interval': POLL_INTERVAL, 'on-cancel': policy },
      mode: 'always',
    });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'cancelled' } } });
    expect(statuses.includes('cancelled')).toBe(cancels);
    expect(calls.includes('cancel')).toBe(cancels);
    expect(post).toBeUndefined();
  });

  it('cancels its run without a post step when the machine shuts down', async () => {
    const { main, post, statuses } = await playProcess(action, { mode: 'shutdown' });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'cancelled' } } });
    expect(statuses).toEqual(['cancelled']);
    expect(post).toBeUndefined();
  });
});

describe.concurrent('a step that receives', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s cancels its run and names the signal', async (name) => {
    const { main, statuses } = await playProcess(action, {
      mode: NO_LADDER,
      when: (process) => process.line(/is queued/).then(() => process.signal(name)),
    });
    expect(main).toMatchObject({ exitCode: 1, signal: null });
    expect(main.files.outputs['message']).toContain(name);
    expect(main.annotations).toMatchObject([{ level: 'notice', message: expect.stringContaining(name) as string }]);
    expect(statuses).toEqual(['cancelled']);
  });
});

describe.concurrent('playProcess', () => {
  it('fails if main exits before the runner interrupts it', async ({ expect }) => {
    const late = playProcess(action, { inputs: { timeout: '45' }, mode: 'workflow', when: (main) => main.ended });
    await expect(late).rejects.toThrow('Main exited before');
  });
});

describe.concurrent('a runner that waits only 7.5 s', () => {
  it('reads complete outputs of a background step even if the service does not respond', async () => {
    const { main, mainAlive, post, statuses } = await playProcess(action, {
      // Main sends at most five cancels before it exits.
      rules: [1, 2, 3, 4, 5].map((nth) => ({ kind: 'cancel', nth, how: { do: 'silence', point: 'before-commit' } })),
      mode: 'background',
    });
    const { outputs, summary, broken } = main.files;
    expect(mainAlive.before).toBe(true);
    expect(outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'running' });
    expect(outputs['message']).toContain(outputs['job-id']);
    expect(summary).toContain(outputs['job-id']);
    expect(broken).toEqual([]);
    expect(post?.exitCode).toBe(0);
    expect(statuses).toEqual(['cancelled']);
  });
});

describe.concurrent('a post step', () => {
  it('cancels the run of a hanging main process after the runner kills main', async () => {
    const { main, statuses, post, mainAlive } = await playProcess(action, {
      mode: 'workflow',
      when: (process) => process.line(/is queued/).then(() => process.signal('SIGSTOP')),
    });
    expect(main.signal).toBe('SIGKILL');
    expect(mainAlive.after).toBe(false);
    expect(statuses).toEqual(['cancelled']);
    expect(post).toMatchObject({ exitCode: 0 });
    expect(post?.log.join('\n')).toMatch(/was cancelled/);
  });
});

describe.concurrent('a detached run', () => {
  it.each([
    ['is cancelled by post if the job is cancelled later', 'cancelled', 'later', 'cancel', true],
    ['stays in progress if the job was cancelled before the step started', 'cancelled', 'before', 'cancel', false],
    ['stays in progress if the job fails later', 'failure', 'later', 'cancel', false],
    ['stays in progress with on-cancel: leave if the job is cancelled later', 'cancelled', 'later', 'leave', false],
  ] as const)('%s', async (_, status, moment, policy, cancelled) => {
    const { post, statuses } = await playProcess(action, {
      inputs: { pipeline: 'endless', wait: 'false', 'on-cancel': policy },
      step(job) {
        const set = (): void => {
          job.status = status;
        };
        if (moment === 'before') set();
        return { onMainEnd: set };
      },
    });
    expect(statuses.includes('cancelled')).toBe(cancelled);
    expect(post).toMatchObject({ exitCode: 0, annotations: [], ...(!cancelled && { lines: [] }) });
  });
});
