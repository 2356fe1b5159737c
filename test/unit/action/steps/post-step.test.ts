// The post step: its treatment of the runs that main left, and of a main process that is still alive.
import { describe, expect, it } from 'vitest';
import { isAllSettled } from '../../../../src/action/state/all-settled.ts';
import { encode, stateKey, type WrittenRecord } from '../../../../src/action/state/records.ts';
import { FAILED, type Life, rowOf } from '../../../support/fake-service.ts';
import { memoryFiles } from '../../../support/memory-files.ts';
import {
  closed,
  fact,
  intent,
  JOURNAL,
  mainRecord,
  OPEN,
  over,
  postEnv,
  queued,
  STATE_FILE,
  SUMMARY_FILE,
  stopped,
  wrote,
} from '../../../support/post.ts';
import { matching, rows, type Scenario, scenarios } from '../../../support/scenarios.ts';
import { API_KEY, JOB, PIPELINE, uuid } from '../../../support/service.ts';
import { type PlayedStep, playStep, type StepOptions } from '../../../support/step.ts';

const TIMEOUT = { kind: 'timeout', afterMs: 60_000 } as const;
const OTHER = uuid('22222222-2222-4333-8444-555555555555');
const RUN = `run ${JOB} of orders`;
const SILENT = { calls: '', levels: '', lines: [], opened: [] };
const WARNED = { ...SILENT, levels: 'warning' };
const CANCELS = { calls: 'cancel', levels: '', opened: ['https://app.example.test/'] };
const left = (...records: readonly WrittenRecord[]): readonly WrittenRecord[] => [mainRecord(), ...records];
const post = (state: readonly WrittenRecord[], options: StepOptions = {}): Promise<PlayedStep> =>
  playStep({ entry: 'post', state, ...options });
const saying = (...texts: readonly string[]): unknown =>
  expect.stringMatching(new RegExp(texts.map((text) => text.replace(/[.()[\]]/g, '\\$&')).join('[^]*')));
const warning = (...texts: readonly string[]): object => ({ level: 'warning', message: saying(...texts) });
/** Matches a text that contains these words but not the secret. */
const holds = (words: string): unknown =>
  expect.toSatisfy((text: string) => text.includes(words) && !text.includes('hunter2'));
/** Returns an environment without the first record of main. */
const withoutMain = (state: readonly WrittenRecord[]) => ({
  ...postEnv(state),
  [`STATE_${stateKey('main', 1)}`]: undefined,
});

describe('post has nothing to do', () => {
  it.each<[string, readonly WrittenRecord[]]>([
    ['rejected its inputs', [mainRecord({ baseUrl: '' }), closed('nothing')]],
    ['saw its run finish', [...OPEN, over('completed'), closed('nothing')]],
    ['left its run running', [...OPEN, stopped(TIMEOUT, 'leave'), closed('nothing')]],
    ['lost its run', [...OPEN, fact({ kind: 'lost' }), closed('nothing')]],
    ['did not wait', [...OPEN, fact({ kind: 'detached' }), closed('detached')]],
    ['had its trigger rejected', left(intent(), fact({ kind: 'refused' }), closed('nothing'))],
    ['reported a lost response', left(intent(), fact({ kind: 'unknown' }), closed('nothing'))],
    ['was killed before it triggered anything', left()],
    ['was killed after it saw its run finish', [...OPEN, over('failed')]],
  ])('if main %s', async (_what, state) => {
    const { files, ...seen } = await post(state);
    expect(seen).toMatchObject({ ...SILENT, endedAtMs: 0 });
    // The mark is for a main process that may still be alive.
    expect(files.paths.filter((path) => !path.endsWith('.stop'))).toEqual([]);
  });
});

