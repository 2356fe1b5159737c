import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runJob, type StepProcess } from '../../sandbox/runner/index.ts';
import type { Sandbox } from '../../sandbox/server/index.ts';
import { onStage, playStep, useAction } from '../support/e2e.ts';
import { folderForTest } from '../support/e2e-record.ts';
import { otherCode } from '../support/other-code.ts';

const action = useAction();

// Some of this is waiting for a runner's own deadlines.
vi.setConfig({ maxConcurrency: 12 });

/** The final message is printed at 9.3 s, and the process is gone at 9.6 s; the runner kills it at 10 s. */
const GONE_WITHIN_MS = 9_800;

/** A runner's signals, sent when the process prints a line that matches; keeps when SIGINT was sent. */
function sigint(pattern: RegExp) {
  const sent = { at: Infinity };
  const when = async (process: StepProcess): Promise<void> => {
    await process.line(pattern);
    sent.at = performance.now();
  };
  return { sent, interrupt: { mode: 'workflow', when } as const };
}

/** The service by a name, so that every connection needs a lookup. */
function byName(sandbox: Sandbox): { readonly 'base-url': string } {
  const url = sandbox.url.replace('127.0.0.1', 'localhost');
  sandbox.world.backendUrl = url;
  return { 'base-url': url };
}

/** A file that nobody ever writes to: whoever opens it for reading waits forever. */
function fifo(after: (task: () => void) => void): string {
  const path = join(folderForTest(after), 'fifo');
  execFileSync('mkfifo', [path]);
  return path;
}

describe.skipIf(process.platform === 'win32').concurrent('a process whose name lookups hang', () => {
  it('is gone within a second of its final message after a signal', async ({ onTestFinished: after }) => {
    const { sent, interrupt } = sigint(/^lookup of localhost hangs/);
    const { main } = await playStep(action, {
      job: { env: otherCode('hangs lookups', { FIFO: fifo(after) }) },
      with: byName,
      interrupt: () => interrupt,
    });
    // It has nothing to cancel, so its final message follows the signal at once.
    expect((main.endedAt ?? Infinity) - sent.at).toBeLessThan(1_500);
    expect(main.exitCode).not.toBe(0);
    expect(main.annotations.at(-1)?.message).toContain('No run was queued.');
    expect(main.files.outputs).toMatchObject({ 'job-status': 'not_queued', outcome: 'cancelled' });
  });

  it('is gone before the runner kills it when it cannot cancel its run', async ({ onTestFinished: after }) => {
    const { sent, interrupt } = sigint(/is queued/);
    const { main, post, statuses } = await playStep(action, {
      job: { env: otherCode('hangs lookups after SIGINT', { FIFO: fifo(after) }) },
      with: (sandbox) => ({ ...byName(sandbox), pipeline: 'endless', 'poll-interval': '1h' }),
      interrupt: () => interrupt,
    });
    expect((main.endedAt ?? Infinity) - sent.at).toBeLessThan(GONE_WITHIN_MS);
    expect(main.exitCode).not.toBe(0);
    expect(main.annotations).toMatchObject([{ level: 'error' }]);
    expect(main.files.outputs['outcome']).toBe('cancelled');
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(statuses).toEqual(['cancelled']);
  });

  it('is gone within a second of its final message in cancel/ too', async ({ onTestFinished: after }) => {
    const { sent, interrupt } = sigint(/^lookup of localhost hangs/);
    await onStage(action, {}, async ({ sandbox }) => {
      const given = { 'api-key': sandbox.key, ...byName(sandbox), 'job-id': '3c4f7a52-90bb-4d6f-9b1b-5f0a43f1c3a9' };
      const env = otherCode('hangs lookups', { FIFO: fifo(after) });
      const folder = join(action.folder, 'cancel');
      const { main } = await runJob({ action: folder, env, with: given }, interrupt);
      const gone = main.endedAt ?? Infinity;
      expect(gone - sent.at).toBeLessThan(GONE_WITHIN_MS);
      expect(main.exitCode).not.toBe(0);
      expect(main.annotations).toMatchObject([{ level: 'error' }]);
      expect(main.files.outputs['results']).toContain('3c4f7a52');
    });
  });
});

describe.concurrent('a process in which an exit listener of other code never returns', () => {
  it('ends all the same after a signal', async () => {
    const { sent, interrupt } = sigint(/is queued/);
    const { main, statuses } = await playStep(action, {
      job: { env: otherCode('never returns from an exit listener') },
      with: { pipeline: 'endless', 'poll-interval': '1h' },
      interrupt: () => interrupt,
    });
    expect((main.endedAt ?? Infinity) - sent.at).toBeLessThan(GONE_WITHIN_MS);
    expect(main).toMatchObject({ exitCode: 1, signal: null });
    expect(statuses).toEqual(['cancelled']);
  });
});
