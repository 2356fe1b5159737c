import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../../src/action/inputs/input-table.ts';
import { isAllSettled } from '../../../../src/action/state/all-settled.ts';
import { isSameStep, journalPath, ownerOf } from '../../../../src/action/state/journals.ts';
import { stateKey, type WrittenRecord } from '../../../../src/action/state/records.ts';
import { type RecoveredStep, recover } from '../../../../src/action/state/recover.ts';
import { sealOf } from '../../../../src/action/state/seal.ts';
import { createStateWriter } from '../../../../src/action/state/writer.ts';
import { type MemoryFiles, memoryFiles } from '../../../support/memory-files.ts';
import {
  closed,
  fact,
  HOST,
  intent,
  JOB_ENV,
  JOURNAL,
  mainRecord,
  over,
  postEnv,
  queued,
  STATE_FILE,
  stopped,
  TEMP,
  wrote,
} from '../../../support/post.ts';
import { API_KEY, JOB, uuid } from '../../../support/service.ts';

const OTHER = uuid('22222222-2222-4333-8444-555555555555');
const ended = over('failed');
const LOST = { ...JOB_ENV, 'INPUT_API-KEY': API_KEY };

/** The steps that post finds. Main processes are dead, unless their ids are `alive`. */
function stepsIn(env: Environment, files: MemoryFiles, alive: readonly number[] = []): readonly RecoveredStep[] {
  const processes = { stateOf: (pid: number) => (alive.includes(pid) ? 'alive' : 'dead') } as const;
  return recover({ env, host: HOST, files, processes, clock: { wall: () => 0 } }).steps;
}

/** The phases of the runs that were found, step by step; of those that post may only name, with the reason. */
function found(env: Environment, files: MemoryFiles, alive?: readonly number[]): readonly (readonly string[])[] {
  return stepsIn(env, files, alive).map(({ runs, obstacle }) => [
    ...runs.map(({ phase }) => phase.at),
    ...(obstacle === undefined ? [] : [obstacle.cause]),
  ]);
}

describe('what main left, when the runner kept the state', () => {
  const kept: readonly WrittenRecord[] = [mainRecord(), intent()];

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
    const [first] = stepsIn(postEnv(kept), files);
    wrote(files, [...kept, queued, closed('runs')], [JOURNAL]);
    const again = first?.again();
    expect([first?.left, again?.left]).toEqual([undefined, 'runs']);
    expect(again?.runs[0]?.jobId).toBe(JOB);
  });

  it('is what was written before main went on, where its last word is not that it has ended', () => {
    expect(stepsIn(postEnv([...kept, closed('nothing'), queued]), memoryFiles())[0]?.left).toBeUndefined();
  });

  it('goes on with what an earlier post step wrote', () => {
    const files = memoryFiles();
    wrote(files, [...kept, queued], [JOURNAL]);
    createStateWriter(files, [JOURNAL], 'post', 6).write(ended);
    const [step] = stepsIn(postEnv(kept), files);
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
    const records = [intent(2, 'customers'), intent(1, 'orders'), { ...ended, run: 7 }, queued];
    const [step] = stepsIn(postEnv([mainRecord(), ...records]), memoryFiles());
    expect(step?.runs.map(({ number, phase, pipeline, jobId }) => [number, phase.at, pipeline?.name, jobId])).toEqual([
      [1, 'in_progress', 'orders', JOB],
      [2, 'triggering', 'customers', undefined],
      [7, 'finished', undefined, JOB],
    ]);
  });

  it('know a run that main was given, although its own record is lost', () => {
    const records = [mainRecord({ given: { 2: JOB } }), intent(1)];
    const [step] = stepsIn(postEnv(records), memoryFiles());
    expect(step?.runs.map(({ number, phase, jobId }) => [number, phase.at, jobId])).toEqual([
      [1, 'triggering', undefined],
      [2, 'in_progress', JOB],
    ]);
  });

  it('know a run whose id is lost from what happened to it later', () => {
    const [step] = stepsIn(postEnv([mainRecord(), intent(), fact({ kind: 'detached' })]), memoryFiles());
    expect(step?.runs[0]).toMatchObject({ phase: { at: 'detached' }, jobId: JOB });
  });

  it('count for the latest attempt of a run alone', () => {
    const records = [
      { ...fact({ kind: 'claimed', jobId: OTHER }), attempt: 1 },
      { ...queued, attempt: 2 },
      { ...ended, attempt: 1 },
    ];
    const [step] = stepsIn(postEnv([mainRecord(), ...records]), memoryFiles());
    expect(step?.runs[0]).toMatchObject({ phase: { at: 'in_progress' }, jobId: JOB, attempt: 2 });
  });

  it('stop every run that is there, where they name none', () => {
    const records = [intent(1), queued, intent(2), stopped({ kind: 'timeout', afterMs: 1_000 }, 'leave')];
    const [step] = stepsIn(postEnv([mainRecord(), ...records]), memoryFiles());
    expect(step?.runs.map(({ phase, stop }) => [phase.at, stop?.policy])).toEqual([
      ['left', 'leave'],
      ['triggering', 'leave'],
    ]);
  });
});

