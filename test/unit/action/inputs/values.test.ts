// The effect of each input on the plan, and the values that each input rejects.
import { describe, expect, it } from 'vitest';
import { INPUTS } from '../../../../src/action/inputs/input-table.ts';
import { readSettings } from '../../../../src/action/inputs/settings.ts';
import type { Plan } from '../../../../src/run/plan.ts';
import { type Inputs, mistakes, settings } from '../../../support/action.ts';
import { API_KEY, JOB, PIPELINE, uuid } from '../../../support/service.ts';

const MINUTE = 60_000;
const OTHER = uuid('22222222-2222-4333-8444-555555555555');
const FLAGS = ['full-resync', 'reset-target', 'wait', 'summary', 'dry-run', 'fail-fast'];
const DURATIONS = ['timeout', 'queue-timeout', 'max-outage', 'poll-interval', 'retry-delay'];

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
  it.each(['', ' ', '\r\n', '\t \n'])('have their default values if they are %j', (blank) => {
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

  it('may have white space and Windows line endings around their values', () => {
    const choices = { 'on-timeout': 'leave', 'succeed-on': 'completed', 'internal-job-status': 'success' };
    const plain = { ...choices, 'full-resync': 'true', timeout: '1h 30m', 'max-parallel': '7', pipeline: 'a b' };
    const given = { 'api-key': API_KEY, 'base-url': 'https://app.example.test/', ...plain };
    const padded = Object.entries(given).map(([name, text]) => [name, ` \t${text} \r\n`]);
    expect(settings(Object.fromEntries(padded) as Inputs)).toEqual(settings(plain));
  });

  it('appear together in the errors if they are required and missing', () => {
    const read = readSettings({});
    expect(named(read.ok ? [] : read.mistakes)).toEqual(['api-key', 'base-url', 'pipeline']);
  });

  it('appear together in the errors if they are wrong, without the value of the key', () => {
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

  it('appear in errors as text that is never a workflow command', () => {
    const [mistake] = mistakes({ 'on-cancel': 'x\n::error::##[error]\u001B[31m' });
    expect(mistake).toContain('is "x ::error::#\u200B#[error]".');
  });
});

describe('a boolean', () => {
  it.each(['true', 'True', 'TRUE', 'false', 'False', 'FALSE'])('accepts %s', (text) => {
    const { plan, summary } = settings(all(FLAGS, text));
    const { fullResync, resetTarget, wait, dryRun, failFast } = plan;
    const flags = [fullResync, resetTarget, wait, summary, dryRun, failFast];
    expect(flags).toEqual(Array(6).fill(text.toLowerCase() === 'true'));
  });

  it.each(['yes', 'no', '1', '0', 'on', 'tRUE', 'true false'])('rejects %s', (text) => {
    expect(named(mistakes(all(FLAGS, text)))).toEqual([...FLAGS].sort());
  });
});

describe('a duration', () => {
  const DAY = 1_440 * MINUTE;

  it.each(
    Object.entries({ '90s': 90_000, '1.5h': 90 * MINUTE, '1h 30m': 90 * MINUTE, '24d': 24 * DAY, '31000ms': 31_000 }),
  )('accepts %s', (text, ms) => {
    const { timeoutMs, queueTimeoutMs, maxOutageMs, pollIntervalMs, retryDelayMs } = settings(
      all(DURATIONS, text),
    ).plan;
    expect([timeoutMs, queueTimeoutMs, maxOutageMs, pollIntervalMs, retryDelayMs]).toEqual(Array(5).fill(ms));
  });

  it.each([
    ['without a unit', ['45', '1.5']],
    ['a duration such as', ['soon', '-5m', '1,5h', 'Infinity', `${'9'.repeat(400)}h`]],
    ['is zero', ['0', '0s', '0.0001ms']],
    ['more than 24d', ['24d1ms', '99999999999d']],
  ])('causes an error that contains "%s" if it is one of %s', (words, texts) => {
    const found = texts.flatMap((text) => mistakes(all(DURATIONS, text)));
    expect(named(found)).toEqual(texts.flatMap(() => DURATIONS).sort());
    expect(found.filter((mistake) => !mistake.includes(words))).toEqual([]);
  });

  it.each(Object.entries({ timeout: '45m', 'max-outage': '15m', 'poll-interval': '30s' }))(
    'causes an error with a valid example if the input is %s (%s)',
    (name, example) => {
      expect(mistakes({ [name]: '0s' })).toEqual([expect.stringContaining(`such as ${example}`)]);
    },
  );

  it.each(['29s', '29999ms'])('rejects %s as the poll interval for a real service', (text) => {
    expect(mistakes({ 'poll-interval': text })).toEqual([expect.stringContaining(`is "${text}", but`)]);
    expect(settings({ 'poll-interval': '30s' }).plan.pollIntervalMs).toBe(30_000);
  });

  it.each(['http://localhost:8080', 'http://[::1]:1'])('accepts 100ms as the poll interval for %s', (url) => {
    expect(settings({ 'base-url': url, 'poll-interval': '100ms' }).plan.pollIntervalMs).toBe(100);
  });
});

describe('the input', () => {
  it.each<[string, keyof Plan, readonly (string | number)[], readonly string[]]>([
    ['on-timeout', 'onTimeout', ['cancel', 'leave'], ['stop', 'Cancel', 'true']],
    ['on-cancel', 'onCancel', ['cancel', 'leave'], ['stop', 'Cancel', 'true']],
    ['on-lost-response', 'onLostResponse', ['fail', 'retry'], ['never', 'Fail', 'true']],
    ['max-parallel', 'maxParallel', [1, 7, 999_999], ['0', '-1', '1.5', 'all', '1e3', '9999999', '٣']],
    ['max-attempts', 'maxAttempts', [1, 10], ['0', '11', 'two']],
  ])('%s sets %s to one of %s and rejects each of %s', (name, field, values, wrong) => {
    expect(values.map((value) => settings({ [name]: String(value) }).plan[field])).toEqual(values);
    expect(named(wrong.flatMap((text) => mistakes({ [name]: text })))).toEqual(wrong.map(() => name));
  });

  it.each(['success', 'cancelled', 'in doubt: 1 ☂', '::error::x'])('internal-job-status accepts %s', (text) => {
    expect(settings({ 'internal-job-status': text }).jobStatus).toBe(text);
  });
});

describe('a list of statuses', () => {
  it.each([
    [' completed , , failed , ', ['completed', 'failed']],
    ['completed\r\n\r\n  timed_out, cancelled', ['completed', 'timed_out', 'cancelled']],
    ['completed,completed', ['completed']],
  ])('accepts commas and line breaks as separators in %j', (text, statuses) => {
    const { succeedOn, retryOn } = settings({ 'succeed-on': text, 'retry-on': text }).plan;
    expect([succeedOn, retryOn]).toEqual([new Set(statuses), new Set(statuses)]);
  });

  it.each([
    ['a, completed,b,c', '"a", "b" and "c"'],
    ['completed, done and dusted', '"done and dusted"'],
    ['Completed', '"Completed"'],
    ['completed skipped', '"completed skipped"'],
    ['running', '"running"'],
    ['constructor', '"constructor"'],
    [' , \r\n ,', 'no status'],
  ])('rejects %j', (text, what) => {
    const found = mistakes({ 'succeed-on': text, 'retry-on': text });
    expect(found.map((mistake) => mistake.split('. ')[0])).toEqual([
      `Input succeed-on names ${what}`,
      `Input retry-on names ${what}`,
    ]);
  });
});

describe('the inputs pipeline and job-id', () => {
  const BOTH = `${JOB.toUpperCase()}\n${OTHER}`;
  const pipelines = (count: number): string => Array.from({ length: count }, (_, index) => `p${index}`).join('\n');
  const resume = { kind: 'resume', pipeline: 'orders', jobId: JOB };

  it.each<[string, Inputs, readonly object[]]>([
    ['trigger a pipeline by its UUID', { pipeline: PIPELINE }, [{ kind: 'pipeline', pipeline: PIPELINE }]],
    ['trigger pipelines in order', { pipeline: 'b\r\n\r\n  A, "all" \n' }, ['b', 'A, "all"'].map(triggered)],
    ['trigger 1,000 pipelines', { pipeline: pipelines(1_000) }, pipelines(1_000).split('\n').map(triggered)],
    ['await existing runs', { pipeline: '', 'job-id': BOTH }, [JOB, OTHER].map((jobId) => ({ kind: 'job', jobId }))],
    ['resume one run of one pipeline', { pipeline: 'orders', 'job-id': JOB }, [resume]],
  ])('%s', (_, inputs, targets) => {
    expect(settings(inputs).plan.targets).toEqual(targets);
  });

  it.each<[string, Inputs, string]>([
    ['a pipeline twice', { pipeline: 'orders\ncustomers\norders' }, 'pipeline names "orders"'],
    ['a run twice', { pipeline: '', 'job-id': `${JOB}\n${JOB.toUpperCase()}` }, `job-id names "${JOB}"`],
    ['two ids on a line', { pipeline: '', 'job-id': `${JOB}, ${OTHER}` }, `job-id contains "${JOB}, ${OTHER}".`],
    ['an id that is not a UUID', { 'job-id': 'latest\n42' }, 'job-id contains "latest" and "42".'],
    ['a run and two pipelines', { pipeline: 'a\nb', 'job-id': JOB }, 'job-id names 1 run '],
    ['two runs and a pipeline', { 'job-id': BOTH }, 'job-id names 2 runs '],
    ['1,001 pipelines', { pipeline: pipelines(1_001) }, 'pipeline has 1001 lines.'],
  ])('may not name %s', (_, inputs, what) => {
    expect(mistakes(inputs)).toEqual([expect.stringContaining(`Input ${what}`)]);
  });
});
