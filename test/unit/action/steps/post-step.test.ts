import { describe, expect, it } from 'vitest';
import { isAllSettled } from '../../../../src/action/state/all-settled.ts';
import { encode, type WrittenRecord } from '../../../../src/action/state/records.ts';
import { rowOf } from '../../../support/fake-service.ts';
import { memoryFiles } from '../../../support/memory-files.ts';
import {
  closed,
  fact,
  intent,
  JOURNAL,
  mainRecord,
  OPEN,
  over,
  postBench,
  postEnv,
  queued,
  STATE_FILE,
  SUMMARY_FILE,
  stopped,
  warningsOf,
  wrote,
} from '../../../support/post.ts';
import { API_KEY, JOB, PIPELINE, uuid } from '../../../support/service.ts';

const SECOND = 1_000;
const TIMEOUT = { kind: 'timeout', afterMs: 60_000 } as const;
const RUN = `The step ended early: run ${JOB} of orders`;

describe('a post step that finds nothing to do', () => {
  it.each<[string, readonly WrittenRecord[]]>([
    ['wrong inputs', [mainRecord({ baseUrl: '' }), closed('nothing')]],
    ['a run that has ended', [...OPEN, over('completed'), closed('nothing')]],
    ['a run that was left', [...OPEN, stopped(TIMEOUT, 'leave'), closed('nothing')]],
    ['a run that was lost', [...OPEN, fact({ kind: 'lost' }), closed('nothing')]],
    ['a run that nobody waits for', [...OPEN, fact({ kind: 'detached' }), closed('detached')]],
    ['a trigger that was refused', [mainRecord(), intent(), fact({ kind: 'refused' }), closed('nothing')]],
    ['a trigger of which the user was told', [mainRecord(), intent(), fact({ kind: 'unknown' }), closed('nothing')]],
    ['a main that was killed before it triggered', [mainRecord()]],
    ['a run that was settled in the last instant before a kill', [...OPEN, over('failed')]],
  ])('says and asks nothing: %s', async (_, records) => {
    const bench = postBench(postEnv(records));
    expect(await bench.run()).toBe(0);
    expect({
      printed: bench.printed,
      said: warningsOf(bench),
      opened: bench.opened,
      // A main that may be alive finds a mark.
      paths: bench.files.paths.filter((path) => !path.endsWith('.stop')),
    }).toEqual({ printed: [], said: [], opened: [], paths: [] });
  });
});

