// The records that main writes for post, which post must check because any other step may write them too.
import { describe, expect, it } from 'vitest';
import type { Files } from '../../../../src/action/runner/files.ts';
import {
  encode,
  foreignIn,
  inOrder,
  lastNumber,
  merged,
  recordsInEnv,
  recordsInText,
  type StateRecord,
  stateKey,
  type WrittenRecord,
} from '../../../../src/action/state/records.ts';
import { createStateWriter } from '../../../../src/action/state/writer.ts';
import type { DurableFact } from '../../../../src/run/state/facts.ts';
import { memoryFiles } from '../../../support/memory-files.ts';
import { closed, fact, inState, intent, mainRecord, stopped } from '../../../support/post.ts';
import { JOB, PIPELINE } from '../../../support/service.ts';

const MAIN = mainRecord({ given: { 3: JOB } });
const CLOSED = closed('runs');

const ALL: readonly WrittenRecord[] = [
  MAIN,
  intent(1, 'Orders "daily"\u2028=\n::x ☂ \uD83D'),
  fact({ kind: 'refused' }),
  intent(2, null),
  fact({ kind: 'queued', jobId: JOB }, 2),
  stopped({ kind: 'timeout', afterMs: 60_000 }, 'cancel'),
  stopped({ kind: 'queue_timeout', afterMs: 60_000 }, 'leave', 2),
  stopped({ kind: 'fail_fast', after: 'orders' }, 'await'),
  fact({ kind: 'claimed', jobId: JOB }, 3),
  { run: 3, attempt: 2, fact: { kind: 'not_resumed' } },
  fact({ kind: 'unknown' }, 3),
  fact({ kind: 'lost' }, 4),
  fact({ kind: 'detached' }, 5),
  fact({ kind: 'finished', job: { id: JOB, status: 'cancelled', statusMessage: null } }, 2),
  CLOSED,
];

const key = (number: number): string => stateKey('main', number);

/** Returns the records in an environment variable. */
function read(text: string): StateRecord[] {
  return inOrder(recordsInEnv({ [`STATE_${key(1)}`]: text }));
}

/** Returns the text of a record with the current version and these fields. */
function record(fields: object): string {
  return JSON.stringify({ v: 1, attempt: 1, ...fields });
}

describe('written records', () => {
  const files = memoryFiles();
  const state = createStateWriter(files, ['/state'], 'main');
  for (const each of ALL) state.write(each);
  const text = files.text('/state');
  const env = Object.entries(inState(text));

  it('are readable from the file and the environment, regardless of line endings and capitalization', () => {
    const upper = env.map(([name, value]): [string, string] => [name.toUpperCase(), value]);
    const inFiles = [text, text.replaceAll('\n', '\r\n')].map(recordsInText);
    const inEnvs = [env, upper].map((entries) => recordsInEnv(Object.fromEntries(entries)));
    expect([...inFiles, ...inEnvs].map(inOrder)).toEqual(Array(4).fill(ALL));
  });

  it('are complete except for the last record if the file is torn', () => {
    for (let end = text.length - 2; end > 0; end -= 7) {
      const torn = inOrder(recordsInText(text.slice(0, end)));
      expect(ALL.slice(0, torn.length)).toEqual(torn);
      expect(torn.length).toBeGreaterThanOrEqual(text.slice(0, end).split('\nrun_pipeline_').length - 2);
    }
  });

  it('are complete after a torn record', () => {
    const after = memoryFiles({ '/state': text.slice(0, 30) });
    createStateWriter(after, ['/state'], 'main', 1).write(CLOSED);
    expect(inOrder(recordsInText(after.text('/state')))).toEqual([CLOSED]);
  });

  it('occupy one line each without empty lines, because act stops reading at an empty line', () => {
    expect(text).toMatch(new RegExp(`^(?:[^\\n]+\\n){${ALL.length}}$`));
  });

  const problem = { attempted: 'trigger the run', cause: 'HTTP 400' };
  const job = { id: JOB, status: 'failed', statusMessage: 'secret' } as const;

  it.each<[DurableFact, object]>([
    [{ kind: 'unknown', problem, retryInMs: 400 }, { jobId: JOB }],
    [{ kind: 'lost', problem }, { jobId: JOB }],
    [{ kind: 'not_resumed', job }, {}],
    [
      { kind: 'finished', job, confirming: true },
      { jobId: JOB, status: 'failed' },
    ],
  ])('contain only the fields of %j that another process can use', (each, fields) => {
    const { kind } = each;
    expect(JSON.parse(encode({ ...fact(each), at: 5 }))).toEqual({ v: 1, run: 1, attempt: 1, kind, ...fields });
  });

  it('count only once if they come from several places, and keep the order of their numbers', () => {
    const line = (name: string, each: WrittenRecord): string => `${name}=${encode(each)}\n`;
    const [first, second, third] = [intent(1), intent(2), intent(3)];
    const one = recordsInText(line(stateKey('post', 1), third) + line(key(3), second) + line(key(1), MAIN));
    const other = recordsInText(line(key(10_000), CLOSED) + line(key(2), first) + line(key(1), MAIN));
    expect(inOrder(merged(one, other))).toEqual([MAIN, first, second, CLOSED, third]);
  });
});

