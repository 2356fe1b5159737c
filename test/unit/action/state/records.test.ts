// The records that main leaves for post: how they are written, read back, and checked, because any step may write them.
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

/** The records in a variable of the environment. */
function read(text: string): StateRecord[] {
  return inOrder(recordsInEnv({ [`STATE_${key(1)}`]: text }));
}

/** A record of the current version with these fields. */
function record(fields: object): string {
  return JSON.stringify({ v: 1, attempt: 1, ...fields });
}

describe('written records', () => {
  const files = memoryFiles();
  const state = createStateWriter(files, ['/state'], 'main');
  for (const each of ALL) state.write(each);
  const text = files.text('/state');
  const env = Object.entries(inState(text));

  it.each([
    ['the file', () => recordsInText(text)],
    ['a file with Windows line ends', () => recordsInText(text.replaceAll('\n', '\r\n'))],
    ['the environment of post', () => recordsInEnv(Object.fromEntries(env))],
    [
      'an environment in capital letters',
      () => recordsInEnv(Object.fromEntries(env.map(([name, value]) => [name.toUpperCase(), value]))),
    ],
  ])('are read back from %s', (_, found) => {
    expect(inOrder(found())).toEqual(ALL);
  });

  it('are complete except for the last one if the file is torn', () => {
    for (let end = text.length - 2; end > 0; end -= 7) {
      const torn = inOrder(recordsInText(text.slice(0, end)));
      expect(ALL.slice(0, torn.length)).toEqual(torn);
      expect(torn.length).toBeGreaterThanOrEqual(text.slice(0, end).split('\nrun_pipeline_').length - 2);
    }
  });

  it('are complete behind a torn record', () => {
    const after = memoryFiles({ '/state': text.slice(0, 30) });
    createStateWriter(after, ['/state'], 'main', 1).write(CLOSED);
    expect(inOrder(recordsInText(after.text('/state')))).toEqual([CLOSED]);
  });

  it('are one line each without empty lines, because act stops reading at an empty line', () => {
    expect(text.split('\n')).toHaveLength(ALL.length + 1);
    expect(text).toMatch(/^(?:[^\n]+\n)+$/);
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
  ])('contain only what another process can use: %j', (each, fields) => {
    const { kind } = each;
    expect(JSON.parse(encode({ ...fact(each), at: 5 }))).toEqual({ v: 1, run: 1, attempt: 1, kind, ...fields });
  });

  it('from several places count once, in the order of their numbers', () => {
    const line = (name: string, each: WrittenRecord): string => `${name}=${encode(each)}\n`;
    const [first, second, third] = [intent(1), intent(2), intent(3)];
    const one = recordsInText(line(stateKey('post', 1), third) + line(key(3), second) + line(key(1), MAIN));
    const other = recordsInText(line(key(10_000), CLOSED) + line(key(2), first) + line(key(1), MAIN));
    expect(inOrder(merged(one, other))).toEqual([MAIN, first, second, CLOSED, third]);
  });
});

