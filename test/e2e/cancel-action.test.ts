import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ProcessResult, runJob } from '../../sandbox/runner/index.ts';
import { checkLines, onStage, type Stage, seenBy, useAction } from '../support/e2e.ts';

const action = useAction();

const NOBODY = '3c4f7a52-90bb-4d6f-9b1b-5f0a43f1c3a9';

type Texts = Readonly<Record<string, string>>;

/** Runs the cancel action in a job of its own, as a clean-up job does. */
async function cancel({ sandbox }: Stage, jobId: string, more: Texts = {}, env: Texts = {}) {
  const given = { 'api-key': sandbox.key, 'base-url': sandbox.url, 'job-id': jobId, ...more };
  const result = await runJob({ action: join(action.folder, 'cancel'), with: given, env });
  checkLines(result, sandbox);
  expect(result.post).toBeUndefined();
  return result.main;
}

/** The ids of runs that a step has triggered and left, one per line. */
async function triggered({ job, sandbox, inputs }: Stage, ...pipelines: readonly string[]): Promise<string> {
  const main = job.step({ with: inputs({ pipeline: pipelines.join('\n'), wait: 'false' }) }).startMain();
  await main.ended;
  expect(sandbox.world.jobs).toHaveLength(pipelines.length);
  return main.collect().outputs['job-id'] ?? '';
}

function statusesIn({ files }: ProcessResult): readonly (string | undefined)[] {
  const entries = JSON.parse(files.outputs['results'] ?? 'null') as readonly Record<string, string>[];
  return entries.map((entry) => entry['job-status']);
}

describe.concurrent('the cancel action', () => {
  it('cancels several runs by the output of the step that triggered them, and confirms it', async () => {
    await onStage(action, { service: { model: { speed: 1 } } }, async (stage) => {
      const main = await cancel(stage, await triggered(stage, 'endless', 'unpicked', 'orders'));
      expect(main.exitCode).toBe(0);
      expect(main.files.outputs['job-status']).toBe('cancelled');
      expect(statusesIn(main)).toEqual(['cancelled', 'cancelled', 'cancelled']);
      expect(seenBy(stage.sandbox).statuses).toEqual(['cancelled', 'cancelled', 'cancelled']);
      expect(main.annotations).toEqual([]);
    });
  });

  it('keeps the end of a run that is over', async () => {
    await onStage(action, { service: { model: { speed: 1_000_000 } } }, async (stage) => {
      const main = await cancel(stage, await triggered(stage, 'broken'));
      expect(main.exitCode).toBe(0);
      expect(statusesIn(main)).toEqual(['failed']);
      expect(seenBy(stage.sandbox).statuses).toEqual(['failed']);
    });
  });

  it('sends nothing if the proxy in the environment cannot be used', async () => {
    await onStage(action, {}, async (stage) => {
      const env = { https_proxy: 'http://robot:secret@proxy:99999' };
      const main = await cancel(stage, `${NOBODY}\nlast`, {}, env);
      expect(main.exitCode).toBe(1);
      expect(main.annotations.map(({ message }) => message)).toEqual([
        expect.stringMatching(/^The environment variable https_proxy is not a valid address\. (?!.*secret)/),
        expect.stringMatching(/^Input job-id contains "last"/),
      ]);
      expect(seenBy(stage.sandbox).calls).toEqual([]);
    });
  });

  it('cancels through a lagging replica', async () => {
    const rules = [{ kind: 'cancel', nth: 1, how: { do: 'empty' } }] as const;
    await onStage(action, { service: { model: { speed: 1 }, rules } }, async (stage) => {
      const main = await cancel(stage, await triggered(stage, 'endless'));
      expect(main.exitCode).toBe(0);
      expect(seenBy(stage.sandbox).statuses).toEqual(['cancelled']);
      expect(seenBy(stage.sandbox).calls.slice(-3)).toEqual(['cancel', 'read', 'cancel']);
    });
  });

  it('fails for an id that nobody knows, and cancels the others', async () => {
    await onStage(action, { service: { model: { speed: 1 } } }, async (stage) => {
      const id = await triggered(stage, 'endless');
      const main = await cancel(stage, `${NOBODY}\n${id}`);
      expect(main.exitCode).toBe(1);
      expect(statusesIn(main)).toEqual(['unknown', 'cancelled']);
      expect(main.annotations).toMatchObject([{ level: 'error' }]);
    });
  });

  it('has nothing to do without an id, and says so', async () => {
    await onStage(action, {}, async (stage) => {
      const main = await cancel(stage, '');
      expect(main.exitCode).toBe(0);
      expect(main.annotations).toMatchObject([{ level: 'notice' }]);
      expect(main.files.outputs['results']).toBe('[]');
      expect(stage.sandbox.connections()).toBe(0);
    });
  });

  it('fails with a rejected key when its time is up, and not before', async () => {
    await onStage(action, { service: { model: { speed: 1 } } }, async (stage) => {
      const id = await triggered(stage, 'endless');
      const given = { 'api-key': 'ak_revoked_long_ago', 'base-url': stage.sandbox.url, 'job-id': id };
      const { main } = await runJob(
        { action: join(action.folder, 'cancel'), with: given },
        { mode: 'workflow', when: (process) => process.line(/Retrying\./) },
      );
      expect(main.exitCode).toBe(1);
      expect(main.annotations).toMatchObject([{ level: 'error' }]);
      expect(main.annotations[0]?.message).toContain('The API key is wrong or has been revoked');
      expect(seenBy(stage.sandbox).statuses).not.toContain('cancelled');
    });
  });

  it('says what is wrong with its inputs, and asks nothing', async () => {
    await onStage(action, {}, async (stage) => {
      const main = await cancel(stage, 'the last one', { 'api-key': '' });
      expect(main.exitCode).toBe(1);
      expect(main.annotations).toHaveLength(2);
      expect(main.files.outputs['results']).toBe('[]');
      expect(stage.sandbox.connections()).toBe(0);
    });
  });
});
