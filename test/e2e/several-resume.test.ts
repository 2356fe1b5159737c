import { describe, expect, it } from 'vitest';
import { runStep, type StepResult } from '../../sandbox/runner/index.ts';
import { onStage, type Stage, seenBy, useAction } from '../support/e2e.ts';

const action = useAction();

type Inputs = Readonly<Record<string, string>>;

const NOBODY = '3c4f7a52-90bb-4d6f-9b1b-5f0a43f1c3a9';

function step({ job, inputs }: Stage, given: Inputs): Promise<StepResult> {
  return runStep(job, { with: inputs(given) });
}

/** Triggers runs without waiting for them, and returns their ids. */
async function triggered(stage: Stage, ...pipelines: readonly string[]): Promise<string[]> {
  const { main } = await step(stage, { pipeline: pipelines.join('\n'), wait: 'false', 'poll-interval': '30s' });
  return main.files.outputs['job-id']?.split('\n') ?? [];
}

const triggers = ({ sandbox }: Stage): number => seenBy(sandbox).calls.filter((kind) => kind === 'trigger').length;

describe.concurrent('job-id alone', () => {
  it('awaits runs that another step triggered', async () => {
    await onStage(action, {}, async (stage) => {
      const ids = await triggered(stage, 'orders', 'broken');
      const { main } = await step(stage, { 'job-id': ids.join('\n') });
      expect(main.exitCode).toBe(1);
      expect(main.files.outputs).toMatchObject({ 'job-id': ids.join('\n'), outcome: 'failed', 'job-status': 'failed' });
      expect(triggers(stage)).toBe(2);
    });
  });

  it('fails at the first read for an id that nobody knows, and leaves nothing behind', async () => {
    await onStage(action, {}, async (stage) => {
      const { main, post } = await step(stage, { 'job-id': NOBODY, 'poll-interval': '30s' });
      expect(main.exitCode).toBe(1);
      expect(main.files.outputs['message']).toContain(NOBODY);
      expect(seenBy(stage.sandbox).calls).toEqual(['exchange', 'read']);
      expect(post).toMatchObject({ exitCode: 0, lines: [] });
    });
  });
});

describe.concurrent('a resume', () => {
  it('after a run that failed triggers a new one', async () => {
    await onStage(action, {}, async (stage) => {
      const failed = await step(stage, { pipeline: 'broken' });
      const id = failed.main.files.outputs['job-id'] ?? '';
      const { main } = await step(stage, { pipeline: 'orders', 'job-id': id });
      expect(main.exitCode).toBe(0);
      expect(main.files.outputs['job-id']).not.toBe(id);
      expect(triggers(stage)).toBe(2);
    });
  });

  it('of a run in progress awaits that one', async () => {
    await onStage(action, {}, async (stage) => {
      const [id = ''] = await triggered(stage, 'slow');
      const { main } = await step(stage, { pipeline: 'slow', 'job-id': id });
      expect(main.exitCode).toBe(0);
      expect(main.files.outputs).toMatchObject({ 'job-id': id, outcome: 'succeeded' });
      expect(triggers(stage)).toBe(1);
    });
  });

  it('of a run that ended well is content', async () => {
    await onStage(action, {}, async (stage) => {
      const ended = await step(stage, { pipeline: 'orders' });
      const id = ended.main.files.outputs['job-id'] ?? '';
      const { main } = await step(stage, { pipeline: 'orders', 'job-id': id });
      expect(main.exitCode).toBe(0);
      expect(main.files.outputs['job-id']).toBe(id);
      expect(triggers(stage)).toBe(1);
    });
  });

  it('of a run that nobody knows triggers nothing', async () => {
    await onStage(action, {}, async (stage) => {
      const { main } = await step(stage, { pipeline: 'orders', 'job-id': NOBODY });
      expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'lost', 'job-id': NOBODY } } });
      expect(triggers(stage)).toBe(0);
    });
  });
});
