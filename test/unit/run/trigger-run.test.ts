import { describe, expect, it } from 'vitest';
import { pause } from '../../../src/base/clock.ts';
import type { StopReason } from '../../../src/run/state/facts.ts';
import { triggerRun } from '../../../src/run/trigger.ts';
import type { TriggerOutcome } from '../../../src/service/api.ts';
import { jobNumber, pipelineNumber, type Scripted } from '../../support/fake-service.ts';
import { FAILED, type Stage, type StageOptions, stage } from './stage.ts';

const PIPELINE = { id: pipelineNumber(1), name: 'Pipeline 1' };
const REASON: StopReason = { kind: 'signal', by: 'SIGINT' };

type Answers = readonly Scripted<TriggerOutcome>[];

interface Triggered extends Stage {
  readonly stop: () => void;
  readonly end: () => Promise<void>;
}

/** A trigger whose answers come as given, and as they should after the last one. */
function triggering(answers: Answers = [], options: StageOptions = {}): Triggered {
  const all = stage({ ...options, script: { trigger: (nth) => answers[nth - 1], ...options.script } });
  const stop = (): void => {
    all.stopAll({ reason: REASON, policy: 'cancel' });
  };
  const begin = (): Promise<void> => triggerRun(all.run, PIPELINE, all.parts);
  return Object.assign(all, { stop, end: () => all.clock.until(begin()) });
}

const kinds = ({ records }: Stage): readonly string[] => records.map(({ kind }) => kind);

describe('a trigger that is accepted', () => {
  it('makes the run known, in the ledger as well, the intent before the POST', async () => {
    const seen: number[] = [];
    const all = triggering([], { onRecord: () => seen.push(all.calls.length) });
    await all.end();
    expect(all.run).toMatchObject({
      jobId: jobNumber(1),
      status: 'queued',
      phase: { at: 'in_progress' },
      startedAt: 0,
    });
    expect(all.records).toEqual([
      { kind: 'intent', run: 1, pipelineId: PIPELINE.id, pipelineName: 'Pipeline 1', at: all.clock.wall() },
      { kind: 'queued', run: 1, jobId: jobNumber(1) },
    ]);
    expect(seen).toEqual([0, 1]);
    expect(all.told('queued')).toHaveLength(1);
  });

  it('writes a name down that a runner can hand on, however long it is', async () => {
    const all = stage();
    const pipeline = { ...PIPELINE, name: 'x'.repeat(200_000) };
    await all.clock.until(triggerRun(all.run, pipeline, all.parts));
    expect(JSON.stringify(all.records).length).toBeLessThan(1_000);
  });

  it('carries the options of the run', async () => {
    const orders: unknown[] = [];
    const all = triggering([], {
      plan: { fullResync: true, resetTarget: true },
      script: {
        trigger: (_, order) => {
          orders.push(order);
          return undefined;
        },
      },
    });
    await all.end();
    expect(orders).toEqual([{ pipelineId: PIPELINE.id, fullResync: true, resetTarget: true }]);
  });

  it('is told to be in progress although the ledger takes nothing more', async () => {
    const all = triggering([], {
      onRecord: ({ kind }) => {
        if (kind === 'queued') throw new Error('ENOSPC');
      },
    });
    await all.end();
    expect(all.run.phase).toEqual({ at: 'in_progress' });
    expect(all.told('ledger_failed')).toMatchObject([{ reason: 'ENOSPC' }]);
  });
});

describe('a trigger that fails', () => {
  it.each([
    ['not_queued', FAILED.notRetryable],
    ['not_queued', FAILED.unauthorized],
    ['not_queued', FAILED.rejected],
    ['not_queued', FAILED.keyRefused],
    ['unknown', FAILED.perhaps],
  ] as const)('is %s, and not repeated: %j', async (at, failure) => {
    const all = triggering([failure]);
    await all.end();
    expect(all.run).toMatchObject({ phase: { at, problem: failure.problem }, jobId: undefined });
    expect(all.of('trigger')).toHaveLength(1);
    expect(kinds(all)).toEqual(['intent', at === 'unknown' ? 'unknown' : 'refused']);
  });

  it('for want of credits makes no run', async () => {
    const all = triggering([{ kind: 'no_credits' }]);
    await all.end();
    expect(all.run.phase).toMatchObject({
      at: 'not_queued',
      problem: { cause: expect.stringContaining('credits') as string },
    });
  });

  it('is repeated when it surely was not processed, with an intent for each POST', async () => {
    const all = triggering([FAILED.notProcessed, FAILED.notProcessed]);
    await all.end();
    expect(all.run).toMatchObject({ jobId: jobNumber(1), phase: { at: 'in_progress' } });
    expect(kinds(all)).toEqual(['intent', 'refused', 'intent', 'refused', 'intent', 'queued']);
    // Half of 1 s, then half of 2 s.
    expect(all.of('trigger').map(({ at }) => at)).toEqual([0, 500, 1_500]);
    expect(all.told('retry')).toMatchObject([{ kind: 'refused' }, { kind: 'refused' }]);
  });

  it('waits as long as the service wishes before it is repeated', async () => {
    const all = triggering([FAILED.busy]);
    await all.end();
    expect(all.of('trigger').map(({ at }) => at)).toEqual([0, 45_000]);
  });

  it('is given up after eight tries, and surely made no run', async () => {
    const all = triggering(Array.from({ length: 20 }, () => FAILED.notProcessed));
    await all.end();
    expect(all.of('trigger')).toHaveLength(8);
    expect(all.run.phase.at).toBe('not_queued');
  });
});

