import { describe, expect, it } from 'vitest';
import { outcomeOf, statusOf } from '../../../src/run/state/outcome.ts';
import type { ServiceScript as Script } from '../../support/fake-service.ts';
import { JOB } from '../../support/service.ts';
import { FAILED, type Stage, type StageOptions, stage } from './stage.ts';

const ALONE = [{ kind: 'job', jobId: JOB }] as const;
const RESUMED = [{ kind: 'resume', pipeline: 'pipeline-1', jobId: JOB }] as const;
const RUNNING = { existing: { [JOB]: [[0, 'running']] } } as const satisfies Script;

/** The exchange of the key answers nothing but 503, as often as is asked. */
const noExchange = { connect: () => FAILED.perhaps } satisfies Script;

function staged(script: Script, options: StageOptions = {}): Stage {
  return stage({ targets: ALONE, ...options, script: { ...RUNNING, ...script } });
}

const seen = ({ run, parts }: Stage): readonly string[] => [outcomeOf(run, parts.plan), statusOf(run)];

describe.each([
  ['to be awaited', ALONE],
  ['to be resumed', RESUMED],
])('a run that exists and is %s', (_how, targets) => {
  it('is written down before anything is asked of the service', async () => {
    const asked: number[] = [];
    const all = stage({ targets, script: RUNNING, onRecord: () => asked.push(all.calls.length) });
    all.clock.after(1_000, () => all.interrupt());
    await all.play();
    expect(all.records[0]).toEqual({ kind: 'claimed', run: 1, jobId: JOB });
    expect(asked[0]).toBe(0);
  });

  it('is cancelled when the step is interrupted while the key is exchanged', async () => {
    const connect = (nth: number) => (nth === 1 ? ('stalls' as const) : undefined);
    const all = staged({ connect }, { targets });
    all.clock.after(3_000, () => all.interrupt());
    await all.play();
    expect(all.statusOf(JOB)).toBe('cancelled');
    expect(seen(all)).toEqual(['cancelled', 'cancelled']);
    expect(all.records.at(-1)).toEqual({ kind: 'finished', run: 1, status: 'cancelled' });
  });

  it('is cancelled when the step is interrupted in a pause before the next try', async () => {
    const all = staged({ connect: (nth) => (nth < 3 ? FAILED.perhaps : undefined) }, { targets });
    all.clock.after(100, () => all.interrupt());
    await all.play();
    expect(all.statusOf(JOB)).toBe('cancelled');
  });

  it('is left when that was asked for, and nobody is told that there is no run', async () => {
    const all = staged({ connect: () => 'stalls' }, { targets, plan: { onCancel: 'leave' } });
    all.clock.after(3_000, () => all.interrupt());
    await all.play();
    expect(all.of('cancel')).toEqual([]);
    expect(all.run).toMatchObject({ phase: { at: 'left' }, jobId: JOB });
  });

  it('is out of reach, and not taken for no run, when the key cannot be exchanged', async () => {
    const all = staged(noExchange, { targets });
    expect(await all.play()).toHaveLength(1);
    expect(seen(all)).toEqual(['lost', 'unknown']);
    expect(all.run.jobId).toBe(JOB);
    expect(all.records.map(({ kind }) => kind)).toEqual(['claimed', 'lost']);
  });

  it('is not touched by a dry run', async () => {
    const all = staged({ connect: () => 'stalls' }, { targets, plan: { dryRun: true } });
    all.clock.after(3_000, () => all.interrupt());
    await all.play();
    expect(all.records).toEqual([]);
    expect(all.statusOf(JOB)).toBe('running');
  });
});

describe('a run to be resumed', () => {
  it('that has ended is let go before a new one is triggered', async () => {
    const all = stage({ targets: RESUMED, script: { existing: { [JOB]: [[0, 'failed']] } } });
    all.clock.after(10_000, () => all.interrupt());
    await all.play();
    expect(all.records.map(({ kind }) => kind)).toEqual(['claimed', 'not_resumed', 'intent', 'queued', 'finished']);
    expect(all.of('cancel', JOB)).toEqual([]);
  });

  it('goes on when the pipeline beside it has no such name, and that is said', async () => {
    const targets = [{ kind: 'resume', pipeline: 'no-such-thing', jobId: JOB }] as const;
    const all = stage({ targets, script: RUNNING });
    expect(await all.play()).toHaveLength(1);
    expect(all.run).toMatchObject({ phase: { at: 'lost' }, jobId: JOB });
    expect(all.statusOf(JOB)).toBe('running');
  });

  it('is cancelled, and not lost, when a refusal comes in the instant of a signal', async () => {
    const all = stage({
      targets: RESUMED,
      script: RUNNING,
      around: (service) => ({
        ...service,
        async read() {
          all.interrupt();
          return FAILED.rejected;
        },
      }),
    });
    await all.play();
    expect(all.statusOf(JOB)).toBe('cancelled');
    expect(seen(all)).toEqual(['cancelled', 'cancelled']);
  });

  it('is taken all the same when its row comes in the instant of a signal, and then cancelled', async () => {
    const all = stage({
      targets: RESUMED,
      script: RUNNING,
      around: (service) => ({
        ...service,
        async read(jobId, options) {
          const outcome = await service.read(jobId, options);
          all.interrupt();
          return outcome;
        },
      }),
    });
    await all.play();
    expect(all.told('awaited')).toHaveLength(1);
    expect(all.statusOf(JOB)).toBe('cancelled');
  });
});
