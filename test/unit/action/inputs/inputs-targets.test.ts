import { describe, expect, it } from 'vitest';
import { mistakes, settings } from '../../../support/action.ts';
import { JOB, uuid } from '../../../support/service.ts';

const OTHER = uuid('22222222-2222-4333-8444-555555555555');

describe('the inputs pipeline and job-id', () => {
  it('ask for a run of each pipeline, in their order', () => {
    expect(settings({ pipeline: 'orders\r\n\r\n  Customers, all \n' }).plan.targets).toEqual([
      { kind: 'pipeline', pipeline: 'orders' },
      { kind: 'pipeline', pipeline: 'Customers, all' },
    ]);
  });

  it('ask to await runs that exist', () => {
    const jobIds = `${JOB.toUpperCase()}\n${OTHER}`;
    expect(settings({ pipeline: '', 'job-id': jobIds }).plan.targets).toEqual([
      { kind: 'job', jobId: JOB },
      { kind: 'job', jobId: OTHER },
    ]);
  });

  it('take as many as a post step can be told of, and no more', () => {
    const lines = (count: number): string => Array.from({ length: count }, (_, index) => `p${index}`).join('\n');
    expect(settings({ pipeline: lines(1_000) }).plan.targets).toHaveLength(1_000);
    expect(mistakes({ pipeline: lines(1_001) })).toEqual([
      'Input pipeline has 1001 lines. Write at most 1000, and use another step for the rest.',
    ]);
  });

  it('ask to resume one run of one pipeline', () => {
    expect(settings({ pipeline: 'orders', 'job-id': JOB }).plan.targets).toEqual([
      { kind: 'resume', pipeline: 'orders', jobId: JOB },
    ]);
  });

  it.each([
    [{ pipeline: 'orders\ncustomers\norders' }, 'Input pipeline names "orders" more than once. Remove the duplicate.'],
    [
      { pipeline: '', 'job-id': `${JOB}\n${JOB.toUpperCase()}` },
      `Input job-id names "${JOB}" more than once. Remove the duplicate.`,
    ],
    [
      { pipeline: '', 'job-id': `${JOB}, ${OTHER}` },
      `Input job-id contains "${JOB}, ${OTHER}". Write run ids, one per line, as in the output job-id.`,
    ],
    [
      { 'job-id': 'latest\n42' },
      'Input job-id contains "latest" and "42". Write run ids, one per line, as in the output job-id.',
    ],
    [
      { pipeline: 'orders\ncustomers', 'job-id': JOB },
      'Input job-id names 1 run together with 2 pipelines. To resume, name one run and one pipeline. To await runs, leave out pipeline.',
    ],
    [
      { pipeline: 'orders', 'job-id': `${JOB}\n${OTHER}` },
      'Input job-id names 2 runs together with 1 pipeline. To resume, name one run and one pipeline. To await runs, leave out pipeline.',
    ],
  ])('are refused: %j', (inputs, sentence) => {
    expect(mistakes(inputs)).toEqual([sentence]);
  });
});

describe('job-id alone', () => {
  const alone = { pipeline: '', 'job-id': JOB };

  it('leaves runs alone that somebody else triggered, unless told otherwise', () => {
    expect(settings(alone).plan).toMatchObject({ onTimeout: 'leave', onCancel: 'leave' });
    expect(settings({ ...alone, 'on-timeout': 'cancel', 'on-cancel': 'cancel' }).plan).toMatchObject({
      onTimeout: 'cancel',
      onCancel: 'cancel',
    });
    expect(settings({ 'job-id': JOB }).plan).toMatchObject({ onTimeout: 'cancel', onCancel: 'cancel' });
  });

  it('refuses options that only a trigger can have', () => {
    const inputs = { ...alone, 'full-resync': 'true', 'reset-target': 'true', wait: 'false' };
    const why = 'but job-id alone awaits an existing run and cannot change it';
    expect(mistakes(inputs)).toEqual([
      `Input full-resync is true, ${why}. Leave it out, or set pipeline as well.`,
      `Input reset-target is true, ${why}. Leave it out, or set pipeline as well.`,
      'Input wait is false, but with job-id alone the step only waits. Leave it out.',
    ]);
  });
});

describe('the input max-parallel', () => {
  it.each([
    ['', Infinity],
    ['1', 1],
    ['007', 7],
    ['999999', 999_999],
  ])('%j means %d at once', (text, count) => {
    expect(settings({ 'max-parallel': text }).plan.maxParallel).toBe(count);
  });

  it.each(['0', '-1', '1.5', 'all', '1e3', '9999999', '٣'])('is refused when it is %s', (text) => {
    expect(mistakes({ 'max-parallel': text })).toEqual([
      `Input max-parallel is "${text}". Write a whole number from 1, or leave it out for all at once.`,
    ]);
  });
});
