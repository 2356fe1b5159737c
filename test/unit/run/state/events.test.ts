import { describe, expect, it } from 'vitest';
import { jobNumber, pipelineNumber } from '../../../support/fake-service.ts';
import { JOB } from '../../../support/service.ts';
import { FAILED, pipelines, stage } from '../stage.ts';

const ALONE = [{ kind: 'job', jobId: JOB }] as const;
const RESUMED = [{ kind: 'resume', pipeline: 'pipeline-1', jobId: JOB }] as const;

describe('what happens in a step is told', () => {
  it('when the key was exchanged, with what that brought', async () => {
    const all = stage();
    all.clock.after(10_000, () => all.interrupt());
    await all.play();
    expect(all.told('connected')).toMatchObject([{ account: { apiUrl: expect.any(URL) as URL } }]);
  });

  it('when a stop is thrown, at once, although nothing else is to be told then', async () => {
    const at: number[] = [];
    const all = stage({
      script: { life: () => [[0, 'running']], cancel: () => ({ afterMs: 1_500, outcome: FAILED.perhaps }) },
      onEvent: ({ type }) => type === 'stopping' && at.push(all.clock.now()),
    });
    all.clock.after(10_000, () => all.interrupt());
    await all.play();
    expect(at).toEqual([10_000]);
  });

  it('in the order in which it came: the stop before what follows from it', async () => {
    const all = stage({ script: { life: () => [[0, 'running']] } });
    all.clock.after(10_000, () => all.interrupt());
    await all.play();
    const types = all.events.map(({ type }) => type);
    expect(types.indexOf('stopping')).toBeGreaterThan(types.indexOf('queued'));
    expect(types.indexOf('stopping')).toBeLessThan(types.indexOf('run_done'));
    expect(all.told('stopping')).toHaveLength(1);
  });

  it('when a cancel brings nothing, with why', async () => {
    const all = stage({
      plan: { timeoutMs: 10_000 },
      script: { life: () => [[0, 'running']], cancel: (nth) => (nth < 3 ? FAILED.perhaps : undefined) },
    });
    await all.play();
    expect(all.told('cancel_failed')).toMatchObject([
      { problem: FAILED.perhaps.problem, run: { jobId: jobNumber(1) } },
      { problem: FAILED.perhaps.problem, run: { jobId: jobNumber(1) } },
    ]);
  });

  it('when an earlier run cannot be read for a while, with when it is tried again', async () => {
    const all = stage({
      targets: RESUMED,
      script: { existing: { [JOB]: [[0, 'completed']] }, read: (nth) => (nth === 1 ? FAILED.perhaps : undefined) },
    });
    await all.play();
    expect(all.told('retry')).toMatchObject([{ problem: FAILED.perhaps.problem, inMs: 30_000, run: { jobId: JOB } }]);
    expect(all.records.at(-1)).toEqual({ kind: 'finished', run: 1, status: 'completed' });
  });
});

describe('a step that is over', () => {
  it('leaves no timer and no listener behind', async () => {
    const all = stage({ plan: { timeoutMs: 3_600_000 }, script: { life: () => [[5_000, 'completed']] } });
    await all.play();
    await all.clock.advance(3_600_000);
    expect(all.clock.pending).toBe(0);
    expect(all.told('stopping')).toEqual([]);
    const told = all.events.length;
    all.interrupt();
    await all.clock.advance(60_000);
    expect(all.events).toHaveLength(told);
  });

  it('by a signal that came before it began sends nothing but what it has to', async () => {
    const all = stage({ targets: ALONE, script: { existing: { [JOB]: [[0, 'running']] } } });
    all.interrupt();
    await all.play();
    expect(all.of('read')).toEqual([]);
    expect(all.statusOf(JOB)).toBe('cancelled');
    const triggers = stage({ targets: pipelines(2) });
    triggers.interrupt();
    await triggers.play();
    expect(triggers.of('trigger')).toEqual([]);
    expect(triggers.runs.map(({ stop }) => stop?.reason.kind)).toEqual(['signal', 'signal']);
  });

  it('gives up 9.3 s after a signal, whatever hangs by then', async () => {
    const all = stage({ script: { trigger: () => 'stalls' } });
    all.clock.after(1_000, () => all.interrupt());
    await all.play();
    expect(all.clock.now()).toBe(10_300);
    expect(all.told('report_due')).toHaveLength(1);
    expect(all.run).toMatchObject({ phase: { at: 'triggering' }, stop: { reason: { kind: 'signal' } } });
  });
});

describe('a signal that came before the step began', () => {
  it('bounds it as any other, whatever hangs', async () => {
    const all = stage({
      targets: ALONE,
      script: { existing: { [JOB]: [[0, 'running']] }, cancel: () => 'stalls', read: () => 'stalls' },
    });
    all.interrupt();
    await all.play();
    expect(all.clock.now()).toBeLessThanOrEqual(9_300);
    expect(all.told('report_due')).toHaveLength(1);
    expect(all.run.phase.at).toBe('unsettled');
  });
});

describe('a run that waits for its turn when the step gives up', () => {
  it('has the interruption as its reason', async () => {
    const all = stage({ targets: pipelines(2), plan: { maxParallel: 1 }, script: { trigger: () => 'stalls' } });
    all.clock.after(1_000, () => all.interrupt());
    await all.play();
    expect(all.runs.map(({ phase, stop }) => [phase.at, stop?.reason.kind])).toEqual([
      ['triggering', 'signal'],
      ['not_queued', 'signal'],
    ]);
  });
});

describe('a cancel that nobody presses for', () => {
  it('has ten seconds for each request, and two once somebody does', async () => {
    const all = stage({
      plan: { timeoutMs: 10_000 },
      script: { life: () => [[0, 'running']], cancel: () => 'stalls' },
    });
    all.clock.after(25_000, () => all.interrupt());
    await all.play();
    const within = all.of('cancel').map(({ withinMs }) => withinMs);
    expect(within[0]).toBe(10_000);
    expect(within.at(-1)).toBeLessThanOrEqual(2_000);
  });
});

describe('names that are looked up beside', () => {
  const target = [{ kind: 'pipeline', pipeline: pipelineNumber(1) }] as const;

  it('spare the token, and are not waited for', async () => {
    const asides: unknown[] = [];
    const all = stage({
      targets: target,
      script: { list: () => 'stalls', life: () => [[5_000, 'completed']] },
      around: (service) => ({
        ...service,
        list(options) {
          asides.push(options?.isBackground);
          return service.list(options);
        },
      }),
    });
    await all.play();
    expect(asides).toEqual([true]);
    expect(all.clock.now()).toBeLessThan(40_000);
  });

  it('that come when the step is being stopped change nothing any more', async () => {
    const all = stage({
      targets: target,
      script: {
        list: () => ({ afterMs: 5_000, outcome: { kind: 'pipelines', pipelines: [], mayBeTruncated: false } }),
        life: () => [[0, 'running']],
      },
    });
    all.clock.after(2_500, () => all.interrupt());
    await all.play();
    expect(all.run.pipeline?.name).toBeNull();
    expect(all.of('list')[0]?.endedAt).toBe(2_500);
  });
});