describe('the look by which most post steps end', () => {
  const main = mainRecord();

  it.each<[string, readonly WrittenRecord[], boolean]>([
    ['main has ended, and left nothing', [main, intent(), queued, ended, closed('nothing')], true],
    ['main has ended, and triggered nothing', [main, closed('nothing')], true],
    ['main has ended, and nobody waits for its run', [main, closed('detached')], true],
    ['main has ended, and left a run', [main, intent(), queued, closed('runs')], false],
    ['main has not said that it has ended', [main, intent(), queued, ended], false],
    ['main went on after that', [main, closed('nothing'), intent()], false],
  ])('%s', (_, records, settled) => {
    expect(isAllSettled(postEnv(records))).toBe(settled);
  });

  it('is not enough where a record is missing', () => {
    const { [`STATE_${stateKey('main', 2)}`]: lost, ...env } = postEnv([main, intent(), closed('nothing')]);
    expect(lost).toBeDefined();
    expect(isAllSettled(env)).toBe(false);
  });

  it('is not enough where the runner kept nothing, whatever the journals say', () => {
    expect(isAllSettled(JOB_ENV)).toBe(false);
  });

  it('is not enough where this version cannot read a record', () => {
    const env = postEnv([main, intent(), queued, ended, closed('nothing')]);
    const newer = { ...env, [`STATE_${stateKey('main', 3)}`]: '{"v":2,"kind":"queued"}' };
    expect(isAllSettled(newer)).toBe(false);
  });
});

describe('a step', () => {
  const owner = ownerOf({ ...JOB_ENV, RUNNER_TRACKING_ID: 'github_1', GITHUB_ACTION: '__run' }, HOST);

  it.each([
    ['itself', {}, true],
    ['a process that does not know the job', { RUNNER_TRACKING_ID: '' }, true],
    ['another job', { RUNNER_TRACKING_ID: 'github_2' }, false],
    ['another run of the workflow', { GITHUB_RUN_ID: '78' }, false],
    ['another attempt', { GITHUB_RUN_ATTEMPT: '2' }, false],
    ['a job of another name', { GITHUB_JOB: 'load2' }, false],
    ['another step of the job', { GITHUB_ACTION: '__run_2' }, false],
  ])('is compared with %s', (_, fields, isSame) => {
    const env = { ...JOB_ENV, RUNNER_TRACKING_ID: 'github_1', GITHUB_ACTION: '__run', ...fields };
    expect(isSameStep(owner, ownerOf(env, HOST))).toBe(isSame);
    expect(isSameStep(ownerOf(env, HOST), owner)).toBe(isSame);
  });

  it('is another one on another host', () => {
    expect(isSameStep(ownerOf(JOB_ENV, 'a'), ownerOf(JOB_ENV, 'b'))).toBe(false);
    expect(isSameStep(ownerOf(JOB_ENV, ''), ownerOf(JOB_ENV, 'b'))).toBe(true);
  });
});

