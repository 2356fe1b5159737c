// Tests the pace of reads. A few runs are read soon, and the reads of many runs are spread over the poll interval.
import { describe, expect, it } from 'vitest';
import { createPace } from '../../../src/run/pace.ts';
import { ends, jobNumber, type Life, pipelineNumber, pipelines } from '../../support/fake-service.ts';
import { type PlayedStep, playStep } from '../../support/step.ts';

const INTERVAL = 30_000;
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Counts the reads that start in each second after `from`. */
function readsPerSecond({ made }: PlayedStep, from: number, seconds: number): readonly number[] {
  const counts = numbers(seconds).map(() => 0);
  for (const { atMs } of made('read')) {
    const second = Math.floor((atMs - from) / 1_000);
    if (second >= 0 && second < seconds) counts[second] = (counts[second] ?? 0) + 1;
  }
  return counts;
}

/** The shortest time between a response and the next read of the same run, except for the last read at a timeout. */
function closestReads({ made }: PlayedStep): number {
  const reads = made('read').filter(({ withinMs }) => withinMs === undefined);
  const last = new Map<unknown, number>();
  return Math.min(
    ...reads.map(({ jobId, atMs, endedAtMs = Infinity }) => {
      const gap = atMs - (last.get(jobId) ?? -Infinity);
      last.set(jobId, endedAtMs);
      return gap;
    }),
  );
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

describe('the reads of many runs', () => {
  // The runs finish at various times within two minutes.
  const endOf = (nth: number): number => (nth * 7_919) % 120_000;

  it.each([
    ['at once', 0, 8],
    // In this case, the first requests overlap.
    ['one after another', 40, 15],
  ])(
    'are spread if 200 runs are triggered %s, and notice each final status within an interval',
    async (_how, callMs, mostPerSecond) => {
      const played = await playStep({
        inputs: { pipeline: numbers(200).map(pipelineNumber).join('\n') },
        service: { life: (nth) => ends(endOf(nth)), callMs },
      });
      expect(played.exitCode).toBe(0);
      expect(closestReads(played)).toBeGreaterThanOrEqual(INTERVAL);
      const seen = new Map(played.made('read').map(({ jobId, endedAtMs = Infinity }) => [jobId, endedAtMs]));
      const late = numbers(200).map((nth) => (seen.get(jobNumber(nth)) ?? Infinity) - (nth + 1) * callMs - endOf(nth));
      expect(Math.max(...late)).toBeLessThanOrEqual(INTERVAL + 3 * callMs);
      expect(Math.max(...readsPerSecond(played, 0, 60))).toBeLessThanOrEqual(mostPerSecond);
    },
  );

  const waiting = { timeout: '150s', 'on-timeout': 'leave' };

  it('remain spread while no run finishes', async () => {
    const counts = readsPerSecond(
      await playStep({ inputs: { pipeline: pipelines(100), ...waiting }, service: {} }),
      32_000,
      60,
    );
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
    expect(sum(counts)).toBeGreaterThanOrEqual(195);
  });

  it('that exist already start at once, and are spread from then on', async () => {
    const ids = numbers(200).map(jobNumber);
    const existing = Object.fromEntries(ids.map((id): [string, Life] => [id, [[0, 'running']]]));
    const inputs = { pipeline: '', 'job-id': ids.join('\n'), 'max-parallel': '3', ...waiting };
    const played = await playStep({ inputs, service: { existing } });
    expect(played.made('read').filter(({ atMs }) => atMs === 0)).toHaveLength(200);
    const counts = readsPerSecond(played, 1_000, 140);
    expect(Math.max(...counts)).toBeLessThanOrEqual(8);
    expect(sum(counts)).toBeGreaterThanOrEqual(600);
    expect(closestReads(played)).toBeGreaterThanOrEqual(INTERVAL);
  });
});

describe('the first read', () => {
  it('of a few runs follows two seconds after the trigger, or after the poll interval if that is shorter', () => {
    const pace = createPace(10, INTERVAL);
    expect([1, 2, 3].map((now) => pace.firstReadAt(now))).toEqual([2_001, 2_002, 2_003]);
    expect(createPace(1, 100).firstReadAt(0)).toBe(100);
  });

  it.each([11, 50, 500, 5_000])('of %i runs follows within an interval, whenever they are triggered', (count) => {
    for (const apartMs of [0, 1, 60, 300, 5_000]) {
      const pace = createPace(count, INTERVAL);
      for (let nth = 0; nth < Math.min(count, 500); nth += 1) {
        const after = pace.firstReadAt(nth * apartMs) - nth * apartMs;
        expect(after).toBeGreaterThanOrEqual(2_000);
        expect(after).toBeLessThanOrEqual(INTERVAL + 1);
      }
    }
  });

  it.each([
    ['of runs that replace other runs follows within an interval', 20, INTERVAL, 2_000],
    ['of many runs with a short poll interval follows soon', 100, 1_500, 100],
  ])('%s', (_what, atOnce, interval, soon) => {
    const pace = createPace(atOnce, interval);
    const ats = numbers(100).map(() => pace.firstReadAt(0));
    expect([Math.min(...ats), Math.max(...ats) <= interval]).toEqual([soon, true]);
    expect(new Set(ats).size).toBeGreaterThanOrEqual(atOnce - 1);
  });
});

describe('the second read of existing runs', () => {
  const delays = (count: number, pace = createPace(count, INTERVAL)): readonly number[] =>
    numbers(count).map(() => pace.delayAfterFirst());

  it('follows an interval after the first read if there are few runs', () => {
    expect(delays(10)).toEqual(numbers(10).map(() => 0));
  });

  it('is spread over one more interval if there are many runs, as are later reads', () => {
    const pace = createPace(20, INTERVAL);
    const first = delays(20, pace);
    expect(first).toEqual(numbers(20).map((nth) => (nth - 1) * 1_400));
    expect(delays(20, pace)).toEqual(first);
  });
});
