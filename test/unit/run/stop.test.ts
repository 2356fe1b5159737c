import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../../src/run/state/outcome.ts';
import { jobNumber, pipelineNumber, type ServiceScript as Script } from '../../support/fake-service.ts';
import { FAILED, pipelines, type Stage, stage } from './stage.ts';

const REPORT_MS = 6_500;
const END_MS = 9_300;

/** When the step said that its report was due. */
function reportTimes(options: Parameters<typeof stage>[0]): { all: Stage; due: number[] } {
  const due: number[] = [];
  const all = stage({
    ...options,
    onEvent: ({ type }) => {
      if (type === 'report_due') due.push(all.clock.now());
    },
  });
  return { all, due };
}

describe('an interruption', () => {
  it('ends the step as soon as all is settled', async () => {
    const { all, due } = reportTimes({ targets: pipelines(3), script: { callMs: 100 } });
    all.clock.after(60_050, () => all.interrupt('SIGTERM'));
    await all.play();
    expect(all.clock.now()).toBe(60_150);
    expect(due).toEqual([]);
    expect(all.runs.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(all.runs[0]?.stop).toEqual({ reason: { kind: 'signal', by: 'SIGTERM' }, policy: 'cancel', at: 60_050 });
    expect(all.clock.pending).toBe(0);
  });

  it('lets the cancels leave before anything is said', async () => {
    const said: number[] = [];
    const all = stage({
      targets: pipelines(3),
      onEvent: ({ type }) => {
        if (type === 'stopping') said.push(all.of('cancel').length);
      },
    });
    all.clock.after(60_000, () => all.interrupt());
    await all.play();
    expect(said).toEqual([3]);
  });

  it('has its report due after 6.5 s, and ends after 9.3 s whatever hangs', async () => {
    const { all, due } = reportTimes({ targets: pipelines(3), script: { cancel: () => 'stalls' } });
    all.clock.after(60_000, () => all.interrupt());
    await all.play();
    expect(due).toEqual([60_000 + REPORT_MS]);
    expect(all.clock.now()).toBeGreaterThan(60_000 + REPORT_MS);
    expect(all.clock.now()).toBeLessThanOrEqual(60_000 + END_MS);
    expect(all.runs.map(({ phase }) => phase.at)).toEqual(['unsettled', 'unsettled', 'unsettled']);
    // Each attempt goes on beside the next ones.
    const [first] = all.of('cancel');
    expect((first?.at ?? 0) + (first?.withinMs ?? 0)).toBe(60_000 + END_MS - 100);
  });

  it.each([1_500, 3_000, 5_000])('takes the answer of a cancel that comes after %i ms', async (afterMs) => {
    const outcome = { kind: 'job', job: { id: jobNumber(1), status: 'cancelled', statusMessage: null } } as const;
    const all = stage({ script: { cancel: (nth) => (nth === 1 ? { afterMs, outcome } : 'stalls') } });
    all.clock.after(60_000, () => all.interrupt());
    await all.play();
    expect(all.run.phase).toEqual({ at: 'finished', status: 'cancelled' });
    expect(all.clock.now()).toBe(60_000 + afterMs);
  });

  it.each([
    ['changes nothing', { kind: 'unchanged' }],
    ['fails', FAILED.perhaps],
  ] as const)('goes on with an attempt when a later one %s', async (_, later) => {
    const outcome = { kind: 'job', job: { id: jobNumber(1), status: 'cancelled', statusMessage: null } } as const;
    const cancel = (nth: number) => (nth === 1 ? { afterMs: 6_000, outcome } : later);
    const running = { kind: 'job', job: { id: jobNumber(1), status: 'running', statusMessage: null } } as const;
    const all = stage({ script: { cancel, read: () => running } });
    all.clock.after(60_000, () => all.interrupt());
    await all.play();
    expect(all.run.phase).toEqual({ at: 'finished', status: 'cancelled' });
    expect(all.clock.now()).toBe(66_000);
  });

  it('gives up each attempt after 2 s where many runs would hold up each other', async () => {
    const all = stage({ targets: pipelines(13), script: { cancel: () => 'stalls' } });
    all.clock.after(60_000, () => all.interrupt());
    await all.play();
    expect(all.of('cancel').every(({ withinMs = 0 }) => withinMs <= 2_000)).toBe(true);
  });

  it('awaits a trigger in flight, but no longer than 9.3 s', async () => {
    const { all, due } = reportTimes({ script: { trigger: () => 'stalls' } });
    all.clock.after(1_000, () => all.interrupt());
    await all.play();
    expect(all.clock.now()).toBe(1_000 + END_MS);
    expect(due).toEqual([1_000 + REPORT_MS]);
    expect(all.run).toMatchObject({ phase: { at: 'triggering' }, stop: { reason: { kind: 'signal' } } });
    expect(outcomeOf(all.run, all.parts.plan)).toBe('unknown');
  });

  it('cancels the run of a trigger whose answer comes late', async () => {
    const late = { afterMs: 8_000, outcome: { kind: 'queued', jobId: jobNumber(1) } } as const;
    const all = stage({ script: { trigger: () => late, existing: { [jobNumber(1)]: [[0, 'queued']] } } });
    all.clock.after(1_000, () => all.interrupt());
    await all.play();
    expect(all.clock.now()).toBe(8_000);
    expect(all.statusOf(jobNumber(1))).toBe('cancelled');
    expect(all.records.map(({ kind }) => kind)).toEqual(['intent', 'queued', 'finished']);
  });

  it.each<[string, Script]>([
    ['the exchange', { connect: () => 'stalls' }],
    ['the list', { list: () => 'stalls' }],
    ['retries of the exchange', { connect: () => FAILED.busy }],
  ])('during %s ends the step at once', async (_, script) => {
    const all = stage({ script });
    all.clock.after(3_000, () => all.interrupt());
    expect(await all.play()).toEqual([]);
    expect(all.clock.now()).toBe(3_000);
    expect(all.run).toMatchObject({ phase: { at: 'not_queued' }, stop: { policy: 'cancel' } });
    expect(all.of('trigger')).toEqual([]);
  });

  it('that came before the step began sends nothing', async () => {
    const all = stage();
    all.interrupt();
    await all.play();
    expect(all.calls).toEqual([]);
    expect(outcomeOf(all.run, all.parts.plan)).toBe('cancelled');
  });

  it('leaves all runs with on-cancel: leave, without a request', async () => {
    const all = stage({ targets: pipelines(3), plan: { onCancel: 'leave' } });
    all.clock.after(60_000, () => all.interrupt());
    const before = 60_000;
    await all.play();
    expect(all.calls.filter(({ at }) => at >= before)).toEqual([]);
    // The policy is on disk already.
    expect(all.records.filter(({ kind }) => kind === 'stopped')).toEqual([]);
    expect(all.runs.map(({ phase }) => phase.at)).toEqual(['left', 'left', 'left']);
    expect(all.runs.map((run) => outcomeOf(run, all.parts.plan))).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('does not wait for the name of a pipeline that was given by its UUID', async () => {
    const all = stage({
      targets: [{ kind: 'pipeline', pipeline: pipelineNumber(1) }],
      script: { list: () => 'stalls' },
    });
    all.clock.after(10_000, () => all.interrupt());
    await all.play();
    expect(all.clock.now()).toBe(10_000);
    expect(all.run.phase).toMatchObject({ status: 'cancelled' });
  });
});

describe('a time-out', () => {
  it('cancels what has not ended, within a minute', async () => {
    const all = stage({
      targets: pipelines(2),
      plan: { timeoutMs: 100_000 },
      script: {
        life: (nth) => [
          [0, 'running'],
          [nth * 50_000, 'completed'],
        ],
        cancel: () => FAILED.perhaps,
      },
    });
    // The second ends in the very instant: a last read tells.
    await all.play();
    expect(all.runs.map((run) => outcomeOf(run, all.parts.plan))).toEqual(['succeeded', 'succeeded']);
  });

  it('gives a service that fails a minute', async () => {
    const all = stage({ plan: { timeoutMs: 100_000 }, script: { cancel: () => FAILED.perhaps } });
    await all.play();
    expect(all.clock.now()).toBeGreaterThan(150_000);
    expect(all.clock.now()).toBeLessThanOrEqual(160_000);
    expect(all.run).toMatchObject({ phase: { at: 'unsettled' }, stop: { reason: { kind: 'timeout' } } });
    expect(outcomeOf(all.run, all.parts.plan)).toBe('wait_timed_out');
  });

  it('has its minute cut short by an interruption, and stays what it was', async () => {
    const { all, due } = reportTimes({ plan: { timeoutMs: 100_000 }, script: { cancel: () => 'stalls' } });
    all.clock.after(105_000, () => all.interrupt());
    await all.play();
    expect(all.clock.now()).toBeLessThanOrEqual(105_000 + END_MS);
    expect(due).toEqual([105_000 + REPORT_MS]);
    expect(all.of('cancel').filter(({ at }) => at >= 105_000).length).toBeGreaterThanOrEqual(3);
    expect(outcomeOf(all.run, all.parts.plan)).toBe('wait_timed_out');
  });

  it('writes down that the run is to be cancelled, before the cancel leaves', async () => {
    const all = stage({
      plan: { timeoutMs: 100_000, onCancel: 'leave' },
      onRecord: ({ kind }) => {
        if (kind === 'stopped') expect(all.of('cancel')).toEqual([]);
      },
    });
    await all.play();
    expect(all.records.map(({ kind }) => kind)).toEqual(['intent', 'queued', 'stopped', 'finished']);
  });

  it('leaves the run with on-timeout: leave, and an interruption changes nothing of that', async () => {
    const all = stage({ targets: pipelines(2), plan: { timeoutMs: 100_000, onTimeout: 'leave' } });
    await all.play();
    expect(all.of('cancel')).toEqual([]);
    expect(all.records.filter(({ kind }) => kind === 'stopped')).toMatchObject([{ why: 'timeout', policy: 'leave' }]);
    expect(all.clock.now()).toBe(100_000);
  });

  it('of the queue concerns one run alone', async () => {
    const all = stage({
      targets: pipelines(2),
      plan: { queueTimeoutMs: 60_000 },
      script: {
        life: (nth) =>
          nth === 1
            ? [[0, 'queued']]
            : [
                [10_000, 'running'],
                [200_000, 'completed'],
              ],
      },
    });
    await all.play();
    expect(all.runs.map((run) => outcomeOf(run, all.parts.plan))).toEqual(['wait_timed_out', 'succeeded']);
    expect(all.runs.map(({ status }) => status)).toEqual(['cancelled', 'completed']);
  });

  it('keeps runs that wait for a slot from being triggered', async () => {
    const all = stage({ targets: pipelines(3), plan: { timeoutMs: 100_000, maxParallel: 1 } });
    await all.play();
    expect(all.of('trigger')).toHaveLength(1);
    expect(all.runs.map(({ phase }) => phase.at)).toEqual(['finished', 'not_queued', 'not_queued']);
    expect(all.runs.map((run) => outcomeOf(run, all.parts.plan))).toEqual([
      'wait_timed_out',
      'wait_timed_out',
      'wait_timed_out',
    ]);
  });
});
