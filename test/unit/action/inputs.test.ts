// What each input accepts and rejects, which inputs contradict each other, and which have no effect.
import { describe, expect, it } from 'vitest';
import { declared, INPUT_NAMES } from '../../../src/action/input-table.ts';
import { mistakeInKeyOfPost, readCancelInputs, readSettings, type Settings } from '../../../src/action/inputs.ts';
import type { Plan } from '../../../src/run/plan.ts';
import { fakeWorld } from '../../support/world.ts';

type Inputs = Readonly<Record<string, string>>;
type Environment = Readonly<Record<string, string>>;

const KEY = 'ak_0123456789abcdef';
const SECRET = 'S3cretPart';
const HOST = 'https://app.example.test';
const JOB = '11111111-2222-4333-8444-555555555555';
const OTHER_JOB = '22222222-2222-4333-8444-555555555555';
const SEVERAL: Inputs = { pipeline: 'orders\ncustomers' };
const EXISTING: Inputs = { pipeline: '', 'job-id': JOB };
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const FLAGS = ['full-resync', 'reset-target', 'wait', 'summary', 'dry-run', 'fail-fast'];
const DURATIONS = ['timeout', 'queue-timeout', 'max-outage', 'poll-interval', 'retry-delay'];
const CHOICES = ['on-timeout', 'on-cancel', 'on-lost-response'];
const STATUSES = ['succeed-on', 'retry-on'];
const COUNTS = ['max-parallel', 'max-attempts'];

function read(inputs: Inputs, env: Environment = {}) {
  const { world } = fakeWorld({ inputs: { 'api-key': KEY, pipeline: 'orders', ...inputs }, env });
  return readSettings(world);
}

/** Returns the errors in these inputs. */
function mistakes(inputs: Inputs, env?: Environment): readonly string[] {
  const checked = read(inputs, env);
  return 'mistakes' in checked ? checked.mistakes : [];
}

/** Returns the settings of a step with these inputs. Throws if they are invalid. */
function settings(inputs: Inputs = {}, env?: Environment): Settings {
  const checked = read(inputs, env);
  if ('mistakes' in checked) throw new Error(checked.mistakes.join(' '));
  return checked.value;
}

const all = (names: readonly string[], text: string): Inputs => Object.fromEntries(names.map((name) => [name, text]));

/** Returns the names of the inputs that these sentences are about. */
const named = (sentences: readonly string[]): string[] => sentences.map((each) => each.split(' ')[1] ?? '').sort();

/** Lists each value of a table with the words of the error that it causes. */
const rejected = (table: Readonly<Record<string, readonly string[]>>): [value: string, words: string][] =>
  Object.entries(table).flatMap(([words, values]) => values.map((value): [string, string] => [value, words]));

describe('the inputs', () => {
  it.each(['', ' ', '\r\n', '\t \n'])('fall back to their defaults if they are optional and set to %j', (blank) => {
    const optional = INPUT_NAMES.filter((name) => !['api-key', 'base-url', 'pipeline'].includes(name));
    const written = Object.fromEntries(optional.map((name) => [name, declared(name).default ?? '']));
    expect(settings({ ...all(optional, blank), 'internal-job-status': 'success' })).toEqual(
      settings({ ...written, 'internal-job-status': 'success' }),
    );
  });

  it('ignore white space and Windows line endings around their values', () => {
    const plain = {
      'on-timeout': 'leave',
      'succeed-on': 'completed',
      timeout: '1h 30m',
      'max-parallel': '7',
      pipeline: 'a b',
    };
    const padded = Object.entries({ 'api-key': KEY, 'base-url': `${HOST}/`, ...plain });
    expect(settings(Object.fromEntries(padded.map(([name, text]) => [name, ` \t${text} \r\n`])))).toEqual(
      settings(plain),
    );
  });

  it('each get an error if they are required but missing', () => {
    expect(named(mistakes({ 'api-key': '', 'base-url': '', pipeline: '', 'dry-run': 'true' }))).toEqual([
      'api-key',
      'base-url',
      'pipeline',
    ]);
  });

  it('each get an error if they are invalid, and no error shows the key', () => {
    const wrong: Inputs = {
      'api-key': 'nokey_Zq81',
      'base-url': 'ftp://app.example.test',
      pipeline: 'orders\norders',
      'job-id': 'the last one',
      'run-url': 'nowhere',
      ...all(FLAGS, 'yes'),
      ...all(DURATIONS, '45'),
      ...all(CHOICES, 'die'),
      ...all(STATUSES, 'success'),
      ...all(COUNTS, 'all'),
    };
    const found = mistakes(wrong);
    expect(named(found)).toEqual(Object.keys(wrong).sort());
    expect([...Object.keys(wrong), 'internal-job-status'].sort()).toEqual(INPUT_NAMES.toSorted());
    expect(found.join('\n')).not.toContain('Zq81');
  });

  it.each(INPUT_NAMES.filter((name) => !['pipeline', 'internal-job-status'].includes(name)))(
    'explain an expression that GitHub did not evaluate in %s',
    (name) => {
      expect(mistakes({ [name]: '${{ inputs.value }}' })).toEqual([
        expect.stringMatching(`^Input ${name} contains an expression .* that GitHub did not evaluate\\.`),
      ]);
    },
  );

  it('cannot put workflow commands into errors', () => {
    const [mistake] = mistakes({ 'on-cancel': 'x\n::error::##[error]\u001B[31m' });
    expect(mistake).toContain('is "x ::error::#\u200B#[error]".');
  });

  it.each([
    ['pipeline', `orders\n${KEY}`],
    ['run-url', `${HOST}/{job-id}?key=${KEY}`],
    ['base-url', `${HOST}/${KEY}`],
    ['timeout', KEY],
  ])('cause a single error that hides the API key if %s contains the key', (name, value) => {
    const found = mistakes({ [name]: value });
    expect(found).toEqual([expect.stringContaining(`Input ${name} contains the API key`)]);
    expect(found.join('\n')).not.toContain(KEY);
  });
});

