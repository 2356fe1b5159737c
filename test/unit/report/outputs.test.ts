import { describe, expect, it } from 'vitest';
import { earlyOutputsOf, outputsOf } from '../../../src/report/outputs.ts';
import type { RunState } from '../../../src/run/state.ts';
import { aRun, finished, JOB, NO_RUN, PIPELINE, PLAN, PROBLEM, stopBy } from './scene.ts';

const RETRIES = { ...PLAN, maxAttempts: 2 };

describe('the outputs', () => {
  it('of one run describe its last attempt', () => {
    const earlier = [aRun({ ...finished('failed'), startedAt: 1_000 })];
    const run = aRun({ ...finished('failed', 123_999), message: 'disk\nfull', attempt: 2, earlier });
    expect(outputsOf([run], RETRIES, 0)).toEqual({
      'job-id': JOB,
      'job-status': 'failed',
      outcome: 'failed',
      message: `Run ${JOB} of Orders (attempt 2 of 2) failed after 2m 3s: disk full.`,
      'status-message': 'disk full',
      'pipeline-id': PIPELINE,
      'pipeline-name': 'Orders',
      'run-url': '',
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
    const ofOneRun = { 'status-message': '', 'pipeline-id': '', 'pipeline-name': '', 'run-url': '' };
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

describe('the link to the run', () => {
  const LINKED = { ...PLAN, runUrl: 'https://app.example.test/{pipeline-id}/{job-id}?tab={job-id}#{pipeline-id}' };
  const link = `https://app.example.test/${PIPELINE}/${JOB}?tab=${JOB}#${PIPELINE}`;

  it('is an output, and ends the message', () => {
    const { message, 'run-url': url } = outputsOf([aRun(finished('completed'))], LINKED);
    expect([url, message]).toEqual([link, `Run ${JOB} of Orders completed after 1m 30s. ${link}`]);
  });

  it('is an output as soon as the id is known', () => {
    expect(earlyOutputsOf([aRun({ status: 'queued' })], LINKED)['run-url']).toBe(link);
  });

  it.each<[string, readonly RunState[]]>([
    ['of several runs', [aRun(), aRun()]],
    ['of a run without an id', [aRun(NO_RUN)]],
    ['of a run whose pipeline is unknown, if the template needs it', [aRun({ pipeline: undefined })]],
  ])('is empty for the outputs %s', (_, runs) => {
    const { message, 'run-url': url } = outputsOf(runs, LINKED, 0);
    expect(url).toBe('');
    expect(message).not.toContain('https:');
  });

  it('leads to the run in job-id, but does not follow a message about a later attempt', () => {
    const earlier = [aRun(finished('failed'))];
    const run = aRun({ ...NO_RUN, phase: { at: 'unknown' }, attempt: 2, earlier });
    const outputs = outputsOf([run], { ...LINKED, maxAttempts: 2 });
    expect(outputs).toMatchObject({ 'job-id': JOB, 'run-url': link });
    expect(outputs.message).not.toContain(link);
  });

  it.each([
    ['ends a message that then has 1,000 characters', 1_000, true],
    ['does not end a message that would then have 1,001 characters', 1_001, false],
  ])('%s', (_, length, isShown) => {
    const run = aRun(finished('completed'));
    const padding = 'p'.repeat(length - outputsOf([run], LINKED).message.length);
    const { message, 'run-url': url } = outputsOf([run], { ...LINKED, runUrl: `${LINKED.runUrl}${padding}` });
    expect(message).toBe(`Run ${JOB} of Orders completed after 1m 30s.${isShown ? ` ${url}` : ''}`);
  });
});
