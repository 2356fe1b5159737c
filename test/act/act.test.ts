// Tests the action under act, which runs it from the repository with the Node.js that comes first on the PATH. act does
// not support background steps or `uses: $/…`, and never sends SIGINT to the action. When a job is cancelled, act kills
// the main step at once and runs the post steps with the job status `cancelled`.
import { describe, expect, it, vi } from 'vitest';
import { versionOfNode } from '../support/e2e.ts';
import { play } from './play.ts';

describe.concurrent('a step under act', () => {
  it('passes its outputs to later steps and jobs', async () => {
    const { exitCode, printed, resultOf, statuses, runs, log } = await play('next', { vars: { PIPELINE: 'orders' } });
    expect(exitCode, log).toBe(0);
    expect(statuses).toEqual(['orders: completed']);
    const id = runs[0]?.id ?? '';
    expect(printed('Print')).toBe(`outcome=succeeded status=completed id=${id} node=${versionOfNode()}`);
    expect(printed('Print in another job')).toBe(`id=${id} pipeline=Orders\n`);
    expect(printed('Run')).toContain('completed: 5 objects');
    expect(resultOf('Run', 'Post')).toBe('success');
    expect(printed('Run', 'Post')).toBe('');
  });

  it('leaves its run in progress after the job if wait is false', async () => {
    const vars = { PIPELINE: 'endless', WAIT: 'false' };
    const { exitCode, printed, statuses, runs, log } = await play('run', { vars });
    expect(exitCode, log).toBe(0);
    expect(printed('Print')).toContain(`outcome=triggered status=queued id=${runs[0]?.id ?? 'no run'} `);
    expect(statuses).toEqual([expect.stringMatching(/^endless: (?:queued|picked|running)$/)]);
    expect(printed('Run', 'Post')).toBe('');
  });

  it('passes its outputs through a composite action', async () => {
    const { printed, runs, log } = await play('composite', { vars: { PIPELINE: 'orders' } });
    expect(printed('Print'), log).toBe(`id=${runs[0]?.id ?? 'no run'}\n`);
  });
});

describe.concurrent('if act cancels a job', () => {
  it.each([
    ['while a run is in progress', 'run', { PIPELINE: 'endless' }],
    ['while a run is queued', 'run', { PIPELINE: 'unpicked' }],
    ['while a composite action awaits a run', 'composite', { PIPELINE: 'endless' }],
  ])('%s, post cancels the run', async (_, job, vars) => {
    const played = await play(job, { vars, cancelWhen: (sandbox) => sandbox.end('read', 2) });
    expect(played.exitCode, played.log).not.toBe(0);
    expect(played.statuses).toEqual([`${vars.PIPELINE}: cancelled`]);
    expect([played.resultOf('Run'), played.resultOf('Run', 'Post')]).toEqual(['failure', 'success']);
    expect(played.resultOf('Print')).toBeUndefined();
    expect(played.log).toContain(played.runs[0]?.id);
    expect(played.callsAfterCancel).toContain('cancel');
    expect(played.callsAfterCancel).not.toContain('trigger');
  });

  it('while a trigger is in flight, a warning names the pipeline', async () => {
    const { resultOf, log, statuses, callsAfterCancel } = await play('run', {
      vars: { PIPELINE: 'endless' },
      rules: [{ kind: 'trigger', how: { do: 'hold', point: 'after-commit' } }],
      cancelWhen: (sandbox) => sandbox.commit('trigger'),
    });
    // The action did not receive the run's id, so it cannot cancel the run.
    expect(statuses).toEqual(['endless: running']);
    expect(callsAfterCancel).not.toContain('trigger');
    expect(resultOf('Run', 'Post'), log).toBe('success');
    expect(log).toMatch(/may .*(?:Endless|endless)|(?:Endless|endless).* may /);
  });

  it("after a step with wait: false, post cancels that step's run", async () => {
    const { exitCode, statuses, resultOf, log } = await play('run', {
      vars: { PIPELINE: 'endless', WAIT: 'false', THEN: 'something long' },
      cancelWhen: (_, { lines }) => {
        const hasBegun = () => lines.some((line) => line.raw_output && line.msg.includes('something long begins'));
        return vi.waitUntil(hasBegun, { timeout: 60_000 });
      },
    });
    expect(exitCode, log).not.toBe(0);
    expect(statuses).toEqual(['endless: cancelled']);
    expect(resultOf('Run', 'Post')).toBe('success');
  });

  it("during the second of two steps, post cancels only that step's run", async () => {
    const { exitCode, printed, statuses, runs, sandbox, log } = await play('several', {
      // Cancels the job after the first status request for the second run.
      cancelWhen: async (service) => {
        await service.end('trigger', 2);
        return service.end('read', service.requests.filter(({ kind }) => kind === 'read').length + 1);
      },
    });
    expect(exitCode, log).not.toBe(0);
    expect(statuses).toEqual(['endless: running', 'unpicked: cancelled']);
    const awaited = runs[1]?.id ?? '';
    expect(printed('Awaited', 'Post')).toContain(awaited);
    expect(printed('Left', 'Post')).toBe('');
    const cancels = sandbox.requests.filter(({ kind }) => kind === 'cancel');
    expect(new Set(cancels.map(({ path }) => path.includes(awaited)))).toEqual(new Set([true]));
  });
});
