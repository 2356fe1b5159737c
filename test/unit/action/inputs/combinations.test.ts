// Combined inputs: the policies for existing runs, the number of attempts, and inputs without effect.
import { describe, expect, it } from 'vitest';
import { type Inputs, mistakes, settings } from '../../../support/action.ts';
import { JOB } from '../../../support/service.ts';

const SEVERAL: Inputs = { pipeline: 'orders\ncustomers' };
const EXISTING: Inputs = { pipeline: '', 'job-id': JOB };

describe('a step', () => {
  it('accepts a retry-on that has no effect with the default max-attempts', () => {
    expect(mistakes({ 'retry-on': 'cancelled, skipped' })).toEqual([]);
  });

  it.each<[string, Inputs, 'cancel' | 'leave']>([
    ['leaves existing runs running by default', EXISTING, 'leave'],
    ['cancels existing runs if asked to', { ...EXISTING, 'on-timeout': 'cancel', 'on-cancel': 'cancel' }, 'cancel'],
    ['cancels a resumed run by default', { 'job-id': JOB }, 'cancel'],
  ])('%s when the step stops', (_, inputs, policy) => {
    expect(settings(inputs).plan).toMatchObject({ onTimeout: policy, onCancel: policy });
  });

  it.each<[string, Inputs, number]>([
    ['several attempts', {}, 3],
    ['one attempt if it does not wait', { wait: 'false' }, 1],
    ['one attempt in a dry run', { 'dry-run': 'true' }, 1],
    ['one attempt for existing runs', EXISTING, 1],
  ])('makes at most %s', (_, inputs, attempts) => {
    expect(settings({ ...inputs, 'max-attempts': '3' }).plan.maxAttempts).toBe(attempts);
  });
});

describe('the list of inputs without effect', () => {
  const waiting: Inputs = { timeout: '1h', 'queue-timeout': '5m', 'on-timeout': 'leave' };
  const reading: Inputs = { 'succeed-on': 'completed', 'poll-interval': '1m', 'max-outage': '1h' };
  const several: Inputs = { 'max-parallel': '2', 'fail-fast': 'true' };
  const attempts: Inputs = { 'retry-on': 'failed', 'retry-delay': '2m' };
  const lost: Inputs = { 'on-lost-response': 'retry' };

  it.each<[string, Inputs, Inputs]>([
    ['dry-run: true', { ...SEVERAL, 'dry-run': 'true' }, { ...several, ...waiting, ...reading, ...attempts, ...lost }],
    ['dry-run: true', { 'dry-run': 'true' }, { wait: 'false', 'on-cancel': 'leave' }],
    ['wait: false', { ...SEVERAL, wait: 'false' }, { ...waiting, ...reading, ...attempts, 'max-parallel': '2' }],
    ['one run', {}, several],
    ['job-id alone', EXISTING, { ...lost, ...attempts, 'max-attempts': '2' }],
    ['max-attempts: 1', {}, attempts],
    ['neither timeout nor queue-timeout', {}, { 'on-timeout': 'leave' }],
  ])('names each of these inputs with the reason "%s"', (reason, inputs, idle) => {
    const expected = Object.keys(idle).map((name) => `Input ${name} has no effect with ${reason}.`);
    expect([...settings({ ...inputs, ...idle }).idle].sort()).toEqual(expected.sort());
  });

  it.each<[string, Inputs]>([
    ['inputs that are blank or have their default', { wait: 'false', timeout: ' ', 'max-outage': '15m' }],
    ['a policy with a timeout', { timeout: '1h', 'on-timeout': 'leave' }],
    ['how an existing run is read without waiting', { ...reading, 'job-id': JOB, wait: 'false' }],
    ['how an existing run is read in a dry run', { 'poll-interval': '1m', 'job-id': JOB, 'dry-run': 'true' }],
  ])('does not include %s', (_, inputs) => {
    expect(settings(inputs).idle).toEqual([]);
  });
});
