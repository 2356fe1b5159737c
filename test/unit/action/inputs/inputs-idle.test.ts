import { describe, expect, it } from 'vitest';
import { type Inputs, settings } from '../../../support/action.ts';
import { JOB } from '../../../support/service.ts';

const SEVERAL = { pipeline: 'orders\ncustomers' };

/** The inputs that are said to have no effect, with the reason. */
const idle = (inputs: Inputs): readonly string[] =>
  settings(inputs).idle.map((sentence) => sentence.replace(/^Input (.*)\.$/, '$1'));

describe('inputs that have no effect', () => {
  it.each<[string, Inputs, readonly string[]]>([
    [
      'without waiting',
      { ...SEVERAL, wait: 'false', 'max-parallel': '2', 'succeed-on': 'completed', 'max-outage': '1h' },
      ['max-parallel', 'succeed-on', 'max-outage'].map((name) => `${name} has no effect with wait: false`),
    ],
    [
      'in a dry run',
      { ...SEVERAL, 'dry-run': 'true', 'on-cancel': 'leave', 'max-parallel': '2', 'fail-fast': 'true' },
      ['on-cancel', 'max-parallel', 'fail-fast'].map((name) => `${name} has no effect with dry-run: true`),
    ],
    [
      'on a run that exists',
      { pipeline: '', 'job-id': JOB, 'on-lost-response': 'retry' },
      ['on-lost-response has no effect with job-id alone'],
    ],
  ])('%s are named', (_how, inputs, sentences) => {
    expect(idle(inputs)).toEqual(sentences);
  });

  it('are named once, however many reasons there are', () => {
    expect(idle({ wait: 'false', 'dry-run': 'true', 'on-timeout': 'leave', 'max-parallel': '2' })).toEqual([
      'wait has no effect with dry-run: true',
      'on-timeout has no effect with dry-run: true',
      'max-parallel has no effect with dry-run: true',
    ]);
  });

  it('are not those by which an earlier run is read and judged', () => {
    const resumed = { 'job-id': JOB, 'succeed-on': 'completed', 'max-outage': '1h', 'poll-interval': '1m' };
    expect(idle({ ...resumed, wait: 'false' })).toEqual([]);
    expect(idle({ 'max-outage': '1h', 'poll-interval': '1m', 'job-id': JOB, 'dry-run': 'true' })).toEqual([]);
  });
});