it('an API key of fewer than eight characters may appear in other inputs by chance', () => {
  const found = ['ak_load', 'ak_loads'].map((key) => mistakes({ 'api-key': key, pipeline: `my_${key}` }));
  expect(found).toEqual([[], [expect.stringContaining('Input pipeline contains the API key')]]);
});

describe('an environment without hyphenated variables', () => {
  const hyphenated = all(
    INPUT_NAMES.filter((name) => name.includes('-')),
    '',
  );

  it('causes a single error, which does not mention forks', () => {
    const found = mistakes({ ...hyphenated, wait: 'true', summary: 'true' });
    expect(found).toEqual([expect.stringMatching(/not even a default.*dash/)]);
    expect(found.join()).not.toContain('fork');
  });

  it('is not assumed if one hyphenated input has its default', () => {
    expect(named(mistakes({ ...hyphenated, 'max-outage': '15m' }))).toEqual(['api-key', 'base-url']);
  });
});

it('an environment without inputs causes a single error, which does not mention forks', () => {
  const found = mistakes(all(INPUT_NAMES, ''));
  expect(found).toEqual([expect.stringMatching(/^No input has a value, not even a default.*without its environment/)]);
  expect(found.join()).not.toContain('fork');
});

describe('api-key', () => {
  it.each(['ak_x', `ak_${SECRET}-._~+/=`, `ak_${'9'.repeat(60)}`])('accepts %s', (key) => {
    expect(settings({ 'api-key': key }).apiKey).toBe(key);
  });

  const invalid = rejected({
    'legacy API key': [`eyJhbGciOiJIUzI1NiJ9.${SECRET}.sig`],
    'begins with the word Bearer': [`Bearer ak_${SECRET}`, `bearer\tak_${SECRET}`],
    'contains an expression': [`\${{ secrets.${SECRET} }}`],
    'contains white space': [`ak_${SECRET}\nrest`, `ak_${SECRET}\r\nrest`, `ak_ ${SECRET}`],
    'does not begin with ak_, so it is not an API key': [
      `KEY=ak_${SECRET}`,
      `ghp_${SECRET}`,
      `"ak_${SECRET}"`,
      `AK_${SECRET}`,
    ],
    'contains only the prefix ak_': ['ak_'],
    'an invalid character': [`ak_${SECRET}é`, `ak_${SECRET}\u200B`, `ak_${SECRET}\u0007x`],
    'By default, GitHub passes no secrets to pull requests from forks, and only Dependabot secrets': [''],
  });

  it.each(invalid)('rejects %j with an error that contains "%s" but not the value', (value, words) => {
    const expected: unknown = expect.stringMatching(new RegExp(`^Input api-key (?!.*${SECRET}).*${words}`));
    expect(mistakes({ 'api-key': value })).toEqual([expected]);
  });

  it.each(['', 'nothing like a key'])('gets advice about composite actions in the post step if it is %j', (key) => {
    expect(mistakeInKeyOfPost(key)).toMatch(/^the api-key input .* an input named api-key/);
    expect(mistakeInKeyOfPost(key)).not.toContain('fork');
  });

  it('is accepted by the post step if the main step accepts it', () => {
    expect(mistakeInKeyOfPost(KEY)).toBeUndefined();
  });
});

