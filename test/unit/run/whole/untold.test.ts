import { describe, expect, it } from 'vitest';
import { jobNumber, type Life, pipelineNumber } from '../../../support/fake-service.ts';
import type { MemoryFiles } from '../../../support/memory-files.ts';
import type { VirtualClock } from '../../../support/virtual-clock.ts';
import { FAILED } from '../stage.ts';
import { play, STATE } from './play.ts';

const named = (count: number): string =>
  Array.from({ length: count }, (_, index) => `pipeline-${index + 1}`).join('\n');

const HALF_AN_HOUR: Life = [
  [0, 'running'],
  [1_800_000, 'completed'],
];

/** Where in the log a line comes that has all of these words. */
const placeOf = (lines: readonly string[], ...words: readonly string[]): number =>
  lines.findIndex((line) => words.every((word) => line.includes(word)));

describe('a run of several that is over without an end', () => {
  it.each([3, 30])('has its line at once, and not when the last of %i is over', async (count) => {
    const { lines } = await play(
      { pipeline: named(count) },
      { script: { trigger: (nth) => (nth === 2 ? FAILED.perhaps : undefined), life: () => HALF_AN_HOUR } },
    );
    const told = placeOf(lines, 'A run of Pipeline 2', 'may be in progress');
    expect(told).toBeGreaterThan(0);
    expect(told).toBeLessThan(placeOf(lines, 'running → completed'));
  });

  it('comes before those that merely failed, where there is no room for all', async () => {
    const { annotations } = await play(
      { pipeline: named(14) },
      { script: { trigger: (nth) => (nth === 14 ? FAILED.perhaps : undefined), life: () => [[60_000, 'failed']] } },
    );
    expect(annotations.length).toBeLessThanOrEqual(10);
    expect(annotations[0]?.message).toContain('A run of Pipeline 14 may');
  });
});

describe('triggers that are tried again', () => {
  it('name their pipeline in the log where there are several', async () => {
    const { lines } = await play(
      { pipeline: named(2) },
      { script: { trigger: (nth) => (nth === 1 ? FAILED.notProcessed : undefined), life: () => HALF_AN_HOUR } },
    );
    expect(lines).toContainEqual(expect.stringMatching(/^\[0s\] Pipeline 1: Could not .* Retrying in /));
  });

  it('and may make second runs have one annotation in all', async () => {
    const { annotations } = await play(
      { pipeline: named(14), 'on-lost-response': 'retry' },
      {
        script: { trigger: (nth) => (nth % 2 === 1 ? FAILED.perhaps : undefined), life: () => [[60_000, 'completed']] },
      },
    );
    expect(annotations.filter(({ level }) => level === 'warning')).toHaveLength(1);
  });
});

describe('what is announced', () => {
  it('is not that so many run at once, where nobody waits', async () => {
    const { lines } = await play({ pipeline: named(2), wait: 'false', 'max-parallel': '1' });
    expect(lines).toContain('Runs: 2, all at once');
    expect(lines).toContain('Input max-parallel has no effect with wait: false.');
  });

  it('is no option of runs that exist, which take none', async () => {
    const { lines } = await play({ pipeline: '', 'job-id': pipelineNumber(7) });
    expect(lines.join('\n')).not.toContain('Options:');
  });
});

describe('a stop of all', () => {
  it('is the only one that is told: what it does to a run sets off no fail-fast', async () => {
    const { lines } = await play(
      { pipeline: named(3), 'fail-fast': 'true' },
      { script: { life: () => HALF_AN_HOUR }, interruptAtMs: 60_000 },
    );
    expect(lines.filter((line) => line.includes('Step interrupted'))).not.toEqual([]);
    expect(lines.filter((line) => line.startsWith('Stopped by fail-fast'))).toEqual([]);
  });
});

describe('what could not be written down', () => {
  const noRoom = (afterMs: number) => ({
    prepare: ({ clock, files }: { readonly clock: VirtualClock; readonly files: MemoryFiles }) => {
      clock.after(afterMs, () => files.refuse(STATE));
    },
  });
  const RUNNING: Life = [[0, 'running']];

  it('makes a run that is left one that post may cancel, where on-cancel says so', async () => {
    const inputs = { pipeline: 'pipeline-1', timeout: '10s', 'on-timeout': 'leave' };
    const { annotations } = await play(inputs, { script: { life: () => RUNNING }, ...noRoom(5_000) });
    expect(annotations[0]?.message).toContain('The post step may cancel it');
    const kept = await play({ ...inputs, 'on-cancel': 'leave' }, { script: { life: () => RUNNING }, ...noRoom(5_000) });
    expect(kept.annotations[0]?.message).not.toContain('The post step may cancel it');
  });

  it('fails a step that does not wait, and says of which runs; not where nothing cancels them', async () => {
    const late = { afterMs: 5_000, outcome: { kind: 'queued', jobId: jobNumber(9) } } as const;
    const script = { trigger: (nth: number) => (nth === 2 ? late : undefined) };
    const inputs = { pipeline: named(2), wait: 'false' };
    const { exitCode, outputs } = await play(inputs, { script, ...noRoom(1_000) });
    expect(exitCode).toBe(1);
    expect(outputs['message']).toBe(
      '2 of 2 runs were triggered; 2 may be cancelled by the post step (Pipeline 1, Pipeline 2).',
    );
    const kept = await play({ ...inputs, 'on-cancel': 'leave' }, { script, ...noRoom(1_000) });
    expect(kept.exitCode).toBe(0);
  });
});

describe('hundreds of runs that are over without an end', () => {
  it('have a line each at most, and only the first few of them two', async () => {
    const count = 100;
    const { lines } = await play({ pipeline: named(count) }, { script: { trigger: () => ({ kind: 'no_credits' }) } });
    const told = lines.filter((line) => line.startsWith('No run of Pipeline '));
    expect(told.length).toBeLessThanOrEqual(count + 20);
  });

  it('are told when fail-fast has kept them back, while others go on', async () => {
    const { lines } = await play(
      { pipeline: named(3), 'max-parallel': '2', 'fail-fast': 'true', 'on-cancel': 'leave' },
      { script: { life: (nth) => (nth === 1 ? [[5_000, 'failed']] : HALF_AN_HOUR) } },
    );
    const kept = placeOf(lines, 'no run of Pipeline 3 was triggered');
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(placeOf(lines, 'running → completed'));
  });
});
