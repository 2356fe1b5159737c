// The effect of inputs on the plan, the values that each input rejects, and the inputs that have no effect.
import { describe, expect, it } from 'vitest';
import { INPUTS } from '../../../../src/action/inputs/input-table.ts';
import { readSettings } from '../../../../src/action/inputs/settings.ts';
import type { Plan } from '../../../../src/run/plan.ts';
import { errorsFor, type Inputs, mistakes, settings } from '../../../support/action.ts';
import { API_KEY, JOB, OTHER_JOB } from '../../../support/service.ts';

const MINUTE = 60_000;
const FLAGS = ['full-resync', 'reset-target', 'wait', 'summary', 'dry-run', 'fail-fast'];
const DURATIONS = ['timeout', 'queue-timeout', 'max-outage', 'poll-interval', 'retry-delay'];

const SEVERAL: Inputs = { pipeline: 'orders\ncustomers' };
const EXISTING: Inputs = { pipeline: '', 'job-id': JOB };

/** Sets several inputs to the same text. */
function all(names: readonly string[], text: string): Inputs {
  return Object.fromEntries(names.map((name) => [name, text]));
}

const triggered = (pipeline: string) => ({ kind: 'pipeline', pipeline });

/** Returns the names of the inputs that these mistakes mention. */
function named(found: readonly string[]): readonly string[] {
  return found.map((mistake) => mistake.split(' ')[1] ?? '').sort();
}

describe('inputs', () => {
  it.each(['', ' ', '\r\n', '\t \n'])('have their default values if they are optional and set to %j', (blank) => {
    const optional = Object.keys(INPUTS).filter((name) => !['api-key', 'base-url', 'pipeline'].includes(name));
    expect(settings(all(optional, blank))).toEqual(settings());
  });

  it('may have white space and Windows line endings around their values', () => {
    const choices = { 'on-timeout': 'leave', 'succeed-on': 'completed', 'internal-job-status': 'success' };
    const plain = { ...choices, 'full-resync': 'true', timeout: '1h 30m', 'max-parallel': '7', pipeline: 'a b' };
    const given = { 'api-key': API_KEY, 'base-url': 'https://app.example.test/', ...plain };
    const padded = Object.entries(given).map(([name, text]) => [name, ` \t${text} \r\n`]);
    expect(settings(Object.fromEntries(padded) as Inputs)).toEqual(settings(plain));
  });

  it('are all named in the errors if they are required but missing', () => {
    const read = readSettings({});
    expect(named(read.ok ? [] : read.mistakes)).toEqual(['api-key', 'base-url', 'pipeline']);
  });

  it('are all named in the errors if they are invalid, but the errors do not show the key', () => {
    const wrong: Inputs = {
      'api-key': 'nokey_Zq81',
      'base-url': 'ftp://app.example.test',
      pipeline: 'orders\norders',
      'job-id': 'the last one',
      'run-url': 'nowhere',
      ...all(FLAGS, 'yes'),
      ...all(DURATIONS, '45'),
      ...all(['on-timeout', 'on-cancel', 'on-lost-response'], 'die'),
      ...all(['succeed-on', 'retry-on'], 'success'),
      ...all(['max-parallel', 'max-attempts'], 'all'),
    };
    const found = mistakes(wrong);
    expect(named(found)).toEqual(Object.keys(wrong).sort());
    expect(Object.keys({ ...wrong, 'internal-job-status': '' }).sort()).toEqual(Object.keys(INPUTS).sort());
    expect(found.join('\n')).not.toContain('Zq81');
  });

  it('never appear in errors as workflow commands', () => {
    const [mistake] = mistakes({ 'on-cancel': 'x\n::error::##[error]\u001B[31m' });
    expect(mistake).toContain('is "x ::error::#\u200B#[error]".');
  });
});

it.each(['true', 'True', 'TRUE', 'false', 'False', 'FALSE'])('a boolean input accepts "%s"', (text) => {
  const { plan, summary } = settings(all(FLAGS, text));
  const { fullResync, resetTarget, wait, dryRun, failFast } = plan;
  const flags = [fullResync, resetTarget, wait, summary, dryRun, failFast];
  expect(flags).toEqual(Array(6).fill(text.toLowerCase() === 'true'));
});

it.each(['yes', 'no', '1', '0', 'on', 'tRUE', 'true false'])('a boolean input rejects "%s"', (text) => {
  expect(named(mistakes(all(FLAGS, text)))).toEqual([...FLAGS].sort());
});

