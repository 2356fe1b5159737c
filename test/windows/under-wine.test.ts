// Tests the bundles with Node.js for Windows under Wine. CONTRIBUTING.md lists the limits of these tests.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MODES } from '../../sandbox/runner/index.ts';
import { onStage, playProcess, useAction } from '../support/e2e.ts';

const { WINDOWS_NODE, WINEPREFIX } = process.env;
if (WINDOWS_NODE === undefined || WINEPREFIX === undefined) {
  throw new Error('Set WINDOWS_NODE and WINEPREFIX as windows_test in .ci/tools.sh does.');
}

const action = useAction();

const job = { node: join(import.meta.dirname, 'node.sh'), env: { WINDOWS_NODE, WINEPREFIX, WINEDEBUG: '-all' } };

describe.concurrent('a step on Node.js for Windows', () => {
  it('succeeds if its run completes, and writes outputs, state and summary', async () => {
    const { main, post, runs, calls } = await playProcess(action, { job });
    const [run] = runs;
    expect(main).toMatchObject({ exitCode: 0, annotations: [] });
    expect(main.files).toMatchObject({
      broken: [],
      outputs: { 'job-id': run?.id, 'job-status': 'completed', outcome: 'succeeded' },
      summary: expect.stringContaining(run?.id ?? 'no run') as string,
    });
    expect(main.files.state['run_pipeline']).toContain(String.raw`"journal":"Z:\\`);
    expect(calls.filter((kind) => kind === 'trigger')).toHaveLength(1);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it('with wait: false leaves its run in progress, and the cancel action can cancel the run', async () => {
    await onStage(action, { job }, async ({ play }) => {
      const { main, post, calls } = await play({ inputs: { pipeline: 'endless', wait: 'false' } });
      expect(main).toMatchObject({ exitCode: 0, files: { outputs: { outcome: 'triggered' } } });
      expect(post).toMatchObject({ exitCode: 0, lines: [] });
      expect(calls).not.toContain('cancel');
      const cancelled = await play({ entry: 'cancel', inputs: { 'job-id': main.files.outputs['job-id'] ?? '' } });
      expect(cancelled.main).toMatchObject({ exitCode: 0, files: { outputs: { 'job-status': 'cancelled' } } });
      expect(cancelled.statuses).toEqual(['cancelled']);
    });
  });
});

describe.concurrent('a cancelled step on Node.js for Windows', () => {
  // Wine translates SIGINT to the console signal CTRL_C, which is the first signal that a runner on Windows sends.
  it('cancels its run on CTRL_C', async () => {
    const { main, post, calls, statuses } = await playProcess(action, { job, mode: 'workflow' });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'cancelled' } } });
    expect(calls.filter((kind) => kind === 'trigger')).toHaveLength(1);
    expect(statuses).toEqual(['cancelled']);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });
});

describe.concurrent('the post step on Node.js for Windows', () => {
  it.each([
    ['in the state', 'with state'],
    ['only in the journal', 'state lost'],
  ] as const)('cancels the run of a killed main process whose records are %s', async (_, kept) => {
    const { main, post, calls, statuses } = await playProcess(action, {
      job,
      mode: { ...MODES['act-host'], post: kept },
    });
    expect(main.signal).toBe('SIGKILL');
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(post?.files.summary).toContain(main.files.outputs['job-id']);
    expect(calls.filter((kind) => kind === 'trigger')).toHaveLength(1);
    expect(statuses).toEqual(['cancelled']);
  });

  it('leaves the run to a main process that is alive, which cancels it when it finds the mark of post', async () => {
    const { main, post, mainAlive, calls, statuses } = await playProcess(action, { job, mode: 'container' });
    expect(mainAlive.before).toBe(true);
    expect(main.signal).toBeNull();
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(calls.filter((kind) => kind === 'trigger')).toHaveLength(1);
    expect(statuses).toEqual(['cancelled']);
  });
});
