// The main step's two files: which line counts, what a torn line means, and which journals belong to a step.
import { describe, expect, it } from 'vitest';
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
  recorder.step({ ...STEP, journal });
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
});

describe('the first line of a record', () => {
  const kept = (fields: object) => {
    const text = JSON.stringify({ n: 1, ...STEP, journal: '', ...fields });
    return recall(fakeWorld({ env: { STATE_run_pipeline: text } }).world);
  };

  it('contains what the post step needs', () => {
    expect(kept({})).toMatchObject([{ step: { ...STEP, journal: '' }, runs: [], end: undefined, number: 1 }]);
  });

  it.each([
    { pid: '7' },
    { baseUrl: null },
    { onCancel: 'stop' },
    { succeedOn: 'completed' },
    { pollIntervalMs: '30s' },
    { jobStatus: undefined },
    { journal: 7 },
  ])('is unreadable with %j', (fields) => {
    expect(kept(fields)).toMatchObject([{ step: undefined, number: 1 }]);
  });
});

describe('the last line of a record', () => {
  it.each([{ idle: 'sometimes' }, { idle: undefined }])('is unreadable with %j', (fields) => {
    const { main } = stepOnDisk();
    const end = JSON.stringify({ n: 9, isReported: true, ...fields });
    const { world } = fakeWorld({ beside: main, env: { ...main.state, STATE_run_pipeline_end: end } });
    expect(recall(world)).toMatchObject([{ end: undefined }]);
  });
});

describe('a record truncated by a kill', () => {
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
    expect([mark(main.world, journal), mark(main.world, journal)]).toEqual([true, true]);
    expect(isMarked(main.world, journal)).toBe(true);
  });

  it.each([
    ['on a full disk', true],
    ['without a journal', false],
  ])('cannot be set %s', (_, hasJournal) => {
    const { main, files, journal } = stepOnDisk();
    files.refuse(`${journal}.stop`);
    expect(mark(main.world, hasJournal ? journal : '')).toBe(false);
  });
});
