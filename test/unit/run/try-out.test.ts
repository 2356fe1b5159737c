import { describe, expect, it } from 'vitest';
import { isSuccess, outcomeOf } from '../../../src/run/state/outcome.ts';
import { listing, pipelineNumber } from '../../support/fake-service.ts';
import { JOB } from '../../support/service.ts';
import { FAILED, pipelines, type Stage, type StageOptions, stage } from './stage.ts';

function trying(options: StageOptions = {}): Stage {
  return stage({ ...options, plan: { dryRun: true, ...options.plan } });
}

const success = ({ runs, parts }: Stage): boolean =>
  isSuccess(runs, parts.plan, parts.interruption.first !== undefined);

describe('a dry run', () => {
  it('does everything but the trigger, and writes nothing down', async () => {
    const all = trying({ targets: pipelines(3) });
    await all.play();
    expect(all.calls.map(({ call }) => call)).toEqual(['connect', 'list']);
    expect(all.records).toEqual([]);
    expect(all.runs.map((run) => outcomeOf(run, all.parts.plan))).toEqual(['dry_run', 'dry_run', 'dry_run']);
    expect(all.runs.map(({ pipeline }) => pipeline?.id)).toEqual([1, 2, 3].map(pipelineNumber));
    expect(success(all)).toBe(true);
  });

  it('looks a UUID up as well', async () => {
    const all = trying({ targets: [{ kind: 'pipeline', pipeline: pipelineNumber(7) }] });
    await all.play();
    expect(all.of('list')).toHaveLength(1);
    expect(all.run.pipeline).toEqual({ id: pipelineNumber(7), name: 'Pipeline 7' });
  });

  it('fails for a UUID that no pipeline has', async () => {
    const all = trying({ targets: [{ kind: 'pipeline', pipeline: pipelineNumber(999) }] });
    expect(await all.play()).toMatchObject([{ attempted: `find the pipeline ${pipelineNumber(999)}` }]);
    expect(success(all)).toBe(false);
  });

  it('does not fail for a UUID that a list which was cut off may have had', async () => {
    const all = trying({
      targets: [{ kind: 'pipeline', pipeline: pipelineNumber(999) }],
      script: { list: () => ({ ...listing(), mayBeTruncated: true }) },
    });
    expect(await all.play()).toEqual([]);
    expect(success(all)).toBe(true);
  });

  it('reads runs that exist once, and leaves them as they are', async () => {
    const all = trying({ targets: [{ kind: 'job', jobId: JOB }], script: { existing: { [JOB]: [[0, 'running']] } } });
    await all.play();
    expect(all.calls.map(({ call }) => call)).toEqual(['connect', 'read']);
    expect(all.run).toMatchObject({ jobId: JOB, status: 'running', phase: { at: 'dry_run' } });
    expect(all.statusOf(JOB)).toBe('running');
    expect(success(all)).toBe(true);
  });

  it('tells of every run that it has done with it', async () => {
    const all = trying({
      targets: [{ kind: 'job', jobId: JOB }, ...pipelines(2)],
      script: { existing: { [JOB]: [[0, 'running']] } },
    });
    await all.play();
    expect(all.told('run_done').map(({ run }) => run)).toEqual(all.runs);
  });

  it('reads the run that would be resumed', async () => {
    const all = trying({
      targets: [{ kind: 'resume', pipeline: 'pipeline-1', jobId: JOB }],
      script: { existing: { [JOB]: [[0, 'failed']] } },
    });
    await all.play();
    expect(all.run).toMatchObject({ status: 'failed', phase: { at: 'dry_run' } });
    expect(all.of('trigger')).toEqual([]);
  });

  it('fails for a run that cannot be read', async () => {
    const all = trying({ targets: [{ kind: 'job', jobId: JOB }] });
    await all.play();
    expect(all.run.phase).toMatchObject({ at: 'not_queued', problem: { attempted: `read the run ${JOB}` } });
    expect(success(all)).toBe(false);
  });

  it('waits an outage out, as the real run would', async () => {
    const all = trying({
      targets: [{ kind: 'job', jobId: JOB }],
      script: { existing: { [JOB]: [[0, 'running']] }, read: (nth) => (nth < 3 ? FAILED.perhaps : undefined) },
    });
    await all.play();
    expect(all.of('read').map(({ at }) => at)).toEqual([0, 30_000, 60_000]);
    expect(success(all)).toBe(true);
  });

  it('is no success when it is interrupted', async () => {
    const all = trying({
      targets: [
        { kind: 'job', jobId: JOB },
        { kind: 'pipeline', pipeline: 'pipeline-1' },
      ],
      script: { read: () => 'stalls' },
    });
    all.clock.after(5_000, () => all.interrupt());
    await all.play();
    expect(all.clock.now()).toBe(5_000);
    expect(all.runs.map((run) => outcomeOf(run, all.parts.plan))).toEqual(['cancelled', 'cancelled']);
    expect(success(all)).toBe(false);
  });
});