describe('once main is gone, post', () => {
  const [CANCEL, LEFT, DOUBT, GONE, NOTHING] = [
    'cancels',
    'says that it is left',
    'warns of a doubt',
    'warns',
    'nothing',
  ];
  const detached = [intent(), queued, fact({ kind: 'detached' })];

  async function doneAbout(state: readonly WrittenRecord[], jobStatus: string): Promise<string> {
    const { calls, annotations, lines } = await post(state, { env: { 'INPUT_INTERNAL-JOB-STATUS': jobStatus } });
    const said = annotations.map(({ message }) => message).join('\n');
    if (calls !== '') return calls === 'cancel' && said === '' ? CANCEL : `${calls}: ${said}`;
    if (lines.join('\n').includes('because on-cancel is leave')) return LEFT;
    if (said.includes('may be in progress')) return DOUBT;
    if (/Lost contact with|because on-timeout is leave/.test(said)) return GONE;
    return said === '' ? NOTHING : said;
  }

  it.each<[string, readonly WrittenRecord[], string, string]>([
    ['about to be triggered', [intent()], DOUBT, DOUBT],
    ['about to be triggered at a timeout', [intent(), stopped(TIMEOUT, 'cancel')], DOUBT, DOUBT],
    ['rejected by the service', [intent(), fact({ kind: 'refused' })], NOTHING, NOTHING],
    ['rejected, and triggered again', [intent(), fact({ kind: 'refused' }), intent()], DOUBT, DOUBT],
    ['unknown', [intent(), fact({ kind: 'unknown' })], DOUBT, DOUBT],
    ['queued', [intent(), queued], CANCEL, LEFT],
    ['taken from an earlier step', [fact({ kind: 'claimed', jobId: JOB })], CANCEL, LEFT],
    ['to be cancelled by a timeout', [intent(), queued, stopped(TIMEOUT, 'cancel')], CANCEL, CANCEL],
    [
      'to be cancelled by a timeout after fail-fast',
      [intent(), queued, stopped({ kind: 'fail_fast', after: 'customers' }, 'await'), stopped(TIMEOUT, 'cancel')],
      CANCEL,
      CANCEL,
    ],
    ['left by a timeout', [intent(), queued, stopped(TIMEOUT, 'leave')], GONE, GONE],
    [
      'left before another stop',
      [intent(), queued, stopped(TIMEOUT, 'leave', 1), stopped(TIMEOUT, 'cancel')],
      GONE,
      GONE,
    ],
    ['lost', [intent(), queued, fact({ kind: 'lost' })], GONE, GONE],
    ['finished', [intent(), queued, over('completed')], NOTHING, NOTHING],
    ['finished, and not awaited', [...detached, over('failed')], NOTHING, NOTHING],
    ['finished before another record', [intent(), queued, over('cancelled'), queued], NOTHING, NOTHING],
  ])('handles, for every job status, a run that is %s', async (_phase, life, byCancel, byLeave) => {
    for (const jobStatus of ['success', 'cancelled', '']) {
      for (const now of ['success', 'failure', 'cancelled', '']) {
        expect(await doneAbout([mainRecord({ jobStatus }), ...life], now)).toBe(byCancel);
        expect(await doneAbout([mainRecord({ jobStatus, onCancel: 'leave' }), ...life], now)).toBe(byLeave);
      }
    }
  });

  it.each([
    ['success', 'cancelled', CANCEL],
    ['', 'cancelled', CANCEL],
    ['failure', 'Cancelled', CANCEL],
    ['cancelled', 'cancelled', NOTHING],
    ['Cancelled', 'cancelled', NOTHING],
    ['success', 'success', NOTHING],
    ['success', 'failure', NOTHING],
    ['success', '', NOTHING],
    ['success', 'cancelled by a user', NOTHING],
  ])(
    'responds to a detached run and a change of the job status from %j to %j with "%s"',
    async (jobStatus, now, done) => {
      for (const end of [[], [closed('detached')]]) {
        const state = [mainRecord({ jobStatus }), ...detached, ...end];
        expect(await doneAbout(state, now)).toBe(done);
        expect(isAllSettled(postEnv(state, { 'INPUT_INTERNAL-JOB-STATUS': now }))).toBe(
          end.length > 0 && done === NOTHING,
        );
        expect(await doneAbout([mainRecord({ jobStatus, onCancel: 'leave' }), ...detached, ...end], now)).toBe(NOTHING);
      }
    },
  );
});

