import { describe, expect, it } from 'vitest';
import { postMayCancel } from '../../../../src/run/state/outcome.ts';
import { runStep } from '../../../../src/run/step.ts';
import { jobNumber } from '../../../support/fake-service.ts';
import { FAILED, pipelines, type Recorded, type Stage, stage } from '../stage.ts';

/** A step whose disk refuses some records until an instant. */
function refusing(kinds: readonly Recorded['kind'][], untilMs: number): Stage {
  const all = stage({
    script: { life: () => [[100_000, 'completed']] },
    onRecord: ({ kind }) => {
      if (all.clock.now() < untilMs && kinds.includes(kind)) throw new Error('ENOSPC');
    },
  });
  return all;
}

const kindsOf = ({ records }: Stage): readonly string[] => records.map(({ kind }) => kind);

describe('a record that the disk refuses', () => {
  it('is written once there is room, at the next read', async () => {
    const all = refusing(['queued'], 10_000);
    const over = runStep(all.parts);
    await all.clock.advance(9_000);
    expect(kindsOf(all)).toEqual(['intent']);
    expect(postMayCancel(all.run, all.parts.plan)).toBe(true);
    await all.clock.advance(40_000);
    expect(kindsOf(all)).toEqual(['intent', 'queued']);
    expect(postMayCancel(all.run, all.parts.plan)).toBe(false);
    await all.clock.until(over);
  });

  it('is written once', async () => {
    const all = refusing(['queued'], 10_000);
    await all.play();
    expect(kindsOf(all)).toEqual(['intent', 'queued', 'finished']);
  });

  it('is not written after a later one of the same run, which replaces it', async () => {
    const all = refusing(['queued'], Infinity);
    await all.play();
    expect(kindsOf(all)).toEqual(['intent', 'finished']);
  });

  it.each([
    ['a signal', (all: Stage) => all.interrupt()],
    ['a timeout', (all: Stage) => all.stopAll({ reason: { kind: 'timeout', afterMs: 1 }, policy: 'cancel' })],
  ])('is still written after %s: without the id, post could not cancel the run', async (_, stop) => {
    const all = stage({
      script: { life: () => [[0, 'running']], cancel: () => FAILED.perhaps },
      onRecord: ({ kind }) => {
        if (all.clock.now() < 1_000 && kind === 'queued') throw new Error('ENOSPC');
      },
    });
    const over = runStep(all.parts);
    await all.clock.advance(1_500);
    stop(all);
    await all.clock.until(over);
    expect(kindsOf(all)).toContain('queued');
  });

  it('is not forgotten when the run is queued after it: the stop decides what post does', async () => {
    const all = stage({
      plan: { onTimeout: 'leave', timeoutMs: 1_000 },
      script: { trigger: () => ({ afterMs: 3_000, outcome: { kind: 'queued', jobId: jobNumber(1) } }) },
      onRecord: ({ kind }) => {
        if (kind === 'stopped') throw new Error('ENOSPC');
      },
    });
    await all.play();
    expect(kindsOf(all)).toEqual(['intent', 'queued']);
    expect(all.run.phase.at).toBe('left');
    expect(postMayCancel(all.run, all.parts.plan)).toBe(true);
  });

  it('is written for each run, if it stops all of them', async () => {
    const all = stage({
      targets: pipelines(2),
      plan: { timeoutMs: 30_000 },
      script: { life: () => [[0, 'running']], cancel: () => FAILED.perhaps },
      onRecord: ({ kind }) => {
        if (all.clock.now() < 31_000 && kind === 'stopped') throw new Error('ENOSPC');
      },
    });
    await all.play();
    const stops = all.records.filter(({ kind }) => kind === 'stopped');
    expect(stops.map(({ run }) => run).toSorted()).toEqual([1, 2]);
  });
});