describe('what main left, when the runner lost the state', () => {
  const SEALED_BY_ANOTHER = 'the records of its step were sealed with another API key';
  const second = `${TEMP}/run-pipeline-77-1-load-99-x.journal`;

  /** A journal of this step, by a main process of its own. */
  function journal(files: MemoryFiles, path: string, pid: number, owner: Environment = JOB_ENV): void {
    const own = { journal: path, pid, owner: ownerOf(owner, HOST) };
    const seal = sealOf(API_KEY, 'https://app.example.test/', path);
    wrote(files, [mainRecord({ ...own, seal }), intent(), queued], [path]);
  }

  it.each(['fifo', 'directory', 'character_device', 'socket'] as const)('is not in a %s', (kind) => {
    const files = memoryFiles();
    journal(files, JOURNAL, 1);
    files.become(JOURNAL, kind);
    expect(found(LOST, files)).toEqual([]);
  });

  it('is in the journal of the step, whether main is alive or not', () => {
    const files = memoryFiles();
    journal(files, JOURNAL, 1);
    expect(found(LOST, files)).toEqual([['in_progress']]);
    expect(found(LOST, files, [1])).toEqual([['in_progress']]);
  });

  it('is in several journals that may be of this step, but not in that of a main that is alive', () => {
    const files = memoryFiles();
    journal(files, JOURNAL, 1);
    journal(files, second, 99);
    expect(found(LOST, files)).toEqual([['in_progress'], ['in_progress']]);
    expect(found(LOST, files, [99]).flat()).toContainEqual(expect.stringContaining('belong to another step'));
    expect(stepsIn(LOST, files, [99]).filter(({ obstacle }) => obstacle === undefined)).toHaveLength(1);
  });

  it('is not in the journal of a main that is alive if the step has another one, with nothing left', () => {
    const files = memoryFiles();
    const settled: readonly WrittenRecord[] = [mainRecord({ pid: 1 }), closed('nothing')];
    wrote(files, settled, [JOURNAL]);
    journal(files, second, 99);
    expect(stepsIn(LOST, files, [99]).map(({ obstacle }) => obstacle === undefined)).toEqual([false]);
    expect(stepsIn(LOST, files).map(({ obstacle }) => obstacle === undefined)).toEqual([true]);
  });

  it('is not a run that another step with a journal here does not wait for', () => {
    const files = memoryFiles();
    wrote(files, [mainRecord({ pid: 1 }), closed('nothing')], [JOURNAL]);
    const own = { journal: second, pid: 99, seal: sealOf(API_KEY, 'https://app.example.test/', second) };
    const detached = [intent(), queued, fact({ kind: 'detached' }), closed('detached')];
    wrote(files, [mainRecord(own), ...detached], [second]);
    const env = { ...LOST, 'INPUT_INTERNAL-JOB-STATUS': 'cancelled' };
    expect(stepsIn(env, files).map(({ obstacle }) => obstacle === undefined)).toEqual([false]);
  });

  it('is not in a state file that another step has written to', () => {
    const files = memoryFiles();
    wrote(files, [mainRecord({ seal: 'of another' }), intent(), queued, closed('nothing')], [STATE_FILE]);
    const [step] = stepsIn(postEnv([mainRecord(), intent()]), files);
    expect([step?.left, step?.runs.map(({ phase }) => phase.at)]).toEqual([undefined, ['triggering']]);
  });

  it('is in all journals of this very job, even of mains that are alive', () => {
    const files = memoryFiles();
    const job = { ...JOB_ENV, RUNNER_TRACKING_ID: 'github_1' };
    journal(files, JOURNAL, 1, job);
    journal(files, second, 99, job);
    expect(found({ ...LOST, RUNNER_TRACKING_ID: 'github_1' }, files, [1, 99])).toEqual([
      ['in_progress'],
      ['in_progress'],
    ]);
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
    const env = { ...JOB_ENV, ...fields };
    journal(files, journalPath(env, 1, 0.5), 1, env);
    expect(found(LOST, files)).toEqual([]);
  });

  it('is nowhere without a folder to look in', () => {
    const files = memoryFiles();
    journal(files, JOURNAL, 1);
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
    ['for another journal', { seal: sealOf(API_KEY, 'https://app.example.test/', second) }],
  ])('is only named where it is sealed %s', (_, fields) => {
    const files = memoryFiles();
    wrote(files, [mainRecord(fields), intent(), queued], [JOURNAL]);
    expect(found(LOST, files)).toEqual([['in_progress', SEALED_BY_ANOTHER]]);
    const env = postEnv([mainRecord(fields), intent(), queued], { 'INPUT_API-KEY': API_KEY });
    expect(found(env, memoryFiles())).toEqual([['in_progress', SEALED_BY_ANOTHER]]);
  });

  it('is not in a journal that was copied to another name', () => {
    const files = memoryFiles();
    wrote(files, [mainRecord(), intent(), queued], [second]);
    expect(found(LOST, files)).toEqual([]);
  });

  it('is in a journal whose folder has another spelling', () => {
    const files = memoryFiles();
    const spelled = JOURNAL.replace(TEMP, `${TEMP}/../temp`);
    wrote(files, [mainRecord({ journal: spelled }), intent(), queued], [JOURNAL]);
    expect(found(LOST, files)).toEqual([['in_progress']]);
  });

  it('can be named without a key, with which nothing is sent', () => {
    const files = memoryFiles();
    journal(files, JOURNAL, 1);
    expect(found(JOB_ENV, files)).toEqual([['in_progress']]);
  });

  it('is only named where main’s own record is missing', () => {
    const files = memoryFiles({ [JOURNAL]: 'torn' });
    wrote(files, [intent(), queued], [second]);
    expect(found(LOST, files)).toEqual([['in_progress', expect.stringContaining('address of the service')]]);
  });
});

describe('the journal of a step', () => {
  it('is in the folder of the job, under a plain name of its own', () => {
    const env = { ...JOB_ENV, GITHUB_JOB: 'load/../../etc daily' };
    expect(journalPath(env, 7, 0.5)).toMatch(/^\/temp\/run-pipeline-77-1-load_etc_daily-7-[0-9a-z]+\.journal$/);
    expect(journalPath(env, 7, 0.25)).not.toBe(journalPath(env, 7, 0.5));
    expect(journalPath({ RUNNER_TEMP: TEMP }, 7, 0)).toBe('/temp/run-pipeline----7-0.journal');
  });

  it('is nowhere without that folder', () => {
    expect(journalPath({}, 7, 0.5)).toBe('');
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
  expect(isAllSettled(JOB_ENV)).toBe(false);
  expect(found(JOB_ENV, files)).toEqual([[expect.stringContaining('address of the service')]]);
});
