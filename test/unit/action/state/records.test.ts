// The records that main writes for post. Post must check them, because other steps can write records too.
import { describe, expect, it } from 'vitest';
import type { Files } from '../../../../src/action/runner/files.ts';
import { closeState, openState } from '../../../../src/action/state/main-state.ts';
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
import type { RunPhase } from '../../../../src/run/state/run-state.ts';
import { aRun, type Inputs, settings } from '../../../support/action.ts';
import { memoryFiles } from '../../../support/memory-files.ts';
import {
  closed,
  fact,
  HOST,
  inState,
  intent,
  JOB_ENV,
  JOURNAL,
  mainRecord,
  PID,
  STATE_FILE,
  stopped,
} from '../../../support/post.ts';
import { JOB, PIPELINE } from '../../../support/service.ts';

const MAIN = mainRecord({ given: { 3: JOB }, pollIntervalMs: 60_000 });
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
  const upper = Object.entries(inState(text)).map(([name, value]): [string, string] => [name.toUpperCase(), value]);

  it.each([
    ['a file', recordsInText(text)],
    ['a file with Windows line endings', recordsInText(text.replaceAll('\n', '\r\n'))],
    ['an environment', recordsInEnv(inState(text))],
    ['an environment with names in capital letters', recordsInEnv(Object.fromEntries(upper))],
  ])('are readable from %s', (_, records) => {
    expect(inOrder(records)).toEqual(ALL);
  });

  it('are complete, except for the last record, in every beginning of the file', () => {
    for (let end = text.length - 2; end > 0; end -= 1) {
      const torn = inOrder(recordsInText(text.slice(0, end)));
      expect(ALL.slice(0, torn.length)).toEqual(torn);
      expect(torn.length).toBeGreaterThanOrEqual(text.slice(0, end).split('\nrun_pipeline_').length - 2);
    }
  });

  it('are readable after a torn record', () => {
    const after = memoryFiles({ '/state': text.slice(0, 30) });
    createStateWriter(after, ['/state'], 'main', 1).write(CLOSED);
    expect(inOrder(recordsInText(after.text('/state')))).toEqual([CLOSED]);
  });

  it('occupy one line each, without empty lines in between, because act stops reading at an empty line', () => {
    expect(text).toMatch(new RegExp(`^(?:[^\\n]+\\n){${ALL.length}}$`));
  });

  const problem = { attempted: 'trigger the run', cause: 'HTTP 400' };
  const job = { id: JOB, status: 'failed', statusMessage: 'secret' } as const;

  it.each<[string, DurableFact, object]>([
    ['a lost response', { kind: 'unknown', problem, retryInMs: 400 }, { jobId: JOB }],
    ['an earlier run', { kind: 'not_resumed', job }, {}],
    ['a finished run', { kind: 'finished', job, confirming: true }, { jobId: JOB, status: 'failed' }],
  ])('contain only those fields of %s that another process needs', (_, each, fields) => {
    const { kind } = each;
    expect(JSON.parse(encode({ ...fact(each), at: 5 }))).toEqual({ v: 1, run: 1, attempt: 1, kind, ...fields });
  });

  it('count only once if several places contain them, and are ordered by their numbers', () => {
    const line = (name: string, each: WrittenRecord): string => `${name}=${encode(each)}\n`;
    const [first, second, third] = [intent(1), intent(2), intent(3)];
    const one = recordsInText(line(stateKey('post', 1), third) + line(key(3), second) + line(key(1), MAIN));
    const other = recordsInText(line(key(10_000), CLOSED) + line(key(2), first) + line(key(1), MAIN));
    expect(inOrder(merged(one, other))).toEqual([MAIN, first, second, CLOSED, third]);
  });
});

