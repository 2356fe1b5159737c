import { describe, expect, it } from 'vitest';
import { isAllSettled } from '../../../../src/action/state/all-settled.ts';
import { journalPath, sealOf } from '../../../../src/action/state/journal.ts';
import { type StateRecord, stateKey } from '../../../../src/action/state/records.ts';
import { recover } from '../../../../src/action/state/recover.ts';
import { createStateWriter } from '../../../../src/action/state/writer.ts';
import { type MemoryFiles, memoryFiles } from '../../../support/memory-files.ts';
import {
  fact,
  intent,
  JOB_ENV,
  JOURNAL,
  mainRecord,
  postEnv,
  STATE_FILE,
  stopped,
  TEMP,
  wrote,
} from '../../../support/post.ts';
import { API_KEY, JOB, uuid } from '../../../support/service.ts';

const OTHER = uuid('22222222-2222-4333-8444-555555555555');
const queued = fact({ kind: 'queued', jobId: JOB });
const over = fact({ kind: 'finished', job: { id: JOB, status: 'failed', statusMessage: null } });
const closed = (left: 'nothing' | 'detached' | 'runs'): StateRecord => ({ kind: 'closed', left });
const LOST = { ...JOB_ENV, 'INPUT_API-KEY': API_KEY };

/** The phases of the runs that were found, step by step. */
function found(env: Parameters<typeof recover>[0], files: MemoryFiles): readonly (readonly string[])[] {
  return recover(env, files).map(({ runs }) => runs.map(({ phase }) => phase.at));
}

describe('what main left, when the runner kept the state', () => {
  const kept: readonly StateRecord[] = [mainRecord(), intent()];

  it('is what the runner kept', () => {
    expect(found(postEnv(kept), memoryFiles())).toEqual([['triggering']]);
  });

  it.each([
    ['its own state file', STATE_FILE],
    ['its journal', JOURNAL],
  ])('is more when %s knows more', (_, path) => {
    const files = memoryFiles();
    wrote(files, [...kept, queued], [path]);
    expect(found(postEnv(kept), files)).toEqual([['in_progress']]);
  });

  it('is read again, when main has gone on writing', () => {
    const files = memoryFiles();
    const [first] = recover(postEnv(kept), files);
    wrote(files, [...kept, queued, closed('runs')], [JOURNAL]);
    const again = first?.again();
    expect([first?.left, again?.left]).toEqual([undefined, 'runs']);
    expect(again?.runs[0]?.jobId).toBe(JOB);
  });

  it('is what was written before main went on, where its last word is not that it has ended', () => {
    expect(recover(postEnv([...kept, closed('nothing'), queued]), memoryFiles())[0]?.left).toBeUndefined();
  });

  it('goes on with what an earlier post step wrote', () => {
    const files = memoryFiles();
    wrote(files, [...kept, queued], [JOURNAL]);
    createStateWriter(files, [JOURNAL], { writer: 'post', last: 6 }).write(over);
    const [step] = recover(postEnv(kept), files);
    expect([step?.left, step?.lastOfPost, step?.runs[0]?.phase.at]).toEqual([undefined, 7, 'finished']);
  });

  it('is not mixed with what other steps left', () => {
    const files = memoryFiles();
    const journal = `${TEMP}/run-pipeline-77-1-load-99.journal`;
    wrote(files, [mainRecord({ journal, pid: 99 }), intent(), queued], [journal]);
    expect(found(postEnv(kept), files)).toEqual([['triggering']]);
  });
});

