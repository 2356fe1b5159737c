import { describe, expect, it } from 'vitest';
import { jobNumber, type Life } from '../../../support/fake-service.ts';
import { FAILED } from '../stage.ts';
import { type PlayOptions, play } from './play.ts';

const [A, B, C] = [jobNumber(901), jobNumber(902), jobNumber(903)];
const ALONE = { pipeline: '', 'job-id': [A, B, C].join('\n') };

function existing(a: Life, b: Life = [[0, 'completed']], c: Life = [[0, 'completed']]): PlayOptions {
  return { script: { existing: { [A]: a, [B]: b, [C]: c } } };
}

describe('job-id alone', () => {
  it('reads all runs at once; those that are over are done at once', async () => {
    const { exitCode, calls, outputs, results, endedAtMs } = await play(ALONE, existing([[0, 'completed']]));
    expect(exitCode).toBe(0);
    expect(endedAtMs).toBe(0);
    expect(calls.map(({ call }) => call)).toEqual(['connect', 'read', 'read', 'read']);
    expect(outputs).toMatchObject({ 'job-id': [A, B, C].join('\n'), outcome: 'succeeded', 'job-status': 'completed' });
    expect(results.map((entry) => [entry['pipeline'], entry['job-id']])).toEqual([
      ['', A],
      ['', B],
      ['', C],
    ]);
  });

  it('awaits those that go on', async () => {
    const life: Life = [
      [0, 'running'],
      [50_000, 'failed'],
    ];
    const { exitCode, outputs } = await play(ALONE, existing(life));
    expect(exitCode).toBe(1);
    expect(outputs).toMatchObject({ outcome: 'failed', 'job-status': 'failed' });
    expect(outputs['message']).toContain('2 of 3 runs succeeded');
  });

  it('fails for one that is not found on its first read, and awaits the others', async () => {
    const { exitCode, calls, results } = await play(ALONE, {
      script: { existing: { [A]: [[0, 'completed']], [B]: [[0, 'completed']] } },
    });
    expect(exitCode).toBe(1);
    expect(calls.filter(({ jobId }) => jobId === C)).toHaveLength(1);
    expect(results.map((entry) => entry['outcome'])).toEqual(['succeeded', 'succeeded', 'lost']);
    expect(results[2]?.['error']).toContain(C);
  });

  it('leaves the runs alone when the step is cancelled, unless told otherwise', async () => {
    const running: Life = [[0, 'running']];
    const left = await play(ALONE, { ...existing(running, running), interruptAtMs: 40_000 });
    expect(left.calls.map(({ call }) => call)).not.toContain('cancel');
    expect(left.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'running' });
    expect(left.records.map(({ fact }) => fact.kind)).toEqual(['claimed', 'claimed', 'claimed', 'finished']);
    const cancelled = await play(
      { ...ALONE, 'on-cancel': 'cancel' },
      { ...existing(running, running), interruptAtMs: 40_000 },
    );
    expect(cancelled.statusOf(A)).toBe('cancelled');
    expect(cancelled.statusOf(B)).toBe('cancelled');
    expect(cancelled.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled' });
  });

  it('leaves the runs alone at the end of timeout, unless told otherwise', async () => {
    const left = await play({ ...ALONE, timeout: '45s' }, existing([[0, 'running']]));
    expect(left.outputs).toMatchObject({ outcome: 'wait_timed_out', 'job-status': 'running' });
    expect(left.statusOf(A)).toBe('running');
    const cancelled = await play({ ...ALONE, timeout: '45s', 'on-timeout': 'cancel' }, existing([[0, 'running']]));
    expect(cancelled.statusOf(A)).toBe('cancelled');
  });

  it('says which inputs have no effect on runs that exist', async () => {
    const inputs = { ...ALONE, 'max-parallel': '1', 'fail-fast': 'true' };
    const { lines } = await play(inputs, existing([[0, 'completed']]));
    expect(lines.filter((line) => line.includes('no effect'))).toEqual([
      'Input max-parallel has no effect with job-id alone.',
    ]);
  });

  it.each([
    { 'full-resync': 'true' },
    { 'reset-target': 'true', 'full-resync': 'true' },
    { wait: 'false' },
    { 'job-id': `${A}\n${A}` },
    { 'job-id': 'latest' },
  ])('refuses what would mislead, and asks nothing: %j', async (inputs) => {
    const { exitCode, calls, annotations, outputs } = await play({ ...ALONE, ...inputs });
    expect([exitCode, calls]).toEqual([1, []]);
    expect(annotations[0]).toMatchObject({ level: 'error' });
    expect(outputs).toMatchObject({ outcome: 'not_triggered', results: '[]' });
  });
});

describe('job-id with one pipeline', () => {
  const RESUME = { pipeline: 'pipeline-1', 'job-id': A };

  it('takes a run in progress, and says so', async () => {
    const life: Life = [
      [0, 'running'],
      [50_000, 'completed'],
    ];
    const { exitCode, triggered, outputs, log } = await play(RESUME, existing(life));
    expect([exitCode, triggered()]).toEqual([0, []]);
    expect(outputs).toMatchObject({ 'job-id': A, outcome: 'succeeded', 'pipeline-name': 'Pipeline 1' });
    expect(log).toContain(`resumes run ${A} instead of triggering a new one`);
  });

  it('takes a run that ended as a success', async () => {
    const { exitCode, triggered, outputs } = await play(RESUME, existing([[0, 'completed_with_warning']]));
    expect([exitCode, triggered()]).toEqual([0, []]);
    expect(outputs).toMatchObject({ 'job-id': A, 'job-status': 'completed_with_warning' });
  });

  it('triggers a new one after a failure, and its id is the output', async () => {
    const { exitCode, outputs, log } = await play(RESUME, {
      script: { existing: { [A]: [[0, 'failed']] }, life: () => [[0, 'completed']] },
    });
    expect(exitCode).toBe(0);
    expect(outputs['job-id']).toBe(jobNumber(1));
    expect(log).toContain(`run ${A} failed, so`);
  });

  it('triggers nothing when the old run cannot be read', async () => {
    const { exitCode, triggered, outputs } = await play(RESUME, { script: { read: () => FAILED.rejected } });
    expect([exitCode, triggered()]).toEqual([1, []]);
    expect(outputs).toMatchObject({ outcome: 'lost', 'job-status': 'unknown', 'job-id': A });
    expect(outputs['message']).toContain(`Could not read the earlier run ${A}`);
  });

  it('cancels the run that it took when the step is cancelled', async () => {
    const { statusOf } = await play(RESUME, { ...existing([[0, 'running']]), interruptAtMs: 40_000 });
    expect(statusOf(A)).toBe('cancelled');
  });
});
