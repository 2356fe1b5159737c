// How the post step handles runs that main left in progress, and a main process that is still alive.
import { describe, expect, it } from 'vitest';
import { isAllSettled } from '../../../../src/action/state/all-settled.ts';
import { marksOf } from '../../../../src/action/state/mark.ts';
import { encode, type MainRecord, stateKey, type WrittenRecord } from '../../../../src/action/state/records.ts';
import { FAILED, type Life, rowOf } from '../../../support/fake-service.ts';
import { memoryFiles } from '../../../support/memory-files.ts';
import {
  closed,
  fact,
  intent,
  JOURNAL,
  journals,
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
import { matching, saying, scenarios } from '../../../support/scenarios.ts';
import { API_KEY, JOB, OTHER_JOB, PIPELINE } from '../../../support/service.ts';
import { type PlayedStep, playStep, type StepOptions } from '../../../support/step.ts';

const TIMEOUT = { kind: 'timeout', afterMs: 60_000 } as const;
const NAMED = `${JOB} of orders`;
const SILENT = { calls: '', levels: '', lines: [], opened: [] };
const WARNED = { ...SILENT, levels: 'warning' };
const CANCELS = { calls: 'cancel', levels: '', opened: ['https://app.example.test/'] };
const DOUBTED = fact({ kind: 'unknown' });
const CLAIMED = fact({ kind: 'claimed', jobId: JOB });
const left = (...records: readonly WrittenRecord[]): readonly WrittenRecord[] => [mainRecord(), ...records];
const post = (state: readonly WrittenRecord[], options: StepOptions = {}): Promise<PlayedStep> =>
  playStep({ entry: 'post', state, ...options });
const warning = (...texts: readonly string[]): object => ({ level: 'warning', message: saying(...texts) });
/** Returns files with one journal for each list of records, left by dead main processes whose state the runner lost. */
const journalsWith = (all: readonly (readonly WrittenRecord[])[]) =>
  journals(
    ...all.map((records, at) => ({ path: JOURNAL.replace('.journal', `-${at}.journal`), pid: 90 + at, records })),
  );
/** Returns an environment without the first record of main. */
const withoutMain = (state: readonly WrittenRecord[]) =>
  postEnv(state, { [`STATE_${stateKey('main', 1)}`]: undefined });

it.each<[string, readonly WrittenRecord[]]>([
  ['rejected its inputs', [mainRecord({ baseUrl: '' }), closed('nothing')]],
  ['saw its run finish', [...OPEN, over('completed'), closed('nothing')]],
  ['did not wait', [...OPEN, fact({ kind: 'detached' }), closed('detached')]],
  ['saw the service reject its trigger', left(intent(), fact({ kind: 'refused' }), closed('nothing'))],
  ['was killed before it triggered anything', left()],
  ['was killed after it saw its run finish', [...OPEN, over('failed')]],
])('post has nothing to do if main %s', async (_what, state) => {
  const { files, ...seen } = await post(state);
  expect(seen).toMatchObject({ ...SILENT, endedAtMs: 0 });
  // Marks stop a main process that may still be alive.
  expect(files.paths).toEqual(state.some((record) => 'left' in record) ? [] : marksOf(mainRecord()));
});

describe('once main has ended', () => {
  const [CANCEL, LEFT, DOUBT, GONE, NOTHING] = ['cancels', 'leaves', 'is unsure about', 'warns about', 'ignores'];
  const SEVERAL = 'warns twice about';
  const detached = [intent(), queued, fact({ kind: 'detached' })];

  async function doneAbout(state: readonly WrittenRecord[], jobStatus: string): Promise<string> {
    const { calls, annotations, lines } = await post(state, { env: { 'INPUT_INTERNAL-JOB-STATUS': jobStatus } });
    const said = annotations.map(({ message }) => message).join('\n');
    if (calls === 'cancel' && said === '') return CANCEL;
    if (lines.join('\n').includes('because on-cancel is leave') && said === '') return LEFT;
    const doubts = said.split('may be in progress').length - 1;
    if (doubts > 0 && doubts < 3) return doubts === 1 ? DOUBT : SEVERAL;
    if (/Lost contact with|because on-timeout is leave/.test(said)) return GONE;
    return `${calls}${said}` === '' ? NOTHING : `${calls}: ${said}`;
  }

  const phases: readonly (readonly [string, readonly WrittenRecord[], string, string])[] = [
    ['is about to be triggered', [intent()], DOUBT, DOUBT],
    ['the service rejected', [intent(), fact({ kind: 'refused' })], NOTHING, NOTHING],
    ['has an unconfirmed trigger', [intent(), fact({ kind: 'unknown' })], DOUBT, DOUBT],
    ['is queued', [intent(), queued], CANCEL, LEFT],
    ['comes from an earlier step', [CLAIMED], CANCEL, LEFT],
    ['a timeout should cancel', [intent(), queued, stopped(TIMEOUT, 'cancel')], CANCEL, CANCEL],
    ['a timeout left running', [intent(), queued, stopped(TIMEOUT, 'leave')], GONE, GONE],
    ['main reported as lost', [intent(), queued, fact({ kind: 'lost' })], GONE, GONE],
    ['has finished', [intent(), queued, over('completed')], NOTHING, NOTHING],
    ['is triggered again after a lost response', [intent(), DOUBTED, intent()], SEVERAL, SEVERAL],
    ['follows an attempt with a lost response', [intent(), DOUBTED, { ...queued, attempt: 2 }], DOUBT, DOUBT],
    ['follows a failed attempt', [intent(), queued, over('failed'), { ...queued, attempt: 2 }], CANCEL, LEFT],
    ['main was triggering when it ended', [intent(), closed('runs')], DOUBT, DOUBT],
    ['main left in progress when it ended', [intent(), queued, closed('runs')], CANCEL, LEFT],
    ['may have finished, because a record is missing', [intent(), queued, closed('nothing')], CANCEL, NOTHING],
    ['main reported as left', [...OPEN.slice(1), stopped(TIMEOUT, 'leave'), closed('nothing')], NOTHING, NOTHING],
  ];
  const forBoth = (byCancel: string, byLeave: string) => [
    { done: byCancel, onCancel: 'cancel' } as const,
    { done: byLeave, onCancel: 'leave' } as const,
  ];
  const runs = phases.flatMap(([phase, life, ...done]) => forBoth(...done).map((each) => ({ ...each, phase, life })));
  const statuses = ['success', 'cancelled', ''].flatMap((jobStatus) =>
    ['success', 'failure', 'cancelled', ''].map((now) => ({ jobStatus, now })),
  );

  describe.each(statuses)('and the job status was "$jobStatus" and is now "$now", post', ({ jobStatus, now }) => {
    it.each(runs)('$done a run that $phase with on-cancel: $onCancel', async ({ done, onCancel, life }) => {
      expect(await doneAbout([mainRecord({ jobStatus, onCancel }), ...life], now)).toBe(done);
    });
  });

  describe.each([
    ['without recording its end', []],
    ['and recorded its end', [closed('detached')]],
  ])('%s, post', (_how, end) => {
    const changes = [
      [CANCEL, 'success', 'cancelled'],
      [CANCEL, '', 'cancelled'],
      [CANCEL, 'failure', 'Cancelled'],
      [NOTHING, 'Cancelled', 'cancelled'],
      [NOTHING, 'success', 'success'],
      [NOTHING, 'success', ''],
      [NOTHING, 'success', 'cancelled by a user'],
    ] as const;

    const both = changes.flatMap(([done, ...when]) => forBoth(done, NOTHING).map((each) => ({ ...each, when })));

    it.each(both)(
      '$done a detached run with on-cancel: $onCancel if the job status was "$when.0" and is now "$when.1"',
      async ({ done, onCancel, when: [jobStatus, now] }) => {
        const state = [mainRecord({ jobStatus, onCancel }), ...detached, ...end];
        expect(await doneAbout(state, now)).toBe(done);
        const isSettled = isAllSettled(postEnv(state, { 'INPUT_INTERNAL-JOB-STATUS': now }));
        expect(isSettled).toBe(end.length > 0 && done === NOTHING);
      },
    );
  });
});

describe('post', () => {
  const lagging = {
    cancel: (nth: number) => (nth === 1 ? ({ kind: 'unchanged' } as const) : rowOf(JOB, 'cancelled')),
    read: () => rowOf(JOB, 'running'),
  };
  const existing: Readonly<Record<string, Life>> = { [OTHER_JOB]: 'running' };

  scenarios(
    {
      'cancels again after a stale read': [{ service: lagging }, { calls: 'cancel read cancel', levels: '' }],
      'cancels a run that the first reads do not find': [
        { service: { cancel: (nth) => (nth <= 5 ? { kind: 'unchanged' } : undefined), read: () => FAILED.missing } },
        { calls: matching(/^(?:cancel read ){3}cancel×3$/), levels: '', lines: [saying('was cancelled')] },
      ],
      'settles several runs at once and reports each of them': [
        {
          state: [...OPEN, intent(2, 'customers'), fact({ kind: 'queued', jobId: OTHER_JOB }, 2), intent(3, null)],
          service: { existing, cancel: (_nth, jobId) => (jobId === JOB ? 'stalls' : undefined) },
        },
        {
          cancels: matching(/^0 0 /),
          lines: [saying(OTHER_JOB, 'customers was cancelled')],
          levels: 'warning warning',
        },
      ],
      'shows a pipeline name as plain text, and accepts an impossible time': [
        { state: left(fact({ kind: 'intent', pipeline: { id: PIPELINE, name: '\n::error::x' }, wall: 1e300 })) },
        { annotations: [warning(`A run of :\u200B:error::x (${PIPELINE}) may`, 'unknown time')] },
      ],
      'does not mistake the id of an earlier run for that of a new run': [
        { state: left(CLAIMED, fact({ kind: 'not_resumed' }), intent(), stopped(TIMEOUT, 'cancel')) },
        { calls: '', annotations: [warning('orders', 'without its id')] },
      ],
      'writes no summary with summary: false': [
        { env: { INPUT_SUMMARY: 'false' } },
        { ...CANCELS, files: { paths: expect.not.arrayContaining([SUMMARY_FILE]) as unknown } },
      ],
      'names the pipelines and runs if main has left no record': [
        { state: [], env: { INPUT_PIPELINE: 'orders\ncustomers', 'INPUT_JOB-ID': `${JOB}\nx`, 'INPUT_API-KEY': '' } },
        { ...WARNED, masked: [], annotations: [warning('left no record', JOB, '"orders" and "customers"')] },
      ],
      'repeats no message of a run, which may contain a token of main': [
        { service: { cancel: () => rowOf(JOB, 'failed', 'tok_of_main') } },
        { ...CANCELS, lines: [expect.not.stringContaining('tok_of_main')] },
      ],
      'prints nothing about a dry run without a record': [{ state: [], env: { 'INPUT_DRY-RUN': 'true' } }, SILENT],
      'sends nothing with an invalid key and does not reveal the key': [
        { env: { 'INPUT_API-KEY': 'hunter2' } },
        { ...WARNED, annotations: [{ message: expect.not.stringContaining('hunter2') as unknown }] },
      ],
      'does not send the key to an address with credentials': [
        { state: [mainRecord({ baseUrl: 'https://a:hunter2@evil.example.test/' }), intent(), queued] },
        { ...WARNED, annotations: [warning('in the saved state')] },
      ],
    },
    { entry: 'post', state: OPEN },
  );

  it('cancels the run of a killed main, masks the key, and records the final status for other post steps', async () => {
    const { lines, made, files, masked, ...seen } = await post(OPEN);
    expect(seen).toMatchObject(CANCELS);
    expect([masked, lines]).toEqual([[API_KEY], [saying(`${NAMED} was cancelled`)]]);
    expect(made('cancel')).toMatchObject([{ jobId: JOB, atMs: 0, withinMs: 10_000 }]);
    expect(files.text(JOURNAL)).toBe(`run_pipeline_post_0001=${encode(over('cancelled'))}\n`);
    expect(files.text(SUMMARY_FILE)).toMatch(/^\n### After the job: .*\n\n- The step/);
  });

  it.each([
    ['no response arrives', 'stalls', 'no answer came in time', 170_000],
    ['the key is rejected', FAILED.keyRefused, 'HTTP 401', 150_000],
  ] as const)('retries for up to three minutes while %s, and then warns', async (_, outcome, cause, leastMs) => {
    const service = { cancel: () => outcome };
    const { endedAtMs, annotations, lines, made, debugged } = await post(OPEN, { service, random: () => 0.999 });
    expect(debugged[0]).toContain(`: ${cause}`);
    const gaps = made('cancel').map(({ atMs }, nth, all) => atMs - (all[nth - 1]?.endedAtMs ?? atMs));
    expect(Math.round(Math.max(...gaps) / 1_000)).toBe(15);
    expect(endedAtMs).toBeGreaterThan(leastMs);
    expect(endedAtMs).toBeLessThanOrEqual(180_000);
    expect([annotations, lines]).toEqual([[expect.objectContaining(warning(NAMED, 'confirmation', cause))], []]);
  });

  it('shares the time left in a cancelled job with the other post steps', async () => {
    const files = memoryFiles();
    // The first three steps have work for post, the fourth has not, and the first record of the fifth is missing.
    for (const [number, ends] of [[], [], [closed('detached')], [closed('nothing')], []].entries()) {
      const journal = JOURNAL.replace('.journal', `${number}.journal`);
      const owner = { ...mainRecord().owner, action: `step_${number}` };
      wrote(files, [mainRecord({ journal, owner }), intent(), queued, ...ends].slice(number === 4 ? 1 : 0), [journal]);
    }
    const env = { GITHUB_ACTION: 'step_0', 'INPUT_INTERNAL-JOB-STATUS': 'cancelled' };
    const { endedAtMs } = await post(OPEN, { files, env, main: 'unknown', service: { cancel: () => 'stalls' } });
    expect(endedAtMs).toBeGreaterThan(80_000);
    expect(endedAtMs).toBeLessThanOrEqual(90_000);
  });

  const claims = [JOB, OTHER_JOB].map((jobId, at) => fact({ kind: 'claimed', jobId }, at + 1));

  it.each([
    ['the other run', [claims]],
    ['the run of another main process', claims.map((one) => [one])],
  ])('does not hide an internal error, but cancels %s first', async (_which, all) => {
    const files = journalsWith(all);
    const around: StepOptions['around'] = (api) => ({
      ...api,
      cancel: (id, options) => (id === JOB ? Promise.reject(new Error('a bug')) : api.cancel(id, options)),
    });
    await expect(post([], { files, around, service: { callMs: 500, existing } })).rejects.toThrow('a bug');
    const texts = files.paths.map((path) => files.text(path)).join('');
    expect(texts.match(/"finished".*/g)).toEqual([expect.stringContaining(OTHER_JOB)]);
    expect(files.text(SUMMARY_FILE)).toContain(OTHER_JOB);
  });

  it('exchanges the key only once for the journals of two dead main processes', async () => {
    const files = journalsWith(claims.map((one) => [one]));
    expect(await post([], { files, service: { existing } })).toMatchObject({ ...CANCELS, calls: 'cancel×2' });
  });

  it('cancels the run even if the disk is full, and warns that the summary is missing', async () => {
    const seen = await post(OPEN, { full: [JOURNAL, SUMMARY_FILE, STATE_FILE] });
    expect(seen).toMatchObject({ calls: 'cancel', annotations: [warning('the job summary', 'ENOSPC')] });
  });
});

describe('post without any record', () => {
  it.each<[string, Partial<MainRecord>, readonly WrittenRecord[], string]>([
    [
      'leaves the run of another step alone, and warns that it knows nothing',
      { owner: { action: 'x' } },
      OPEN.slice(1),
      'warning',
    ],
    ['warns if another use of the action has ended', { asked: 'x' }, [closed('nothing')], 'warning'],
    ['assumes that a main process without an end is its own', { asked: 'x' }, [], ''],
    ['prints nothing if nothing was left to do', {}, [closed('nothing')], ''],
    ['repeats a warning that the log may lack', {}, [intent(), DOUBTED, closed('nothing')], 'warning'],
  ])('%s, and leaves a mark', async (_, fields, ends, levels) => {
    const files = wrote(memoryFiles(), [mainRecord(fields), ...ends], [JOURNAL]);
    expect(await post([], { files, env: { GITHUB_ACTION: 'first' } })).toMatchObject({ calls: '', levels });
    expect(files.paths).toContain('/temp/run-pipeline-77-1-load-first.stop');
  });

  it('cancels a run that main triggers just before post leaves the mark', async () => {
    const memory = memoryFiles();
    const write: typeof memory.write = (...given) => {
      if (!memory.paths.includes(JOURNAL)) wrote(memory, [mainRecord(), intent(), queued], [JOURNAL]);
      memory.write(...given);
    };
    expect(await post([], { files: { ...memory, write } })).toMatchObject({ calls: 'cancel' });
  });
});

it("post's summary is cut to about 200,000 bytes and counts the omitted runs", async () => {
  const state = left(...Array.from({ length: 700 }, (_, run) => intent(run + 1, `orders ${run} ${'x'.repeat(200)}`)));
  const summary = (await post(state)).files.read(SUMMARY_FILE) ?? '';
  const rows = summary.match(/^- /gm) ?? [];
  expect(Buffer.byteLength(summary)).toBeLessThan(201_000);
  expect(Buffer.byteLength(summary)).toBeGreaterThan(199_000);
  expect(summary).toContain(`… and ${700 - rows.length} more`);
});

describe("post without main's first record", () => {
  const lost = { run: 2, attempt: 1, fact: { kind: 'unknown' } } as const;
  const records = [...OPEN, intent(2, 'customers'), lost, closed('nothing')];
  const named = [warning(`A run of customers (${PIPELINE}) may`), warning(`${NAMED} may still`)];

  it("only names the runs, because it does not know the service's address", async () => {
    expect(await post([], { env: withoutMain(records) })).toMatchObject({ calls: '', opened: [], annotations: named });
  });

  it('cancels the run if the journal contains that record', async () => {
    const files = wrote(memoryFiles(), OPEN, [JOURNAL]);
    expect(await post([], { files, env: withoutMain(OPEN) })).toMatchObject({ calls: 'cancel', levels: '' });
  });

  it('ignores the records of another step that has left nothing to do', async () => {
    const journal = '/temp/run-pipeline-77-1-load-99.journal';
    const finished = fact({ kind: 'finished', job: { id: OTHER_JOB, status: 'completed', statusMessage: null } });
    const main = mainRecord({ journal, pid: 99, stateFile: '' });
    const records = [main, fact({ kind: 'claimed', jobId: OTHER_JOB }), finished, closed('nothing')];
    const files = wrote(memoryFiles(), records, [journal]);
    expect(await post([], { files, env: withoutMain(OPEN) })).toMatchObject({
      calls: '',
      annotations: [warning(`${NAMED} may still`)],
    });
  });
});

describe('post with a live main process', () => {
  const DYING = { state: OPEN, entry: 'post' } as const;

  scenarios(
    {
      'kills main after ten seconds': [
        { main: (name) => (name === 'SIGKILL' ? 0 : Infinity) },
        { ...CANCELS, signals: ['0 SIGTERM', '10000 SIGKILL'], cancels: '10' },
      ],
      'warns if main does not end, and cancels the run': [
        { main: () => Infinity },
        { cancels: '20', annotations: [warning('has not exited')] },
      ],
      'warns if main does not end, and cancels a run that main has recorded since then': [
        { state: OPEN.slice(0, 2), main: () => Infinity, onLook: ({ files }) => wrote(files, OPEN, [STATE_FILE]) },
        { cancels: '20', annotations: [warning('has not exited')] },
      ],
      'sends main no signal if main has recorded its end': [
        { main: () => 0, state: [...OPEN, over('completed'), closed('nothing')] },
        { signals: [], calls: '' },
      ],
      "sends no signal to another process that has main's process id": [
        { main: () => 0, state: [mainRecord({ startedAt: 'ticks:2' }), intent(), queued] },
        { signals: [], calls: 'cancel' },
      ],
      'warns and sends no signal if the process may not be main': [
        { main: 'unknown' },
        { signals: [], cancels: '10', annotations: [warning('not check', '4711')] },
      ],
      'reads the records again if main has ended since post read them': [
        { state: OPEN.slice(0, 2), onLook: ({ files }) => wrote(files, OPEN, [STATE_FILE]) },
        { ...CANCELS, signals: [], cancels: '0', levels: '' },
      ],
      'continues once main has ended': [
        {
          main: 'unknown',
          watch: ({ clock, files }) =>
            clock.after(2_000, () => wrote(files, [...OPEN, over('cancelled'), closed('nothing')], [STATE_FILE])),
        },
        { endedAtMs: 2_000, calls: '', levels: '' },
      ],
      'shortens its wait for main if post receives a signal': [
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
    const files = wrote(memoryFiles(), state, [STATE_FILE, JOURNAL]);
    const main = (): number => {
      files.append(JOURNAL, `\nrun_pipeline_000${number}=${encode(record)}\n`);
      return ms;
    };
    const played = await post(state, { files, main });
    expect(played).toMatchObject({ ...seen, signals: ['0 SIGTERM'], endedAtMs: ms });
    expect(played.lines[0]).toContain('4711) is still');
  });
});

it.each([0, 5_000, 61_234])('post ends with a warning within 6.5 s of a signal at %d ms', async (signalAtMs) => {
  const service = { cancel: () => 'stalls' as const };
  const { endedAtMs, levels, made } = await post(OPEN, { service, interruptAtMs: signalAtMs });
  expect(endedAtMs).toBeGreaterThan(signalAtMs + 4_000);
  expect(endedAtMs).toBeLessThanOrEqual(signalAtMs + 6_500);
  const hurried = made('cancel').filter(({ atMs }) => atMs > signalAtMs);
  expect([levels, hurried.length >= 2]).toEqual(['warning', true]);
  const latestMs = Math.max(...hurried.map(({ atMs, withinMs = Infinity }) => atMs + withinMs));
  expect(latestMs).toBeLessThanOrEqual(signalAtMs + 6_500);
});

it('post cancels the run after a signal if the service recovers', async () => {
  const service = { cancel: (nth: number) => (nth < 3 ? 'stalls' : undefined) } as const;
  expect(await post(OPEN, { service, interruptAtMs: 1_000 })).toMatchObject({ levels: '', lines: [saying(NAMED)] });
});
