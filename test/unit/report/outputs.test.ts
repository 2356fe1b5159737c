import { describe, expect, it } from 'vitest';
import { earlyOutputsOf, OutputWriter, outputsOf, resultsOf } from '../../../src/report/outputs.ts';
import type { RunState } from '../../../src/run/state.ts';
import { fakeWorld } from '../../support/world.ts';
import { aRun, EXISTING, finished, JOB, manyRuns, NO_RUN, PIPELINE, PLAN, PROBLEM, stopBy } from './scene.ts';

const RETRIES = { ...PLAN, maxAttempts: 2 };

describe('the outputs', () => {
  it('of one run describe its last attempt', () => {
    const earlier = [aRun({ ...finished('failed'), startedAt: 1_000 })];
    const run = aRun({ ...finished('failed', 123_999), message: 'disk\nfull', attempt: 2, earlier });
    expect(outputsOf([run], RETRIES, 0)).toEqual({
      'job-id': JOB,
      'job-status': 'failed',
      outcome: 'failed',
      message: `Run ${JOB} of Orders failed after 2m 3s: disk full. This was attempt 2 of 2.`,
      'status-message': 'disk full',
      'pipeline-id': PIPELINE,
      'pipeline-name': 'Orders',
      duration: '122',
    });
  });

  it.each(['unknown', 'triggering'] as const)(
    'of a run whose second attempt is %s do not describe the first attempt, except for its id',
    (at) => {
      const earlier = [aRun({ ...finished('failed'), message: 'disk full' })];
      const run = aRun({ ...NO_RUN, phase: { at, problem: undefined } as RunState['phase'], attempt: 2, earlier });
      expect(outputsOf([run], RETRIES, 0)).toMatchObject({
        'job-id': JOB,
        'job-status': 'unknown',
        'status-message': '',
        duration: '',
      });
    },
  );

  it('of several runs contain all ids, the worst status and outcome, and the time since the first trigger', () => {
    const lost = aRun({ phase: { at: 'lost', problem: PROBLEM }, jobId: PIPELINE, startedAt: 2_000 });
    const outputs = outputsOf([aRun(finished('completed')), lost, aRun(NO_RUN)], PLAN, 61_500);
    const ofOneRun = { 'status-message': '', 'pipeline-id': '', 'pipeline-name': '' };
    const known = { 'job-id': `${JOB}\n${PIPELINE}`, 'job-status': 'running', outcome: 'lost', duration: '61' };
    expect(outputs).toEqual({ ...known, ...ofOneRun, message: expect.stringMatching(/^1 of 3 runs succeeded; /) });
  });

  it.each<[string, readonly Partial<RunState>[], string]>([
    ['unknown before the first trigger', [{ ...NO_RUN, phase: { at: 'waiting' } }], 'unknown'],
    ['unknown while a run is not triggered yet', [{}, { ...NO_RUN, phase: { at: 'waiting' } }], 'unknown'],
    ['not_queued once that is certain', [NO_RUN], 'not_queued'],
    ['that was read last', [{ status: 'queued' }], 'queued'],
    [
      'of the first attempt between two attempts',
      [{ ...NO_RUN, phase: { at: 'waiting' }, earlier: [aRun(finished('failed'))] }],
      'failed',
    ],
  ])('have the early status %s', (_, runs, status) => {
    expect(earlyOutputsOf(runs.map(aRun), PLAN)['job-status']).toBe(status);
  });

  it('of several runs include the statuses that this version does not recognize', () => {
    const left = { phase: { at: 'left' }, ...stopBy('timeout', 'leave') } as const;
    const runs = ['succeeded', 'running', 'succeeded', 'done'].map((status) =>
      aRun({ ...left, status, history: [{ status, at: 0 }] }),
    );
    const messages = [runs.slice(0, 3), runs].map((some) => outputsOf(some, PLAN).message);
    expect(messages).toEqual([
      expect.stringMatching(
        /; this version of the action does not recognize the status "succeeded"; update the action\.$/,
      ),
      expect.stringMatching(/does not recognize the statuses "succeeded" and "done"; update the action\.$/),
    ]);
  });

  it('keep the end of a long message, which often contains the cause', () => {
    const run = aRun({ ...finished('failed'), message: `${'frame '.repeat(400)}DiskFull: no space left` });
    const { message, 'status-message': said } = outputsOf([run], PLAN, 0);
    expect([said.length <= 1_000, message.length <= 1_000]).toEqual([true, true]);
    expect([said, message].map((text) => /^.*frame.*….*DiskFull: no space left\.?$/.test(text))).toEqual([true, true]);
  });
});

