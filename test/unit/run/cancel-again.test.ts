import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../../src/run/state/outcome.ts';
import type { Service } from '../../../src/service/api.ts';
import { jobNumber, type Life } from '../../support/fake-service.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';
import { FAILED, pipelines, type Stage, type StageOptions, stage } from './stage.ts';

const [STUCK, OTHER] = [jobNumber(1), jobNumber(2)];
const HOUR_MS = 3_600_000;
const LONGEST_MS = 3 * HOUR_MS;

/** The first run is never picked up; the second one takes an hour. */
const LIVES: readonly Life[] = [
  [[0, 'queued']],
  [
    [0, 'running'],
    [HOUR_MS, 'completed'],
  ],
];

/** Until `wellAtMs`, every cancel fails. */
function broken(wellAtMs: number): (service: Service, clock: VirtualClock) => Service {
  return (service, clock) => ({
    ...service,
    cancel: async (jobId, options) => (clock.now() < wellAtMs ? FAILED.perhaps : service.cancel(jobId, options)),
  });
}

function staged(wellAtMs: number, options: StageOptions = {}): Stage {
  return stage({
    targets: pipelines(2),
    plan: { queueTimeoutMs: 60_000 },
    script: { life: (nth) => LIVES[nth - 1] ?? [] },
    around: broken(wellAtMs),
    ...options,
  });
}

const outcomes = (all: Stage): readonly string[] => all.runs.map((run) => outcomeOf(run, all.parts.plan));

describe('a run that could not be cancelled in its time', () => {
  it('is cancelled as soon as the service is well again, while the step waits for another', async () => {
    const all = staged(20 * 60_000);
    await all.play(LONGEST_MS);
    expect(outcomes(all)).toEqual(['wait_timed_out', 'succeeded']);
    expect(all.statusOf(STUCK)).toBe('cancelled');
    const [ended] = all.runs;
    expect(ended?.endedAt).toBeLessThan(22 * 60_000);
    expect(all.of('cancel', STUCK)).toHaveLength(1);
    expect(all.records).toContainEqual({ kind: 'finished', run: 1, status: 'cancelled' });
  });

  it('is told of, also when its minute is over and the next try an interval away', async () => {
    const at: number[] = [];
    const tried: number[] = [];
    const all = staged(20 * 60_000, {
      around: (service, clock) => ({
        ...service,
        async cancel(jobId, options) {
          tried.push(clock.now());
          return clock.now() < 5 * 60_000 ? FAILED.perhaps : service.cancel(jobId, options);
        },
      }),
      onEvent: (event) => {
        if (event.type === 'cancel_failed') at.push(all.clock.now());
      },
    });
    await all.play(LONGEST_MS);
    const { pollIntervalMs } = all.parts.plan;
    const rests = tried
      .slice(1)
      .flatMap((ms, index) => (ms - (tried[index] ?? 0) >= pollIntervalMs ? [tried[index]] : []));
    expect(rests.length).toBeGreaterThan(0);
    expect(at).toEqual(expect.arrayContaining(rests));
    expect(all.told('cancel_failed')[0]).toMatchObject({ run: { jobId: STUCK }, problem: FAILED.perhaps.problem });
  });

  it('is asked for once in each interval after its minute', async () => {
    const tried: number[] = [];
    const all = staged(0, {
      around: (service, clock) => ({
        ...service,
        async cancel() {
          tried.push(clock.now());
          return FAILED.rejected;
        },
      }),
    });
    await all.play(LONGEST_MS);
    const later = tried.filter((ms) => ms > 3 * 60_000 && ms < 13 * 60_000);
    expect(later.length).toBeGreaterThanOrEqual(19);
    expect(later.length).toBeLessThanOrEqual(21);
  });

  it('is left to the post step when the other run is over', async () => {
    const all = staged(2 * HOUR_MS);
    await all.play(LONGEST_MS);
    expect(outcomes(all)).toEqual(['wait_timed_out', 'succeeded']);
    expect(all.runs[0]?.phase.at).toBe('unsettled');
    // The rest of the last try, and no more.
    expect(all.clock.now() - (all.runs[1]?.endedAt ?? 0)).toBeLessThanOrEqual(10_000);
    expect(all.clock.now()).toBeLessThan(HOUR_MS + 180_000);
  });

  it('is cancelled once more when the step is interrupted', async () => {
    const all = staged(29 * 60_000 + 59_000);
    all.clock.after(30 * 60_000, () => all.interrupt());
    await all.play(LONGEST_MS);
    expect([all.statusOf(STUCK), all.statusOf(OTHER)]).toEqual(['cancelled', 'cancelled']);
    expect(all.clock.now()).toBeLessThan(30 * 60_000 + 9_300);
  });

  it('is not read more often for that: three times to confirm, and then at the interval', async () => {
    const around = (service: Service): Service => ({
      ...service,
      cancel: async (jobId, options) => (jobId === STUCK ? { kind: 'unchanged' } : service.cancel(jobId, options)),
    });
    const all = staged(0, { around });
    await all.play(LONGEST_MS);
    const { queueTimeoutMs = 0, pollIntervalMs } = all.parts.plan;
    const reads = all.of('read', STUCK).filter(({ at }) => at > queueTimeoutMs);
    const gaps = reads.slice(1).map(({ at }, index) => at - (reads[index]?.endedAt ?? 0));
    expect(gaps.filter((ms) => ms < pollIntervalMs).length).toBeLessThanOrEqual(3);
    expect(reads.length).toBeGreaterThan(20);
  });
});

describe('the minute for a cancel', () => {
  it.each([
    ['a time-out', { timeoutMs: 10_000 }],
    ['fail-fast', { failFast: true }],
  ])('that %s asked for begins when the run is known, however late its trigger is answered', async (_how, plan) => {
    const all = stage({
      targets: pipelines(2),
      plan,
      script: {
        trigger: (nth) => (nth === 2 ? { afterMs: 100_000, outcome: { kind: 'queued', jobId: OTHER } } : undefined),
        existing: { [OTHER]: [[0, 'running']] },
        life: () => [[5_000, 'failed']],
      },
    });
    await all.play(LONGEST_MS);
    expect(all.statusOf(OTHER)).toBe('cancelled');
    expect(all.of('cancel', OTHER).map(({ at }) => at)).toEqual([all.clock.now()]);
  });
});
