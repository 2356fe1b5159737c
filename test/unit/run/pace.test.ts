// Tests the pace of reads. A few runs are read soon, and the reads of many runs are spread over the poll interval.
import { describe, expect, it } from 'vitest';
import { createPace } from '../../../src/run/pace.ts';
import { ends, jobNumber, pipelineNumber } from '../../support/fake-service.ts';
import { type PlayedStep, playStep } from '../../support/step.ts';

const INTERVAL = 30_000;
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Counts the reads that start in each second after `from`. */
function readsPerSecond({ made }: PlayedStep, from: number, seconds: number): readonly number[] {
  const reads = made('read').map(({ atMs }) => Math.floor((atMs - from) / 1_000) + 1);
  return numbers(seconds).map((nth) => reads.filter((second) => second === nth).length);
}

describe('the reads of many runs', () => {
  // The runs finish at various times within two minutes.
  const endOf = (nth: number): number => (nth * 7_919) % 120_000;

  it.each([
    ['at once', 0, 8],
    // The triggers overlap with the first reads.
    ['one after another', 40, 15],
  ])(
    'are spread out if 200 runs are triggered %s, and show each final status within one poll interval',
    async (_how, callMs, mostPerSecond) => {
      const played = await playStep({
        inputs: { pipeline: numbers(200).map(pipelineNumber).join('\n') },
        service: { life: (nth) => ends(endOf(nth)), callMs },
      });
      expect(played.exitCode).toBe(0);
      const seen = new Map(played.made('read').map(({ jobId, endedAtMs = Infinity }) => [jobId, endedAtMs]));
      const late = numbers(200).map((nth) => (seen.get(jobNumber(nth)) ?? Infinity) - (nth + 1) * callMs - endOf(nth));
      expect(Math.max(...late)).toBeLessThanOrEqual(INTERVAL + 3 * callMs);
      expect(Math.max(...readsPerSecond(played, 0, 60))).toBeLessThanOrEqual(mostPerSecond);
    },
  );

  it('start at once if the runs already exist, and are spread out from then on', async () => {
    const ids = numbers(200).map(jobNumber);
    const existing = Object.fromEntries(ids.map((id) => [id, 'running']));
    const inputs = {
      pipeline: '',
      'job-id': ids.join('\n'),
      'max-parallel': '3',
      timeout: '150s',
      'on-timeout': 'leave',
    };
    const played = await playStep({ inputs, service: { existing } });
    expect(played.made('read').filter(({ atMs }) => atMs === 0)).toHaveLength(200);
    expect(Math.max(...readsPerSecond(played, 1_000, 140))).toBeLessThanOrEqual(8);
    expect(played.made('read').length).toBeGreaterThanOrEqual(1_000);
  });
});

describe('the first read', () => {
  it.each([
    ['two seconds', INTERVAL, 2_000],
    ['one poll interval if that is less than two seconds', 100, 100],
  ])('of a few runs follows the trigger by %s', (_what, interval, ms) => {
    const pace = createPace(10, interval);
    expect([1, 2, 3].map((now) => pace.firstReadAt(now))).toEqual([ms + 1, ms + 2, ms + 3]);
  });

  describe.each([11, 50, 500, 5_000])('of each of %i runs', (count) => {
    it.each([0, 1, 60, 300, 5_000])('triggered %i ms apart follows its trigger within one poll interval', (apartMs) => {
      const pace = createPace(count, INTERVAL);
      const delays = numbers(count).map((nth) => pace.firstReadAt(nth * apartMs) - nth * apartMs);
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(2_000);
      expect(Math.max(...delays)).toBeLessThanOrEqual(INTERVAL + 1);
    });
  });

  it.each([
    ['of each replacement run follows its trigger within one poll interval', 20, INTERVAL, 2_000],
    ['of each of 100 runs follows its trigger within a poll interval of only 1.5 s', 100, 1_500, 100],
  ])('%s', (_what, atOnce, interval, soon) => {
    const pace = createPace(atOnce, interval);
    const ats = numbers(101).map(() => pace.firstReadAt(0));
    expect([Math.min(...ats), Math.max(...ats)]).toEqual([soon, interval]);
    expect(new Set(ats).size).toBeGreaterThanOrEqual(atOnce - 1);
  });
});

it.each([
  ['follow one poll interval after the first reads if there are few runs', 10, 0],
  ['are spread over one more poll interval if there are many runs', 20, 1_400],
])('the second reads of existing runs %s', (_what, atOnce, apartMs) => {
  const pace = createPace(atOnce, INTERVAL);
  const delays = numbers(40).map(() => pace.delayAfterFirst());
  expect(delays).toEqual(delays.map((_, index) => (index % atOnce) * apartMs));
});
