import { describe, expect, it } from 'vitest';
import { isAllSettled } from '../../../../src/action/state/all-settled.ts';
import { stateKey, type WrittenRecord } from '../../../../src/action/state/records.ts';
import { memoryFiles } from '../../../support/memory-files.ts';
import {
  fact,
  intent,
  JOURNAL,
  mainRecord,
  type PostBench,
  postBench,
  postEnv,
  queued,
  SUMMARY_FILE,
  stopped,
  wrote,
} from '../../../support/post.ts';
import { JOB, PIPELINE, uuid } from '../../../support/service.ts';

const OTHER = uuid('22222222-2222-4333-8444-555555555555');

const TIMEOUT = { kind: 'timeout', afterMs: 60_000 } as const;
const CLOSED: WrittenRecord = { kind: 'closed', left: 'nothing', isPrinted: true };

async function messagesOf(bench: PostBench): Promise<readonly string[]> {
  await bench.run();
  return bench.toolkit.annotations.map(({ level, message }) => `${level}: ${message}`);
}

describe('a run that main had left', () => {
  const left: readonly WrittenRecord[] = [mainRecord(), intent(), queued, stopped(TIMEOUT, 'leave')];

  it('is named when main was killed before it could say so', async () => {
    const bench = postBench(postEnv(left));
    const [said, ...rest] = await messagesOf(bench);
    expect(said).toContain(`run ${JOB} of orders is left running, because on-timeout is leave`);
    expect(rest).toEqual([]);
    expect(bench.calls).toEqual([]);
  });

  it('is not named when main has ended by itself', async () => {
    expect(await messagesOf(postBench(postEnv([...left, CLOSED])))).toEqual([]);
  });
});

describe('runs of a main step whose own record is missing', () => {
  const records = [mainRecord(), intent(), queued, intent(2, 'customers')];
  const expected = [
    expect.stringContaining(`A run of customers (${PIPELINE}) may be in progress`),
    expect.stringContaining(`the cancel of run ${JOB} of orders was not confirmed`),
  ];

  it('are named, since nobody knows where to cancel them', async () => {
    const { [`STATE_${stateKey('main', 1)}`]: main, ...env } = postEnv(records);
    expect(main).toContain('"kind":"main"');
    const bench = postBench(env);
    expect(await messagesOf(bench)).toEqual(expected);
    expect(bench.opened).toEqual([]);
  });

  it('are named from the journal when the state is lost as well', async () => {
    const files = memoryFiles();
    wrote(files, records, [JOURNAL]);
    files.write(JOURNAL, files.text(JOURNAL).split('\n').slice(1).join('\n'));
    // They may be those of another step, so nothing is known of this one.
    const [first, ...others] = await messagesOf(postBench(postEnv([]), { files }));
    expect(first).toContain('left no record');
    expect(others).toEqual(expected);
  });

  it('are seen to, and not only named, when the journal still has that record', async () => {
    const files = memoryFiles();
    wrote(files, records.slice(0, 3), [JOURNAL]);
    const { [`STATE_${stateKey('main', 1)}`]: _, ...env } = postEnv(records.slice(0, 3));
    const bench = postBench(env, { files });
    expect(await messagesOf(bench)).toEqual([]);
    expect(bench.calls.map(({ call, jobId }) => [call, jobId])).toEqual([['cancel', JOB]]);
  });
});

describe('the id of an earlier run that was not taken', () => {
  it('is never taken for that of the run which was triggered instead', async () => {
    const records: readonly WrittenRecord[] = [
      mainRecord(),
      fact({ kind: 'claimed', jobId: JOB }),
      fact({ kind: 'not_resumed' }),
      intent(),
      stopped(TIMEOUT, 'cancel'),
    ];
    const bench = postBench(postEnv(records));
    const [said] = await messagesOf(bench);
    expect(bench.calls).toEqual([]);
    expect(said).toContain(`A run of orders (${PIPELINE}) may be in progress`);
  });
});

describe('a fast look at what main has left', () => {
  const own = [mainRecord(), intent(), queued];
  const { [`STATE_${stateKey('main', 1)}`]: main, ...env } = postEnv(own);

  it('is not enough where records are there and main’s own is not', () => {
    expect(main).toBeDefined();
    expect(isAllSettled(env)).toBe(false);
  });

  it('nor where another step of the job has left nothing to do', async () => {
    const other = '/temp/run-pipeline-77-1-load-99.journal';
    const files = memoryFiles();
    const settled: readonly WrittenRecord[] = [
      mainRecord({ journal: other, pid: 99, stateFile: '' }),
      fact({ kind: 'claimed', jobId: OTHER }),
      fact({ kind: 'finished', job: { id: OTHER, status: 'completed', statusMessage: null } }),
      CLOSED,
    ];
    wrote(files, settled, [other]);
    expect(isAllSettled(env)).toBe(false);
    const said = await messagesOf(postBench(env, { files }));
    expect(said).toEqual([expect.stringContaining(`the cancel of run ${JOB}`)]);
  });
});

describe('a main step that left no record', () => {
  const lines = 'orders\ncustomers';

  it('may have triggered a run of any of its pipelines, so they are named', async () => {
    expect(await messagesOf(postBench(postEnv([], { INPUT_PIPELINE: lines })))).toEqual([
      "warning: The step's main process left no record. It may not have started, or it may have triggered a run.\n" +
        'Check the runs of "orders" and "customers" in the application.',
    ]);
  });

  it('has triggered nothing if it was a dry run', async () => {
    expect(await messagesOf(postBench(postEnv([], { 'INPUT_DRY-RUN': 'true' })))).toEqual([]);
  });
});

describe('very many runs that post cannot cancel', () => {
  it('have no more annotations than a runner shows, and all are in the summary', async () => {
    const runs = Array.from({ length: 15 }, (_, index) => index + 1);
    const bench = postBench(postEnv([mainRecord(), ...runs.map((run) => intent(run, `number${run}`))]));
    const said = await messagesOf(bench);
    expect(said).toHaveLength(9);
    expect(said.at(-1)).toBe('warning: More runs need attention. The log names each of them.');
    const summary = bench.files.text(SUMMARY_FILE);
    for (const run of runs) expect(summary).toContain(`number${run} `);
  });
});