describe('base-url', () => {
  it.each([
    ['HTTPS://APP.Example.test:8443/some/prefix/', 'https://app.example.test:8443/some/prefix/'],
    ['http://[::1]:8080', 'http://[::1]:8080/'],
  ])('accepts %s', (given, href) => {
    expect(settings({ 'base-url': given }).baseUrl.href).toBe(href);
  });

  it.each([
    ['', 'is empty. Set it to'],
    ['app.example.com', 'is "app.example.com", which is not a URL. Set it to'],
    ['http://app.example.com', 'which uses http (allowed only for loopback addresses)'],
  ])('rejects %j', (given, words) => {
    expect(mistakes({ 'base-url': given })).toEqual([
      expect.stringContaining(`Input base-url ${words.startsWith('which') ? `is "${given}", ` : ''}${words}`),
    ]);
  });

  it.each([
    'https://user:hunter2@app.example.test',
    'https://hunter2@app.example.test',
    'user:hunter2@app.example.test',
    '//user:hunter2@app.example.test',
  ])('rejects %s without showing the value', (given) => {
    const found = mistakes({ 'base-url': given });
    expect(found).toEqual([expect.stringMatching(/^Input base-url (?:contains|does|is) /)]);
    expect(found.join(' ')).not.toContain('hunter2');
  });
});

it('a proxy variable with an invalid address causes an error that hides its password', () => {
  const found = mistakes({}, { HTTPS_PROXY: 'http://user:hunter2/x@proxy.test' });
  expect(found).toEqual([expect.stringMatching(/^The HTTPS_PROXY environment variable .* http:\/\/HOST:PORT/)]);
  expect(found.join(' ')).not.toContain('hunter2');
});

describe('run-url', () => {
  it.each([
    `${HOST}/runs/{job-id}`,
    `${HOST}/#/p/{pipeline-id}/r/{job-id}?a=1`,
    `${HOST}/p/{pipeline-id}`,
    'http://localhost:8080/{job-id}',
    `${HOST}/läufe/{job-id}`,
  ])('accepts %s', (template) => {
    expect(settings({ 'run-url': template }).runUrl).toBe(template);
  });

  const invalid = rejected({
    'not contain {job-id}': [`${HOST}/runs`, `${HOST}/{job-id`],
    'contains "{': [`${HOST}/{id}`, `${HOST}/{JOB-ID}`],
    'an unmatched brace': [`${HOST}/{{job-id}}`],
    'contains white space': [`${HOST}/ {job-id}`, `${HOST}/\n{job-id}`],
    'is not a URL': ['app.example.test/{job-id}'],
    'uses http ': ['http://app.example.test/{job-id}'],
    begin: ['ftp://app.example.test/{job-id}', 'javascript:alert("{job-id}")'],
    'contains credentials': ['https://hunter2@x.test/{job-id}', 'https://:hunter2@x.test/{job-id}'],
  });

  it.each(invalid)('rejects %j with an error that contains %j but no password', (value, words) => {
    const expected: unknown = expect.stringMatching(new RegExp(`^Input run-url (?!.*hunter2).*${words}`));
    expect(mistakes({ 'run-url': value })).toEqual([expected]);
  });

  it('accepts at most 2,000 characters', () => {
    const longest = `${HOST}/{job-id}`.padEnd(2_000, 'x');
    expect(settings({ 'run-url': longest }).runUrl).toBe(longest);
    expect(mistakes({ 'run-url': `${longest}x` })).toEqual([
      expect.stringMatching(/^Input run-url .*longer than 2000/),
    ]);
  });
});

describe('a boolean input', () => {
  it.each(['true', 'True', 'TRUE', 'false', 'False', 'FALSE'])('accepts %s', (text) => {
    const { plan, summary } = settings(all(FLAGS, text));
    const { fullResync, resetTarget, wait, dryRun, failFast } = plan;
    const flags = [fullResync, resetTarget, wait, summary, dryRun, failFast];
    expect(flags).toEqual(Array(6).fill(text.toLowerCase() === 'true'));
  });

  it.each(['yes', '1', 'tRUE'])('rejects %s', (text) => {
    expect(named(mistakes(all(FLAGS, text)))).toEqual([...FLAGS].sort());
  });
});