describe('a reader of records', () => {
  it('finds the last number in a journal with 200,000 records', () => {
    const records = new Map(Array.from({ length: 200_000 }, (_, index) => [index, CLOSED]));
    expect([lastNumber(records), lastNumber(new Map())]).toEqual([199_999, 0]);
  });

  it.each(['hello', '{"v":1,"kind":"refused","ru', ''])('ignores the torn record %j', (text) => {
    expect([...read(text), ...inOrder(recordsInText(`${key(1)}=${text}`))]).toEqual([]);
  });

  it('ignores a record with another number or name', () => {
    const numbers = [
      '0',
      '5',
      '00005',
      '-1',
      '1.5',
      '1e3',
      '9999999999',
      '',
      'x',
      '0x1',
      ' 1',
      'post_',
      'post_0',
      'past_1',
    ];
    const text = numbers.map((number) => `run_pipeline_${number}=${encode(CLOSED)}`).join('\n');
    const names = ['STATE_isPost', `STATE_other_${key(1)}`, `INPUT_${key(1)}`];
    const variables = [...Object.keys(inState(text)), ...names].map((name): [string, string] => [name, encode(CLOSED)]);
    expect(variables.length).toBeGreaterThan(12);
    expect(inOrder(recordsInText(text))).toEqual([]);
    expect(inOrder(recordsInEnv(Object.fromEntries(variables)))).toEqual([]);
  });

  it('ignores unknown fields of a record', () => {
    const queued = { kind: 'queued', run: 1, jobId: JOB, status: '::error::', extra: { deep: 1 } };
    expect(read(record(queued))).toEqual([fact({ kind: 'queued', jobId: JOB })]);
  });

  it('keeps the id of a run in a record of another version or kind', () => {
    const known = { kind: 'foreign', jobId: JOB };
    expect(read(`{"v":2,"kind":"paused","jobId":"${JOB}"}`)).toEqual([known]);
    expect(foreignIn(recordsInText(`${key(7)}=${record({ kind: 'paused', jobId: JOB })}`))).toEqual([known]);
  });

  const foreign: unknown = expect.objectContaining({ kind: 'foreign' });
  const refused = { kind: 'refused', run: 1 };
  const finished = { kind: 'finished', run: 1, jobId: JOB, status: 'failed' };
  const intended = { kind: 'intent', run: 1, pipelineId: PIPELINE, at: 1 };
  const stop = { kind: 'stopped', policy: 'cancel', reason: { kind: 'timeout' } };
  const ofMain = { kind: 'main', pid: 1, baseUrl: 'x' };

  it.each<[object, string, readonly unknown[]]>([
    [refused, 'v', [undefined, 2]],
    [refused, 'kind', ['explode', 'constructor', 'unsettled']],
    [refused, 'run', [undefined, '1', 0, 1.5, 1e300]],
    [refused, 'attempt', [undefined, 0]],
    [{ kind: 'queued', run: 1, jobId: JOB }, 'jobId', [undefined, 'x&select=*', `${JOB}\n`]],
    [finished, 'status', [undefined, 'running']],
    [finished, 'jobId', [undefined]],
    [intended, 'pipelineId', [undefined, 'orders']],
    [intended, 'at', [undefined, 'now']],
    [stop, 'reason', [undefined, { kind: 'signal' }]],
    [stop, 'policy', [undefined, 'explode']],
    [stop, 'run', [0]],
    [{ kind: 'closed', left: 'nothing' }, 'left', [undefined, 'all']],
    [ofMain, 'pid', [undefined, -1, 0, '1']],
    [ofMain, 'baseUrl', [undefined]],
  ])('accepts %j only with a valid %s, which is none of %j', (valid, field, values) => {
    expect(read(record(valid))).not.toEqual([foreign]);
    expect(values.flatMap((value) => read(record({ ...valid, [field]: value })))).toEqual(values.map(() => foreign));
  });

  it.each(['null', '["refused"]', '"refused"'])('treats %s as a foreign record', (text) => {
    expect([...read(text), ...inOrder(recordsInText(`${key(1)}=${text}`))]).toEqual([foreign, foreign]);
  });

  it('replaces missing and invalid fields of main with the safest values', () => {
    const known = { kind: 'main', pid: 7, baseUrl: 'https://a.example.test' };
    const given = { 0: JOB, 2: 'x', 3: JOB };
    const texts = { startedAt: '', asked: '', jobStatus: '', journal: '', seal: '', stateFile: '' };
    expect(read(record({ ...known, onCancel: 'explode', pollIntervalMs: -5, given }))).toEqual([
      { ...known, ...texts, owner: {}, onCancel: 'cancel', pollIntervalMs: 30_000, given: { 3: JOB } },
    ]);
  });
});

