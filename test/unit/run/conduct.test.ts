import { describe, expect, it } from 'vitest';
import type { Target } from '../../../src/run/plan.ts';
import { outcomeOf } from '../../../src/run/state/outcome.ts';
import type { TriggerOutcome } from '../../../src/service/api.ts';
import {
  jobNumber,
  type Life,
  pipelineNumber,
  type ServiceScript as Script,
  type Scripted,
} from '../../support/fake-service.ts';
import { FAILED, pipelines, type Stage, type StageOptions, stage } from './stage.ts';

const outcomes = (all: Stage): readonly string[] => all.runs.map((run) => outcomeOf(run, all.parts.plan));
const kindsOf = (all: Stage, run: number): readonly string[] =>
  all.records.filter((record) => record['run'] === run).map(({ kind }) => kind);

/** Each run completes `seconds[nth - 1]` seconds after its trigger; a negative number: fails. */
function ending(...seconds: readonly number[]): { readonly life: (nth: number) => Life } {
  return {
    life(nth) {
      const after = seconds[nth - 1] ?? 10;
      return [
        [0, 'running'],
        [Math.abs(after) * 1_000, after < 0 ? 'failed' : 'completed'],
      ];
    },
  };
}

/** The nth trigger brings something else than a run. */
function troubled(nth: number, outcome: Scripted<TriggerOutcome>): StageOptions['script'] {
  return { ...ending(), trigger: (count) => (count === nth ? outcome : undefined) };
}

describe('several pipelines', () => {
  it('are triggered in order, one after the other, and each run is awaited on its own', async () => {
    const all = stage({ targets: pipelines(4), script: { ...ending(100, 10, 70, 40), callMs: 500 } });
    await all.play();
    const triggers = all.of('trigger');
    expect(triggers.map(({ pipelineId }) => pipelineId)).toEqual([1, 2, 3, 4].map(pipelineNumber));
    expect(triggers.map(({ at }) => at)).toEqual([1_000, 1_500, 2_000, 2_500]);
    const over = all.told('run_done').map((event) => ('run' in event ? event.run.number : 0));
    expect(over).toEqual([2, 4, 3, 1]);
    expect(outcomes(all)).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded']);
  });

  it('are looked up once and checked as a whole before the first trigger', async () => {
    const targets = [...pipelines(3), { kind: 'pipeline', pipeline: 'pipelin-4' }] as const;
    const all = stage({ targets });
    expect(await all.play()).toMatchObject([{ attempted: 'find the pipeline "pipelin-4"' }]);
    expect(all.calls.map(({ call }) => call)).toEqual(['connect', 'list']);
    expect(all.records).toEqual([]);
    expect(outcomes(all)).toEqual(Array.from({ length: 4 }, () => 'not_triggered'));
  });

  it('given by UUID are named once, beside, and nothing waits for that', async () => {
    const targets = [1, 2].map((nth): Target => ({ kind: 'pipeline', pipeline: pipelineNumber(nth) }));
    const all = stage({ targets, script: ending() });
    await all.play();
    expect(all.of('list')).toHaveLength(1);
    expect(all.runs.map(({ pipeline }) => pipeline?.name)).toEqual(['Pipeline 1', 'Pipeline 2']);
    expect(all.told('resolved').slice(2)).toHaveLength(2);
  });

  it.each<[string, NonNullable<Script['list']>]>([
    ['fails', () => FAILED.rejected],
    ['stalls', () => 'stalls'],
  ])('given by UUID go on when the list %s', async (_, list) => {
    const targets = [{ kind: 'pipeline', pipeline: pipelineNumber(1) }] as const;
    const all = stage({ targets, script: { ...ending(), list } });
    await all.play();
    expect(outcomes(all)).toEqual(['succeeded']);
    expect(all.run.pipeline).toEqual({ id: pipelineNumber(1), name: null });
  });
});

