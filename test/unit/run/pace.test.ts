import { describe, expect, it } from 'vitest';
import { createPace, type Pace } from '../../../src/run/pace.ts';
import type { Life } from '../../support/fake-service.ts';
import { jobNumber } from '../../support/fake-service.ts';
import { pipelines, type Stage, stage } from './stage.ts';

const INTERVAL = 30_000;

/** How many reads began in each second from `from` on. */
function readsPerSecond(all: Stage, from: number, seconds: number): number[] {
  const counts = Array.from({ length: seconds }, () => 0);
  for (const { at } of all.of('read')) {
    const second = Math.floor((at - from) / 1_000);
    if (second >= 0 && second < seconds) counts[second] = (counts[second] ?? 0) + 1;
  }
  return counts;
}

/** The shortest time from the answer of one read to the next request for the same run; the last one is exempt. */
function closestReads(all: Stage): number {
  return Math.min(
    ...all.runs.flatMap(({ jobId }) => {
      const reads = jobId === undefined ? [] : all.of('read', jobId).filter(({ withinMs }) => withinMs === undefined);
      return reads.slice(1).map((read, index) => read.at - (reads[index]?.endedAt ?? Infinity));
    }),
  );
}

describe('the reads of many runs', () => {
  // Runs end at any time, the first at once and the last after two minutes.
  const endOf = (nth: number): number => (nth * 7_919) % 120_000;
  const life = (nth: number): Life => [
    [0, 'running'],
    [endOf(nth), 'completed'],
  ];

  it.each([
    ['quickly', 0],
    ['one after the other', 40],
  ])('are spread evenly when 500 are triggered %s, and every end is seen within one interval', async (_, callMs) => {
    const all = stage({
      targets: Array.from({ length: 500 }, (_each, index) => ({ kind: 'pipeline', pipeline: jobNumber(index + 1) })),
      script: { life, callMs },
    });
    await all.play();
    expect(all.runs.every(({ phase }) => phase.at === 'finished')).toBe(true);
    expect(closestReads(all)).toBeGreaterThanOrEqual(INTERVAL);
    const late = all.runs.map(({ number, endedAt = Infinity }) => {
      const triggered = number * callMs + callMs;
      return endedAt - triggered - endOf(number);
    });
    // An answer takes its time, and so does the one before it.
    expect(Math.max(...late)).toBeLessThanOrEqual(INTERVAL + 3 * callMs);
    const most = Math.max(...readsPerSecond(all, 0, 60));
    // 500 reads in 30 s are 17 in a second; while they begin one after the other there is some overlap.
    expect(most).toBeLessThanOrEqual(callMs === 0 ? 18 : 36);
  });

  it('stay even while nothing ends', async () => {
    const all = stage({ targets: pipelines(100), plan: { timeoutMs: 150_000, onTimeout: 'leave' } });
    await all.play();
    const counts = readsPerSecond(all, 32_000, 60);
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(195);
  });

  it('that exist already begin all at once, and are spread from then on', async () => {
    const existing = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [jobNumber(index + 1), [[0, 'running']] as Life]),
    );
    const targets = Object.keys(existing).map((_, index) => ({ kind: 'job' as const, jobId: jobNumber(index + 1) }));
    const all = stage({
      targets,
      script: { existing },
      plan: { timeoutMs: 150_000, onTimeout: 'leave', maxParallel: 3 },
    });
    await all.play();
    expect(all.of('read').filter(({ at }) => at === 0)).toHaveLength(200);
    const counts = readsPerSecond(all, 1_000, 140);
    expect(Math.max(...counts)).toBeLessThanOrEqual(8);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(600);
    expect(closestReads(all)).toBeGreaterThanOrEqual(INTERVAL);
  });
});

describe('the first read', () => {
  it('of a few runs comes two seconds after the trigger, or as soon as the interval allows', () => {
    const pace = createPace(10, INTERVAL);
    expect([1, 2, 3].map((now) => pace.firstReadAt(now))).toEqual([2_001, 2_002, 2_003]);
    expect(createPace(1, 100).firstReadAt(0)).toBe(100);
  });

  it('of many comes within an interval, whenever they are triggered', () => {
    for (const count of [11, 50, 500, 5_000]) {
      for (const apartMs of [0, 1, 60, 300, 5_000]) {
        const pace = createPace(count, INTERVAL);
        for (let now = 0; now < count * apartMs + 1; now += Math.max(1, apartMs)) {
          const at = pace.firstReadAt(now);
          expect(at - now).toBeGreaterThanOrEqual(2_000);
          expect(at - now).toBeLessThanOrEqual(INTERVAL + 1);
          if (now > 500 * apartMs) break;
        }
      }
    }
  });

  it('of runs that follow quickly on others comes within an interval too', () => {
    const pace = createPace(20, INTERVAL);
    const ats = Array.from({ length: 100 }, () => pace.firstReadAt(0));
    expect(Math.min(...ats)).toBe(2_000);
    expect(Math.max(...ats)).toBeLessThanOrEqual(INTERVAL);
  });

  it('of many at a short interval is not the last thing in it', () => {
    const pace = createPace(100, 1_500);
    const ats = Array.from({ length: 100 }, () => pace.firstReadAt(0));
    expect(Math.min(...ats)).toBe(100);
    expect(Math.max(...ats)).toBeLessThanOrEqual(1_500);
    expect(new Set(ats.map((at) => Math.floor(at / 15))).size).toBeGreaterThan(90);
  });
});

describe('the second read of runs that existed before', () => {
  const delays = (pace: Pace, count: number): number[] =>
    Array.from({ length: count }, () => pace.delayAfterFirst()).sort((a, b) => a - b);

  it('comes an interval after the first, where they are few', () => {
    expect(delays(createPace(10, INTERVAL), 10)).toEqual(Array.from({ length: 10 }, () => 0));
  });

  it('of many is delayed, so that they are spread evenly over one more interval', () => {
    const pace = createPace(20, INTERVAL);
    const first = delays(pace, 20);
    expect(first[0]).toBe(0);
    expect(first.at(-1)).toBeLessThan(INTERVAL);
    const gaps = first.slice(1).map((delay, index) => delay - (first[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(1_300);
    expect(Math.max(...gaps)).toBeLessThan(1_600);
    // Whoever comes after all of them has its place among them.
    expect(delays(pace, 20)).toEqual(first);
  });
});