describe('a duration input', () => {
  it.each([
    ['1h 30m', 90 * MINUTE],
    ['24d', 24 * DAY],
  ])('accepts %s', (text, ms) => {
    const { timeoutMs, queueTimeoutMs, maxOutageMs, pollIntervalMs, retryDelayMs } = settings(
      all(DURATIONS, text),
    ).plan;
    expect([timeoutMs, queueTimeoutMs, maxOutageMs, pollIntervalMs, retryDelayMs]).toEqual(Array(5).fill(ms));
  });

  const invalid = rejected({
    'which has no unit': ['45', '1.25'],
    'a duration such as': ['soon'],
    'must be above zero': ['0', '0.0001ms'],
    'the maximum is 24d': ['24d1ms', `${'9'.repeat(400)}h`],
  });

  it.each(invalid)('rejects %s with an error that contains "%s"', (text, words) => {
    const found = mistakes(all(DURATIONS, text));
    expect(named(found)).toEqual([...DURATIONS].sort());
    expect(found.filter((mistake) => !mistake.includes(words))).toEqual([]);
  });

  it.each(['29s', '29999ms'])('rejects %s as the poll interval of a remote service', (text) => {
    expect(mistakes({ 'poll-interval': text })).toEqual([
      `Input poll-interval is "${text}", but the service allows at most one status check per run every 30s. Set it to 30s or more.`,
    ]);
  });

  it.each([
    ['30s', 30_000, 'a remote service', HOST],
    ['100ms', 100, 'a service on this machine', 'http://localhost:8080'],
    ['100ms', 100, 'a service at the IPv6 address of this machine', 'http://[::1]:1'],
  ])('accepts %s (%d ms) as the poll interval of %s', (text, ms, _, url) => {
    expect(settings({ 'base-url': url, 'poll-interval': text }).plan.pollIntervalMs).toBe(ms);
  });
});

describe.each<[name: string, field: keyof Plan, values: readonly (string | number)[], invalid: readonly string[]]>([
  ['on-timeout', 'onTimeout', ['cancel', 'leave'], ['stop', 'Cancel', 'true']],
  ['on-cancel', 'onCancel', ['cancel', 'leave'], ['stop', 'Cancel', 'true']],
  ['on-lost-response', 'onLostResponse', ['fail', 'retry'], ['never', 'Fail', 'true']],
  ['max-parallel', 'maxParallel', [1, 7, 999_999], ['0', '-1', '1.5', 'all', '1e3', '9999999', '٣']],
  ['max-attempts', 'maxAttempts', [1, 10], ['0', '11', 'two']],
])('%s', (name, field, values, invalid) => {
  it.each(values)('accepts %s', (value) => {
    expect(settings({ ...SEVERAL, [name]: String(value) }).plan[field]).toBe(value);
  });

  it.each(invalid)('rejects "%s"', (text) => {
    expect(named(mistakes({ [name]: text }))).toEqual([name]);
  });
});

it.each(['success', 'cancelled', 'in doubt: 1 ☂', '::error::x'])('internal-job-status accepts "%s"', (text) => {
  expect(settings({ 'internal-job-status': text }).jobStatus).toBe(text);
});

describe('an input with a list of statuses', () => {
  it.each([
    [' completed , , failed , ', ['completed', 'failed']],
    ['completed\r\n\r\n  timed_out, cancelled', ['completed', 'timed_out', 'cancelled']],
    ['completed,completed', ['completed']],
  ])('accepts commas and line breaks as separators in %j', (text, statuses) => {
    const { succeedOn, retryOn } = settings({ 'succeed-on': text, 'retry-on': text }).plan;
    expect([succeedOn, retryOn]).toEqual([statuses, statuses]);
  });

  it.each([
    ['a, completed,b,c', '"a", "b" and "c"'],
    ['completed, done and dusted', '"done and dusted"'],
    ['completed failed', '"completed failed"'],
    ['Completed', '"Completed"'],
    ['running', '"running"'],
    ['constructor', '"constructor"'],
    [' , \r\n ,', 'no statuses'],
  ])('rejects %j', (text, what) => {
    const found = mistakes({ 'succeed-on': text, 'retry-on': text }).map((mistake) => mistake.split('. ')[0]);
    expect(found).toEqual(['succeed-on', 'retry-on'].map((name) => `Input ${name} contains ${what}`));
  });

  it('causes only one error if both lists contain the same mistake', () => {
    const both = all(STATUSES, 'completed_with_warnings');
    expect(named(mistakes({ ...both, 'max-attempts': '2' }))).toEqual([...STATUSES].sort());
  });

  it('suggests only statuses that it accepts', () => {
    const [succeedOn, retryOn] = mistakes({ 'succeed-on': 'x', 'retry-on': 'x' });
    expect([succeedOn?.includes('cancelled'), retryOn?.includes('cancelled')]).toEqual([true, false]);
  });
});

