// Tests whole steps of the bundles, from main to post, by what they show to users and send to the service.
import { describe, expect, it } from 'vitest';
import { MODES } from '../../sandbox/runner/index.ts';
import type { RequestRecord } from '../../sandbox/server/index.ts';
import {
  onStage,
  PATIENCE_MS,
  playProcess,
  resultsOf,
  type Stage,
  seenBy,
  UNKNOWN_ID,
  unreported,
  useAction,
} from '../support/e2e.ts';

const action = useAction();

describe.concurrent('a step', () => {
  it.each([
    ['a completed run', { pipeline: 'orders' }, 0, 'succeeded', 'completed', []],
    ['a run with warnings', { pipeline: 'customers' }, 0, 'succeeded', 'completed_with_warning', ['warning']],
    ['a skipped run', { pipeline: 'idle' }, 0, 'succeeded', 'skipped', ['notice']],
    ['a failed run', { pipeline: 'broken' }, 1, 'failed', 'failed', ['error']],
    ['a run that times out', { pipeline: 'endless', timeout: '1s' }, 1, 'wait_timed_out', 'cancelled', ['error']],
  ])(
    'reports %s in the outputs, the annotations and the summary',
    async (_, inputs, exitCode, outcome, status, levels) => {
      const { main, post, runs, statuses, calls } = await playProcess(action, { inputs });
      const [run] = runs;
      const outputs = { 'job-id': run?.id, 'job-status': status, outcome, 'pipeline-id': run?.pipelineId };
      expect(main).toMatchObject({ exitCode, annotations: levels.map((level) => ({ level })), files: { outputs } });
      expect(main.files.summary).toContain(run?.id);
      expect(statuses).toEqual([status]);
      expect(calls.filter((kind) => kind === 'trigger')).toHaveLength(1);
      expect(post).toMatchObject({ exitCode: 0, lines: [] });
    },
  );

  it.each([
    ['if the account has no credits', { pipeline: 'penniless' }, ['exchange', 'list', 'trigger']],
    ['if a pipeline name is unknown', { pipeline: 'orders\nordrs' }, ['exchange', 'list']],
    ['if an input is invalid', { timeout: '45' }, []],
    ['if dry-run is true', { pipeline: 'orders\nendless', 'dry-run': 'true' }, ['exchange', 'list']],
  ])('queues no run %s', async (_, inputs, expected) => {
    const { main, post, runs, calls } = await playProcess(action, { inputs });
    const outcome = 'dry-run' in inputs ? 'dry_run' : 'not_triggered';
    expect(main).toMatchObject({ exitCode: outcome === 'dry_run' ? 0 : 1, files: { outputs: { outcome } } });
    expect([runs, calls]).toEqual([[], expected]);
    expect(post).toMatchObject({ exitCode: 0, log: [] });
  });
});

/** The ids of runs that another step triggered without awaiting them, one per line. */
async function triggered({ play }: Stage, pipeline: string): Promise<string> {
  const { main } = await play({ inputs: { pipeline, wait: 'false' } });
  expect(main).toMatchObject({ exitCode: 0, files: { outputs: { outcome: 'triggered' } } });
  return main.files.outputs['job-id'] ?? '';
}

describe.concurrent('a step with job-id', () => {
  it('awaits a run in progress instead of triggering another one', async () => {
    await onStage(action, {}, async (stage) => {
      const id = await triggered(stage, 'slow');
      const { main, runs } = await stage.play({ inputs: { pipeline: 'slow', 'job-id': id } });
      expect(main).toMatchObject({ exitCode: 0, files: { outputs: { 'job-id': id, outcome: 'succeeded' } } });
      expect(runs).toHaveLength(1);
    });
  });
});

describe.concurrent('the cancel action', () => {
  it('cancels runs in progress, keeps final statuses, and fails if an id is unknown', async () => {
    await onStage(action, {}, async (stage) => {
      const ids = await triggered(stage, 'endless\nidle\nunpicked');
      const { main, post } = await stage.play({ entry: 'cancel', inputs: { 'job-id': `${UNKNOWN_ID}\n${ids}` } });
      expect(main).toMatchObject({ exitCode: 1, annotations: [{ level: 'error' }] });
      const expected = ['unknown', 'cancelled', 'skipped', 'cancelled'];
      expect(resultsOf(main).map((entry) => entry['job-status'])).toEqual(expected);
      expect(seenBy(stage.sandbox).statuses).toEqual(expected.slice(1));
      expect(post).toBeUndefined();
    });
  });

  it.each([
    ['succeeds if job-id is empty', 'notice', 0, {}],
    ['fails if job-id is invalid', 'error', 1, { 'job-id': 'the last one' }],
  ])('%s, and sends no request', async (_, level, exitCode, inputs) => {
    const { main, sandbox } = await playProcess(action, { entry: 'cancel', inputs: { 'job-id': '', ...inputs } });
    expect(main).toMatchObject({ exitCode, annotations: [{ level }], files: { outputs: { results: '[]' } } });
    expect(sandbox.connections()).toBe(0);
  });
});

/** The maximum number of requests about runs that this action sends concurrently. */
const WIDTH = 50;
const MANY = 200;
const pipelines = Array.from({ length: MANY }, (_, index) => ({ name: `Pipeline ${index + 1}`, scenario: 'endless' }));

/** The largest number of these requests that were in flight at the same time. */
function mostAtOnce(requests: readonly RequestRecord[]): number {
  return Math.max(
    ...requests.map(({ at }) => requests.filter((one) => one.at <= at && (one.endedAt ?? Infinity) > at).length),
  );
}

describe(`a step with ${MANY} runs in progress`, () => {
  const many = {
    service: { model: { pipelines, speed: 1 } },
    inputs: { pipeline: pipelines.map(({ name }) => name).join('\n') },
    when: (_: unknown, { end }: Stage['sandbox']) => end('trigger', MANY),
  };

  it('uses a limited number of connections to cancel all runs after a signal', async () => {
    const { main, post, statuses, runs, sandbox } = await playProcess(action, {
      ...many,
      mode: { ...MODES.workflow, killAfterMs: PATIENCE_MS },
    });
    expect(statuses).toEqual(Array.from({ length: MANY }, () => 'cancelled'));
    expect(mostAtOnce(sandbox.requests)).toBeLessThanOrEqual(WIDTH + 1);
    expect(main.exitCode).toBe(1);
    // Node.js would warn about too many listeners for one signal.
    expect(main.lines.filter((line) => line.includes('Warning:'))).toEqual([]);
    expect(main.annotations.length).toBeLessThanOrEqual(10);
    expect(main.files.outputs['job-id']?.split('\n')).toEqual(runs.map(({ id }) => id));
    expect([...new Set(resultsOf(main).map((entry) => entry['job-status']))]).toEqual(['cancelled']);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it('leaves the runs for post to cancel if main is killed', async () => {
    const played = await playProcess(action, { ...many, mode: 'act-host' });
    const { post, statuses, calls } = played;
    expect(calls.filter((kind) => kind === 'trigger')).toHaveLength(MANY);
    // The signal may kill main before it records the last id. Post then warns of that run's pipeline.
    expect(statuses.filter((status) => status !== 'cancelled').length).toBeLessThanOrEqual(1);
    expect(unreported(played)).toEqual([]);
    expect(post?.exitCode).toBe(0);
    expect(post?.lines.filter((line) => line.includes('Warning:'))).toEqual([]);
  });
});