describe('one run that goes wrong disturbs no other', () => {
  it.each<[string, Scripted<TriggerOutcome>, string]>([
    ['refused', FAILED.rejected, 'not_triggered'],
    ['out of credits', { kind: 'no_credits' }, 'not_triggered'],
    ['of unknown fate', FAILED.perhaps, 'unknown'],
    ['without any answer', 'stalls', 'unknown'],
  ])('whose trigger is %s', async (_, outcome, expected) => {
    const all = stage({ targets: pipelines(3), script: troubled(2, outcome) ?? {} });
    await all.play();
    expect(outcomes(all)).toEqual(['succeeded', expected, 'succeeded']);
    expect(all.of('trigger')).toHaveLength(3);
  });

  it('that is lost', async () => {
    const lost = jobNumber(2);
    const all = stage({
      targets: pipelines(3),
      script: { ...ending(200, 200, 200), read: (_, jobId) => (jobId === lost ? FAILED.rejected : undefined) },
    });
    await all.play();
    expect(outcomes(all)).toEqual(['succeeded', 'lost', 'succeeded']);
    expect(kindsOf(all, 2)).toEqual(['intent', 'queued', 'lost']);
  });

  it('that meets a fault of our own while it is awaited: it is left, and told', async () => {
    const all = stage({
      targets: pipelines(3),
      script: ending(),
      around: (service) => ({
        ...service,
        read: async (jobId, options) => {
          if (jobId === jobNumber(2)) throw new TypeError('a fault');
          return service.read(jobId, options);
        },
      }),
    });
    await all.play();
    expect(outcomes(all)).toEqual(['succeeded', 'lost', 'succeeded']);
    expect(kindsOf(all, 2)).toEqual(['intent', 'queued', 'lost']);
    expect(all.runs[1]?.phase).toMatchObject({
      problem: { cause: 'internal error of this action (TypeError: a fault)' },
    });
  });

  it('that meets a fault of our own while it is triggered: its fate is unknown, and its intent stays', async () => {
    const all = stage({
      targets: pipelines(3),
      script: ending(),
      around: (service) => ({
        ...service,
        trigger: async (order, options) => {
          if (order.pipelineId !== pipelineNumber(2)) return service.trigger(order, options);
          options.onSend();
          throw new TypeError('a fault');
        },
      }),
    });
    await all.play();
    expect(outcomes(all)).toEqual(['succeeded', 'unknown', 'succeeded']);
    expect(kindsOf(all, 2)).toEqual(['intent']);
  });

  it('that meets a fault of our own while it is cancelled stays open for the post step', async () => {
    const all = stage({
      targets: pipelines(2),
      around: (service) => ({
        ...service,
        cancel: async (jobId, options) => {
          if (jobId === jobNumber(1)) throw new TypeError('a fault');
          return service.cancel(jobId, options);
        },
      }),
    });
    all.clock.after(20_000, () => all.interrupt());
    await all.play();
    expect(all.runs.map(({ phase }) => phase.at)).toEqual(['unsettled', 'finished']);
    expect(kindsOf(all, 1)).toEqual(['intent', 'queued']);
  });
});

describe('max-parallel', () => {
  /** How many runs were under way at each trigger, itself included. */
  function underWay(all: Stage): number[] {
    return all.runs.map((run) => {
      const at = run.startedAt ?? 0;
      return all.runs.filter((other) => (other.startedAt ?? Infinity) <= at && (other.endedAt ?? Infinity) > at).length;
    });
  }

  it.each([1, 2, 7, 40])('of %d is never exceeded, and always used', async (maxParallel) => {
    const seconds = Array.from({ length: 40 }, (_, index) => 5 + ((index * 37) % 90));
    const all = stage({ targets: pipelines(40), plan: { maxParallel }, script: ending(...seconds) });
    await all.play(10_000_000);
    expect(Math.max(...underWay(all))).toBe(maxParallel);
    expect(outcomes(all).every((outcome) => outcome === 'succeeded')).toBe(true);
    expect(all.of('trigger').map(({ pipelineId }) => pipelineId)).toEqual(
      all.runs.map(({ number }) => pipelineNumber(number)),
    );
  });

  it('gives the slot of a run that was not queued to the next', async () => {
    const all = stage({ targets: pipelines(3), plan: { maxParallel: 1 }, script: troubled(1, FAILED.rejected) ?? {} });
    await all.play();
    expect(outcomes(all)).toEqual(['not_triggered', 'succeeded', 'succeeded']);
  });

  it('holds no run back that exists already', async () => {
    const existing = { [jobNumber(1)]: [[0, 'running']], [jobNumber(2)]: [[0, 'completed']] } as const;
    const targets = [1, 2].map((nth): Target => ({ kind: 'job', jobId: jobNumber(nth) }));
    const all = stage({ targets, plan: { maxParallel: 1, timeoutMs: 60_000 }, script: { existing } });
    await all.play();
    expect(all.runs.map(({ endedAt }) => endedAt)).toEqual([60_000, 0]);
  });
});