describe('the record reader', () => {
  it.each([200_000, 1])('finds the last record number in a journal with %i records', (count) => {
    const records = new Map(Array.from({ length: count }, (_, index) => [index, CLOSED]));
    expect(lastNumber(records)).toBe(count - 1);
  });

  it.each(['hello', '{"v":1,"kind":"refused","ru', ''])('ignores the torn record %j', (text) => {
    expect([...read(text), ...inOrder(recordsInText(`${key(1)}=${text}`))]).toEqual([]);
  });

  const numbers = ['', ' 1', ...'0 0000 5 00005 -1 1.5 1e3 9999999999 x 0x1 post_ post_0 past_1'.split(' ')];

  it.each(numbers)('ignores a record with the number "%s"', (number) => {
    const text = `run_pipeline_${number}=${encode(CLOSED)}`;
    expect([recordsInText(text), recordsInEnv(inState(text))].flatMap(inOrder)).toEqual([]);
  });

  it.each(['STATE_isPost', `STATE_other_${key(1)}`, `INPUT_${key(1)}`])('ignores the variable %s', (name) => {
    expect(inOrder(recordsInEnv({ [name]: encode(CLOSED) }))).toEqual([]);
  });

  it('ignores unknown fields of a record', () => {
    const queued = { kind: 'queued', run: 1, jobId: JOB, status: '::error::', extra: { deep: 1 } };
    expect(read(record(queued))).toEqual([fact({ kind: 'queued', jobId: JOB })]);
  });

  it.each([
    ['version', `{"v":2,"kind":"refused","jobId":"${JOB}"}`],
    ['kind', record({ kind: 'paused', jobId: JOB })],
  ])('keeps the run id in a record of an unknown %s', (_, text) => {
    expect(foreignIn(recordsInText(`${key(7)}=${text}`))).toEqual([{ kind: 'foreign', jobId: JOB }]);
  });

  const foreign: unknown = expect.objectContaining({ kind: 'foreign' });
  const refused = { kind: 'refused', run: 1 };
  const finished = { kind: 'finished', run: 1, jobId: JOB, status: 'failed' };
  const intended = { kind: 'intent', run: 1, pipelineId: PIPELINE, at: 1 };
  const stop = { kind: 'stopped', policy: 'cancel', reason: { kind: 'timeout' } };
  const ofMain = { kind: 'main', pid: 1, baseUrl: 'x' };

  const fields: readonly [Readonly<Record<string, unknown>>, string, readonly unknown[]][] = [
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
  ];

  it.each(
    fields.flatMap(([valid, field, values]) => values.map((value) => [valid['kind'], field, value, valid] as const)),
  )('accepts a record of the kind "%s", but treats it as foreign if its "%s" field is %j', (_, field, value, valid) => {
    expect(read(record(valid))).not.toEqual([foreign]);
    expect(read(record({ ...valid, [field]: value }))).toEqual([foreign]);
  });

  it.each(['null', '["refused"]', '"refused"'])('treats %s as a foreign record', (text) => {
    expect([...read(text), ...inOrder(recordsInText(`${key(1)}=${text}`))]).toEqual([foreign, foreign]);
  });

  it("replaces missing and invalid fields in main's record with the safest values", () => {
    const known = { kind: 'main', pid: 7, baseUrl: 'https://a.example.test' };
    const given = { 0: JOB, 2: 'x', 3: JOB, '4x': JOB, x5: JOB, 67: JOB };
    const texts = { startedAt: '', asked: '', jobStatus: '', journal: '', seal: '', stateFile: '' };
    const safe = { ...texts, owner: { host: HOST }, onCancel: 'cancel', pollIntervalMs: 30_000 };
    const invalid = { onCancel: 'explode', pollIntervalMs: 0, given, owner: { host: HOST, job: 7 } };
    expect(read(record({ ...known, ...invalid }))).toStrictEqual([{ ...known, ...safe, given: { 3: JOB, 67: JOB } }]);
  });

  it('replaces an invalid pipeline name with null', () => {
    expect(read(record({ ...intended, pipelineName: 7 }))).toMatchObject([{ fact: { pipeline: { name: null } } }]);
  });
});