describe('on-lost-response: retry', () => {
  const always: StageOptions = { plan: { onLostResponse: 'retry' } };

  it('repeats what may have been processed, and says that it may double', async () => {
    const all = triggering([FAILED.perhaps], always);
    await all.end();
    expect(all.run.phase).toEqual({ at: 'in_progress' });
    expect(all.told('retry')).toMatchObject([{ kind: 'unknown' }]);
    expect(kinds(all)).toEqual(['intent', 'unknown', 'intent', 'queued']);
  });

  it.each([FAILED.rejected, FAILED.keyRefused, { kind: 'no_credits' }] as const)(
    'keeps the doubt when a later try is refused: %j',
    async (refusal) => {
      const all = triggering([FAILED.perhaps, refusal], always);
      await all.end();
      expect(all.run.phase).toMatchObject({ at: 'unknown', problem: { cause: 'HTTP 503' } });
      expect(kinds(all)).toEqual(['intent', 'unknown', 'intent', 'unknown']);
    },
  );

  it('keeps the doubt when it is stopped before the next try', async () => {
    const all = triggering([FAILED.perhaps], always);
    all.clock.after(100, all.stop);
    await all.end();
    expect(all.of('trigger')).toHaveLength(1);
    expect(all.run.phase.at).toBe('unknown');
  });

  it('keeps the doubt when the next intent cannot be written', async () => {
    let written = 0;
    const all = triggering([FAILED.perhaps], {
      ...always,
      onRecord: () => {
        written += 1;
        if (written === 3) throw new Error('ENOSPC');
      },
    });
    await all.end();
    expect(all.of('trigger')).toHaveLength(1);
    expect(all.run.phase.at).toBe('unknown');
  });
});

describe('a trigger is kept back', () => {
  it('by a stop that came before', async () => {
    const all = triggering();
    all.stop();
    await all.end();
    expect(all.calls).toEqual([]);
    expect(all.run).toMatchObject({ phase: { at: 'not_queued' }, stop: { reason: REASON } });
    expect(kinds(all)).not.toContain('intent');
  });

  it('by a stop that comes while the service still gets ready to send', async () => {
    const all = triggering([], {
      around: (service, clock) => ({
        ...service,
        trigger: async (order, options) => {
          await pause(clock, 1_000);
          return service.trigger(order, options);
        },
      }),
    });
    all.clock.after(500, all.stop);
    await all.end();
    expect(all.calls).toEqual([]);
    expect(all.run).toMatchObject({ phase: { at: 'not_queued' }, stop: { reason: REASON } });
  });

  it('by a stop between a POST and its repetition with a new token', async () => {
    const all = triggering([], {
      around: (service, clock) => ({
        ...service,
        trigger: async (order, { onSend }) => {
          onSend();
          await pause(clock, 1_000);
          return service.trigger(order, { onSend });
        },
      }),
    });
    all.clock.after(500, all.stop);
    await all.end();
    expect(all.calls).toEqual([]);
    expect(all.run.phase).toEqual({ at: 'not_queued' });
    expect(kinds(all)).toEqual(['intent', 'refused']);
  });

  it('by a stop in the pause before a retry, at once', async () => {
    const all = triggering([FAILED.busy]);
    all.clock.after(700, all.stop);
    await all.end();
    expect(all.of('trigger')).toHaveLength(1);
    expect(all.clock.now()).toBe(700);
    expect(all.run).toMatchObject({ phase: { at: 'not_queued' }, stop: { reason: REASON } });
  });

  it('when its intent cannot be written', async () => {
    const all = triggering([], {
      onRecord: ({ kind }) => {
        if (kind === 'intent') throw new Error('ENOSPC: no space left on device');
      },
    });
    await all.end();
    expect(all.calls).toEqual([]);
    expect(all.run.phase).toMatchObject({ at: 'not_queued', problem: { cause: 'ENOSPC: no space left on device' } });
  });
});

it('lets a trigger in flight finish after a stop, so that its id is known', async () => {
  const all = triggering([{ afterMs: 5_000, outcome: { kind: 'queued', jobId: jobNumber(7) } }]);
  all.clock.after(1_000, all.stop);
  await all.end();
  expect(all.run).toMatchObject({ jobId: jobNumber(7), phase: { at: 'in_progress' } });
});

it('repeats nothing after a stop that came while the trigger was in flight', async () => {
  const all = triggering([{ afterMs: 5_000, outcome: FAILED.notProcessed }]);
  all.clock.after(1_000, all.stop);
  await all.end();
  expect(all.of('trigger')).toHaveLength(1);
  expect(all.told('retry')).toEqual([]);
  expect(all.run).toMatchObject({ phase: { at: 'not_queued' }, stop: { reason: REASON } });
});

it('throws on what is a fault of our own, with the fate of the run left open', async () => {
  const all = triggering([], {
    around: (service) => ({
      ...service,
      trigger: async (_, { onSend }) => {
        onSend();
        throw new TypeError('fault');
      },
    }),
  });
  await expect(all.end()).rejects.toThrow('fault');
  expect(all.run.phase).toEqual({ at: 'triggering' });
});
