// Tests the bundles with Node.js for Windows under Wine. CONTRIBUTING.md lists the limits of these tests.
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { play, playJob, useAction } from '../support/e2e.ts';
import { expectFate } from '../support/trace.ts';

const { WINDOWS_NODE, WINEPREFIX } = process.env;

beforeEach(({ skip }) => {
  const isReady = WINDOWS_NODE !== undefined && WINEPREFIX !== undefined;
  skip(!isReady, 'needs WINDOWS_NODE and WINEPREFIX, which windows_test in .ci/tools.sh installs and sets');
});

const action = useAction();

const job = { node: join(import.meta.dirname, 'node.sh'), env: { WINDOWS_NODE, WINEPREFIX, WINEDEBUG: '-all' } };

describe.concurrent('a step on Node.js for Windows', () => {
  it('succeeds if its run completes, and writes outputs, state and summary', async () => {
    const played = await play(action, { job });
    const { main, post, runs } = played;
    const [run] = runs;
    expectFate(played, 'main 0, post 0, completed');
    expect(main.files).toMatchObject({
      broken: [],
      outputs: { 'job-id': run?.id, 'job-status': 'completed', outcome: 'succeeded' },
      summary: expect.stringContaining(run?.id ?? 'no run') as string,
    });
    expect(main.files.state['run_pipeline']).toContain(String.raw`"journal":"Z:\\`);
    expect(post?.lines).toEqual([]);
  });

  it('with wait: false lets its run continue, and the cancel action can cancel the run', async () => {
    const [left, cancelled] = await playJob(action, { job }, [
      () => ({ inputs: { pipeline: 'endless', wait: 'false' } }),
      (last) => ({ entry: 'cancel', inputs: { 'job-id': last?.main.files.outputs['job-id'] ?? '' } }),
    ]);
    expect(left).toMatchObject({ main: { exitCode: 0 }, post: { exitCode: 0, lines: [] }, statuses: ['running'] });
    expect(cancelled).toMatchObject({ main: { exitCode: 0 }, statuses: ['cancelled'] });
  });

  it.each([
    // Wine translates SIGINT to the console signal CTRL_C, which is the first signal that a runner on Windows sends.
    ['cancels its run on CTRL_C', { incidents: [{ what: 'cancel' }] }, 'main 1'],
    ['leaves its run to the post step if it is killed', { incidents: [{ what: 'act_cancel' }] }, 'main SIGKILL'],
    [
      'leaves its run to the post step if it is killed and its state is lost',
      { incidents: [{ what: 'act_cancel' }], runner: { losesState: true } },
      'main SIGKILL',
    ],
    ['cancels its run if it finds the mark of the post step', { incidents: [{ what: 'container_cancel' }] }, 'main 1'],
  ] as const)('%s', async (_, step, end) => {
    const played = await play(action, { job, ...step });
    expectFate(played, `${end}, post 0, cancelled`);
  });
});
