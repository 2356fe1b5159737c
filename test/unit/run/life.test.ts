import { describe, expect, it } from 'vitest';
import { isSuccess, outcomeOf } from '../../../src/run/state/outcome.ts';
import { jobNumber, type Life } from '../../support/fake-service.ts';
import { JOB } from '../../support/service.ts';
import { FAILED, type Stage, stage } from './stage.ts';

const alone = [{ kind: 'job', jobId: JOB }] as const;
const runs = (life: Life) => ({ existing: { [JOB]: life } });

const outcomes = (all: Stage): readonly string[] => all.runs.map((run) => outcomeOf(run, all.parts.plan));

describe('a run that exists', () => {
  it('is read at once, and nothing is listed or triggered', async () => {
    const all = stage({
      targets: alone,
      script: runs([
        [0, 'running'],
        [50_000, 'completed'],
      ]),
    });
    await all.play();
    expect(all.calls.map(({ call, at }) => [call, at])).toEqual([
      ['connect', 0],
      ['read', 0],
      ['read', 30_000],
      ['read', 60_000],
    ]);
    expect(all.records.map(({ kind }) => kind)).toEqual(['claimed', 'finished']);
    expect(all.told('awaited')).toHaveLength(1);
  });

  it('and has ended is done at once', async () => {
    const all = stage({ targets: alone, script: runs([[0, 'failed']]) });
    await all.play();
    expect(all.clock.now()).toBe(0);
    expect(outcomes(all)).toEqual(['failed']);
  });

  it('and is not found on its first read is lost', async () => {
    const all = stage({ targets: alone });
    await all.play();
    expect(all.of('read')).toHaveLength(1);
    expect(outcomes(all)).toEqual(['lost']);
  });

  it('is not cancelled unless asked for', async () => {
    const plan = { onCancel: 'leave', onTimeout: 'leave' } as const;
    const all = stage({ targets: alone, script: runs([[0, 'running']]), plan });
    all.clock.after(40_000, () => all.interrupt());
    await all.play();
    expect(all.of('cancel')).toEqual([]);
    expect(all.statusOf(JOB)).toBe('running');
    expect(outcomes(all)).toEqual(['cancelled']);
  });

  it('is cancelled when asked for', async () => {
    const all = stage({ targets: alone, script: runs([[0, 'running']]) });
    all.clock.after(40_000, () => all.interrupt());
    await all.play();
    expect(all.statusOf(JOB)).toBe('cancelled');
  });
});

describe('at the end of timeout', () => {
  it('a run that has ended since its last read counts as ended', async () => {
    const all = stage({
      plan: { timeoutMs: 45_000 },
      script: {
        life: () => [
          [0, 'running'],
          [40_000, 'completed'],
        ],
      },
    });
    await all.play();
    expect(all.of('read').map(({ at }) => at)).toEqual([2_000, 32_000, 45_000]);
    expect(all.run.stop).toBeUndefined();
    expect(isSuccess(all.runs, all.parts.plan, false)).toBe(true);
  });

  it('a last read that fails changes nothing', async () => {
    const all = stage({
      plan: { timeoutMs: 45_000 },
      script: { read: (nth) => (nth > 2 ? FAILED.perhaps : undefined) },
    });
    await all.play();
    expect(outcomes(all)).toEqual(['wait_timed_out']);
    expect(all.run.status).toBe('cancelled');
  });

  it('a last read that hangs is given ten seconds', async () => {
    const all = stage({ plan: { timeoutMs: 45_000 }, script: { read: (nth) => (nth > 2 ? 'stalls' : undefined) } });
    await all.play();
    expect(all.of('cancel').map(({ at }) => at)).toEqual([55_000]);
  });

  it('a last read is ended by an interruption', async () => {
    const all = stage({ plan: { timeoutMs: 45_000 }, script: { read: (nth) => (nth > 2 ? 'stalls' : undefined) } });
    all.clock.after(47_000, () => all.interrupt());
    await all.play();
    expect(all.of('cancel').map(({ at }) => at)).toEqual([47_000]);
    expect(outcomes(all)).toEqual(['wait_timed_out']);
  });

  it('a run that ends before the cancel reaches it keeps its end', async () => {
    const all = stage({
      plan: { timeoutMs: 45_000 },
      script: {
        life: () => [
          [0, 'running'],
          [46_000, 'completed'],
        ],
        cancel: (nth) => (nth === 1 ? { afterMs: 2_000, outcome: { kind: 'unchanged' } } : undefined),
      },
    });
    await all.play();
    expect(all.run.status).toBe('completed');
    expect(outcomes(all)).toEqual(['wait_timed_out']);
  });
});

describe('wait: false', () => {
  it('is over when the run is queued', async () => {
    const all = stage({ plan: { wait: false } });
    await all.play();
    expect(all.of('read')).toEqual([]);
    expect(all.records.map(({ kind }) => kind)).toEqual(['intent', 'queued', 'detached']);
    expect(outcomes(all)).toEqual(['triggered']);
    expect(isSuccess(all.runs, all.parts.plan, false)).toBe(true);
  });

  it('with a time limit has none', async () => {
    const all = stage({ plan: { wait: false, timeoutMs: 1 } });
    await all.play();
    expect(outcomes(all)).toEqual(['triggered']);
  });

  it('that is interrupted while the trigger is in flight cancels the run', async () => {
    const slow = { afterMs: 4_000, outcome: { kind: 'queued', jobId: jobNumber(1) } } as const;
    const all = stage({
      plan: { wait: false },
      script: { trigger: () => slow, existing: { [jobNumber(1)]: [[0, 'queued']] } },
    });
    all.clock.after(1_000, () => all.interrupt());
    await all.play();
    expect(all.statusOf(jobNumber(1))).toBe('cancelled');
    expect(outcomes(all)).toEqual(['cancelled']);
    expect(all.records.map(({ kind }) => kind)).toEqual(['intent', 'queued', 'finished']);
  });

  it('with a trigger whose fate is unknown is no success', async () => {
    const all = stage({ plan: { wait: false }, script: { trigger: () => FAILED.perhaps } });
    await all.play();
    expect(isSuccess(all.runs, all.parts.plan, false)).toBe(false);
    expect(outcomes(all)).toEqual(['unknown']);
  });
});
