import { describe, expect, it } from 'vitest';
import { createStateWriter } from '../../../src/action/state.ts';
import {
  inOrder,
  recordsInEnv,
  recordsInText,
  type StateRecord,
  stateKey,
} from '../../../src/action/state-records.ts';
import { memoryFiles } from '../../support/memory-files.ts';
import { inState } from '../../support/post.ts';
import { JOB, PIPELINE } from '../../support/service.ts';

const MAIN: StateRecord = {
  kind: 'main',
  pid: 4711,
  startedAt: 'ticks:99',
  baseUrl: 'https://app.example.test/',
  onCancel: 'cancel',
  pollIntervalMs: 30_000,
  summary: true,
  jobStatus: 'success',
  journal: '/temp/run-pipeline-1-1-job-4711.journal',
  seal: 'a'.repeat(64),
  stateFile: '/temp/state',
};

const ALL: readonly StateRecord[] = [
  MAIN,
  {
    kind: 'intent',
    run: 1,
    pipelineId: PIPELINE,
    pipelineName: 'Orders "daily"\u2028=\n::x ☂ \uD83D',
    at: 1_767_614_400_000,
  },
  { kind: 'refused', run: 1 },
  { kind: 'intent', run: 2, pipelineId: PIPELINE, pipelineName: null, at: 1 },
  { kind: 'queued', run: 2, jobId: JOB },
  { kind: 'cancelling', run: 2 },
  { kind: 'unknown', run: 3 },
  { kind: 'left', run: 4 },
  { kind: 'detached', run: 5 },
  { kind: 'settled', run: 2, status: 'cancelled' },
  { kind: 'closed' },
];

/** A record as the runner hands it to post. */
function inEnv(number: number, text: string): Record<string, string> {
  return { [`STATE_${stateKey(number)}`]: text };
}

function read(text: string): StateRecord[] {
  return inOrder(recordsInEnv(inEnv(1, text)));
}

describe('records that were written', () => {
  const files = memoryFiles();
  const state = createStateWriter(files, ['/state']);
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
    createStateWriter(after, ['/state'], 1).write({ kind: 'closed' });
    expect(inOrder(recordsInText(after.text('/state')))).toEqual([{ kind: 'closed' }]);
  });

  it('are a line each, and no line is empty: act reads no further than that', () => {
    expect(text.split('\n')).toHaveLength(ALL.length + 1);
    expect(text).toMatch(/^(?:[^\n]+\n)+$/);
  });
});

describe('records from several places', () => {
  it('count once, in the order of their numbers, in whatever order they are found', () => {
    const line = (number: number, record: StateRecord): string =>
      `${stateKey(number)}=${JSON.stringify(record)}\n`;
    const [main, intent, refused] = ALL;
    if (main === undefined || intent === undefined || refused === undefined) throw new Error('no records');
    const one = recordsInText(line(3, refused) + line(1, main));
    const other = recordsInText(line(10_000, { kind: 'closed' }) + line(2, intent) + line(1, main));
    expect(inOrder(one, other)).toEqual([main, intent, refused, { kind: 'closed' }]);
  });
});

