// Tests the action under act, which runs it from the repository with the Node.js that comes first on the PATH. act does
// not support background steps or `uses: $/…`, and never sends SIGINT to the action. When a job is cancelled, act kills
// the main step immediately and runs the post steps with the job status `cancelled`. recipes.test.ts plays reusable workflows.
import { beforeEach, describe, expect, it } from 'vitest';
import { versionOfNode } from '../support/e2e.ts';
import { MISSING } from './act.ts';
import { play } from './play.ts';

beforeEach(({ skip }) => skip(MISSING !== undefined, MISSING));

describe.concurrent('a step under act', () => {
  it('passes its outputs to later steps and jobs', async () => {
    const { exitCode, printed, resultOf, statuses, runs, log } = await play('next', { vars: { PIPELINE: 'orders' } });
    expect(exitCode, log).toBe(0);
    expect(statuses).toEqual(['orders: completed']);
    const id = runs[0]?.id ?? '';
    expect(printed('Print')).toBe(`outcome=succeeded id=${id} node=${versionOfNode()}`);
    expect(printed('Print in another job')).toBe(`id=${id} pipeline=Orders\n`);
    expect(printed('Run')).toContain('completed: 5 objects');
    expect(resultOf('Run', 'Post')).toBe('success');
    expect(printed('Run', 'Post')).toBe('');
  });

  it('fails its job if its run fails', async () => {
    const { exitCode, resultOf, log } = await play('run', { vars: { PIPELINE: 'broken' } });
    expect(exitCode, log).not.toBe(0);
    expect([resultOf('Run'), resultOf('Print'), resultOf('Run', 'Post')]).toEqual(['failure', undefined, 'success']);
  });

  it('passes its outputs through a composite action', async () => {
    const { printed, runs, log } = await play('composite', { vars: { PIPELINE: 'orders' } });
    expect(printed('Print'), log).toBe(`id=${runs[0]?.id ?? 'no run'}\n`);
  });

  it('with wait: false leaves its run to a later step, which cancels it with the cancel action', async () => {
    const { exitCode, printed, statuses, log } = await play('cancel');
    expect(exitCode, log).toBe(0);
    expect(printed('Print')).toBe('outcome=triggered status=cancelled\n');
    expect(statuses).toEqual(['endless: cancelled']);
    expect(printed('Run', 'Post')).toBe('');
  });

  it.each(['run', 'composite'])(
    'in the job "%s" leaves its run to the post step if act cancels the job',
    async (job) => {
      const played = await play(job, {
        vars: { PIPELINE: 'endless' },
        cancelWhen: (sandbox) => sandbox.end('read', 2),
      });
      expect(played.exitCode, played.log).not.toBe(0);
      expect(played.statuses, played.log).toEqual(['endless: cancelled']);
      expect([played.resultOf('Run'), played.resultOf('Run', 'Post')]).toEqual(['failure', 'success']);
      expect(played.resultOf('Print')).toBeUndefined();
      expect(played.callsAfterCancel).not.toContain('trigger');
    },
  );
});