describe('a duration input', () => {
  const DAY = 1_440 * MINUTE;

  const valid = { '90s': 90_000, '1.5h': 90 * MINUTE, '1h 30m': 90 * MINUTE, '24d': 24 * DAY, '31000ms': 31_000 };

  it.each(Object.entries(valid))('accepts %s', (text, ms) => {
    const { plan } = settings(all(DURATIONS, text));
    const { timeoutMs, queueTimeoutMs, maxOutageMs, pollIntervalMs, retryDelayMs } = plan;
    expect([timeoutMs, queueTimeoutMs, maxOutageMs, pollIntervalMs, retryDelayMs]).toEqual(Array(5).fill(ms));
  });

  const invalid = errorsFor({
    'which has no unit': ['45', '1.5'],
    'a duration such as': ['soon', '-5m', '1,5h', 'Infinity'],
    'is zero': ['0', '0s', '0.0001ms'],
    'more than 24d': ['24d1ms', '99999999999d'],
  });

  it.each(invalid)('rejects %s with an error that contains "%s"', (text, words) => {
    const found = mistakes(all(DURATIONS, text));
    expect(named(found)).toEqual([...DURATIONS].sort());
    expect(found.filter((mistake) => !mistake.includes(words))).toEqual([]);
  });

  it.each(['29s', '29999ms'])('rejects %s as the poll interval for a remote service', (text) => {
    expect(mistakes({ 'poll-interval': text })).toEqual([expect.stringContaining(`is "${text}", but`)]);
  });

  it.each([
    ['30s', 30_000, 'a remote service', 'https://app.example.test'],
    ['100ms', 100, 'a service on this machine', 'http://localhost:8080'],
    ['100ms', 100, 'a service at the IPv6 address of this machine', 'http://[::1]:1'],
  ])('accepts %s (%d ms) as the poll interval for %s', (text, ms, _, url) => {
    expect(settings({ 'base-url': url, 'poll-interval': text }).plan.pollIntervalMs).toBe(ms);
  });
});

describe.each<[string, keyof Plan, readonly (string | number)[], readonly string[]]>([
  ['on-timeout', 'onTimeout', ['cancel', 'leave'], ['stop', 'Cancel', 'true']],
  ['on-cancel', 'onCancel', ['cancel', 'leave'], ['stop', 'Cancel', 'true']],
  ['on-lost-response', 'onLostResponse', ['fail', 'retry'], ['never', 'Fail', 'true']],
  ['max-parallel', 'maxParallel', [1, 7, 999_999], ['0', '-1', '1.5', 'all', '1e3', '9999999', '٣']],
  ['max-attempts', 'maxAttempts', [1, 10], ['0', '11', 'two']],
])('the %s input', (name, field, values, invalid) => {
  it.each(values)(`sets ${field} in the plan to %s`, (value) => {
    expect(settings({ [name]: String(value) }).plan[field]).toBe(value);
  });

  it.each(invalid)('rejects "%s"', (text) => {
    expect(named(mistakes({ [name]: text }))).toEqual([name]);
  });
});

it.each(['success', 'cancelled', 'in doubt: 1 ☂', '::error::x'])('internal-job-status accepts "%s"', (text) => {
  expect(settings({ 'internal-job-status': text }).jobStatus).toBe(text);
});

it.each([
  [' completed , , failed , ', ['completed', 'failed']],
  ['completed\r\n\r\n  timed_out, cancelled', ['completed', 'timed_out', 'cancelled']],
  ['completed,completed', ['completed']],
])('a list of statuses accepts commas and line breaks as separators in %j', (text, statuses) => {
  const { succeedOn, retryOn } = settings({ 'succeed-on': text, 'retry-on': text }).plan;
  expect([succeedOn, retryOn]).toEqual([new Set(statuses), new Set(statuses)]);
});

it.each([
  ['a, completed,b,c', '"a", "b" and "c"'],
  ['completed, done and dusted', '"done and dusted"'],
  ['Completed', '"Completed"'],
  ['running', '"running"'],
  ['constructor', '"constructor"'],
  [' , \r\n ,', 'no status'],
])('a list of statuses rejects %j', (text, what) => {
  const found = mistakes({ 'succeed-on': text, 'retry-on': text }).map((mistake) => mistake.split('. ')[0]);
  expect(found).toEqual(['succeed-on', 'retry-on'].map((name) => `Input ${name} contains ${what}`));
});

