import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox/server/index.ts';
import { ACTION_NODE } from './act.ts';
import { play } from './play.ts';

/*
 * The action as act runs it: on this machine, from the repository, with the node that comes first on the PATH.
 * What act does not have cannot be seen here: steps in the background (`background`, `wait`, `cancel`,
 * `parallel`), `uses: $/…`, and a SIGINT to the action itself. When a job is cancelled, act kills the main step
 * at once, and runs the post steps with `job.status` cancelled.
 */

/** Settles when the run of the third trigger has been read. */
async function readOfThirdRun(service: Sandbox): Promise<unknown> {
  await service.end('trigger', 3);
  const reads = service.requests.filter(({ kind }) => kind === 'read').length;
  return service.end('read', reads + 1);
}

describe.concurrent('under act', () => {
  it('a run that ends well gives its outputs to later steps and jobs', async () => {
    const { exitCode, printed, resultOf, statuses, runs, log } = await play('ends-well.yml');
    expect(exitCode, log).toBe(0);
    expect(statuses).toEqual(['orders: completed']);
    const id = runs[0]?.id ?? '';
    const version = execFileSync(ACTION_NODE, ['--version'], { encoding: 'utf8' });
    expect(printed('Tell')).toBe(
      `run: outcome=succeeded status=completed id=${id}\n${version}in another job: id=${id} pipeline=Orders\n`,
    );
    expect(printed('Run')).toContain('completed: 5 objects synced');
    expect(resultOf('Run', 'Post')).toBe('success');
    expect(printed('Run', 'Post')).toBe('');
  });

  it.each(['endless', 'unpicked'])('a job that is cancelled leaves no run of %s behind', async (pipeline) => {
    const { exitCode, printed, resultOf, statuses, callsAfterCancel, runs, log } = await play('cancelled.yml', {
      vars: { PIPELINE: pipeline },
      cancelWhen: (sandbox) => sandbox.end('read', 2),
    });
    expect(exitCode, log).not.toBe(0);
    expect(statuses).toEqual([`${pipeline}: cancelled`]);
    expect(resultOf('Run')).toBe('failure');
    expect(resultOf('Skipped')).toBeUndefined();
    expect(resultOf('Run', 'Post')).toBe('success');
    expect(printed('Run', 'Post')).toContain(runs[0]?.id);
    expect(callsAfterCancel).toContain('cancel');
    expect(callsAfterCancel).not.toContain('trigger');
  });

  it('a job that is cancelled while the trigger is on its way says which pipeline may run', async () => {
    const { resultOf, log, statuses, callsAfterCancel } = await play('cancelled.yml', {
      vars: { PIPELINE: 'endless' },
      service: { rules: [{ kind: 'trigger', how: { do: 'hold', point: 'after-commit' } }] },
      cancelWhen: (sandbox) => sandbox.commit('trigger'),
    });
    // Nobody can cancel a run whose id never cause: that is what the warning is for.
    expect(statuses).toEqual(['endless: running']);
    expect(callsAfterCancel).not.toContain('trigger');
    expect(resultOf('Run', 'Post'), log).toBe('success');
    expect(log).toMatch(/may .*(?:Endless|endless)|(?:Endless|endless).* may /);
  });

  it('a run that is not awaited goes on when the job has ended', async () => {
    const { exitCode, printed, statuses, runs, log } = await play('no-wait.yml');
    expect(exitCode, log).toBe(0);
    expect(printed('Tell')).toBe(`run: outcome=triggered status=queued id=${runs[0]?.id ?? ''}\n`);
    expect(statuses).toEqual([expect.stringMatching(/^endless: (?:queued|picked|running)$/)]);
    expect(printed('Run', 'Post')).toBe('');
  });

  it('a run that is not awaited ends with a job that is cancelled later', async () => {
    const { exitCode, statuses, resultOf, log } = await play('no-wait.yml', {
      vars: { THEN: 'something long' },
      cancelWhen: (_, act) => act.printed('something long begins'),
    });
    expect(exitCode, log).not.toBe(0);
    expect(statuses).toEqual(['endless: cancelled']);
    expect(resultOf('Run', 'Post')).toBe('success');
  });

  it('a composite action around it passes inputs and outputs', async () => {
    const { exitCode, printed, statuses, runs, log } = await play('in-composite.yml', { vars: { PIPELINE: 'orders' } });
    expect(exitCode, log).toBe(0);
    expect(statuses).toEqual(['orders: completed']);
    expect(printed('Tell')).toBe(`run: outcome=succeeded status=completed id=${runs[0]?.id ?? ''}\n`);
  });

  it('a composite action around it leaves no run behind when the job is cancelled', async () => {
    const { exitCode, statuses, callsAfterCancel, log } = await play('in-composite.yml', {
      vars: { PIPELINE: 'endless' },
      cancelWhen: (sandbox) => sandbox.end('read', 2),
    });
    expect(exitCode, log).not.toBe(0);
    expect(statuses).toEqual(['endless: cancelled']);
    expect(callsAfterCancel).not.toContain('trigger');
  });

  it('two in one job do not touch the runs of each other', async () => {
    const { exitCode, printed, statuses, runs, callsAfterCancel, sandbox, log } = await play('two-in-one-job.yml', {
      cancelWhen: readOfThirdRun,
    });
    expect(exitCode, log).not.toBe(0);
    expect(statuses).toEqual(['endless: running', 'orders: completed', 'unpicked: cancelled']);
    const awaited = runs[2]?.id ?? '';
    expect(printed('Awaited', 'Post')).toContain(awaited);
    expect(printed('Left', 'Post') + printed('Over', 'Post')).toBe('');
    expect(callsAfterCancel.filter((kind) => kind === 'cancel').length).toBeGreaterThan(0);
    const cancels = sandbox.requests.filter(({ kind }) => kind === 'cancel');
    expect(cancels.every(({ path }) => path.includes(awaited))).toBe(true);
  });
});