describe('what post does about a run of a main that was killed', () => {
  const CANCEL = ['cancels it'];
  const LEFT = ['says that it is left running, because on-cancel is leave'];
  const INTENT = ['warns that it may be in progress'];
  const GOES_ON = ['warns that it goes on'];
  const detached = [intent(), queued, fact({ kind: 'detached' })];

  async function doneAbout(env: ReturnType<typeof postEnv>): Promise<readonly string[]> {
    const bench = postBench(env);
    await bench.run();
    const said = [...bench.printed, ...warningsOf(bench)].join('\n');
    return [
      ...bench.calls.map(() => 'cancels it'),
      ...(said.includes('is left running, because on-cancel is leave') ? LEFT : []),
      ...(said.includes('may be in progress: the step triggered it') ? INTENT : []),
      ...(/Lost contact with|is left running, because on-timeout is leave/.test(said) ? GOES_ON : []),
    ];
  }

  it.each<[string, readonly WrittenRecord[], readonly string[], readonly string[]]>([
    ['about to be triggered', [intent()], INTENT, INTENT],
    ['about to be triggered at a timeout', [intent(), stopped(TIMEOUT, 'cancel')], INTENT, INTENT],
    ['refused by the service', [intent(), fact({ kind: 'refused' })], [], []],
    ['refused, and triggered again', [intent(), fact({ kind: 'refused' }), intent()], INTENT, INTENT],
    ['unknown', [intent(), fact({ kind: 'unknown' })], INTENT, INTENT],
    ['queued', [intent(), queued], CANCEL, LEFT],
    ['queued after it was unknown', [intent(), fact({ kind: 'unknown' }), intent(), queued], CANCEL, LEFT],
    ['taken from an earlier step', [fact({ kind: 'claimed', jobId: JOB })], CANCEL, LEFT],
    ['to be cancelled by a timeout', [intent(), queued, stopped(TIMEOUT, 'cancel')], CANCEL, CANCEL],
    [
      'to be cancelled by a timeout after fail-fast',
      [intent(), queued, stopped({ kind: 'fail_fast', after: 'customers' }, 'await'), stopped(TIMEOUT, 'cancel')],
      CANCEL,
      CANCEL,
    ],
    ['left by a timeout', [intent(), queued, stopped(TIMEOUT, 'leave')], GOES_ON, GOES_ON],
    [
      'left, whatever came later',
      [intent(), queued, stopped(TIMEOUT, 'leave', 1), stopped(TIMEOUT, 'cancel')],
      GOES_ON,
      GOES_ON,
    ],
    ['lost', [intent(), queued, fact({ kind: 'lost' })], GOES_ON, GOES_ON],
    ['over', [intent(), queued, over('completed')], [], []],
    ['over, and not waited for', [...detached, over('failed')], [], []],
    ['over, whatever came later', [intent(), queued, over('cancelled'), queued], [], []],
  ])('%s: however the job stands', async (_, life, byCancel, byLeave) => {
    for (const jobStatus of ['success', 'cancelled', '']) {
      for (const now of ['success', 'failure', 'cancelled', '']) {
        const env = { 'INPUT_INTERNAL-JOB-STATUS': now };
        const leaving = mainRecord({ jobStatus, onCancel: 'leave' });
        expect(await doneAbout(postEnv([mainRecord({ jobStatus }), ...life], env))).toEqual(byCancel);
        expect(await doneAbout(postEnv([leaving, ...life], env))).toEqual(byLeave);
      }
    }
  });

  it.each([
    ['success', 'cancelled', CANCEL],
    ['', 'cancelled', CANCEL],
    ['failure', 'Cancelled', CANCEL],
    ['cancelled', 'cancelled', []],
    ['Cancelled', 'cancelled', []],
    ['success', 'success', []],
    ['success', 'failure', []],
    ['success', '', []],
    ['success', 'cancelled by somebody', []],
  ])('not waited for: when the job stood at %j and now stands at %j, %j', async (before, now, done) => {
    const env = { 'INPUT_INTERNAL-JOB-STATUS': now };
    for (const end of [[], [closed('detached')]]) {
      const records = [mainRecord({ jobStatus: before }), ...detached, ...end];
      expect(await doneAbout(postEnv(records, env))).toEqual(done);
      const isSettled = end.length > 0 && done.length === 0;
      expect(isAllSettled(postEnv(records, env))).toBe(isSettled);
      const leaving = mainRecord({ jobStatus: before, onCancel: 'leave' });
      expect(await doneAbout(postEnv([leaving, ...detached, ...end], env))).toEqual([]);
    }
  });
});

