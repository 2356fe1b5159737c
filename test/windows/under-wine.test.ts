import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Interrupt, MODES, runJob, runStep } from '../../sandbox/runner/index.ts';
import { onStage, playStep, seenBy, useAction } from '../support/e2e.ts';

const { WINDOWS_NODE, WINEPREFIX } = process.env;
if (WINDOWS_NODE === undefined || WINEPREFIX === undefined) {
  throw new Error('Set WINDOWS_NODE and WINEPREFIX as windows_test in .ci/tools.sh does.');
}

const action = useAction();

const job = { node: join(import.meta.dirname, 'node.sh'), env: { WINDOWS_NODE, WINEPREFIX, WINEDEBUG: '-all' } };

/** A run that never finishes by itself. */
const endless = { job, with: { pipeline: 'endless', 'poll-interval': '1h' } };

function onceQueued(mode: Interrupt['mode']): () => Interrupt {
  return () => ({ mode, when: (main) => main.line(/is queued/) });
}

function count<T>(all: readonly T[], one: T): number {
  return all.filter((each) => each === one).length;
}

describe.concurrent("a step on Windows' Node", () => {
  it('succeeds with its run, and writes outputs, state and summary', async () => {
    const { main, post, runs, calls } = await playStep(action, { job });
    const [run] = runs;
    expect(main).toMatchObject({ exitCode: 0, annotations: [] });
    expect(main.files).toMatchObject({
      broken: [],
      outputs: { 'job-id': run?.id, 'job-status': 'completed', outcome: 'succeeded' },
      summary: expect.stringContaining(run?.id ?? 'no run') as string,
    });
    expect(main.files.state['run_pipeline_0001']).toContain(String.raw`"journal":"Z:\\`);
    expect(count(calls, 'trigger')).toBe(1);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it('fails with its run, and shows the message of the service', async () => {
    const { main, post, runs } = await playStep(action, { job, with: { pipeline: 'broken' } });
    const message = runs[0]?.timeline.at(-1)?.[2] ?? 'no message';
    expect(main).toMatchObject({
      exitCode: 1,
      files: { outputs: { 'job-status': 'failed', outcome: 'failed', 'status-message': message } },
      annotations: [{ level: 'error', message: expect.stringContaining(message) as string }],
    });
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it.each([
    { input: 'api-key', value: '' },
    { input: 'timeout', value: '45' },
    { input: 'reset-target', value: 'true' },
  ])('rejects the $input "$value" and sends nothing', async ({ input, value }) => {
    const { main, post, sandbox } = await playStep(action, { job, with: { [input]: value } });
    expect(main).toMatchObject({
      exitCode: 1,
      files: { outputs: { outcome: 'not_triggered' } },
      annotations: [{ level: 'error', message: expect.stringContaining(input) as string }],
    });
    expect(post).toMatchObject({ exitCode: 0, log: [] });
    expect(sandbox.connections()).toBe(0);
  });

  it('triggers nothing in a dry run', async () => {
    const { main, post, runs } = await playStep(action, { job, with: { 'dry-run': 'true' } });
    expect(main).toMatchObject({ exitCode: 0, files: { outputs: { outcome: 'dry_run' } } });
    expect(runs).toEqual([]);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it('runs several pipelines and fails with the worst of them', async () => {
    const { main, runs } = await playStep(action, { job, with: { pipeline: 'orders\nbroken\nidle' } });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'failed' } } });
    const results = JSON.parse(main.files.outputs['results'] ?? '') as readonly Record<string, string>[];
    expect(results.map((each) => each['job-status'])).toEqual(['completed', 'failed', 'skipped']);
    expect(results.map((each) => each['job-id'])).toEqual(runs.map(({ id }) => id));
  });

  it('leaves a run with wait: false, which the cancel action can cancel', async () => {
    await onStage(action, { job }, async ({ job: runner, sandbox, inputs }) => {
      const { main, post } = await runStep(runner, { with: inputs({ pipeline: 'endless', wait: 'false' }) });
      expect(main).toMatchObject({ exitCode: 0, files: { outputs: { outcome: 'triggered' } } });
      expect(post).toMatchObject({ exitCode: 0, lines: [] });
      expect(seenBy(sandbox).calls).not.toContain('cancel');

      const given = { 'api-key': sandbox.key, 'base-url': sandbox.url };
      const id = main.files.outputs['job-id'] ?? '';
      const cancel = await runJob({ ...job, action: join(action.folder, 'cancel'), with: { ...given, 'job-id': id } });
      expect(cancel.main).toMatchObject({ exitCode: 0, files: { outputs: { 'job-status': 'cancelled' } } });
      expect(seenBy(sandbox).statuses).toEqual(['cancelled']);
    });
  });
});

describe.concurrent("a cancelled step on Windows' Node", () => {
  // Wine turns SIGINT into the console signal CTRL_C, with which a runner on Windows begins.
  it('cancels its run on CTRL_C', async () => {
    const { main, post, calls, statuses } = await playStep(action, { ...endless, interrupt: onceQueued('workflow') });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'cancelled' } } });
    expect(count(calls, 'trigger')).toBe(1);
    expect(statuses).toEqual(['cancelled']);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });
});

describe.concurrent("the post step on Windows' Node", () => {
  it.each([
    ['state', 'with state'],
    ['journal in RUNNER_TEMP', 'state lost'],
  ] as const)('cancels the run of a killed main, which it knows from the %s', async (_, kept) => {
    const { main, post, calls, statuses } = await playStep(action, {
      ...endless,
      interrupt: onceQueued({ ...MODES['act-host'], post: kept }),
    });
    expect(main.signal).toBe('SIGKILL');
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(post?.files.summary).toContain(main.files.outputs['job-id']);
    expect(count(calls, 'trigger')).toBe(1);
    expect(statuses).toEqual(['cancelled']);
  });

  // Wine's powershell.exe does nothing, so post cannot tell whether the process is main.
  it('does not signal a main that it cannot identify: main finds its mark, and cancels its run', async () => {
    const { main, post, mainAlive, calls, statuses } = await playStep(action, {
      ...endless,
      interrupt: onceQueued('container'),
    });
    expect(mainAlive.before).toBe(true);
    expect(main.signal).toBeNull();
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(count(calls, 'trigger')).toBe(1);
    expect(statuses).toEqual(['cancelled']);
  });
});
