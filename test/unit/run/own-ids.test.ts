import { describe, expect, it } from 'vitest';
import { isSuccess, outcomeOf } from '../../../src/run/state/outcome.ts';
import { jobNumber } from '../../support/fake-service.ts';
import { JOB } from '../../support/service.ts';
import { pipelines, type Stage, type StageOptions, stage } from './stage.ts';

const FIRST = jobNumber(1);
const outcomes = (all: Stage): readonly string[] => all.runs.map((run) => outcomeOf(run, all.parts.plan));

/** The second trigger is answered with the id that the first one got. */
function repeating(options: StageOptions = {}): Stage {
  return stage({
    targets: pipelines(2),
    ...options,
    script: {
      trigger: (nth) => (nth === 2 ? { kind: 'queued', jobId: FIRST } : undefined),
      life: () => [[40_000, 'completed']],
      ...options.script,
    },
  });
}

describe('a trigger that is answered with the id of another run of the step', () => {
  it('is not taken for confirmed: one end never speaks for two runs', async () => {
    const all = repeating();
    await all.play();
    expect(outcomes(all)).toEqual(['succeeded', 'unknown']);
    expect(isSuccess(all.runs, all.parts.plan, false)).toBe(false);
    expect(all.runs[1]).toMatchObject({
      jobId: undefined,
      phase: {
        problem: {
          attempted: 'trigger the run',
          cause: `the service answered with the id of another run, ${FIRST}, which this step knows already`,
        },
      },
    });
    expect(all.records).toContainEqual({ kind: 'unknown', run: 2 });
  });

  it('is not taken for confirmed when nobody waits', async () => {
    const all = repeating({ plan: { wait: false } });
    await all.play();
    expect(outcomes(all)).toEqual(['triggered', 'unknown']);
  });

  it('is a run that may be going on when the step is cancelled', async () => {
    const all = repeating();
    all.clock.after(10_000, () => all.interrupt());
    await all.play();
    expect(outcomes(all)).toEqual(['cancelled', 'unknown']);
  });
});

describe('a trigger that is answered with the id of the earlier run', () => {
  it('is not taken for confirmed', async () => {
    const targets = [{ kind: 'resume', pipeline: 'pipeline-1', jobId: JOB }] as const;
    const all = stage({
      targets,
      script: { existing: { [JOB]: [[0, 'failed']] }, trigger: () => ({ kind: 'queued', jobId: JOB }) },
    });
    await all.play();
    expect(all.of('trigger')).toHaveLength(1);
    expect(outcomes(all)).toEqual(['unknown']);
  });
});
