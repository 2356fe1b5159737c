/*
 * The action as act runs it: on this machine, from the repository, with the Node.js that comes first on the PATH. act
 * lacks steps in the background, `uses: $/…`, and a SIGINT to the action itself. When a job is cancelled, act kills the
 * main step at once, and runs the post steps with the `job.status` cancelled.
 */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox/server/index.ts';
import { ACTION_NODE } from './act.ts';
import { play } from './play.ts';

const secondRead = (sandbox: Sandbox): Promise<unknown> => sandbox.end('read', 2);

/** Settles once the action has read the run of the third trigger. */
async function readOfThirdRun(service: Sandbox): Promise<unknown> {
  await service.end('trigger', 3);
  const reads = service.requests.filter(({ kind }) => kind === 'read').length;
  return service.end('read', reads + 1);
}

describe.concurrent('a run under act', () => {
  it('passes its outputs to later steps and jobs', async () => {
    const { exitCode, printed, resultOf, statuses, runs, log } = await play('next', { vars: { PIPELINE: 'orders' } });
    expect(exitCode, log).toBe(0);
    expect(statuses).toEqual(['orders: completed']);
    const id = runs[0]?.id ?? '';
    const version = execFileSync(ACTION_NODE, ['--version'], { encoding: 'utf8' });
    expect(printed('Print')).toBe(`outcome=succeeded status=completed id=${id} node=${version}`);
    expect(printed('Print in another job')).toBe(`id=${id} pipeline=Orders\n`);
    expect(printed('Run')).toContain('completed: 5 objects');
    expect(resultOf('Run', 'Post')).toBe('success');
    expect(printed('Run', 'Post')).toBe('');
  });

  it('stays in progress after its job if wait is false', async () => {
    const vars = { PIPELINE: 'endless', WAIT: 'false' };
    const { exitCode, printed, statuses, runs, log } = await play('run', { vars });
    expect(exitCode, log).toBe(0);
    expect(printed('Print')).toContain(`outcome=triggered status=queued id=${runs[0]?.id ?? 'no run'} `);
    expect(statuses).toEqual([expect.stringMatching(/^endless: (?:queued|picked|running)$/)]);
    expect(printed('Run', 'Post')).toBe('');
  });

  it('passes its outputs through a composite action', async () => {
    const { exitCode, printed, runs, log } = await play('composite', { vars: { PIPELINE: 'orders' } });
    expect(exitCode, log).toBe(0);
    expect(printed('Print')).toBe(`outcome=succeeded status=completed id=${runs[0]?.id ?? ''}\n`);
  });
});

describe.concurrent('a job that act cancels', () => {
  it.each([
    ['while its run is in progress', 'run', { PIPELINE: 'endless' }],
    ['while its run is queued', 'run', { PIPELINE: 'unpicked' }],
    ['while a composite action awaits its run', 'composite', { PIPELINE: 'endless' }],
  ])('%s has the run cancelled by post', async (_, job, vars) => {
    const played = await play(job, { vars, cancelWhen: secondRead });
    expect(played.exitCode, played.log).not.toBe(0);
    expect(played.statuses).toEqual([`${vars.PIPELINE}: cancelled`]);
    expect([played.resultOf('Run'), played.resultOf('Run', 'Post')]).toEqual(['failure', 'success']);
    expect(played.resultOf('Print')).toBeUndefined();
    expect(played.log).toContain(played.runs[0]?.id);
    expect(played.callsAfterCancel).toContain('cancel');
    expect(played.callsAfterCancel).not.toContain('trigger');
  });

  it('names the pipeline in a warning if its trigger is in flight', async () => {
    const { resultOf, log, statuses, callsAfterCancel } = await play('run', {
      vars: { PIPELINE: 'endless' },
      rules: [{ kind: 'trigger', how: { do: 'hold', point: 'after-commit' } }],
      cancelWhen: (sandbox) => sandbox.commit('trigger'),
    });
    // The action never received the run's id, so it cannot cancel the run.
    expect(statuses).toEqual(['endless: running']);
    expect(callsAfterCancel).not.toContain('trigger');
    expect(resultOf('Run', 'Post'), log).toBe('success');
    expect(log).toMatch(/may .*(?:Endless|endless)|(?:Endless|endless).* may /);
  });

  it('makes post cancel the run of a completed step with wait: false', async () => {
    const { exitCode, statuses, resultOf, log } = await play('run', {
      vars: { PIPELINE: 'endless', WAIT: 'false', THEN: 'something long' },
      cancelWhen: (_, act) => act.printed('something long begins'),
    });
    expect(exitCode, log).not.toBe(0);
    expect(statuses).toEqual(['endless: cancelled']);
    expect(resultOf('Run', 'Post')).toBe('success');
  });

  it('makes post cancel only the run of the step that awaits one', async () => {
    const { exitCode, printed, statuses, runs, sandbox, log } = await play('several', { cancelWhen: readOfThirdRun });
    expect(exitCode, log).not.toBe(0);
    expect(statuses).toEqual(['endless: running', 'orders: completed', 'unpicked: cancelled']);
    const awaited = runs[2]?.id ?? '';
    expect(printed('Awaited', 'Post')).toContain(awaited);
    expect(printed('Left', 'Post') + printed('Finished', 'Post')).toBe('');
    const cancels = sandbox.requests.filter(({ kind }) => kind === 'cancel');
    expect(new Set(cancels.map(({ path }) => path.includes(awaited)))).toEqual(new Set([true]));
  });
});