describe('records, read as a whole', () => {
  it('say of each run where it stands, in the order of the input', () => {
    const records = [intent(2, 'customers'), intent(1, 'orders'), { ...over, run: 7 }, queued];
    const [step] = recover(postEnv([mainRecord(), ...records]), memoryFiles());
    expect(
      step?.runs.map(({ number, phase, pipeline, jobId }) => [number, phase.at, pipeline?.name, jobId]),
    ).toEqual([
      [1, 'in_progress', 'orders', JOB],
      [2, 'triggering', 'customers', undefined],
      [7, 'finished', undefined, JOB],
    ]);
  });

  it('know a run that main was given, although its own record is lost', () => {
    const records = [mainRecord({ given: { 2: JOB } }), intent(1)];
    const [step] = recover(postEnv(records), memoryFiles());
    expect(step?.runs.map(({ number, phase, jobId }) => [number, phase.at, jobId])).toEqual([
      [1, 'triggering', undefined],
      [2, 'in_progress', JOB],
    ]);
  });

  it('know a run whose id is lost from what happened to it later', () => {
    const [step] = recover(postEnv([mainRecord(), intent(), fact({ kind: 'detached' })]), memoryFiles());
    expect(step?.runs[0]).toMatchObject({ phase: { at: 'detached' }, jobId: JOB });
  });

  it('count for the latest attempt of a run alone', () => {
    const records = [
      { ...fact({ kind: 'claimed', jobId: OTHER }), attempt: 1 },
      { ...queued, attempt: 2 },
      { ...over, attempt: 1 },
    ];
    const [step] = recover(postEnv([mainRecord(), ...records]), memoryFiles());
    expect(step?.runs[0]).toMatchObject({ phase: { at: 'in_progress' }, jobId: JOB, attempt: 2 });
  });

  it('stop every run that is there, where they name none', () => {
    const records = [intent(1), queued, intent(2), stopped({ kind: 'timeout', afterMs: 1_000 }, 'leave')];
    const [step] = recover(postEnv([mainRecord(), ...records]), memoryFiles());
    expect(step?.runs.map(({ phase, stop }) => [phase.at, stop?.policy])).toEqual([
      ['left', 'leave'],
      ['triggering', 'leave'],
    ]);
  });
});

describe('the look by which most post steps end', () => {
  const main = mainRecord();

  it.each<[string, readonly StateRecord[], boolean]>([
    ['main has ended, and left nothing', [main, intent(), queued, over, closed('nothing')], true],
    ['main has ended, and triggered nothing', [main, closed('nothing')], true],
    ['main has ended, and nobody waits for its run', [main, closed('detached')], true],
    ['main has ended, and left a run', [main, intent(), queued, closed('runs')], false],
    ['main has not said that it has ended', [main, intent(), queued, over], false],
    ['main went on after that', [main, closed('nothing'), intent()], false],
  ])('%s', (_, records, settled) => {
    expect(isAllSettled(postEnv(records), memoryFiles())).toBe(settled);
  });

  it('is not enough where a record is missing', () => {
    const { [`STATE_${stateKey('main', 2)}`]: lost, ...env } = postEnv([main, intent(), closed('nothing')]);
    expect(lost).toBeDefined();
    expect(isAllSettled(env, memoryFiles())).toBe(false);
  });

  it('goes by the journals of the job where the runner kept nothing', () => {
    const files = memoryFiles();
    expect(isAllSettled(JOB_ENV, files)).toBe(true);
    wrote(files, [main, intent(), queued, over, closed('nothing')], [JOURNAL]);
    expect(isAllSettled(JOB_ENV, files)).toBe(true);
    wrote(files, [main, intent(), queued], [`${TEMP}/run-pipeline-77-1-load-99.journal`]);
    expect(isAllSettled(JOB_ENV, files)).toBe(false);
  });

  it('leaves journals of other jobs to them', () => {
    const files = memoryFiles();
    wrote(files, [main, intent()], [`${TEMP}/run-pipeline-77-2-load-99.journal`]);
    wrote(files, [main, intent()], [`${TEMP}/run-pipeline-77-1-load-99.txt`]);
    expect(isAllSettled(JOB_ENV, files)).toBe(true);
  });
});

