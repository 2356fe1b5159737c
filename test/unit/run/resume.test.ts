import { describe, expect, it } from 'vitest';
import type { ReadOutcome } from '../../../src/service/api.ts';
import { jobNumber, type Life, type Scripted } from '../../support/fake-service.ts';
import { JOB } from '../../support/service.ts';
import { FAILED, type Stage, type StageOptions, stage } from './stage.ts';

interface ResumeOptions extends StageOptions {
  /** The life of the earlier run. */
  readonly earlier?: Life;
  readonly reads?: readonly Scripted<ReadOutcome>[];
}

/** A step that resumes JOB, or else triggers `pipeline-1`, whose run completes after 40 s. */
function resuming({ earlier = [[0, 'running']], reads = [], ...options }: ResumeOptions = {}): Stage {
  const script = {
    existing: { [JOB]: earlier },
    read: (nth: number, jobId: string) => (jobId === JOB ? reads[nth - 1] : undefined),
    life: (): Life => [[40_000, 'completed']],
  };
  const targets = [{ kind: 'resume', pipeline: 'pipeline-1', jobId: JOB }] as const;
  return stage({ ...options, targets, script: { ...script, ...options.script } });
}

describe('an earlier run that is in progress', () => {
  it('is taken and awaited, and nothing is triggered', async () => {
    const all = resuming({
      earlier: [
        [0, 'running'],
        [70_000, 'completed'],
      ],
    });
    await all.play();
    expect(all.of('trigger')).toEqual([]);
    // It was just read: the next read keeps the interval.
    expect(all.of('read').map(({ at }) => at)).toEqual([0, 30_000, 60_000, 90_000]);
    expect(all.run).toMatchObject({ jobId: JOB, attached: true, phase: { at: 'finished' }, startedAt: 0 });
    expect(all.records).toEqual([
      { kind: 'claimed', run: 1, jobId: JOB },
      { kind: 'finished', run: 1, status: 'completed' },
    ]);
  });

  it('in a status that nobody knows is taken as well', async () => {
    const all = resuming({
      earlier: [
        [0, 'paused'],
        [20_000, 'skipped'],
      ],
    });
    await all.play();
    expect(all.of('trigger')).toEqual([]);
    expect(all.run.phase).toEqual({ at: 'finished', status: 'skipped' });
  });

  it('is cancelled like a run of this step', async () => {
    const all = resuming();
    all.clock.after(45_000, () => all.interrupt());
    await all.play();
    expect(all.statusOf(JOB)).toBe('cancelled');
    expect(all.run).toMatchObject({ phase: { at: 'finished', status: 'cancelled' } });
  });

  it('is not awaited with wait: false', async () => {
    const all = resuming({ plan: { wait: false } });
    await all.play();
    expect(all.run.phase).toEqual({ at: 'detached' });
    expect(all.records.map(({ kind }) => kind)).toEqual(['claimed', 'detached']);
  });
});

describe('an earlier run that has ended', () => {
  it.each(['completed', 'completed_with_warning', 'skipped'])('as %s is all that was wanted', async (status) => {
    const all = resuming({ earlier: [[0, status]] });
    await all.play();
    expect(all.of('trigger')).toEqual([]);
    expect(all.of('read')).toHaveLength(1);
    expect(all.run).toMatchObject({ phase: { at: 'finished', status }, jobId: JOB });
    expect(all.clock.now()).toBe(0);
  });

  it.each(['failed', 'cancelled', 'timed_out'])('as %s is followed by a new one', async (status) => {
    const all = resuming({ earlier: [[0, status]] });
    await all.play();
    expect(all.told('not_resumed')).toMatchObject([{ job: { id: JOB, status } }]);
    expect(all.run).toMatchObject({ jobId: jobNumber(1), attached: false, phase: { status: 'completed' } });
    // The new run is read soon, as any other, whenever the old one was.
    expect(all.of('read', jobNumber(1)).map(({ at }) => at)).toEqual([2_000, 32_000, 62_000]);
  });

  it('otherwise than succeed-on says is followed by a new one', async () => {
    const all = resuming({ earlier: [[0, 'skipped']], plan: { succeedOn: new Set(['completed']) } });
    await all.play();
    expect(all.of('trigger')).toHaveLength(1);
  });
});

describe('an earlier run that cannot be read', () => {
  it.each([
    ['missing', { kind: 'missing' }],
    ['refused', FAILED.rejected],
    ['with a key that is refused', FAILED.keyRefused],
    ['through a certificate that is not trusted', FAILED.notRetryable],
  ] as const)('(%s) keeps anything from being triggered, at once', async (_, outcome) => {
    const all = resuming({ reads: [outcome] });
    await all.play();
    expect(all.calls.map(({ call }) => call)).toEqual(['connect', 'list', 'read']);
    expect(all.run).toMatchObject({ phase: { at: 'lost' }, jobId: JOB });
    expect(all.run.phase).toMatchObject({
      problem: {
        attempted: `read the earlier run ${JOB}`,
        remedy: expect.stringContaining('may be in progress') as string,
      },
    });
    expect(all.records).toEqual([
      { kind: 'claimed', run: 1, jobId: JOB },
      { kind: 'lost', run: 1 },
    ]);
  });

  it.each([FAILED.perhaps, FAILED.notProcessed, FAILED.unauthorized])(
    'is tried again at the interval while an outage may last: %j',
    async (failure) => {
      const reads = Array.from({ length: 9 }, () => failure);
      const all = resuming({ reads, plan: { maxOutageMs: 100_000 } });
      await all.play();
      expect(all.of('read').map(({ at }) => at)).toEqual([0, 30_000, 60_000, 90_000]);
      expect(all.of('trigger')).toEqual([]);
      expect(all.run.phase).toMatchObject({ at: 'lost', problem: { cause: failure.problem.cause } });
    },
  );

  it('for a while is taken when it can be', async () => {
    const all = resuming({
      earlier: [
        [0, 'running'],
        [140_000, 'completed'],
      ],
      reads: [FAILED.perhaps, FAILED.busy],
    });
    await all.play();
    expect(all.of('read').map(({ at }) => at)).toEqual([0, 30_000, 75_000, 105_000, 135_000, 165_000]);
    expect(all.of('trigger')).toEqual([]);
    expect(all.run.phase.at).toBe('finished');
  });

  it.each([
    ['while it is read', ['stalls'], 5_000],
    ['in the pause after it', [FAILED.perhaps], 5_000],
  ] as const)('%s, when the step is interrupted, is cancelled like one that was taken', async (_, reads, at) => {
    const all = resuming({ reads });
    all.clock.after(at, () => all.interrupt());
    await all.play();
    expect(all.clock.now()).toBe(at);
    expect(all.of('trigger')).toEqual([]);
    expect(all.statusOf(JOB)).toBe('cancelled');
    expect(all.run).toMatchObject({
      phase: { at: 'finished', status: 'cancelled' },
      stop: { reason: { kind: 'signal' } },
    });
  });
});
