import { describe, expect, it } from 'vitest';
import {
  encode,
  foreignIn,
  inOrder,
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
import { fact, inState, intent, mainRecord, stopped } from '../../../support/post.ts';
import { JOB, PIPELINE } from '../../../support/service.ts';

const MAIN = mainRecord({ given: { 3: JOB } });
const CLOSED: WrittenRecord = { kind: 'closed', left: 'runs', isPrinted: true };
const PROBLEM = { attempted: 'trigger the run', cause: 'HTTP 400' };

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

/** A record as the runner hands it to post. */
function inEnv(text: string): Record<string, string> {
  return { [`STATE_${key(1)}`]: text };
}

function read(text: string): StateRecord[] {
  return inOrder(recordsInEnv(inEnv(text)));
}

/** The fields of a record that is one but for these. */
function forged(fields: object): string {
  return JSON.stringify({ v: 1, attempt: 1, ...fields });
}

describe('records that were written', () => {
  const files = memoryFiles();
  const state = createStateWriter(files, ['/state'], 'main');
  for (const record of ALL) state.write(record);
  const text = files.text('/state');

  it('are read back from the file', () => {
    expect(inOrder(recordsInText(text))).toEqual(ALL);
  });

  it('are read back from a file with Windows line ends', () => {
    expect(inOrder(recordsInText(text.replaceAll('\n', '\r\n')))).toEqual(ALL);
  });

  it('are read back from the environment that a runner makes of the file', () => {
    const env = inState(text);
    expect(inOrder(recordsInEnv(env))).toEqual(ALL);
    const upper = Object.entries(env).map(([name, value]): [string, string] => [name.toUpperCase(), value]);
    expect(inOrder(recordsInEnv(Object.fromEntries(upper)))).toEqual(ALL);
  });

  it('are all whole but the last one, wherever the file was torn', () => {
    for (let end = text.length - 2; end > 0; end -= 7) {
      const torn = inOrder(recordsInText(text.slice(0, end)));
      expect(ALL.slice(0, torn.length)).toEqual(torn);
      expect(torn.length).toBeGreaterThanOrEqual(text.slice(0, end).split('\nrun_pipeline_').length - 2);
    }
  });

  it('are whole behind a record that was torn', () => {
    const after = memoryFiles({ '/state': text.slice(0, 30) });
    createStateWriter(after, ['/state'], 'main', 1).write(CLOSED);
    expect(inOrder(recordsInText(after.text('/state')))).toEqual([CLOSED]);
  });

  it('are a line each, and no line is empty: act reads no further than that', () => {
    expect(text.split('\n')).toHaveLength(ALL.length + 1);
    expect(text).toMatch(/^(?:[^\n]+\n)+$/);
  });

  it('hold nothing that means nothing to another process', () => {
    const at = 5;
    const job = { id: JOB, status: 'failed', statusMessage: 'secret' } as const;
    const facts: readonly DurableFact[] = [
      { kind: 'unknown', problem: PROBLEM, retryInMs: 400 },
      { kind: 'lost', problem: PROBLEM },
      { kind: 'not_resumed', job },
      { kind: 'finished', job, confirming: true },
    ];
    const common = { v: 1, run: 1, attempt: 1 };
    expect(facts.map((each): unknown => JSON.parse(encode({ ...fact(each), at })))).toEqual([
      { ...common, kind: 'unknown', jobId: JOB },
      { ...common, kind: 'lost', jobId: JOB },
      { ...common, kind: 'not_resumed' },
      { ...common, kind: 'finished', jobId: JOB, status: 'failed' },
    ]);
  });
});

describe('records from several places', () => {
  it('count once, in the order of their numbers, in whatever order they are found', () => {
    const line = (name: string, record: WrittenRecord): string => `${name}=${encode(record)}\n`;
    const [first, second, third] = [intent(1), intent(2), intent(3)];
    const one = recordsInText(line(stateKey('post', 1), third) + line(key(3), second) + line(key(1), MAIN));
    const other = recordsInText(line(key(10_000), CLOSED) + line(key(2), first) + line(key(1), MAIN));
    expect(inOrder(merged(one, other))).toEqual([MAIN, first, second, CLOSED, third]);
  });
});

describe('what is torn', () => {
  it.each(['hello', '{"v":1,"kind":"refused","ru', ''])('is passed over: %s', (text) => {
    expect(read(text)).toEqual([]);
    expect(inOrder(recordsInText(`${key(1)}=${text}`))).toEqual([]);
  });
});

describe('a record that this version cannot read', () => {
  it('keeps the id of its run', () => {
    const record = { kind: 'foreign', jobId: JOB };
    expect(read(`{"v":2,"kind":"paused","jobId":"${JOB}"}`)).toEqual([record]);
    expect(foreignIn(recordsInText(`${key(7)}=${forged({ kind: 'paused', jobId: JOB })}`))).toEqual([record]);
  });

  it.each([
    ['null', 'null'],
    ['a list', '["refused"]'],
    ['a text', '"refused"'],
    ['no version', '{"kind":"closed","left":"nothing"}'],
    ['another version', '{"v":2,"kind":"closed","left":"nothing"}'],
    ['a kind that nobody knows', forged({ kind: 'explode', run: 1 })],
    ['a kind of the prototype', forged({ kind: 'constructor', run: 1 })],
    ['a fact that is not for the disk', forged({ kind: 'unsettled', run: 1 })],
    ['no run', forged({ kind: 'refused' })],
    ['a run as text', forged({ kind: 'refused', run: '1' })],
    ['run 0', forged({ kind: 'refused', run: 0 })],
    ['half a run', forged({ kind: 'refused', run: 1.5 })],
    ['a run beyond counting', forged({ kind: 'refused', run: 1e300 })],
    ['no attempt', '{"v":1,"kind":"refused","run":1}'],
    ['attempt 0', forged({ kind: 'refused', run: 1, attempt: 0 })],
    ['an id that is none', forged({ kind: 'queued', run: 1, jobId: 'x&select=*' })],
    ['an id with something behind it', forged({ kind: 'claimed', run: 1, jobId: `${JOB}\n` })],
    ['an end that is none', forged({ kind: 'finished', run: 1, jobId: JOB, status: 'running' })],
    ['an end of no run', forged({ kind: 'finished', run: 1, status: 'failed' })],
    ['an intent for no pipeline', forged({ kind: 'intent', run: 1, at: 1 })],
    ['an intent at no time', forged({ kind: 'intent', run: 1, pipelineId: PIPELINE, at: 'now' })],
    ['a stop without a reason', forged({ kind: 'stopped', policy: 'cancel' })],
    ['a stop by a signal', forged({ kind: 'stopped', policy: 'cancel', reason: { kind: 'signal' } })],
    ['a stop without a policy', forged({ kind: 'stopped', reason: { kind: 'timeout' } })],
    ['a stop of run 0', forged({ kind: 'stopped', run: 0, policy: 'cancel', reason: { kind: 'timeout' } })],
    ['an end of main that leaves who knows what', forged({ kind: 'closed', left: 'all' })],
    ['a main without an address', forged({ kind: 'main', pid: 1 })],
    ['a main with the process of everybody', forged({ kind: 'main', pid: -1, baseUrl: 'x' })],
    ['a main with process 0', forged({ kind: 'main', pid: 0, baseUrl: 'x' })],
    ['a main with a process as text', forged({ kind: 'main', pid: '1', baseUrl: 'x' })],
  ])('is none that it knows: %s', (_, text) => {
    expect(read(text)).toEqual([expect.objectContaining({ kind: 'foreign' })]);
    expect(inOrder(recordsInText(`${key(1)}=${text}`))).toEqual(read(text));
  });
});

describe('what is no record', () => {
  it.each(['0', '-1', '1.5', '1e3', '9999999999', '', 'x', '0x1', ' 1', 'post_', 'post_0', 'past_1'])(
    'is passed over: number %j',
    (number) => {
      expect(inOrder(recordsInEnv({ [`STATE_run_pipeline_${number}`]: encode(CLOSED) }))).toEqual([]);
      expect(inOrder(recordsInText(`run_pipeline_${number}=${encode(CLOSED)}`))).toEqual([]);
    },
  );

  it.each([
    ['another action', 'STATE_isPost', 'true'],
    ['another name', 'STATE_other_run_pipeline_0001', encode(CLOSED)],
    ['an input', 'INPUT_run_pipeline_0001', encode(CLOSED)],
    ['nothing', `STATE_${key(1)}`, undefined],
  ])('is passed over: state of %s', (_, name, text) => {
    expect(inOrder(recordsInEnv({ [name]: text }))).toEqual([]);
  });

  it('is left out of what is one', () => {
    const queued = { kind: 'queued', run: 1, jobId: JOB, status: '::error::', extra: { deep: 1 } };
    expect(read(forged(queued))).toEqual([fact({ kind: 'queued', jobId: JOB })]);
  });
});

describe('a record of main in which something is missing', () => {
  it('is made whole with what does least harm', () => {
    const baseUrl = 'https://a.example.test';
    const given = { 0: JOB, 2: 'x', 3: JOB };
    const main = { kind: 'main', pid: 7, baseUrl, onCancel: 'explode', pollIntervalMs: -5, given };
    expect(read(forged(main))).toEqual([
      {
        kind: 'main',
        pid: 7,
        startedAt: '',
        owner: {},
        asked: '',
        baseUrl,
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
  it('writes each to every place, before it returns', () => {
    const files = memoryFiles({ '/state': 'other=1\n' });
    const state = createStateWriter(files, ['/state', '/journal'], 'main');
    state.write(CLOSED);
    expect(files.text('/state')).toBe(`other=1\nrun_pipeline_0001=${encode(CLOSED)}\n`);
    expect(files.text('/journal')).toBe(`run_pipeline_0001=${encode(CLOSED)}\n`);
  });

  it('is content with one place that takes it', () => {
    const files = memoryFiles();
    files.refuse('/state');
    const state = createStateWriter(files, ['/state', '/journal'], 'main');
    state.write(CLOSED);
    expect(files.paths).toEqual(['/journal']);
  });

  it('throws when no place takes it, and numbers what comes later apart from it', () => {
    const files = memoryFiles();
    files.refuse('/state');
    files.refuse('/journal');
    const state = createStateWriter(files, ['/state', '/journal'], 'main');
    expect(() => state.write(fact({ kind: 'refused' }))).toThrow('ENOSPC');
    files.accept('/journal');
    state.write(CLOSED);
    expect(files.text('/journal')).toBe(`run_pipeline_0002=${encode(CLOSED)}\n`);
  });

  it('writes nothing, and throws nothing, where there is no place', () => {
    expect(() => createStateWriter(memoryFiles(), [], 'main').write(CLOSED)).not.toThrow();
  });

  it('goes on from the number that it is given, in an order that is kept beyond four digits', () => {
    const files = memoryFiles();
    const state = createStateWriter(files, ['/journal'], 'main', 9_998);
    state.write(fact({ kind: 'refused' }));
    state.write(CLOSED);
    expect([...recordsInText(files.text('/journal')).main.keys()]).toEqual([9_999, 10_000]);
  });

  it('numbers what post writes apart from what main writes', () => {
    const files = memoryFiles();
    createStateWriter(files, ['/journal'], 'post').write(fact({ kind: 'refused' }));
    expect(files.text('/journal')).toBe(`run_pipeline_post_0001=${encode(fact({ kind: 'refused' }))}\n`);
  });
});