describe('the pipeline and job-id inputs', () => {
  const existing = [JOB, OTHER_JOB].map((jobId) => ({ kind: 'job', jobId }));
  const pipelines = (count: number): string => Array.from({ length: count }, (_, index) => `p${index}`).join('\n');
  const resume = { kind: 'resume', pipeline: 'orders', jobId: JOB };

  it.each<[string, Inputs, readonly object[]]>([
    ['trigger pipelines in order', { pipeline: 'b\r\n\r\n  A, "all" \n' }, ['b', 'A, "all"'].map(triggered)],
    ['trigger 1,000 pipelines', { pipeline: pipelines(1_000) }, pipelines(1_000).split('\n').map(triggered)],
    ['await existing runs', { pipeline: '', 'job-id': `${JOB.toUpperCase()}\n${OTHER_JOB}` }, existing],
    ['resume one run of one pipeline', { pipeline: 'orders', 'job-id': JOB }, [resume]],
  ])('%s', (_, inputs, targets) => {
    expect(settings(inputs).plan.targets).toEqual(targets);
  });

  it.each<[string, Inputs, string]>([
    ['one id in two spellings', { pipeline: '', 'job-id': `${JOB}\n${JOB.toUpperCase()}` }, `job-id lists "${JOB}"`],
    ['two ids on one line', { pipeline: '', 'job-id': `${JOB}, ${JOB}x` }, `job-id contains "${JOB}, ${JOB}x".`],
  ])('may not contain %s', (_, inputs, what) => {
    expect(mistakes(inputs)).toEqual([expect.stringContaining(`Input ${what}`)]);
  });
});

describe('a step', () => {
  it('accepts a retry-on value that has no effect with the default max-attempts', () => {
    expect(mistakes({ 'retry-on': 'cancelled, skipped' })).toEqual([]);
  });

  it.each<[string, Inputs, 'cancel' | 'leave']>([
    ['leaves existing runs running by default', EXISTING, 'leave'],
    ['cancels existing runs on request', { ...EXISTING, 'on-timeout': 'cancel', 'on-cancel': 'cancel' }, 'cancel'],
    ['cancels a resumed run by default', { 'job-id': JOB }, 'cancel'],
  ])('%s when it stops', (_, inputs, policy) => {
    expect(settings(inputs).plan).toMatchObject({ onTimeout: policy, onCancel: policy });
  });

  it.each<[string, Inputs, number]>([
    ['three attempts with max-attempts: 3', {}, 3],
    ['one attempt if it does not wait', { wait: 'false' }, 1],
    ['one attempt in a dry run', { 'dry-run': 'true' }, 1],
    ['one attempt for existing runs', EXISTING, 1],
  ])('makes at most %s', (_, inputs, attempts) => {
    expect(settings({ ...inputs, 'max-attempts': '3' }).plan.maxAttempts).toBe(attempts);
  });
});

describe('the list of unused inputs', () => {
  const waiting: Inputs = { timeout: '1h', 'queue-timeout': '5m', 'on-timeout': 'leave' };
  const reading: Inputs = { 'succeed-on': 'completed', 'poll-interval': '1m', 'max-outage': '1h' };
  const several: Inputs = { 'max-parallel': '2', 'fail-fast': 'true' };
  const attempts: Inputs = { 'retry-on': 'failed', 'retry-delay': '2m' };
  const lost: Inputs = { 'on-lost-response': 'retry' };
  const unused = { ...several, ...waiting, ...reading, ...attempts, ...lost, wait: 'false', 'on-cancel': 'leave' };

  it.each<[string, Inputs, Inputs]>([
    ['with dry-run: true', { ...SEVERAL, 'dry-run': 'true' }, unused],
    ['with wait: false', { ...SEVERAL, wait: 'false' }, { ...waiting, ...reading, ...attempts, 'max-parallel': '2' }],
    ['with one run', {}, several],
    ['with job-id alone', EXISTING, { ...lost, ...attempts, 'max-attempts': '2' }],
    ['with max-attempts: 1', {}, attempts],
    ['without timeout or queue-timeout', {}, { 'on-timeout': 'leave' }],
  ])('contains each input that has no effect %s', (reason, inputs, idle) => {
    const texts = settings({ ...inputs, ...idle }).idle;
    expect(texts.map((text) => text.split(' ')[1]).sort()).toEqual(Object.keys(idle).sort());
    expect(texts.filter((text) => !text.includes(` ${reason}.`))).toEqual([]);
  });

  it.each<[string, Inputs]>([
    ['inputs that are blank or set to their default', { wait: 'false', timeout: ' ', 'max-outage': '15m' }],
    ['on-timeout if timeout is set', { timeout: '1h', 'on-timeout': 'leave' }],
    ['inputs that apply', { 'queue-timeout': '1h', 'on-timeout': 'leave', ...attempts, 'max-attempts': '2' }],
    ['inputs that apply to a single read of a resumed run', { ...reading, 'job-id': JOB, wait: 'false' }],
    ['poll-interval in a dry run that reads a run', { 'poll-interval': '1m', 'job-id': JOB, 'dry-run': 'true' }],
  ])('does not include %s', (_, inputs) => {
    expect(settings(inputs).idle).toEqual([]);
  });
});