describe('a post step that finds a run of a main that was killed', () => {
  it('cancels it, believes it when it sees it, and writes that down', async () => {
    const bench = postBench(postEnv(OPEN));
    await bench.run();
    expect(bench.opened).toEqual(['https://app.example.test/']);
    expect(bench.calls).toMatchObject([{ call: 'cancel', jobId: JOB, atMs: 0, withinMs: 10_000 }]);
    expect(bench.printed).toEqual([expect.stringContaining(`${RUN} was cancelled immediately.`)]);
    expect(bench.toolkit.annotations).toEqual([]);
    expect(bench.toolkit.masked).toEqual([API_KEY]);
    expect(bench.files.text(JOURNAL)).toBe(`run_pipeline_post_0001=${encode(over('cancelled'))}\n`);
    expect(bench.files.text(SUMMARY_FILE)).toContain('### Pipeline run: after the job\n\n- The step ended early');
  });

  it('keeps an end that came first', async () => {
    const bench = postBench(postEnv(OPEN), {
      script: { cancel: () => ({ kind: 'unchanged' }), read: () => rowOf(JOB, 'completed', 'all good') },
    });
    await bench.run();
    expect(bench.printed).toEqual([`${RUN} completed before it could be cancelled: all good.`]);
    expect(bench.files.text(JOURNAL)).toContain('"status":"completed"');
  });

  it('cancels again when a replica lags behind', async () => {
    const bench = postBench(postEnv(OPEN), {
      script: {
        cancel: (nth) => (nth === 1 ? { kind: 'unchanged' } : rowOf(JOB, 'cancelled')),
        read: () => rowOf(JOB, 'running'),
      },
    });
    await bench.run();
    expect(bench.calls.map(({ call }) => call)).toEqual(['cancel', 'read', 'cancel']);
  });

  it('goes on for three minutes, and then warns with the id', async () => {
    const bench = postBench(postEnv(OPEN), { script: { cancel: () => 'stalls' } });
    const took = await bench.run();
    expect(took).toBeLessThanOrEqual(180 * SECOND);
    expect(took).toBeGreaterThan(170 * SECOND);
    expect(warningsOf(bench)).toEqual([
      expect.stringMatching(`the cancel of run ${JOB} of orders was not confirmed.*\n.*: no answer came in time\\.\n`),
    ]);
    expect(bench.printed).toEqual([]);
  });

  it('reads no more often than every 30 s once three reads are spent', async () => {
    const bench = postBench(postEnv(OPEN), {
      script: { cancel: () => ({ kind: 'unchanged' }), read: () => rowOf(JOB, 'running') },
    });
    await bench.run();
    const reads = bench.calls.filter(({ call }) => call === 'read').map(({ atMs }) => atMs);
    const apart = reads.slice(3).map((atMs, index) => atMs - (reads[index + 2] ?? 0));
    expect(apart.length).toBeGreaterThan(2);
    expect(Math.min(...apart)).toBeGreaterThanOrEqual(30 * SECOND);
  });

  it('goes on while the key is rejected, and then warns with that', async () => {
    const problem = { attempted: 'exchange the API key', cause: 'HTTP 401', remedy: 'Create a new key.' };
    const bench = postBench(postEnv(OPEN), { script: { cancel: () => ({ kind: 'key_refused', problem }) } });
    const took = await bench.run();
    expect(took).toBeGreaterThan(150 * SECOND);
    expect(took).toBeLessThanOrEqual(180 * SECOND);
    expect(warningsOf(bench)[0]).toContain('Could not exchange the API key: HTTP 401.\nCreate a new key.\n');
  });

  it('leaves it when on-cancel says so, and says that', async () => {
    const bench = postBench(postEnv([mainRecord({ onCancel: 'leave' }), intent(), queued]));
    await bench.run();
    expect(bench.opened).toEqual([]);
    expect(bench.printed).toEqual([expect.stringContaining(`${RUN} is left running, because on-cancel is leave.`)]);
    expect(bench.toolkit.annotations).toEqual([]);
  });

  it('cancels it in spite of that when a timeout had asked for it, and main has given up', async () => {
    const main = mainRecord({ onCancel: 'leave' });
    const records = [main, intent(), queued, stopped(TIMEOUT, 'cancel'), closed('runs')];
    const bench = postBench(postEnv(records));
    await bench.run();
    expect(bench.calls.map(({ call }) => call)).toEqual(['cancel']);
  });

  it('sees to all of several runs at once', async () => {
    const other = uuid('22222222-2222-4333-8444-555555555555');
    const records: WrittenRecord[] = [
      ...OPEN,
      intent(2, 'customers'),
      fact({ kind: 'queued', jobId: other }, 2),
      intent(3, null),
    ];
    const bench = postBench(postEnv(records), {
      script: { cancel: (_, jobId) => (jobId === JOB ? 'stalls' : rowOf(jobId, 'cancelled')) },
    });
    await bench.run();
    expect(bench.calls.filter(({ atMs }) => atMs === 0).map(({ jobId }) => jobId)).toEqual([JOB, other]);
    expect(bench.printed).toEqual([expect.stringContaining(`run ${other} of customers was cancelled`)]);
    expect(warningsOf(bench)).toHaveLength(2);
    expect(bench.files.text(SUMMARY_FILE).match(/^- /gm)).toHaveLength(3);
  });
});

