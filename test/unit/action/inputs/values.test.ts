// What each input means for the plan, and which values are mistakes.
import { describe, expect, it } from 'vitest';
import { INPUTS } from '../../../../src/action/inputs/input-table.ts';
import { readSettings } from '../../../../src/action/inputs/settings.ts';
import { type Inputs, mistakes, settings } from '../../../support/action.ts';
import { API_KEY, JOB, PIPELINE, uuid } from '../../../support/service.ts';

const MINUTE = 60_000;
const OTHER = uuid('22222222-2222-4333-8444-555555555555');
const FLAGS = ['full-resync', 'reset-target', 'wait', 'summary', 'dry-run', 'fail-fast'];
const DURATIONS = ['timeout', 'queue-timeout', 'max-outage', 'poll-interval', 'retry-delay'];

/** The same text for several inputs. */
function all(names: readonly string[], text: string): Inputs {
  return Object.fromEntries(names.map((name) => [name, text]));
}

/** The inputs that these mistakes are about. */
function named(found: readonly string[]): readonly string[] {
  return found.map((mistake) => mistake.split(' ')[1] ?? '').sort();
}

describe('inputs', () => {
  it.each(['', ' ', '\r\n', '\t \n'])('have their defaults if they are %j', (blank) => {
    const optional = Object.keys(INPUTS).filter((name) => !['api-key', 'base-url', 'pipeline'].includes(name));
    const { plan, summary, runUrl, idle } = settings(all(optional, blank));
    expect({ summary, runUrl, idle }).toEqual({ summary: true, runUrl: undefined, idle: [] });
    expect(plan).toEqual({
      targets: [{ kind: 'pipeline', pipeline: 'orders' }],
      fullResync: false,
      resetTarget: false,
      onLostResponse: 'fail',
      wait: true,
      dryRun: false,
      maxParallel: Infinity,
      failFast: false,
      pollIntervalMs: 30_000,
      timeoutMs: undefined,
      queueTimeoutMs: undefined,
      onTimeout: 'cancel',
      onCancel: 'cancel',
      succeedOn: new Set(['completed', 'completed_with_warning', 'skipped']),
      maxOutageMs: 15 * MINUTE,
      maxAttempts: 1,
      retryOn: new Set(['failed', 'timed_out']),
      retryDelayMs: MINUTE,
    });
  });

  it('may be surrounded by white space and Windows line ends', () => {
    const { plan, apiKey, baseUrl, jobStatus } = settings({
      'api-key': ` ${API_KEY}\r\n`,
      'base-url': '\thttps://app.example.test/ \r\n',
      pipeline: '\r\n  Orders, daily \r\n\r\n',
      'full-resync': 'true\r\n',
      timeout: ' 1h 30m\n',
      'on-timeout': ' leave ',
      'succeed-on': 'completed\r\nskipped\r\n',
      'max-parallel': ' 7\n',
      'internal-job-status': ' success\n',
    });
    expect([apiKey, baseUrl.href, jobStatus]).toEqual([API_KEY, 'https://app.example.test/', 'success']);
    expect(plan).toMatchObject({
      targets: [{ pipeline: 'Orders, daily' }],
      fullResync: true,
      timeoutMs: 90 * MINUTE,
      onTimeout: 'leave',
      succeedOn: new Set(['completed', 'skipped']),
      maxParallel: 7,
    });
  });

  it('that are required are all named if they are missing', () => {
    const read = readSettings({});
    expect(named(read.ok ? [] : read.mistakes)).toEqual(['api-key', 'base-url', 'pipeline']);
  });

  it('that are wrong are all named at once, and the key is not shown', () => {
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

  it('are quoted as text, never as a command', () => {
    const [mistake] = mistakes({ 'on-cancel': 'x\n::error::##[error]\u001B[31m' });
    expect(mistake).toContain('is "x ::error::#\u200B#[error]".');
  });
});

describe('a boolean input', () => {
  it.each([
    ['true', true],
    ['True', true],
    ['TRUE', true],
    ['false', false],
    ['False', false],
    ['FALSE', false],
  ])('may be %s', (text, value) => {
    // A dropped table needs both of its inputs, so the other flags are read together with them.
    const { plan, summary } = settings(all(FLAGS, text));
    const { fullResync, resetTarget, wait, dryRun, failFast } = plan;
    expect([fullResync, resetTarget, wait, summary, dryRun, failFast]).toEqual(Array(6).fill(value));
  });

  it.each(['yes', 'no', '1', '0', 'on', 'tRUE', 'true false'])('may not be %s', (text) => {
    expect(named(mistakes(all(FLAGS, text)))).toEqual([...FLAGS].sort());
  });
});

describe('a duration', () => {
  it.each([
    ['90s', 90_000],
    ['1.5h', 90 * MINUTE],
    ['1h 30m', 90 * MINUTE],
    ['24d', 24 * 1_440 * MINUTE],
    ['31000ms', 31_000],
  ])('may be %s', (text, ms) => {
    const { plan } = settings(all(DURATIONS, text));
    const { timeoutMs, queueTimeoutMs, maxOutageMs, pollIntervalMs, retryDelayMs } = plan;
    expect([timeoutMs, queueTimeoutMs, maxOutageMs, pollIntervalMs, retryDelayMs]).toEqual(Array(5).fill(ms));
  });

  it.each([
    ['45', 'without a unit'],
    ['1.5', 'without a unit'],
    ['0', 'without a unit'],
    ['soon', 'a duration such as'],
    ['-5m', 'a duration such as'],
    ['1,5h', 'a duration such as'],
    ['Infinity', 'a duration such as'],
    [`${'9'.repeat(400)}h`, 'a duration such as'],
    ['0s', 'is zero'],
    ['0.0001ms', 'is zero'],
    ['24d1ms', 'more than 24d'],
    ['99999999999d', 'more than 24d'],
  ])('may not be %s', (text, why) => {
    const found = mistakes(all(DURATIONS, text));
    expect(named(found)).toEqual([...DURATIONS].sort());
    for (const mistake of found) expect(mistake).toContain(why);
  });

  it.each([
    ['timeout', 'such as 45m'],
    ['max-outage', 'such as 15m'],
    ['poll-interval', 'such as 30s'],
  ])('has an example that fits %s', (name, example) => {
    expect(mistakes({ [name]: '0s' })).toEqual([expect.stringContaining(example)]);
  });
});

describe('the input poll-interval', () => {
  it.each(['29s', '29999ms'])('may not be %s for a real service', (text) => {
    expect(mistakes({ 'poll-interval': text })).toEqual([expect.stringContaining(`is "${text}", but`)]);
  });

  it('may be 30s for a real service', () => {
    expect(settings({ 'poll-interval': '30s' }).plan.pollIntervalMs).toBe(30_000);
  });

  it.each(['http://localhost:8080', 'http://[::1]:1', 'https://localhost:8443'])('may be 100ms at %s', (url) => {
    expect(settings({ 'base-url': url, 'poll-interval': '100ms' }).plan.pollIntervalMs).toBe(100);
  });
});

describe('the input', () => {
  it.each(['on-timeout', 'on-cancel', 'on-lost-response'])('%s may not be another word than its choices', (name) => {
    expect(named(['stop', 'Cancel', 'true'].flatMap((text) => mistakes({ [name]: text })))).toEqual(
      Array(3).fill(name),
    );
  });

  it.each([
    ['on-timeout', ['cancel', 'leave']],
    ['on-cancel', ['cancel', 'leave']],
    ['on-lost-response', ['fail', 'retry']],
  ])('%s may be any of %s', (name, words) => {
    const plans = words.map((text) => settings({ [name]: text }).plan);
    const chosen = plans.map(({ onTimeout, onCancel, onLostResponse }) => [onTimeout, onCancel, onLostResponse]);
    expect(chosen.map((each) => each[['on-timeout', 'on-cancel', 'on-lost-response'].indexOf(name)])).toEqual(words);
  });

  it.each([
    ['max-parallel', '1', 1],
    ['max-parallel', '007', 7],
    ['max-parallel', '999999', 999_999],
    ['max-attempts', '10', 10],
  ])('%s may be %s', (name, text, count) => {
    const { maxParallel, maxAttempts } = settings({ [name]: text }).plan;
    expect(name === 'max-parallel' ? maxParallel : maxAttempts).toBe(count);
  });

  it.each([
    ['max-parallel', ['0', '-1', '1.5', 'all', '1e3', '9999999', '٣']],
    ['max-attempts', ['0', '11', 'two']],
  ])('%s may not be any of %s', (name, texts) => {
    expect(named(texts.flatMap((text) => mistakes({ [name]: text })))).toEqual(texts.map(() => name));
  });
});

describe('a list of statuses', () => {
  it.each([
    ['completed,failed', ['completed', 'failed']],
    [' completed , , failed , ', ['completed', 'failed']],
    ['completed\r\n\r\n  timed_out, cancelled', ['completed', 'timed_out', 'cancelled']],
    ['completed, completed', ['completed']],
  ])('may be separated by commas and lines: %j', (text, statuses) => {
    expect(settings({ 'succeed-on': text }).plan.succeedOn).toEqual(new Set(statuses));
    expect(settings({ 'retry-on': text }).plan.retryOn).toEqual(new Set(statuses));
  });

  it.each([
    ['a, completed,b,c', 'names "a", "b" and "c".'],
    ['completed, done and dusted', 'names "done and dusted".'],
    ['Completed', 'names "Completed".'],
    ['completed skipped', 'names "completed skipped".'],
    ['running', 'names "running".'],
    ['constructor', 'names "constructor".'],
    [' , \r\n ,', 'names no status.'],
  ])('may not be %j', (text, what) => {
    for (const name of ['succeed-on', 'retry-on']) {
      expect(mistakes({ [name]: text })).toEqual([expect.stringContaining(`Input ${name} ${what}`)]);
    }
  });
});

describe('the inputs pipeline and job-id', () => {
  const pipelines = (count: number): string => Array.from({ length: count }, (_, index) => `p${index}`).join('\n');

  it.each<[string, Inputs, readonly object[]]>([
    ['trigger a pipeline by its UUID', { pipeline: PIPELINE }, [{ kind: 'pipeline', pipeline: PIPELINE }]],
    [
      'trigger each pipeline in order',
      { pipeline: 'orders\r\n\r\n  Customers, "all" \n' },
      ['orders', 'Customers, "all"'].map((pipeline) => ({ kind: 'pipeline', pipeline })),
    ],
    [
      'await existing runs',
      { pipeline: '', 'job-id': `${JOB.toUpperCase()}\n${OTHER}` },
      [JOB, OTHER].map((jobId) => ({ kind: 'job', jobId })),
    ],
    [
      'resume one run of one pipeline',
      { pipeline: 'orders', 'job-id': JOB },
      [{ kind: 'resume', pipeline: 'orders', jobId: JOB }],
    ],
  ])('%s', (_, inputs, targets) => {
    expect(settings(inputs).plan.targets).toEqual(targets);
  });

  it.each<[string, Inputs, string]>([
    ['a pipeline twice', { pipeline: 'orders\ncustomers\norders' }, 'pipeline names "orders"'],
    ['a run twice', { pipeline: '', 'job-id': `${JOB}\n${JOB.toUpperCase()}` }, `job-id names "${JOB}"`],
    ['two ids on a line', { pipeline: '', 'job-id': `${JOB}, ${OTHER}` }, `job-id contains "${JOB}, ${OTHER}".`],
    ['an id that is not a UUID', { 'job-id': 'latest\n42' }, 'job-id contains "latest" and "42".'],
    ['a run and two pipelines', { pipeline: 'a\nb', 'job-id': JOB }, 'job-id names 1 run '],
    ['two runs and a pipeline', { 'job-id': `${JOB}\n${OTHER}` }, 'job-id names 2 runs '],
    ['1,001 pipelines', { pipeline: pipelines(1_001) }, 'pipeline has 1001 lines.'],
  ])('may not name %s', (_, inputs, what) => {
    expect(mistakes(inputs)).toEqual([expect.stringContaining(`Input ${what}`)]);
  });

  it('may name 1,000 pipelines', () => {
    expect(settings({ pipeline: pipelines(1_000) }).plan.targets).toHaveLength(1_000);
  });
});

describe('the hidden input internal-job-status', () => {
  it.each(['success', 'cancelled', 'in doubt: 1 ☂', '::error::x'])('may be any text, such as %s', (text) => {
    expect(settings({ 'internal-job-status': text }).jobStatus).toBe(text);
  });
});