describe('the writer of records', () => {
  const first = `run_pipeline_0001=${encode(CLOSED)}\n`;

  it('writes each record to every destination before it returns', () => {
    const files = memoryFiles({ '/state': 'other=1\n' });
    createStateWriter(files, ['/state', '', '/journal'], 'main').write(CLOSED);
    expect([files.text('/state'), files.text('/journal')]).toEqual([`other=1\n${first}`, first]);
  });

  it('needs only one destination that accepts a record, and skips the number of a record that all refuse', () => {
    const files = memoryFiles();
    const state = createStateWriter(files, ['/state', '/journal'], 'main');
    files.refuse('/state');
    state.write(CLOSED);
    expect([files.paths, files.text('/journal')]).toEqual([['/journal'], first]);
    files.refuse('/journal');
    expect(() => state.write(CLOSED)).toThrow('ENOSPC');
    files.accept('/journal');
    state.write(CLOSED);
    expect([...recordsInText(files.text('/journal')).main.keys()]).toEqual([1, 3]);
    expect(() => createStateWriter(files, [], 'main').write(CLOSED)).not.toThrow();
  });

  it('continues after an existing number, even beyond four digits, and numbers the records of post separately', () => {
    const files = memoryFiles();
    const state = createStateWriter(files, ['/journal'], 'main', 9_998);
    createStateWriter(files, ['/journal'], 'post').write(CLOSED);
    state.write(CLOSED);
    state.write(CLOSED);
    const { main, post } = recordsInText(files.text('/journal'));
    expect([[...main.keys()], [...post.keys()]]).toEqual([[9_999, 10_000], [1]]);
  });

  /** 2 MB of records with long names of three-byte characters, too much for the environment of a process. */
  const MANY = Array.from({ length: 3_000 }, (_, index) => intent(index + 1, '長'.repeat(200)));

  it.each([
    ['limits the size of the state if the journal has all records', ['/state', '/journal'], [], 1_000],
    ['writes all records to the state without a journal', ['/state'], [], 3_000],
    ['writes all records to the state if the journal is not writable', ['/state', '/journal'], ['/journal'], 3_000],
  ])('%s', (_, places, full, most) => {
    // Memory files copy their whole text for each appended line.
    const lines: Record<string, string[]> = { '/state': [], '/journal': [] };
    const append: Files['append'] = (path, text) => {
      if (full.includes(path)) throw new Error('ENOSPC');
      lines[path]?.push(text);
    };
    const state = createStateWriter({ ...memoryFiles(), append }, places, 'main');
    for (const each of MANY) state.write(each);
    const [kept = '', journal = ''] = Object.values(lines).map((each) => each.join(''));
    const counts = [kept, journal].map((text) => recordsInText(text).main.size);
    expect(Math.max(...counts)).toBe(MANY.length);
    expect(counts[0]).toBeGreaterThan(700);
    expect(counts[0]).toBeLessThanOrEqual(most);
    expect(Buffer.byteLength(kept) < 600_000).toBe(most < 3_000);
  });
});