describe('the record writer', () => {
  const first = `run_pipeline_0001=${encode(CLOSED)}\n`;

  it('writes each record to every destination before it returns', () => {
    const files = memoryFiles({ '/state': 'other=1\n' });
    createStateWriter(files, ['/state', '', '/journal'], 'main').write(CLOSED);
    expect([files.text('/state'), files.text('/journal')]).toEqual([`other=1\n${first}`, first]);
  });

  it('succeeds if any destination accepts a record', () => {
    const files = memoryFiles();
    files.refuse('/state');
    createStateWriter(files, ['/state', '/journal'], 'main').write(CLOSED);
    expect([files.paths, files.text('/journal')]).toEqual([['/journal'], first]);
  });

  it('skips the number of a record that every destination rejects', () => {
    const files = memoryFiles();
    const state = createStateWriter(files, ['/state', '/journal'], 'main');
    for (const path of ['/state', '/journal']) files.refuse(path);
    expect(() => state.write(CLOSED)).toThrow('ENOSPC');
    files.accept('/journal');
    state.write(CLOSED);
    expect([...recordsInText(files.text('/journal')).main.keys()]).toEqual([2]);
  });

  it('does nothing without a destination', () => {
    expect(() => createStateWriter(memoryFiles(), [], 'main').write(CLOSED)).not.toThrow();
  });

  it("continues from an existing number, even beyond four digits, and numbers post's records separately", () => {
    const files = memoryFiles();
    const state = createStateWriter(files, ['/journal'], 'main', 9_998);
    createStateWriter(files, ['/journal'], 'post').write(CLOSED);
    state.write(CLOSED);
    state.write(CLOSED);
    const { main, post } = recordsInText(files.text('/journal'));
    expect([[...main.keys()], [...post.keys()]]).toEqual([[9_999, 10_000], [1]]);
  });

  /** 2 MB of records with long names of three-byte characters, which is too much for the environment of a process. */
  const MANY = Array.from({ length: 3_000 }, (_, index) => intent(index + 1, '長'.repeat(200)));

  it.each([
    ['limits the size of the state if the journal contains all records', ['/state', '/journal'], [], 1_000],
    ['writes all records to the state if there is no journal', ['/state'], [], 3_000],
    ['writes all records to the state if the journal is not writable', ['/state', '/journal'], ['/journal'], 3_000],
  ])('%s', (_, places, full, most) => {
    // Memory files would copy their whole text for each appended line.
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

/** Returns the records that main writes with these inputs if it ends with runs in these phases. */
function recorded(inputs: Inputs, phases: readonly RunPhase[] = []) {
  const files = memoryFiles();
  const env = { ...JOB_ENV, GITHUB_STATE: STATE_FILE };
  const parts = { env, files, pid: PID, startedAt: 'ticks:1', host: HOST, random: () => 0.5, clock: { wall: () => 0 } };
  const opened = openState(parts, settings(inputs));
  if ('refused' in opened) throw new Error(opened.refused);
  const runs = phases.map((phase) => aRun({ phase }));
  closeState(opened.state, runs, settings(inputs).plan, true);
  expect(files.text(JOURNAL)).toBe(files.text(STATE_FILE));
  return inOrder(recordsInText(files.text(JOURNAL)));
}

describe('main', () => {
  const resumed = { pipeline: 'orders', 'job-id': JOB };

  it.each<[string, Inputs, object]>([
    ['the value of on-cancel', { 'on-cancel': 'leave', 'internal-job-status': 'success' }, { onCancel: 'leave' }],
    ['the id of an existing run', { pipeline: '', 'job-id': JOB, 'on-cancel': 'cancel' }, { given: { 1: JOB } }],
    ['the id of an earlier run', resumed, { given: { 1: JOB } }],
    ['no id in a dry run', { ...resumed, 'dry-run': 'true' }, { given: {} }],
  ])('records %s when it starts, and that nothing is left when it ends', (_, inputs, fields) => {
    const [main, end] = recorded({ 'internal-job-status': 'success', ...inputs });
    expect(main).toEqual({ ...mainRecord(fields), asked: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown });
    expect(end).toEqual(closed('nothing'));
  });

  const problem = { attempted: 'cancel it', cause: 'HTTP 503' };

  const phases: readonly [RunPhase, left: 'nothing' | 'detached' | 'runs', leftByLeave?: 'nothing'][] = [
    [{ at: 'finished', status: 'failed' }, 'nothing'],
    [{ at: 'not_queued' }, 'nothing'],
    [{ at: 'unknown' }, 'nothing'],
    [{ at: 'lost' }, 'nothing'],
    [{ at: 'left' }, 'nothing'],
    [{ at: 'dry_run' }, 'nothing'],
    [{ at: 'detached' }, 'detached', 'nothing'],
    [{ at: 'triggering' }, 'runs'],
    [{ at: 'in_progress' }, 'runs'],
    [{ at: 'unsettled', problem }, 'runs'],
  ];
  const byPolicy = phases.flatMap(([phase, left, leftByLeave = left]) => [
    { phase, policy: 'cancel', left },
    { phase, policy: 'leave', left: leftByLeave },
  ]);

  it.each(byPolicy)(
    'records the work left for post as "$left" with a run in the phase "$phase.at" and on-cancel: $policy',
    ({ phase, policy, left }) => {
      const finished: RunPhase = { at: 'finished', status: 'completed' };
      expect(recorded({ 'on-cancel': policy }, [finished, phase, finished]).at(-1)).toEqual(closed(left));
    },
  );

  it.each(byPolicy)(
    'records that post has runs to settle with an unsettled run, one in the phase "$phase.at" and on-cancel: $policy',
    ({ phase, policy }) => {
      expect(recorded({ 'on-cancel': policy }, [phase, { at: 'unsettled', problem }]).at(-1)).toEqual(closed('runs'));
    },
  );
});
