import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../../src/action/inputs/settings.ts';
import { mistakes, settings } from '../../../support/action.ts';
import { API_KEY, PIPELINE } from '../../../support/service.ts';

const MINUTE = 60_000;

describe('inputs of which nothing but the required ones is given', () => {
  it('become what action.yml says', () => {
    const { plan, apiKey, baseUrl, summary, idle } = settings();
    expect(apiKey).toBe(API_KEY);
    expect(baseUrl.href).toBe('https://app.example.test/');
    expect(summary).toBe(true);
    expect(idle).toEqual([]);
    expect(plan).toMatchObject({
      targets: [{ pipeline: 'orders' }],
      fullResync: false,
      resetTarget: false,
      onLostResponse: 'fail',
      wait: true,
      pollIntervalMs: 30_000,
      timeoutMs: undefined,
      queueTimeoutMs: undefined,
      onTimeout: 'cancel',
      onCancel: 'cancel',
      succeedOn: new Set(['completed', 'completed_with_warning', 'skipped']),
      maxOutageMs: 15 * MINUTE,
    });
  });

  it.each(['', ' ', '\r\n', '\t \n'])('are the same when the others are given as %j', (nothing) => {
    const names = [
      'full-resync',
      'reset-target',
      'wait',
      'poll-interval',
      'timeout',
      'queue-timeout',
      'on-timeout',
      'on-cancel',
      'succeed-on',
      'on-lost-response',
      'max-outage',
      'summary',
      'internal-job-status',
      'job-id',
      'max-parallel',
      'fail-fast',
      'dry-run',
    ];
    const { plan, summary } = settings(Object.fromEntries(names.map((name) => [name, nothing])));
    expect({ plan, summary }).toEqual({ plan: settings().plan, summary: settings().summary });
  });
});

describe('inputs with white space or Windows line ends around them', () => {
  it('mean what stands between', () => {
    const { plan, apiKey, baseUrl, summary, jobStatus } = settings({
      'api-key': ` ${API_KEY}\r\n`,
      'base-url': '\thttps://app.example.test/ \r\n',
      pipeline: '\r\n  Orders, daily \r\n\r\n',
      'full-resync': 'true\r\n',
      'reset-target': ' true ',
      wait: ' true\n',
      'poll-interval': ' 1m ',
      timeout: '45m\r\n',
      'queue-timeout': ' 1h 30m\n',
      'on-timeout': ' leave ',
      'on-cancel': 'leave\r\n',
      'succeed-on': 'completed\r\nskipped\r\n',
      'on-lost-response': ' fail\n',
      'max-outage': ' 2h ',
      summary: ' false\r\n',
      'internal-job-status': ' success\n',
    });
    expect({ apiKey, url: baseUrl.href, summary, jobStatus }).toEqual({
      apiKey: API_KEY,
      url: 'https://app.example.test/',
      summary: false,
      jobStatus: 'success',
    });
    expect(plan).toMatchObject({
      targets: [{ pipeline: 'Orders, daily' }],
      fullResync: true,
      resetTarget: true,
      wait: true,
      pollIntervalMs: MINUTE,
      timeoutMs: 45 * MINUTE,
      queueTimeoutMs: 90 * MINUTE,
      onTimeout: 'leave',
      onCancel: 'leave',
      succeedOn: new Set(['completed', 'skipped']),
      onLostResponse: 'fail',
      maxOutageMs: 120 * MINUTE,
    });
  });
});

describe('the inputs that are required', () => {
  it('are all named when there is no input at all', () => {
    const read = readSettings({});
    const said = read.ok ? [] : read.mistakes;
    expect(said).toEqual(mistakes({ 'api-key': '', 'base-url': '', pipeline: '' }));
  });

  it('are all named when nothing is given, with what to write', () => {
    expect(mistakes({ 'api-key': '', 'base-url': '', pipeline: '' })).toEqual([
      'Input api-key is empty. Pass a secret, such as api-key: ${{ secrets.PIPELINE_API_KEY }}. GitHub passes no secrets to workflows for pull requests from forks or from Dependabot. It passes secrets of an environment only to jobs that name it.',
      'Input base-url is empty. Write the address of the service, such as https://app.example.com.',
      "Input pipeline is empty. Set it to a pipeline's API name, name or UUID, or set job-id to await an existing run.",
    ]);
  });
});

describe('the input pipeline', () => {
  it.each([
    ['an API name', 'orders_daily'],
    ['a name with a comma and quotation marks', 'Orders, "daily"'],
    ['a UUID', PIPELINE],
  ])('takes %s as it is', (_, pipeline) => {
    expect(settings({ pipeline }).plan.targets).toMatchObject([{ pipeline }]);
  });
});

describe('an input that is true or false', () => {
  const names = ['full-resync', 'reset-target', 'wait', 'summary', 'dry-run', 'fail-fast'] as const;

  it.each(['true', 'True', 'TRUE'])('is true when it is %s', (text) => {
    const { plan, summary } = settings(Object.fromEntries(names.map((name) => [name, text])));
    const { fullResync, resetTarget, wait, dryRun, failFast } = plan;
    expect({ fullResync, resetTarget, wait, summary, dryRun, failFast }).toEqual({
      fullResync: true,
      resetTarget: true,
      wait: true,
      summary: true,
      dryRun: true,
      failFast: true,
    });
  });

  it.each(['false', 'False', 'FALSE'])('is false when it is %s', (text) => {
    const { plan, summary } = settings(Object.fromEntries(names.map((name) => [name, text])));
    const { fullResync, resetTarget, wait, dryRun, failFast } = plan;
    expect([fullResync, resetTarget, wait, summary, dryRun, failFast]).not.toContain(true);
  });

  it.each(['yes', 'no', '1', '0', 'on', 'tRUE', 'true false'])('is a mistake when it is %s', (text) => {
    for (const name of names) {
      expect(mistakes({ [name]: text })).toEqual([`Input ${name} is "${text}". Write true or false.`]);
    }
  });
});

