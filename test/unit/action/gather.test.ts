import { describe, expect, it } from 'vitest';
import { isAllSettled } from '../../../src/action/all-settled.ts';
import { gather } from '../../../src/action/gather.ts';
import { journalPath, sealOf } from '../../../src/action/journal.ts';
import type { StateRecord } from '../../../src/action/state-records.ts';
import { type MemoryFiles, memoryFiles } from '../../support/memory-files.ts';
import {
  intent,
  JOB_ENV,
  JOURNAL,
  mainRecord,
  postEnv,
  STATE_FILE,
  TEMP,
  wrote,
} from '../../support/post.ts';
import { API_KEY, JOB } from '../../support/service.ts';

const queued: StateRecord = { kind: 'queued', run: 1, jobId: JOB };
const LOST = { ...JOB_ENV, 'INPUT_API-KEY': API_KEY };

/** Where the runs stand that were found, step by step. */
function found(env: Parameters<typeof gather>[0], files: MemoryFiles): readonly (readonly string[])[] {
  return gather(env, files).map(({ runs }) => runs.map(({ standing }) => standing));
}

describe('what main left, when the runner kept the state', () => {
  const kept: readonly StateRecord[] = [mainRecord(), intent()];

  it('is what the runner kept', () => {
    expect(found(postEnv(kept), memoryFiles())).toEqual([['intent']]);
  });

  it.each([
    ['its own state file', STATE_FILE],
    ['its journal', JOURNAL],
  ])('is more when %s knows more', (_, path) => {
    const files = memoryFiles();
    wrote(files, [...kept, queued], [path]);
    expect(found(postEnv(kept), files)).toEqual([['open']]);
  });

  it('is read again, when main has gone on writing', () => {
    const files = memoryFiles();
    const [first] = gather(postEnv(kept), files);
    wrote(files, [...kept, queued, { kind: 'closed' }], [JOURNAL]);
    const again = first?.again();
    expect([first?.last, first?.closed, again?.last, again?.closed]).toEqual([2, false, 4, true]);
    expect(again?.runs[0]?.jobId).toBe(JOB);
  });

  it('is not mixed with what other steps left', () => {
    const files = memoryFiles();
    const journal = `${TEMP}/run-pipeline-77-1-load-99.journal`;
    wrote(files, [mainRecord({ journal, pid: 99 }), intent(), queued], [journal]);
    expect(found(postEnv(kept), files)).toEqual([['intent']]);
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
    expect(found(LOST, files)).toEqual([['open'], ['intent']]);
  });

  it('is more when the state file of main knows more', () => {
    const files = memoryFiles();
    wrote(files, [mainRecord(), intent()], [JOURNAL]);
    wrote(files, [mainRecord(), intent(), queued], [STATE_FILE]);
    expect(found(LOST, files)).toEqual([['open']]);
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
    expect(found(JOB_ENV, files)).toEqual([['open']]);
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
