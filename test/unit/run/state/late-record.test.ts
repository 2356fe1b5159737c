import { describe, expect, it } from 'vitest';
import { postMayCancel } from '../../../../src/run/state/outcome.ts';
import { runStep } from '../../../../src/run/step.ts';
import { type Recorded, type Stage, stage } from '../stage.ts';

/** A step whose disk refuses some records until an instant. */
function refusing(
  kinds: readonly Recorded['kind'][],
  untilMs: number,
  plan: { timeoutMs?: number } = {},
): Stage {
  const all = stage({
    plan,
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

  it('is written for each run, if it stops all of them', async () => {
    const all = refusing(['stopped'], 31_000, { timeoutMs: 30_000 });
    await all.play();
    expect(kindsOf(all)).toContain('finished');
    expect(all.run.unrecorded).toBeUndefined();
  });
});