describe('an input with a few words to choose from', () => {
  it.each([
    ['on-timeout', 'stop', 'cancel or leave'],
    ['on-timeout', 'Cancel', 'cancel or leave'],
    ['on-cancel', 'true', 'cancel or leave'],
    ['on-lost-response', 'never', 'fail or retry'],
  ])('%s is a mistake when it is %s', (name, text, words) => {
    expect(mistakes({ [name]: text })).toEqual([`Input ${name} is "${text}". Write ${words}.`]);
  });

  it('takes each of its words', () => {
    expect(settings({ 'on-lost-response': 'retry' }).plan.onLostResponse).toBe('retry');
    expect(settings({ 'on-timeout': 'leave', 'on-cancel': 'cancel' }).plan).toMatchObject({
      onTimeout: 'leave',
      onCancel: 'cancel',
    });
  });
});

describe('inputs that contradict each other', () => {
  it('reset-target with several pipelines', () => {
    const inputs = { 'reset-target': 'true', 'full-resync': 'true', pipeline: 'orders\ncustomers' };
    expect(mistakes(inputs)).toEqual([
      'Input reset-target is true for 2 pipelines. Name exactly one pipeline, so that it is clear whose tables are dropped.',
    ]);
  });

  it('reset-target without full-resync', () => {
    expect(mistakes({ 'reset-target': 'true' })).toEqual([
      'Input reset-target is true without full-resync, so the recreated tables would contain only new data. Set full-resync: true as well, or leave out reset-target.',
    ]);
  });

  it('reset-target with on-lost-response: retry', () => {
    const inputs = { 'reset-target': 'true', 'full-resync': 'true', 'on-lost-response': 'retry' };
    expect(mistakes(inputs)).toEqual([
      'Input reset-target is true together with on-lost-response: retry, which may drop the tables twice. Set on-lost-response: fail.',
    ]);
  });
});

describe('inputs that change nothing', () => {
  it.each([
    [
      { wait: 'false', timeout: '1h', 'queue-timeout': '5m' },
      ['Input timeout has no effect with wait: false.', 'Input queue-timeout has no effect with wait: false.'],
    ],
    [
      { 'dry-run': 'true', timeout: '1h', 'on-lost-response': 'retry' },
      ['Input timeout has no effect with dry-run: true.', 'Input on-lost-response has no effect with dry-run: true.'],
    ],
    [
      { 'max-parallel': '2', 'fail-fast': 'true' },
      ['Input max-parallel has no effect with one run.', 'Input fail-fast has no effect with one run.'],
    ],
    [{ 'on-timeout': 'leave' }, ['Input on-timeout has no effect with neither timeout nor queue-timeout.']],
  ])('are named, a sentence each, and are no mistake: %j', (inputs, idle) => {
    expect(mistakes(inputs)).toEqual([]);
    expect(settings(inputs).idle).toEqual(idle);
  });

  it('are not named when they were not given, or say what they would say anyway', () => {
    expect(settings({ wait: 'false', timeout: ' ', 'max-outage': '15m' }).idle).toEqual([]);
    expect(settings({ 'fail-fast': 'false', timeout: '1h', 'on-timeout': 'cancel' }).idle).toEqual([]);
  });
});

describe('the hidden input internal-job-status', () => {
  it.each(['success', 'cancelled', 'whatever: 1 ☂', '::error::x'])('may be %s', (text) => {
    expect(settings({ 'internal-job-status': text }).jobStatus).toBe(text);
  });
});

describe('many mistakes', () => {
  it('come all together, in the order of the inputs, and never show the key', () => {
    const key = 'nokey_Zq81';
    const all = mistakes({
      'api-key': key,
      'base-url': 'ftp://app.example.test',
      pipeline: 'orders\norders',
      'full-resync': 'yes',
      'reset-target': 'maybe',
      wait: 'later',
      'poll-interval': '30',
      timeout: '45',
      'queue-timeout': 'soon',
      'on-timeout': 'die',
      'on-cancel': 'die',
      'succeed-on': 'success',
      'on-lost-response': 'once',
      'max-outage': '0s',
      summary: 'no',
      'job-id': 'the last one',
      'max-parallel': 'all',
      'fail-fast': 'no',
      'dry-run': 'si',
    });
    expect(all.map((mistake) => mistake.split(' ')[1]).sort()).toEqual(
      [
        'api-key',
        'base-url',
        'pipeline',
        'full-resync',
        'reset-target',
        'wait',
        'poll-interval',
        'timeout',
        'queue-timeout',
        'on-timeout',
        'on-cancel',
        'succeed-on',
        'on-lost-response',
        'max-outage',
        'summary',
        'job-id',
        'max-parallel',
        'fail-fast',
        'dry-run',
      ].sort(),
    );
    expect(all.join('\n')).not.toContain('Zq81');
  });

  it('show what was given as text, never as a command', () => {
    const [mistake] = mistakes({ 'on-cancel': 'x\n::error::##[error]\u001B[31m' });
    expect(mistake).toBe('Input on-cancel is "x ::error::#\u200B#[error]". Write cancel or leave.');
  });
});