describe('the inputs pipeline and job-id', () => {
  const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}`);
  const triggered = (lines: readonly string[]) => lines.map((pipeline) => ({ pipeline }));

  it.each<[string, Inputs, readonly object[]]>([
    ['trigger pipelines in order', { pipeline: 'b\r\n\r\n  A, "all" \n' }, triggered(['b', 'A, "all"'])],
    ['trigger 1,000 pipelines', { pipeline: names(1_000).join('\n') }, triggered(names(1_000))],
    [
      'wait for existing runs',
      { pipeline: '', 'job-id': `${JOB.toUpperCase()}\n${OTHER_JOB}` },
      [{ jobId: JOB }, { jobId: OTHER_JOB }],
    ],
    ['resume one run of one pipeline', { pipeline: 'orders', 'job-id': JOB }, [{ pipeline: 'orders', jobId: JOB }]],
  ])('%s', (_, inputs, targets) => {
    expect(settings(inputs).plan.targets).toEqual(targets);
  });

  it.each<[string, Inputs, string]>([
    ['empty lists', { pipeline: '\n', wait: 'false' }, 'pipeline is empty'],
    ['the same pipeline twice', { pipeline: 'a\nb\na' }, 'pipeline contains "a" more than once'],
    ['1,001 pipelines', { pipeline: names(1_001).join('\n') }, 'pipeline has 1001 lines. Enter at most 1000'],
    [
      'the same id in two spellings',
      { pipeline: '', 'job-id': `${JOB}\n${JOB.toUpperCase()}` },
      `job-id contains "${JOB}"`,
    ],
    ['two ids on one line', { pipeline: '', 'job-id': `${JOB}, ${JOB}x` }, `job-id contains "${JOB}, ${JOB}x".`],
    [
      'texts that are not ids',
      { pipeline: '', 'job-id': '17\nlast' },
      'job-id contains "17" and "last". Enter run ids',
    ],
    [
      'two runs to resume',
      { 'job-id': `${JOB}\n${OTHER_JOB}` },
      'job-id lists 2 runs, and the pipeline input lists 1 pipeline.',
    ],
    [
      'two pipelines with one run',
      { ...SEVERAL, 'job-id': JOB },
      'job-id lists 1 run, and the pipeline input lists 2 pipelines.',
    ],
  ])('reject %s', (_, inputs, what) => {
    expect(mistakes(inputs)).toEqual([expect.stringContaining(`Input ${what}`)]);
  });
});

describe('a contradiction', () => {
  const reset: Inputs = { 'reset-target': 'true', 'full-resync': 'true' };

  it.each<[string, Inputs, readonly string[]]>([
    ['reset-target without full-resync', { 'reset-target': 'true' }, ['reset-target']],
    ['reset-target for several pipelines', { ...reset, ...SEVERAL }, ['reset-target']],
    ['reset-target with on-lost-response: retry', { ...reset, 'on-lost-response': 'retry' }, ['reset-target']],
    ['reset-target with several attempts', { ...reset, 'max-attempts': '2' }, ['max-attempts']],
    ['a retry after a cancelled run', { 'max-attempts': '2', 'retry-on': 'cancelled' }, ['retry-on']],
    ['a status in both succeed-on and retry-on', { 'max-attempts': '2', 'retry-on': 'skipped' }, ['retry-on']],
    ['reset-target and full-resync for an existing run', { ...EXISTING, ...reset }, ['full-resync', 'reset-target']],
    ['an existing run with wait: false', { ...EXISTING, wait: 'false' }, ['wait']],
  ])('is rejected: %s', (_, inputs, names) => {
    expect(named(mistakes(inputs))).toEqual(names);
  });

  it.each<[string, Inputs]>([
    ['reset-target for one pipeline', reset],
    ['a retry-on without effect', { 'retry-on': 'cancelled, skipped' }],
    ['a run to resume with full-resync', { 'job-id': JOB, 'full-resync': 'true' }],
    ['reset-target with max-attempts: 01', { ...reset, 'max-attempts': '01' }],
  ])('is not reported for %s', (_, inputs) => {
    expect(mistakes(inputs)).toEqual([]);
  });
});

describe('a step', () => {
  it.each<[string, Inputs, 'cancel' | 'leave']>([
    ['cancels its runs by default', {}, 'cancel'],
    ['lets existing runs continue by default', EXISTING, 'leave'],
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

describe('the list of inputs without effect', () => {
  const waiting: Inputs = { 'queue-timeout': '5m', 'on-timeout': 'leave' };
  const reading: Inputs = { 'succeed-on': 'completed', 'poll-interval': '1m' };
  const several: Inputs = { 'max-parallel': '2', 'fail-fast': 'true' };
  const attempts: Inputs = { 'retry-on': 'failed', 'retry-delay': '2m' };
  const lost: Inputs = { 'on-lost-response': 'retry' };
  const unused = { ...several, ...waiting, ...reading, ...attempts, ...lost, wait: 'false', 'on-cancel': 'leave' };

  it.each<[string, Inputs, Inputs]>([
    ['dry-run is true', { ...SEVERAL, 'dry-run': 'true' }, unused],
    ['wait is false', { ...SEVERAL, wait: 'false' }, { ...waiting, ...reading, ...attempts, 'max-parallel': '2' }],
    ['the step has only one run', {}, several],
    ['the pipeline input is empty', EXISTING, { ...lost, ...attempts, 'max-attempts': '2' }],
    ['max-attempts is 1', {}, attempts],
    ['timeout is not longer than retry-delay', { timeout: '1m' }, { 'max-attempts': '2' }],
    ['neither timeout nor queue-timeout is set', {}, { 'on-timeout': 'leave' }],
  ])('includes every input that is unused because %s', (reason, inputs, idle) => {
    const texts = read({ ...inputs, ...idle }).remarks;
    expect(named(texts)).toEqual(Object.keys(idle).sort());
    expect(texts.filter((text) => !text.endsWith(` has no effect because ${reason}.`))).toEqual([]);
  });

  it.each<[string, Inputs]>([
    ['inputs that are blank or set to their default', { wait: 'false', timeout: ' ', 'max-outage': '15m' }],
    ['on-timeout if timeout is set', { timeout: '1h', 'on-timeout': 'leave' }],
    ['max-attempts if timeout is longer than retry-delay', { timeout: '61s', 'max-attempts': '2' }],
    ['limits on requests with wait: false', { wait: 'false', timeout: '1h', 'max-outage': '1h' }],
    ['limits on requests in a dry run', { 'dry-run': 'true', timeout: '1h', 'max-outage': '1h' }],
    ['inputs that apply to several runs', { ...SEVERAL, ...several }],
    ['inputs that apply', { 'queue-timeout': '1h', 'on-timeout': 'leave', ...attempts, 'max-attempts': '2' }],
    ['inputs that apply to a single read of a resumed run', { ...reading, 'job-id': JOB, wait: 'false' }],
    ['inputs that apply to a dry run that reads a run', { ...reading, 'job-id': JOB, 'dry-run': 'true' }],
  ])('omits %s', (_, inputs) => {
    expect(read(inputs).remarks).toEqual([]);
  });
});

describe('the inputs of the cancel action', () => {
  const cancelInputs = (inputs: Inputs) => readCancelInputs(fakeWorld({ inputs: { 'api-key': KEY, ...inputs } }).world);

  it('count an id that appears twice as one run', () => {
    const checked = cancelInputs({ 'job-id': `${JOB}\n${JOB.toUpperCase()}\n${OTHER_JOB}` });
    expect(checked).toMatchObject({ value: { jobIds: [JOB, OTHER_JOB] } });
  });

  it('accept an empty job-id', () => {
    expect(cancelInputs({ 'job-id': '' })).toMatchObject({ value: { jobIds: [] } });
  });

  it('cause a single error, which mentions the shell, if all are empty', () => {
    const checked = cancelInputs({ 'api-key': '', 'base-url': '', 'job-id': '' });
    expect(checked).toMatchObject({ mistakes: [expect.stringMatching(/^No input has a value.*dash/)] });
  });

  it('each get an error if they are invalid', () => {
    const checked = cancelInputs({ 'api-key': '', 'base-url': '', 'job-id': 'latest' });
    expect('mistakes' in checked && named(checked.mistakes)).toEqual(['api-key', 'base-url', 'job-id']);
  });
});