describe('the output writer', () => {
  it('writes only what has changed', () => {
    const { world, files } = fakeWorld();
    const writer = new OutputWriter(world);
    writer.write({ 'job-id': JOB, 'job-status': 'queued', message: '' });
    writer.write({ 'job-id': JOB, 'job-status': '' });
    const text = files.read(world.env['GITHUB_OUTPUT'] ?? '') ?? '';
    expect(text.match(/^[a-z-]+(?=<<)/gm)).toEqual(['job-id', 'job-status', 'job-status']);
  });

  it('throws if it cannot write the file, and tries again the next time', () => {
    const fake = fakeWorld();
    const path = fake.world.env['GITHUB_OUTPUT'] ?? '';
    const writer = new OutputWriter(fake.world);
    fake.files.refuse(path);
    expect(() => writer.write({ 'job-id': JOB })).toThrow('ENOSPC');
    fake.files.accept(path);
    writer.write({ 'job-id': JOB });
    expect(fake.outputs).toEqual({ 'job-id': JOB });
  });
});

describe('the output results', () => {
  const entriesOf = (json: string) => JSON.parse(json) as readonly Readonly<Record<string, unknown>>[];
  const long = { message: 'ü'.repeat(2_000) };

  it('has one line per run, with its attempts', () => {
    const again = aRun({ ...finished('completed'), attempt: 2, earlier: [aRun(finished('failed'))] });
    const existing = aRun({ ...EXISTING, ...finished('completed') });
    const failed = aRun({ ...finished('failed'), message: 'x\n]' });
    const json = resultsOf([again, failed, aRun(NO_RUN), existing], RETRIES);
    expect(json.split('\n')).toHaveLength(6);
    const attempt = { 'job-id': JOB, duration: '90' };
    expect(entriesOf(json)).toMatchObject([
      {
        pipeline: 'orders',
        outcome: 'succeeded',
        error: '',
        attempts: [
          { ...attempt, 'job-status': 'failed' },
          { ...attempt, 'job-status': 'completed' },
        ],
      },
      { outcome: 'failed', 'status-message': 'x ]', error: expect.stringContaining(': x ]. ') },
      {
        outcome: 'not_triggered',
        error: 'No run of Orders was triggered. Another entry in the pipeline input is invalid.',
        attempts: [{ 'job-id': '', 'job-status': 'not_queued', duration: '' }],
      },
      { pipeline: '', 'job-id': JOB },
    ]);
    expect(entriesOf(resultsOf([again], PLAN))[0]).not.toHaveProperty('attempts');
  });

  it('has the keys of all outputs, in both full and shortened entries', () => {
    const keys = ['pipeline', ...Object.keys(outputsOf([], PLAN)), 'error'];
    const runs = manyRuns(60, { ...finished('completed'), ...long });
    const entries = entriesOf(resultsOf(runs, PLAN));
    expect([entries[0], entries.at(-1)].map((entry) => [entry?.['message'] === '', Object.keys(entry ?? {})])).toEqual([
      [false, keys],
      [true, keys],
    ]);
  });

  it('shortens the entries of successful runs first', () => {
    const good = manyRuns(60, finished('completed'));
    const bad = manyRuns(3, { ...finished('failed'), ...long });
    const json = resultsOf([...good, ...bad], RETRIES);
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(30_000);
    expect(entriesOf(json)).toHaveLength(63);
    expect(entriesOf(json).at(-1)).toHaveProperty('attempts');
    expect(entriesOf(json).at(-1)?.['error']).toContain('ü');
    expect(entriesOf(json)[59]).toMatchObject({ outcome: 'succeeded', message: '', 'job-id': expect.any(String) });
  });

  it('leaves out the entries of successful runs first', () => {
    const bad = manyRuns(20, { ...finished('failed'), ...long });
    const good = manyRuns(400, { ...finished('completed'), ...long });
    const json = resultsOf([...bad, ...good, ...bad], RETRIES);
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(30_000);
    expect(Buffer.byteLength(json)).toBeGreaterThan(29_000);
    expect(entriesOf(json).filter(({ outcome }) => outcome === 'failed')).toHaveLength(40);
    expect(entriesOf(json)[0]).toMatchObject({ error: 'see the log', message: '', 'job-id': expect.any(String) });
  });
});