describe('post', () => {
  const lagging = {
    cancel: (nth: number) => (nth === 1 ? ({ kind: 'unchanged' } as const) : rowOf(JOB, 'cancelled')),
    read: () => rowOf(JOB, 'running'),
  };
  const existing: Readonly<Record<string, Life>> = { [OTHER]: [[0, 'running']] };
  const unnamed = (name: string | null, wall: number) =>
    left(fact({ kind: 'intent', pipeline: { id: PIPELINE, name }, wall }));
  const noon = Date.parse('2026-01-05T12:00:00Z');

  scenarios(
    {
      'keeps the status of a run that has already finished': [
        { service: { existing: { [JOB]: [[0, 'completed']] } } },
        { calls: 'cancel read', lines: [saying(`${RUN} completed before`)] },
      ],
      'cancels again after a stale read': [{ service: lagging }, { calls: 'cancel read cancel', levels: '' }],
      'leaves the run running with on-cancel: leave': [
        { state: [mainRecord({ onCancel: 'leave' }), intent(), queued] },
        { ...SILENT, lines: [saying(RUN, 'is left running')] },
      ],
      'cancels the run despite on-cancel: leave if main was cancelling it after a timeout': [
        { state: [mainRecord({ onCancel: 'leave' }), intent(), queued, stopped(TIMEOUT, 'cancel'), closed('runs')] },
        CANCELS,
      ],
      'settles several runs at once and reports each of them': [
        {
          state: [...OPEN, intent(2, 'customers'), fact({ kind: 'queued', jobId: OTHER }, 2), intent(3, null)],
          service: { existing, cancel: (_nth, jobId) => (jobId === JOB ? 'stalls' : undefined) },
        },
        {
          cancels: matching(/^0 0 /),
          lines: [saying(`run ${OTHER} of customers was cancelled`)],
          levels: 'warning warning',
        },
      ],
      'names the pipeline and the time of an intent without a run id': [
        { state: left(intent()) },
        { ...WARNED, annotations: [warning(`orders (${PIPELINE}) may be`, '2026-01-05T11:59:00.000Z')] },
      ],
      'names the UUID of a nameless pipeline': [
        { state: unnamed(null, noon) },
        { annotations: [warning(`A run of ${PIPELINE} may`)] },
      ],
      'accepts an impossible time in a record': [
        { state: unnamed('orders', 1e300) },
        { annotations: [warning('unknown time')] },
      ],
      'shows the name of a pipeline as text': [
        { state: unnamed('\n::error::x', noon) },
        { annotations: [warning(`A run of :\u200B:error::x (${PIPELINE}) may`)] },
      ],
      'names a run that main left running but did not report': [
        { state: [...OPEN, stopped(TIMEOUT, 'leave')] },
        { ...WARNED, annotations: [warning(RUN, 'is left running')] },
      ],
      'does not mistake the id of an earlier run for the id of a new run': [
        {
          state: left(
            fact({ kind: 'claimed', jobId: JOB }),
            fact({ kind: 'not_resumed' }),
            intent(),
            stopped(TIMEOUT, 'cancel'),
          ),
        },
        { calls: '', annotations: [warning('A run of orders')] },
      ],
      'writes no summary with summary: false': [
        { env: { INPUT_SUMMARY: 'false' } },
        { ...CANCELS, files: { paths: expect.not.arrayContaining([SUMMARY_FILE]) as unknown } },
      ],
      'names the pipelines if main has left no record': [
        { state: [], env: { INPUT_PIPELINE: 'orders\ncustomers' } },
        { ...WARNED, annotations: [warning('left no record', '"orders" and "customers"')] },
      ],
      'names the run in a record of another version': [
        { state: left(), env: { [`STATE_${stateKey('main', 2)}`]: `{"v":2,"kind":"queued","jobId":"${JOB}"}` } },
        { ...WARNED, annotations: [warning(`the run ${JOB}`)] },
      ],
      'prints nothing about a dry run without a record': [{ state: [], env: { 'INPUT_DRY-RUN': 'true' } }, SILENT],
      ...rows(
        (
          [
            ['', 'is empty in'],
            ['eyJ.a.b', 'a legacy API key'],
            ['hunter2', 'not an API key'],
          ] as const
        ).map(
          ([key, words]): Scenario => [
            `sends nothing with the invalid key "${key}" and does not reveal it`,
            { env: { 'INPUT_API-KEY': key } },
            { ...WARNED, annotations: [{ message: holds(words) }] },
          ],
        ),
      ),
      ...rows(
        ['http://evil.example.test/', 'https://a:hunter2@evil.example.test/', 'nonsense'].map(
          (baseUrl): Scenario => [
            `does not send the key to ${baseUrl}`,
            { state: [mainRecord({ baseUrl }), intent(), queued] },
            { ...WARNED, annotations: [warning('the address in')] },
          ],
        ),
      ),
    },
    { entry: 'post', state: OPEN },
  );

  it('cancels the run of a killed main, masks the key, and records the end for other post steps', async () => {
    const { lines, made, files, masked, ...seen } = await post(OPEN);
    expect(seen).toMatchObject(CANCELS);
    expect([masked, lines]).toEqual([[API_KEY], [saying(`${RUN} was cancelled`)]]);
    expect(made('cancel')).toMatchObject([{ jobId: JOB, atMs: 0, withinMs: 10_000 }]);
    expect(files.text(JOURNAL)).toBe(`run_pipeline_post_0001=${encode(over('cancelled'))}\n`);
    expect(files.text(SUMMARY_FILE)).toMatch(/^\n### Pipeline run: .*\n\n- The step/);
  });

  it.each([
    ['no response arrives', 'stalls', 'no answer came in time', 170_000],
    ['the key is rejected', FAILED.keyRefused, 'HTTP 401', 150_000],
  ] as const)(
    'retries for three minutes while %s, and then warns with the id',
    async (_what, outcome, cause, leastMs) => {
      const { endedAtMs, annotations, lines, made } = await post(OPEN, {
        service: { cancel: () => outcome },
        random: () => 0.999,
      });
      const gaps = made('cancel').map(({ atMs }, nth, all) => atMs - (all[nth - 1]?.endedAtMs ?? atMs));
      expect(Math.round(Math.max(...gaps) / 1_000)).toBe(15);
      expect(endedAtMs).toBeGreaterThan(leastMs);
      expect(endedAtMs).toBeLessThanOrEqual(180_000);
      expect([annotations, lines]).toEqual([[expect.objectContaining(warning(RUN, 'was not confirmed', cause))], []]);
    },
  );

  it('reads the status three times, and then every 30 s', async () => {
    const { reads } = await post(OPEN, { service: { ...lagging, cancel: () => ({ kind: 'unchanged' }) } });
    const seconds = reads.split(' ').slice(2).map(Number);
    const gaps = seconds.slice(1).map((at, index) => at - (seconds[index] ?? 0));
    expect(gaps.length).toBeGreaterThan(2);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(30);
  });

  it('shares the time of a cancelled job with the other post steps', async () => {
    const files = memoryFiles();
    for (const number of [1, 2, 3]) {
      const journal = JOURNAL.replace('.journal', `${number}.journal`);
      const owner = { ...mainRecord().owner, action: `step_${number}` };
      wrote(files, [mainRecord({ journal, owner }), intent(), queued], [journal]);
    }
    const { endedAtMs } = await post(OPEN, { files, service: { cancel: () => 'stalls' } });
    expect(endedAtMs).toBeGreaterThan(80_000);
    expect(endedAtMs).toBeLessThanOrEqual(90_000);
  });

  it('annotates only as many runs as a runner shows, and lists all runs in the summary', async () => {
    const runs = Array.from({ length: 15 }, (_, index) => index + 1);
    const { annotations, files } = await post(left(...runs.map((run) => intent(run, `number${run}`))));
    expect(annotations).toHaveLength(9);
    for (const run of runs) expect(files.text(SUMMARY_FILE)).toContain(`number${run} `);
  });

  it.each([
    ['fifo', 'warning'],
    ['stdout', 'warning'],
    ['character_device', ''],
  ] as const)('treats a summary file of the kind %s as main does', async (kind, levels) => {
    const seen = await post(OPEN, { kinds: { [SUMMARY_FILE]: kind } });
    expect([seen.levels, seen.files.read(SUMMARY_FILE) === undefined]).toEqual([levels, levels !== '']);
  });

  it('cancels the run on a full disk and warns that the summary is missing', async () => {
    const seen = await post(OPEN, { full: [JOURNAL, SUMMARY_FILE, STATE_FILE] });
    expect(seen).toMatchObject({ calls: 'cancel', annotations: [warning('the job summary', 'ENOSPC')] });
  });
});

describe('post without the first record of main', () => {
  const records = [...OPEN, intent(2, 'customers')];
  const named = [warning(`A run of customers (${PIPELINE}) may`), warning(`the cancel of ${RUN}`)];

  it('only names the runs, because it does not know the address of the service', async () => {
    expect(isAllSettled(withoutMain(OPEN))).toBe(false);
    expect(await post([], { env: withoutMain(records) })).toMatchObject({ calls: '', opened: [], annotations: named });
  });

  it('only names the runs in a journal that may belong to another step', async () => {
    const files = memoryFiles();
    wrote(files, records, [JOURNAL]);
    files.write(JOURNAL, files.text(JOURNAL).split('\n').slice(1).join('\n'));
    const { annotations } = await post([], { files });
    expect(annotations).toMatchObject([warning('left no record'), ...named]);
  });

  it('cancels the run if the journal contains the record', async () => {
    const files = memoryFiles();
    wrote(files, OPEN, [JOURNAL]);
    expect(await post([], { files, env: withoutMain(OPEN) })).toMatchObject({ calls: 'cancel', levels: '' });
  });

  it('ignores the records of another step that has left nothing to do', async () => {
    const files = memoryFiles();
    const journal = '/temp/run-pipeline-77-1-load-99.journal';
    const finished = fact({ kind: 'finished', job: { id: OTHER, status: 'completed', statusMessage: null } });
    const main = mainRecord({ journal, pid: 99, stateFile: '' });
    wrote(files, [main, fact({ kind: 'claimed', jobId: OTHER }), finished, closed('nothing')], [journal]);
    const seen = await post([], { files, env: withoutMain(OPEN) });
    expect(seen).toMatchObject({ calls: '', annotations: [warning(`the cancel of run ${JOB}`)] });
  });
});

describe('post, if main is still alive,', () => {
  const DYING = { state: OPEN, entry: 'post' } as const;

  scenarios(
    {
      'kills main after ten seconds': [
        { main: (name) => (name === 'SIGKILL' ? 0 : Infinity) },
        { ...CANCELS, signals: ['0 SIGTERM', '10000 SIGKILL'], cancels: '10' },
      ],
      'warns if main does not end, and cancels the run': [
        { main: () => Infinity },
        { cancels: '20', annotations: [warning('has not ended')] },
      ],
      'sends main no signal if main has reported its end': [
        { main: () => 0, state: [...OPEN, over('completed'), closed('nothing')] },
        { signals: [], calls: '' },
      ],
      'sends no signal to another process that has the id of main': [
        { main: () => 0, state: [mainRecord({ startedAt: 'ticks:2' }), intent(), queued] },
        { signals: [], calls: 'cancel' },
      ],
      'warns and sends no signal if the process may not be main': [
        { main: 'unknown' },
        { signals: [], cancels: '10', annotations: [warning('may still be running')] },
      ],
      'continues once main has ended': [
        {
          main: 'unknown',
          watch: ({ clock, files }) =>
            clock.after(2_000, () => wrote(files, [...OPEN, over('cancelled'), closed('nothing')], [STATE_FILE])),
        },
        { endedAtMs: 2_000, calls: '', levels: '' },
      ],
      'shortens its wait for main after a signal': [
        { main: () => Infinity, service: { cancel: () => 'stalls' }, interruptAtMs: 1_000 },
        {
          signals: ['0 SIGTERM', '4000 SIGKILL'],
          cancels: matching(/^4\.5 /),
          endedAtMs: expect.toSatisfy((ms: number) => ms <= 7_500) as unknown,
        },
      ],
    },
    DYING,
  );

  it.each<[string, readonly WrittenRecord[], WrittenRecord, number, number, object]>([
    ['trusts a record that main writes after the signal', OPEN, over('cancelled'), 4, 2_000, { calls: '' }],
    ['cancels a run that main queues after the signal', left(intent()), queued, 3, 9_000, { cancels: '9', levels: '' }],
  ])('%s', async (_what, state, record, number, ms, seen) => {
    const files = memoryFiles();
    wrote(files, state, [STATE_FILE, JOURNAL]);
    const main = (): number => {
      files.append(JOURNAL, `\nrun_pipeline_000${number}=${encode(record)}\n`);
      return ms;
    };
    const played = await post(state, { files, main });
    expect(played).toMatchObject({ ...seen, signals: ['0 SIGTERM'], endedAtMs: ms });
    expect(played.lines[0]).toContain('(4711) is still running');
  });
});

describe('post after a signal', () => {
  it.each([0, 5_000, 61_234])(
    'ends with a warning within 6.5 s if the signal arrives after %d ms',
    async (interruptAtMs) => {
      const { endedAtMs, levels, made } = await post(OPEN, { service: { cancel: () => 'stalls' }, interruptAtMs });
      expect(endedAtMs).toBeGreaterThan(interruptAtMs + 4_000);
      expect(endedAtMs).toBeLessThanOrEqual(interruptAtMs + 6_500);
      const hurried = made('cancel').filter(({ atMs }) => atMs > interruptAtMs);
      expect([levels, hurried.length >= 2]).toEqual(['warning', true]);
      expect(Math.max(...hurried.map(({ atMs, withinMs = Infinity }) => atMs + withinMs))).toBeLessThanOrEqual(
        interruptAtMs + 6_500,
      );
    },
  );

  it('cancels the run if the service recovers', async () => {
    const service = { cancel: (nth: number) => (nth < 3 ? 'stalls' : undefined) } as const;
    expect(await post(OPEN, { service, interruptAtMs: 1_000 })).toMatchObject({ levels: '', lines: [saying(RUN)] });
  });
});