describe('what main left, when the runner lost the state', () => {
  it.each(['fifo', 'directory', 'character_device', 'socket'] as const)('is not in a %s', (kind) => {
    const files = memoryFiles();
    wrote(files, [mainRecord({ journal: JOURNAL }), intent(), queued], [JOURNAL]);
    files.become(JOURNAL, kind);
    expect(found(LOST, files)).toEqual([]);
    expect(isAllSettled(LOST, files)).toBe(true);
  });

  it('is in the journals of this job', () => {
    const files = memoryFiles();
    const other = journalPath(JOB_ENV, 99) ?? '';
    wrote(files, [mainRecord(), intent(), queued], [JOURNAL]);
    wrote(files, [mainRecord({ journal: other, pid: 99 }), intent()], [other]);
    expect(found(LOST, files)).toEqual([['in_progress'], ['triggering']]);
  });

  it('is more when the state file of main knows more', () => {
    const files = memoryFiles();
    wrote(files, [mainRecord(), intent()], [JOURNAL]);
    wrote(files, [mainRecord(), intent(), queued], [STATE_FILE]);
    expect(found(LOST, files)).toEqual([['in_progress']]);
  });

  it.each([
    ['another run of the workflow', { GITHUB_RUN_ID: '78' }],
    ['another attempt', { GITHUB_RUN_ATTEMPT: '2' }],
    ['another job', { GITHUB_JOB: 'load2' }],
    ['another folder', { RUNNER_TEMP: '/other' }],
  ])('is not in the journals of %s', (_, fields) => {
    const files = memoryFiles();
    const path = journalPath({ ...JOB_ENV, ...fields }, 1) ?? '';
    wrote(files, [mainRecord({ journal: path }), intent(), queued], [path]);
    expect(found(LOST, files)).toEqual([]);
  });

  it('is nowhere without a folder to look in', () => {
    const files = memoryFiles();
    wrote(files, [mainRecord(), intent()], [JOURNAL]);
    expect(found({ ...LOST, RUNNER_TEMP: '' }, files)).toEqual([]);
    expect(found({ ...LOST, RUNNER_TEMP: undefined }, files)).toEqual([]);
  });

  it.each<[string, Parameters<typeof mainRecord>[0]]>([
    ['by nobody', { seal: '' }],
    ['by somebody without the key', { seal: sealOf('ak_other', 'https://app.example.test/', JOURNAL) }],
    [
      'for another host',
      { baseUrl: 'https://evil.example.test/', seal: sealOf(API_KEY, 'https://app.example.test/', JOURNAL) },
    ],
    [
      'for another place',
      { seal: sealOf(API_KEY, 'https://app.example.test/', `${TEMP}/run-pipeline-77-1-load-1.journal`) },
    ],
    ['and names another place than it lies in', { journal: `${TEMP}/run-pipeline-77-1-load-1.journal` }],
  ])('is not in a journal that is sealed %s', (_, fields) => {
    const files = memoryFiles();
    wrote(files, [mainRecord(fields), intent(), queued], [JOURNAL]);
    expect(found(LOST, files)).toEqual([]);
  });

  it('can be named without a key, with which nothing is sent', () => {
    const files = memoryFiles();
    wrote(files, [mainRecord(), intent(), queued], [JOURNAL]);
    expect(found(JOB_ENV, files)).toEqual([['in_progress']]);
  });

  it('is passed over where no main began it, or nothing can be read', () => {
    const files = memoryFiles({ [JOURNAL]: 'torn' });
    wrote(files, [intent(), queued], [`${TEMP}/run-pipeline-77-1-load-1.journal`]);
    expect(found(LOST, files)).toEqual([]);
  });
});

describe('the journal of a step', () => {
  it('lies in the folder of the job, under a name that is plain', () => {
    const env = { ...JOB_ENV, GITHUB_JOB: 'load/../../etc daily' };
    expect(journalPath(env, 7)).toBe('/temp/run-pipeline-77-1-load_etc_daily-7.journal');
    expect(journalPath({ RUNNER_TEMP: TEMP }, 7)).toBe('/temp/run-pipeline----7.journal');
  });

  it('is nowhere without that folder', () => {
    expect(journalPath({}, 7)).toBeUndefined();
  });

  it('has a seal that does not show the key, and that only the key can make', () => {
    const seal = sealOf(API_KEY, 'https://a.example.test/', JOURNAL);
    expect(seal).toMatch(/^[0-9a-f]{64}$/);
    expect(seal).not.toContain(API_KEY.slice(3));
    expect(sealOf(`${API_KEY}x`, 'https://a.example.test/', JOURNAL)).not.toBe(seal);
  });
});

it('reads a journal of any number of lines', () => {
  const files = memoryFiles();
  const line = (_: unknown, index: number): string =>
    `run_pipeline_${index + 1}={"v":1,"kind":"closed","left":"runs"}\n`;
  files.append(`${TEMP}/run-pipeline-77-1-load-9.journal`, Array.from({ length: 200_000 }, line).join(''));
  expect(isAllSettled(JOB_ENV, files)).toBe(false);
  expect(recover(JOB_ENV, files)).toEqual([]);
});
