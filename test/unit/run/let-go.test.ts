import { describe, expect, it } from 'vitest';
import { isSuccess, outcomeOf } from '../../../src/run/state/outcome.ts';
import { jobNumber } from '../../support/fake-service.ts';
import { FAILED, pipelines, type Recorded, type Stage, type StageOptions, stage } from './stage.ts';

const outcomes = (all: Stage): readonly string[] => all.runs.map((run) => outcomeOf(run, all.parts.plan));

/** Three runs that nobody waits for; the answer to the second trigger takes 8 s. */
function unawaited(options: StageOptions = {}): Stage {
  const late = { afterMs: 8_000, outcome: { kind: 'queued', jobId: jobNumber(9) } } as const;
  return stage({
    targets: pipelines(3),
    ...options,
    plan: { wait: false, ...options.plan },
    script: {
      trigger: (nth) => (nth === 2 ? late : undefined),
      existing: { [jobNumber(9)]: [[0, 'queued']] },
      ...options.script,
    },
  });
}

const kindsOf = ({ records }: Stage, run: number): readonly string[] =>
  records.filter((record) => record['run'] === run).map(({ kind }) => kind);

describe('runs that nobody waits for', () => {
  it('are let go of when all of them are triggered', async () => {
    const all = unawaited();
    await all.play();
    expect(outcomes(all)).toEqual(['triggered', 'triggered', 'triggered']);
    expect(all.records.slice(-3).map(({ kind }) => kind)).toEqual(['detached', 'detached', 'detached']);
    expect(all.clock.now()).toBe(8_000);
  });

  it('are all cancelled by a signal that comes before, whichever of them was triggered', async () => {
    const all = unawaited();
    all.clock.after(5_000, () => all.interrupt());
    await all.play();
    expect([all.statusOf(jobNumber(1)), all.statusOf(jobNumber(9))]).toEqual(['cancelled', 'cancelled']);
    // The first one at once, while the answer to the second trigger is awaited.
    expect(all.of('cancel', jobNumber(1)).map(({ at }) => at)).toEqual([5_000]);
    expect(all.of('trigger')).toHaveLength(2);
  });

  it('need no slot: max-parallel has no say', async () => {
    const all = unawaited({ plan: { maxParallel: 1 }, script: { trigger: () => undefined } });
    await all.play();
    expect(all.of('trigger').map(({ at }) => at)).toEqual([0, 0, 0]);
  });

  it.each([
    ['cancel', ['cancelled', 'not_triggered', 'not_triggered'], ['intent', 'queued', 'finished'], 1],
    ['leave', ['triggered', 'not_triggered', 'not_triggered'], ['intent', 'queued', 'detached'], 0],
  ] as const)('have on-cancel: %s applied to them by fail-fast', async (onCancel, ends, records, cancels) => {
    const trigger = (nth: number) => (nth === 2 ? FAILED.rejected : undefined);
    const all = unawaited({ plan: { failFast: true, onCancel }, script: { trigger } });
    await all.play();
    expect(outcomes(all)).toEqual(ends);
    expect(kindsOf(all, 1)).toEqual(records);
    expect(all.of('cancel')).toHaveLength(cancels);
  });

  it('count as a success when all is written down', async () => {
    const all = unawaited();
    await all.play();
    expect(isSuccess(all.runs, all.parts.plan, false)).toBe(true);
  });

  it('are no success when it cannot be written down that they are let go of: post may cancel them', async () => {
    const onRecord = ({ kind }: Recorded): void => {
      if (kind === 'detached') throw new Error('ENOSPC');
    };
    const all = unawaited({ onRecord });
    await all.play();
    expect(outcomes(all)).toEqual(['triggered', 'triggered', 'triggered']);
    expect(isSuccess(all.runs, all.parts.plan, false)).toBe(false);
  });
});

describe('a run that was seen to end as a success', () => {
  it('is one, although the disk did not take that it has ended', async () => {
    const onRecord = ({ kind }: Recorded): void => {
      if (kind === 'finished') throw new Error('ENOSPC');
    };
    const all = stage({ onRecord, script: { life: () => [[5_000, 'completed']] } });
    await all.play();
    expect(isSuccess(all.runs, all.parts.plan, false)).toBe(true);
  });
});
