// The main step's two files: which line counts, what a torn line means, and which journals belong to a step.
import { describe, expect, it } from 'vitest';
import { PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { isMarked, mark, newJournal, Recorder, recall } from '../../../src/action/record.ts';
import type { Environment } from '../../../src/world.ts';
import { callsOf, playMain, playPost, recordsOf, runsOf, shownBy, withoutState } from '../../support/steps.ts';
import { fakeWorld } from '../../support/world.ts';

const STEP = {
  pid: 7,
  baseUrl: 'https://app.example.test/',
  onCancel: 'cancel',
  succeedOn: ['completed'],
  pollIntervalMs: 30_000,
  jobStatus: '',
} as const;
const line = (number: number, at: string, isIntent = false) => ({ number, text: JSON.stringify({ at }), isIntent });

/** A main step with both files. `phases` returns what a post step with this environment recalls. */
function stepOnDisk() {
  const main = fakeWorld();
  const { files, world } = main;
  const state = world.env['GITHUB_STATE'] ?? '';
  const journal = newJournal(world);
  const recorder = new Recorder(world, [state, journal]);
  recorder.step({ ...STEP, journal }, []);
  const phases = (env: Environment = main.state): string[] => {
    const [kept] = recall(fakeWorld({ beside: main, env }).world);
    return (kept?.runs ?? []).map(({ number, state: run }) => `${number} ${run.phase.at}`);
  };
  return { main, files, recorder, state, journal, phases };
}

describe('the recalled record', () => {
  it.each(['state', 'journal'] as const)(
    'has the later of two lines about a run if only the %s file contains it',
    (name) => {
      const disk = stepOnDisk();
      disk.recorder.runs([line(0, 'triggering', true)]);
      disk.files.refuse(disk[name === 'state' ? 'journal' : 'state']);
      expect(disk.recorder.runs([line(0, 'unknown')])).toBeUndefined();
      expect(disk.phases()).toEqual(['0 unknown']);
    },
  );

  it('has the latest line about each run if each file lacks one from the other', () => {
    const { recorder, files, state, journal, phases } = stepOnDisk();
    files.refuse(journal);
    recorder.runs([line(0, 'triggering')]);
    files.accept(journal);
    files.refuse(state);
    recorder.runs([line(0, 'unknown')]);
    files.accept(state);
    files.refuse(journal);
    recorder.runs([line(1, 'triggering')]);
    expect(phases()).toEqual(['0 unknown', '1 triggering']);
  });

  it('has the numbers of the runs, even with gaps', () => {
    const { recorder, phases } = stepOnDisk();
    recorder.runs([line(12, 'unknown'), line(3, 'triggering', true)]);
    expect(phases()).toEqual(['3 triggering', '12 unknown']);
    expect(phases({})).toEqual(['3 triggering', '12 unknown']);
  });

  it('has lines that contain a Unicode line separator', () => {
    const { recorder, phases } = stepOnDisk();
    recorder.runs([{ number: 0, text: '{"at":"unknown","target":{"pipeline":"a\u2028b"}}', isIntent: false }]);
    expect(phases({})).toEqual(['0 unknown']);
  });
});

it.each([
  ['one of them is an intent and a file cannot be written', true, ['journal']],
  ['no file can be written', false, ['journal', 'state']],
] as const)('lines are not saved if %s', (_, isIntent, names) => {
  const disk = stepOnDisk();
  for (const name of names) disk.files.refuse(disk[name]);
  expect(disk.recorder.runs([line(0, 'unknown'), line(1, 'triggering', isIntent)])).toContain('ENOSPC');
});

describe('the first line of a record', () => {
  const kept = (fields: object) => {
    const text = JSON.stringify({ n: 1, ...STEP, journal: '', existing: 0, ...fields });
    return recall(fakeWorld({ env: { STATE_run_pipeline: text } }).world);
  };

  it('contains what the post step needs', () => {
    expect(kept({})).toMatchObject([{ step: { ...STEP, journal: '' }, runs: [], end: undefined }]);
  });

  it.each([
    { pid: '7' },
    { baseUrl: null },
    { onCancel: 'stop' },
    { succeedOn: 'completed' },
    { pollIntervalMs: '30s' },
    { jobStatus: undefined },
    { journal: 7 },
    { existing: undefined },
  ])('is unreadable with %j', (fields) => {
    expect(kept(fields)).toMatchObject([{ step: undefined }]);
  });
});

describe('a record truncated by a kill', () => {
  it('is incomplete if the line of an existing run is missing', async () => {
    const main = await playMain({ inputs: { 'job-id': PIPELINE_IDS.orders, 'on-cancel': 'cancel' } }, (it) =>
      it.at(5, () => it.kill()),
    );
    const [, journal] = recordsOf(main);
    main.files.texts.set(journal, `${main.files.texts.get(journal)?.split('\n')[0]}\n`);
    const post = await playPost(main, withoutState(main));
    expect(shownBy(post)).toContain('A record of this step cannot be read.');
  });

  const ID = '11111111-2222-4333-8444-555555555555';
  const INTENT = '{"n":11,"at":"triggering","mayHaveTwin":false,"attempt":2}';
  const beginning = (n: number, at: string, mayHaveTwin = false): string =>
    `{"n":${n},"at":"${at}","mayHaveTwin":${mayHaveTwin},"jobId":"${ID}"`;
  /** Recalls a record of which the journal contains these lines about run 0, and the state contains `inState`. */
  const recalled = (inJournal: readonly string[], inState?: string) => {
    const { main, files, journal } = stepOnDisk();
    for (const text of inJournal) files.append(journal, `run_pipeline_0=${text}`);
    const env = { ...main.state, ...(inState !== undefined && { STATE_run_pipeline_0: inState }) };
    const [kept] = recall(fakeWorld({ beside: main, env }).world);
    return { isTorn: kept?.isTorn, runs: kept?.runs.map(({ state }) => state) };
  };

  it.each<[string, readonly string[], string | undefined, object]>([
    [
      'updates the last complete line if the id is complete',
      [INTENT, `${beginning(12, 'in_progress', true)},"targ`],
      undefined,
      { phase: { at: 'in_progress' }, jobId: ID, mayHaveTwin: true, attempt: 2 },
    ],
    [
      'does not update the last complete line if the id is incomplete',
      [INTENT, beginning(12, 'in_progress').slice(0, -1)],
      undefined,
      { phase: { at: 'triggering' }, attempt: 2 },
    ],
    [
      'does not replace a later line in the other file',
      [`${beginning(9, 'in_progress', true)},`],
      INTENT,
      { phase: { at: 'triggering' }, mayHaveTwin: false },
    ],
    ['is enough without a complete line', [beginning(9, 'left')], undefined, { phase: { at: 'left' }, jobId: ID }],
    [
      'does not contain why a run was lost, but says so',
      [beginning(9, 'lost')],
      undefined,
      { phase: { problem: { cause: 'unknown cause (it was not saved)' } } },
    ],
  ])('%s', (_, inJournal, inState, state) => {
    expect(recalled(inJournal, inState)).toMatchObject({ isTorn: false, runs: [state] });
  });

  it.each(['{', '{"n":12,"at":"trig', `${INTENT.slice(0, -1)},"target":{"jobId":"${ID}"`])(
    'says that a run is missing if only %s is left of its line',
    (text) => {
      expect(recalled([text])).toEqual({ isTorn: true, runs: [] });
    },
  );

  it('contains no run if not even the beginning of a value is left', () => {
    const { main, files, journal } = stepOnDisk();
    files.append(journal, 'run_pipeline_12');
    const { world } = fakeWorld({ beside: main, env: main.state });
    expect(recall(world)).toMatchObject([{ isTorn: false, runs: [] }]);
  });

  it('never hides a run, because the post step cancels the run or warns about it', async () => {
    const whole = await playMain({ inputs: { pipeline: 'endless' } }, (it) => it.at(5_000, () => it.kill()));
    const [, path] = recordsOf(whole);
    const text = whole.files.read(path) ?? '';
    const intent = text.indexOf('run_pipeline_0=');
    const cuts = Array.from({ length: Math.ceil((text.length - intent) / 29) }, (_, nth) => intent + 29 * nth + 8);
    for (const length of cuts.filter((each) => each > text.indexOf('"at":"triggering"') + 17)) {
      const main = await playMain({ inputs: { pipeline: 'endless' } }, (it) => it.at(5_000, () => it.kill()));
      main.files.texts.set(path, text.slice(0, length));
      const post = await playPost(main, withoutState(main));
      const seen = `${length}: ${runsOf(post)}, ${callsOf(post)}, ${shownBy(post)}`;
      expect(seen).toMatch(/: cancelled|warning .*may be in progress|warning .*may still be in progress/);
    }
  });
});

describe('the name of a journal', () => {
  const ENV = { GITHUB_RUN_ID: '1', GITHUB_JOB: 'load', GITHUB_ACTION: '__self', RUNNER_NAME: 'r1' };
  const hashOf = (env: Environment) => newJournal(fakeWorld({ env: { ...ENV, ...env } }).world).slice(0, -15);

  it('identifies its step and differs between the processes of the step', () => {
    const first = fakeWorld();
    const second = fakeWorld({ beside: first });
    expect(hashOf({})).toBe(hashOf({}));
    expect(newJournal(first.world)).not.toBe(newJournal(second.world));
    // In two containers, the process ids may be the same.
    expect(newJournal({ ...first.world, random: () => 0.25 })).not.toBe(newJournal(first.world));
  });

  it.each(['GITHUB_RUN_ID', 'GITHUB_RUN_ATTEMPT', 'GITHUB_JOB', 'GITHUB_ACTION', 'RUNNER_NAME', 'RUNNER_TRACKING_ID'])(
    'differs if %s differs',
    (name) => {
      expect(hashOf({ [name]: 'other' })).not.toBe(hashOf({}));
    },
  );
});

describe('the mark of a post step', () => {
  it('can be set twice and is visible to the main step', () => {
    const { main, journal } = stepOnDisk();
    expect(isMarked(main.world, journal)).toBe(false);
    expect([mark(main.world, journal), mark(main.world, journal)]).toEqual([undefined, undefined]);
    expect(isMarked(main.world, journal)).toBe(true);
  });

  it.each([
    ['on a full disk', true, 'ENOSPC'],
    ['without a journal', false, 'RUNNER_TEMP is not set'],
  ])('cannot be set %s', (_, hasJournal, why) => {
    const { main, files, journal } = stepOnDisk();
    files.refuse(`${journal}.stop`);
    expect(mark(main.world, hasJournal ? journal : '')).toContain(why);
  });

  it('is not a file in the workspace', () => {
    const { main, files } = stepOnDisk();
    files.create('.stop', '');
    expect(isMarked(main.world, '')).toBe(false);
  });
});
