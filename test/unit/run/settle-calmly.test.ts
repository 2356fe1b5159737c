import { describe, expect, it } from 'vitest';
import { PROFILES, settleRun } from '../../../src/run/settle.ts';
import { Ledger, plannedRuns } from '../../../src/run/state/ledger.ts';
import type { RunPhase } from '../../../src/run/state/run-state.ts';
import type { CancelOutcome } from '../../../src/service/api.ts';
import {
  type Call as Called,
  rowOf,
  type Scripted,
  fakeService as scriptedService,
} from '../../support/fake-service.ts';
import { interruptible } from '../../support/interruption.ts';
import { JOB } from '../../support/service.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { FAILED } from './stage.ts';

interface Calm {
  readonly phase: RunPhase;
  readonly calls: readonly Called[];
  readonly endedAt: number;
  /** The longest time between two cancels, in milliseconds. */
  readonly longestGapMs: number;
}

/** Settles a run with the profile of post; its time ends at `until`. */
async function settle(
  cancel: Scripted<CancelOutcome>,
  { until = 120_000, signalAt }: { readonly until?: number; readonly signalAt?: number } = {},
): Promise<Calm> {
  const clock = new VirtualClock();
  const { service, calls } = scriptedService(clock, { existing: { [JOB]: [[0, 'running']] }, cancel: () => cancel });
  const { interruption, interrupt } = interruptible(clock);
  if (signalAt !== undefined) clock.after(signalAt, interrupt);
  const runs = plannedRuns({ targets: [{ kind: 'job', jobId: JOB }] });
  const ledger = new Ledger({ runs, clock, write: () => undefined, observe: () => undefined });
  const [run] = runs;
  if (run === undefined) throw new Error('There is no run.');
  ledger.apply(run, { kind: 'claimed', jobId: JOB });
  const parts = { ledger, service, clock, random: () => 0.999, interruption, plan: { pollIntervalMs: 30_000 } };
  const since = until - PROFILES.post.giveUpAfterMs;
  await clock.until(settleRun(run, parts, PROFILES.post, { since }));
  const times = calls.map(({ atMs }) => atMs);
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  return { phase: run.phase, calls, endedAt: clock.now(), longestGapMs: Math.max(...gaps) };
}

describe('while there is time', () => {
  it('a run is settled by the row that the cancel changed', async () => {
    const { phase, endedAt } = await settle(rowOf(JOB, 'cancelled'));
    expect(phase).toEqual({ at: 'finished', status: 'cancelled' });
    expect(endedAt).toBe(0);
  });

  it('every request may take ten seconds, and all end when time is up', async () => {
    const { calls, endedAt } = await settle('stalls', { until: 60_000 });
    const [first] = calls;
    expect(first?.withinMs).toBe(10_000);
    expect(calls.every(({ atMs, withinMs = 0 }) => withinMs <= 10_000 && atMs + withinMs <= 60_000)).toBe(true);
    expect(endedAt).toBeGreaterThan(45_000);
    expect(endedAt).toBeLessThanOrEqual(60_000);
  });

  it('the pauses grow to a quarter of a minute, and no further', async () => {
    const { longestGapMs, phase } = await settle(FAILED.perhaps);
    expect(longestGapMs).toBeGreaterThan(14_000);
    expect(longestGapMs).toBeLessThan(16_000);
    expect(phase).toEqual({ at: 'unsettled', problem: FAILED.perhaps.problem });
  });
});

describe('after a signal', () => {
  it('the attempt under way ends, the next ones are short, and all is over before the runner kills', async () => {
    const { calls, endedAt } = await settle('stalls', { signalAt: 3_000 });
    expect(calls[1]).toMatchObject({ atMs: 3_000 });
    expect(calls.length).toBeGreaterThanOrEqual(3);
    expect(endedAt).toBeGreaterThan(3_000 + 4_000);
    expect(endedAt).toBeLessThan(3_000 + 7_500);
  });

  it('the pause under way ends, and the next ones are short', async () => {
    const { calls, endedAt } = await settle(FAILED.perhaps, { signalAt: 40_000 });
    const after = calls.filter(({ atMs }) => atMs >= 40_000).map(({ atMs }) => atMs);
    expect(after[0]).toBe(40_000);
    expect(after.length).toBeGreaterThanOrEqual(3);
    expect(endedAt).toBeLessThan(47_500);
  });

  it('there is no more time than there was', async () => {
    const { endedAt } = await settle('stalls', { until: 20_000, signalAt: 19_000 });
    expect(endedAt).toBeLessThanOrEqual(20_000);
  });
});