describe('a post step that finds an intent without an id', () => {
  it('says which pipeline, and when', async () => {
    const bench = postBench(postEnv([mainRecord(), intent()]));
    await bench.run();
    expect(bench.opened).toEqual([]);
    expect(warningsOf(bench)).toEqual([expect.stringContaining(`A run of orders (${PIPELINE}) may be in progress`)]);
    expect(warningsOf(bench)[0]).toContain('triggered it at 2026-01-05T11:59:00.000Z');
  });

  const wall = Date.parse('2026-01-05T11:59:00Z');

  it.each([
    ['no name', null, wall, `A run of ${PIPELINE} may`],
    ['a time that is none', 'orders', 1e300, 'at an unknown time'],
    ['a name that is a command', '\n::error::x', wall, `A run of :\u200B:error::x (${PIPELINE}) may`],
  ])('says so with %s as well', async (_, name, at, words) => {
    const triggered = fact({ kind: 'intent', pipeline: { id: PIPELINE, name }, wall: at });
    const bench = postBench(postEnv([mainRecord(), triggered]));
    await bench.run();
    expect(warningsOf(bench)[0]).toContain(words);
  });
});

describe('a post step with a key or an address that cannot be used', () => {
  it.each([
    ['', 'api-key is empty in the post step.\nThe runner evaluates'],
    ['eyJ.a.b', 'api-key is a legacy API key'],
    ['hunter2', 'api-key is not an API key'],
  ])('asks nothing, and says why: %j', async (key, words) => {
    const bench = postBench(postEnv(OPEN, { 'INPUT_API-KEY': key }));
    expect(await bench.run()).toBe(0);
    expect(bench.opened).toEqual([]);
    expect(warningsOf(bench)[0]).toContain(words);
    expect(warningsOf(bench)[0]).not.toContain('hunter2');
  });

  it.each(['http://evil.example.test/', 'https://a:hunter2@evil.example.test/', 'nonsense'])(
    'sends the key to no such host: %s',
    async (baseUrl) => {
      const bench = postBench(postEnv([mainRecord({ baseUrl }), intent(), queued]));
      await bench.run();
      expect(bench.opened).toEqual([]);
      expect(warningsOf(bench)[0]).toContain('Could not cancel the run: the address in the state ');
      expect(warningsOf(bench)[0]).not.toContain('hunter2');
    },
  );
});

describe('several post steps of one job', () => {
  it('share the time that a cancelled job has for all of them', async () => {
    const files = memoryFiles();
    for (const number of [1, 2, 3]) {
      const path = JOURNAL.replace('.journal', `${number}.journal`);
      const owner = { ...mainRecord().owner, action: `step_${number}` };
      wrote(files, [mainRecord({ journal: path, owner }), intent(), queued], [path]);
    }
    const bench = postBench(postEnv(OPEN), { files, script: { cancel: () => 'stalls' } });
    const took = await bench.run();
    expect(took).toBeGreaterThan(80 * SECOND);
    expect(took).toBeLessThanOrEqual(90 * SECOND);
  });
});

describe('a post step of a step without a summary', () => {
  it('writes none either', async () => {
    const bench = postBench({ ...postEnv(OPEN), INPUT_SUMMARY: 'false' });
    await bench.run();
    expect(bench.printed).toHaveLength(1);
    expect(bench.files.paths).not.toContain(SUMMARY_FILE);
  });
});

describe('a post step whose files cannot be written', () => {
  it.each([
    ['fifo', 1],
    ['stdout', 1],
    ['character_device', 0],
  ] as const)('treats a summary that is a %s as main does', async (kind, warnings) => {
    const files = memoryFiles({ [SUMMARY_FILE]: '' });
    files.become(SUMMARY_FILE, kind);
    const bench = postBench(postEnv(OPEN), { files });
    await bench.run();
    expect(bench.toolkit.annotations).toHaveLength(warnings);
    expect(files.text(SUMMARY_FILE) === '').toBe(warnings === 1);
  });

  it('cancels all the same, and warns that the summary is missing', async () => {
    const files = memoryFiles();
    for (const path of [JOURNAL, SUMMARY_FILE, STATE_FILE]) files.refuse(path);
    const bench = postBench(postEnv(OPEN), { files });
    await bench.run();
    expect(bench.printed).toHaveLength(1);
    expect(bench.toolkit.annotations).toEqual([
      {
        level: 'warning',
        title: 'run-pipeline',
        message:
          "Could not write the job summary: ENOSPC: no space left on device, write '/runner/summary'. The log contains the same facts. Free disk space on the runner.",
      },
    ]);
  });
});