describe('a reader of records', () => {
  it('finds the last number of a journal with any number of records', () => {
    const records = new Map(Array.from({ length: 200_000 }, (_, index) => [index, CLOSED]));
    expect([lastNumber(records), lastNumber(new Map())]).toEqual([199_999, 0]);
  });

  it.each(['hello', '{"v":1,"kind":"refused","ru', ''])('ignores a torn one: %s', (text) => {
    expect([...read(text), ...inOrder(recordsInText(`${key(1)}=${text}`))]).toEqual([]);
  });

  it.each(['0', '-1', '1.5', '1e3', '9999999999', '', 'x', '0x1', ' 1', 'post_', 'post_0', 'past_1'])(
    'ignores one with the number %j',
    (number) => {
      expect(inOrder(recordsInEnv({ [`STATE_run_pipeline_${number}`]: encode(CLOSED) }))).toEqual([]);
      expect(inOrder(recordsInText(`run_pipeline_${number}=${encode(CLOSED)}`))).toEqual([]);
    },
  );

  it.each(['STATE_isPost', `STATE_other_${key(1)}`, `INPUT_${key(1)}`])('ignores other variables: %s', (name) => {
    expect(inOrder(recordsInEnv({ [name]: encode(CLOSED), [`STATE_${key(2)}`]: undefined }))).toEqual([]);
  });

  it('ignores unknown fields', () => {
    const queued = { kind: 'queued', run: 1, jobId: JOB, status: '::error::', extra: { deep: 1 } };
    expect(read(record(queued))).toEqual([fact({ kind: 'queued', jobId: JOB })]);
  });

  it('keeps the id of a run in a record of another version or kind', () => {
    const foreign = { kind: 'foreign', jobId: JOB };
    expect(read(`{"v":2,"kind":"paused","jobId":"${JOB}"}`)).toEqual([foreign]);
    expect(foreignIn(recordsInText(`${key(7)}=${record({ kind: 'paused', jobId: JOB })}`))).toEqual([foreign]);
  });

  const refused = { kind: 'refused', run: 1 };
  const timeout = { kind: 'timeout' };

  it.each<[string, string | object]>([
    ['null', 'null'],
    ['a list', '["refused"]'],
    ['a text', '"refused"'],
    ['no version', '{"kind":"closed","left":"nothing"}'],
    ['another version', { v: 2, kind: 'closed', left: 'nothing' }],
    ['an unknown kind', { kind: 'explode', run: 1 }],
    ['a kind of the prototype', { kind: 'constructor', run: 1 }],
    ['a fact that is never stored', { kind: 'unsettled', run: 1 }],
    ['no run', { kind: 'refused' }],
    ['a run as text', { ...refused, run: '1' }],
    ['run 0', { ...refused, run: 0 }],
    ['half a run', { ...refused, run: 1.5 }],
    ['a run that is not a safe integer', { ...refused, run: 1e300 }],
    ['no attempt', { ...refused, attempt: undefined }],
    ['attempt 0', { ...refused, attempt: 0 }],
    ['an id that is not a UUID', { kind: 'queued', run: 1, jobId: 'x&select=*' }],
    ['an id and a line feed', { kind: 'claimed', run: 1, jobId: `${JOB}\n` }],
    ['a final status that is not final', { kind: 'finished', run: 1, jobId: JOB, status: 'running' }],
    ['a final status without an id', { kind: 'finished', run: 1, status: 'failed' }],
    ['an intent without a pipeline', { kind: 'intent', run: 1, at: 1 }],
    ['an intent without a time', { kind: 'intent', run: 1, pipelineId: PIPELINE, at: 'now' }],
    ['a stop without a reason', { kind: 'stopped', policy: 'cancel' }],
    ['a stop by a signal', { kind: 'stopped', policy: 'cancel', reason: { kind: 'signal' } }],
    ['a stop without a policy', { kind: 'stopped', reason: timeout }],
    ['a stop of run 0', { kind: 'stopped', run: 0, policy: 'cancel', reason: timeout }],
    ['an end of main that leaves something unknown', { kind: 'closed', left: 'all' }],
    ['a main without an address', { kind: 'main', pid: 1 }],
    ['a main with the id of every process', { kind: 'main', pid: -1, baseUrl: 'x' }],
    ['a main with process 0', { kind: 'main', pid: 0, baseUrl: 'x' }],
    ['a main with a process as text', { kind: 'main', pid: '1', baseUrl: 'x' }],
  ])('cannot read one with %s', (_, fields) => {
    const text = typeof fields === 'string' ? fields : record(fields);
    expect(read(text)).toEqual([expect.objectContaining({ kind: 'foreign' })]);
    expect(inOrder(recordsInText(`${key(1)}=${text}`))).toEqual(read(text));
  });

  it('replaces missing and wrong fields of main by the safest values', () => {
    const known = { kind: 'main', pid: 7, baseUrl: 'https://a.example.test' };
    const given = { 0: JOB, 2: 'x', 3: JOB };
    expect(read(record({ ...known, onCancel: 'explode', pollIntervalMs: -5, given }))).toEqual([
      {
        ...known,
        startedAt: '',
        owner: {},
        asked: '',
        onCancel: 'cancel',
        pollIntervalMs: 30_000,
        jobStatus: '',
        given: { 3: JOB },
        journal: '',
        seal: '',
        stateFile: '',
      },
    ]);
  });
});

describe('the writer of records', () => {
  const first = `run_pipeline_0001=${encode(CLOSED)}\n`;

  it('writes each record to every place before it returns', () => {
    const files = memoryFiles({ '/state': 'other=1\n' });
    createStateWriter(files, ['/state', '', '/journal'], 'main').write(CLOSED);
    expect([files.text('/state'), files.text('/journal')]).toEqual([`other=1\n${first}`, first]);
  });

  it('needs one place that accepts a record, and leaves out the number of one that none accepts', () => {
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
  });

  it('does nothing without a place', () => {
    expect(() => createStateWriter(memoryFiles(), [], 'main').write(CLOSED)).not.toThrow();
  });

  it('continues from a number, beyond four digits, and numbers the records of post separately', () => {
    const files = memoryFiles();
    const state = createStateWriter(files, ['/journal'], 'main', 9_998);
    createStateWriter(files, ['/journal'], 'post').write(CLOSED);
    state.write(CLOSED);
    state.write(CLOSED);
    const { main, post } = recordsInText(files.text('/journal'));
    expect([[...main.keys()], [...post.keys()]]).toEqual([[9_999, 10_000], [1]]);
  });

  /** Records of 2 MB, more than the environment of a process can hold: long names of characters of three bytes. */
  const MANY = Array.from({ length: 3_000 }, (_, index) => intent(index + 1, '長'.repeat(200)));

  it.each([
    ['limits the size of the state if a journal has all of it', ['/state', '/journal'], [], [700, 1_000]],
    ['writes all to the state without a journal', ['/state'], [], [3_000, 3_000]],
    ['writes all to the state if the journal cannot be written', ['/state', '/journal'], ['/journal'], [3_000, 3_000]],
  ])('%s', (_, places, full, [least = 0, most = 0]) => {
    // Memory files copy the whole text for each line.
    const lines = new Map(places.map((place): [string, string[]] => [place, []]));
    const append: Files['append'] = (path, text) => {
      if (full.includes(path)) throw new Error('ENOSPC');
      lines.get(path)?.push(text);
    };
    const state = createStateWriter({ ...memoryFiles(), append }, places, 'main');
    for (const each of MANY) state.write(each);
    const text = lines.get('/state')?.join('') ?? '';
    const kept = recordsInText(text).main.size;
    expect([kept >= least, kept <= most]).toEqual([true, true]);
    expect(Buffer.byteLength(text) < 600_000).toBe(most < 3_000);
    const journal = lines.get('/journal')?.length ?? 0;
    expect(Math.max(kept, journal)).toBe(MANY.length);
  });
});