describe('fail-fast', () => {
  it('with cancel triggers no more, and cancels the others', async () => {
    const all = stage({
      targets: pipelines(5),
      plan: { failFast: true, maxParallel: 3 },
      script: ending(500, -20, 500, 500, 500),
    });
    await all.play();
    expect(outcomes(all)).toEqual(['cancelled', 'failed', 'cancelled', 'not_triggered', 'not_triggered']);
    expect(all.runs.map(({ status }) => status)).toEqual(['cancelled', 'failed', 'cancelled', undefined, undefined]);
    expect(kindsOf(all, 1)).toEqual(['intent', 'queued', 'finished']);
    expect(all.runs[4]?.stop?.reason).toEqual({ kind: 'fail_fast', after: 'Pipeline 2' });
    expect(all.records.filter(({ kind }) => kind === 'stopped')).toHaveLength(1);
    expect(all.clock.now()).toBe(32_000);
  });

  it('with leave triggers no more, and awaits the others', async () => {
    const all = stage({
      targets: pipelines(5),
      plan: { failFast: true, maxParallel: 3, onCancel: 'leave' },
      script: ending(500, -20, 100, 500, 500),
    });
    await all.play();
    expect(outcomes(all)).toEqual(['succeeded', 'failed', 'succeeded', 'not_triggered', 'not_triggered']);
    expect(all.of('cancel')).toEqual([]);
  });

  it.each(['cancel', 'leave'] as const)('with %s repeats no trigger either', async (onCancel) => {
    const all = stage({
      targets: pipelines(3),
      plan: { failFast: true, onCancel },
      script: { ...ending(-1), trigger: (nth) => (nth === 2 ? FAILED.busy : undefined) },
    });
    await all.play();
    expect(outcomes(all)).toEqual(['failed', 'not_triggered', 'not_triggered']);
    expect(all.of('trigger')).toHaveLength(2);
  });

  it('with leave awaits the run whose trigger was in flight', async () => {
    const slow = { afterMs: 20_000, outcome: { kind: 'queued', jobId: jobNumber(9) } } as const;
    const all = stage({
      targets: pipelines(2),
      plan: { failFast: true, onCancel: 'leave' },
      script: {
        ...ending(-1),
        trigger: (nth) => (nth === 2 ? slow : undefined),
        existing: { [jobNumber(9)]: [[60_000, 'completed']] },
      },
    });
    await all.play();
    expect(outcomes(all)).toEqual(['failed', 'succeeded']);
  });

  it('counts a trigger that was refused as a failure', async () => {
    const all = stage({ targets: pipelines(3), plan: { failFast: true }, script: troubled(2, FAILED.rejected) ?? {} });
    await all.play();
    expect(outcomes(all)).toEqual(['cancelled', 'not_triggered', 'not_triggered']);
  });

  it('is not set off by runs that are good, or only triggered with wait: false', async () => {
    const good = stage({ targets: pipelines(3), plan: { failFast: true }, script: ending(1, 2, 3) });
    await good.play();
    expect(outcomes(good)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    const unawaited = stage({ targets: pipelines(3), plan: { failFast: true, wait: false } });
    await unawaited.play();
    expect(outcomes(unawaited)).toEqual(['triggered', 'triggered', 'triggered']);
  });

  it('says once why the others are stopped, whatever they end with', async () => {
    const all = stage({ targets: pipelines(3), plan: { failFast: true }, script: ending(-20, -20, 500) });
    await all.play();
    expect(all.told('stopping')).toHaveLength(1);
    expect(all.told('stopping')).toMatchObject([{ stop: { reason: { after: 'Pipeline 1' } } }]);
  });

  it('off: a failure disturbs nobody', async () => {
    const all = stage({ targets: pipelines(3), script: ending(-1, 100, 5) });
    await all.play();
    expect(outcomes(all)).toEqual(['failed', 'succeeded', 'succeeded']);
  });
});

describe('an interruption of several', () => {
  it('triggers no more, cancels those in progress, and leaves nothing open', async () => {
    const all = stage({ targets: pipelines(60), plan: { maxParallel: 20 }, script: { callMs: 50 } });
    all.clock.after(30_000, () => all.interrupt());
    await all.play();
    expect(all.of('trigger')).toHaveLength(20);
    expect(all.runs.filter(({ status }) => status === 'cancelled')).toHaveLength(20);
    expect(outcomes(all).every((outcome) => outcome === 'cancelled')).toBe(true);
    expect(all.records.filter(({ kind }) => kind === 'finished')).toHaveLength(20);
    expect(all.clock.now()).toBeLessThan(30_300);
  });

  it('between two triggers keeps the second back', async () => {
    const all = stage({ targets: pipelines(3), script: { callMs: 1_000 } });
    // exchange, list, first trigger, and half of the second
    all.clock.after(3_500, () => all.interrupt());
    await all.play();
    expect(all.of('trigger')).toHaveLength(2);
    expect(all.runs.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', undefined]);
  });
});

describe('what keeps a whole step from triggering anything', () => {
  it.each([FAILED.keyRefused, FAILED.rejected, FAILED.notRetryable])(
    'is an exchange that fails: %j',
    async (failure) => {
      const all = stage({ targets: pipelines(2), script: { connect: () => failure } });
      expect(await all.play()).toEqual([failure.problem]);
      expect(all.calls).toHaveLength(1);
      expect(outcomes(all)).toEqual(['not_triggered', 'not_triggered']);
    },
  );

  it('is not an exchange that fails for a while', async () => {
    const all = stage({ script: { ...ending(), connect: (nth) => (nth < 4 ? FAILED.perhaps : undefined) } });
    expect(await all.play()).toEqual([]);
    expect(outcomes(all)).toEqual(['succeeded']);
  });
});