describe('what is no record', () => {
  it.each([
    ['no JSON', 'hello'],
    ['half of one', '{"kind":"refused","ru'],
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '["refused"]'],
    ['a text', '"refused"'],
    ['a kind that nobody knows', '{"kind":"explode","run":1}'],
    ['a kind of the prototype', '{"kind":"constructor","run":1}'],
    ['no run', '{"kind":"refused"}'],
    ['a run as text', '{"kind":"refused","run":"1"}'],
    ['run 0', '{"kind":"refused","run":0}'],
    ['half a run', '{"kind":"refused","run":1.5}'],
    ['a run beyond counting', '{"kind":"refused","run":1e300}'],
    ['an id that is none', '{"kind":"queued","run":1,"jobId":"x&select=*"}'],
    ['an id with something behind it', `{"kind":"queued","run":1,"jobId":"${JOB}\\n"}`],
    ['an end that is none', '{"kind":"settled","run":1,"status":"running"}'],
    ['an intent for no pipeline', '{"kind":"intent","run":1,"at":1}'],
    ['an intent at no time', `{"kind":"intent","run":1,"pipelineId":"${PIPELINE}","at":"now"}`],
    ['a main without an address', '{"kind":"main","pid":1}'],
    ['a main with the process of everybody', '{"kind":"main","pid":-1,"baseUrl":"x"}'],
    ['a main with process 0', '{"kind":"main","pid":0,"baseUrl":"x"}'],
    ['a main with a process as text', '{"kind":"main","pid":"1","baseUrl":"x"}'],
  ])('is passed over: %s', (_, text) => {
    expect(read(text)).toEqual([]);
    expect(inOrder(recordsInText(`${stateKey(1)}=${text}`))).toEqual([]);
  });

  it.each(['0', '-1', '1.5', '1e3', '9999999999', '', 'x', '0x1', ' 1'])(
    'is passed over: number %j',
    (number) => {
      const record = '{"kind":"closed"}';
      expect(inOrder(recordsInEnv({ [`STATE_run_pipeline_${number}`]: record }))).toEqual([]);
      expect(inOrder(recordsInText(`run_pipeline_${number}=${record}`))).toEqual([]);
    },
  );

  it.each([
    ['another action', 'STATE_isPost', 'true'],
    ['another name', 'STATE_other_run_pipeline_0001', '{"kind":"closed"}'],
    ['an input', 'INPUT_run_pipeline_0001', '{"kind":"closed"}'],
    ['nothing', `STATE_${stateKey(1)}`, undefined],
  ])('is passed over: state of %s', (_, name, text) => {
    expect(inOrder(recordsInEnv({ [name]: text }))).toEqual([]);
  });

  it('is left out of what is one', () => {
    const forged = {
      kind: 'queued',
      run: 1,
      jobId: JOB,
      status: '::error::',

      extra: { deep: 1 },
    };
    expect(read(JSON.stringify(forged))).toEqual([{ kind: 'queued', run: 1, jobId: JOB }]);
  });
});

describe('a record of main in which something is missing', () => {
  it('is made whole with what does least harm', () => {
    expect(
      read(
        '{"kind":"main","pid":7,"baseUrl":"https://a.example.test","onCancel":"explode","pollIntervalMs":-5}',
      ),
    ).toEqual([
      {
        kind: 'main',
        pid: 7,
        startedAt: '',
        baseUrl: 'https://a.example.test',
        onCancel: 'cancel',
        pollIntervalMs: 30_000,
        summary: true,
        jobStatus: '',
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
    const state = createStateWriter(files, ['/state', '/journal']);
    state.write({ kind: 'closed' });
    expect(files.text('/state')).toBe('other=1\nrun_pipeline_0001={"kind":"closed"}\n');
    expect(files.text('/journal')).toBe('run_pipeline_0001={"kind":"closed"}\n');
  });

  it('is content with one place that takes it', () => {
    const files = memoryFiles();
    files.refuse('/state');
    const state = createStateWriter(files, ['/state', '/journal']);
    state.write({ kind: 'closed' });
    expect(files.paths).toEqual(['/journal']);
  });

  it('throws when no place takes it, and numbers what comes later apart from it', () => {
    const files = memoryFiles();
    files.refuse('/state');
    files.refuse('/journal');
    const state = createStateWriter(files, ['/state', '/journal']);
    expect(() => state.write({ kind: 'refused', run: 1 })).toThrow('ENOSPC');
    files.accept('/journal');
    state.write({ kind: 'closed' });
    expect(files.text('/journal')).toBe('run_pipeline_0002={"kind":"closed"}\n');
  });

  it('writes nothing, and throws nothing, where there is no place', () => {
    expect(() => createStateWriter(memoryFiles(), []).write({ kind: 'closed' })).not.toThrow();
  });

  it('goes on from the number that it is given, in an order that is kept beyond four digits', () => {
    const files = memoryFiles();
    const state = createStateWriter(files, ['/journal'], 9_998);
    state.write({ kind: 'refused', run: 1 });
    state.write({ kind: 'closed' });
    expect([...recordsInText(files.text('/journal')).keys()]).toEqual([9_999, 10_000]);
  });
});
