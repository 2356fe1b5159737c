// The lines in the main step's two files: when they are written, which one counts, and what a torn line means.
import { describe, expect, it } from 'vitest';
import { PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { HANDLED } from '../../../src/action/main-end.ts';
import { recall } from '../../../src/action/recall.ts';
import { Recorder } from '../../../src/action/record.ts';
import { newJournal } from '../../../src/action/temp-files.ts';
import type { Environment } from '../../../src/base/environment.ts';
import { type Phase, planned } from '../../../src/run/state.ts';
import { callsOf, playMain, playPost, recordsOf, runsOf, shownBy, withoutState } from '../../support/steps.ts';
import { fakeWorld } from '../../support/world.ts';

const STEP = {
  pid: 7,
  baseUrl: 'https://app.example.test/',
  onCancel: 'cancel',
  succeedOn: ['completed'],
  resetTarget: false,
  pollIntervalMs: 30_000,
  jobStatus: '',
  canTrigger: true,
} as const;
const inPhase = (number: number, at: 'triggering' | 'unknown' | 'not_queued', pipeline = 'orders') => {
  const phase: Phase = { at };
  return { number, state: { ...planned({ pipeline }), phase, triggeredAt: 1_000 } };
};

/** A main step with both files. `phases` returns what a post step with this environment recalls. */
function stepOnDisk() {
  const main = fakeWorld();
  const { files, world } = main;
  const state = world.env['GITHUB_STATE'] ?? '';
  const journal = newJournal(world);
  const recorder = new Recorder(world, { journal, state });
  recorder.begin({ ...STEP, journal }, []);
  const phases = (env: Environment = main.state): string[] => {
    const [kept] = recall(fakeWorld({ beside: main, env }).world);
    return (kept?.runs ?? []).map(({ number, state: run }) => `${number} ${run.phase.at}`);
  };
  /** The keys and numbers of the lines in a file, apart from the first. */
  const linesIn = (path: string): string[] =>
    [...(files.read(path) ?? '').matchAll(/^run_pipeline_(\w+)=\{"n":(\d+)/gm)].map(([, key, n]) => `${key} #${n}`);
  return { main, files, recorder, state, journal, phases, linesIn };
}

describe('the recalled record', () => {
  it.each(['state', 'journal'] as const)(
    'has the later of two lines about a run if only the %s file contains it',
    (name) => {
      const disk = stepOnDisk();
      disk.recorder.save([inPhase(0, 'triggering')]);
      disk.files.refuse(disk[name === 'state' ? 'journal' : 'state']);
      expect(disk.recorder.save([inPhase(0, 'unknown')]).isUnsaved(0)).toBe(false);
      expect(disk.phases()).toEqual(['0 unknown']);
    },
  );

  it('has the numbers of the runs, even with gaps', () => {
    const { recorder, phases } = stepOnDisk();
    recorder.save([inPhase(12, 'unknown'), inPhase(3, 'triggering')]);
    expect(phases()).toEqual(['3 triggering', '12 unknown']);
    expect(phases({})).toEqual(['3 triggering', '12 unknown']);
  });

  it('has lines that contain a Unicode line separator', () => {
    const { recorder, phases } = stepOnDisk();
    recorder.save([inPhase(0, 'unknown', 'a\u2028b')]);
    expect(phases({})).toEqual(['0 unknown']);
  });
});

describe.each(['state', 'journal'] as const)('a %s file that cannot be written for a while', (name) => {
  /** The file misses two lines of run 0 and one of run 1, and can then be written again. */
  const repairable = () => {
    const disk = stepOnDisk();
    const path = disk[name];
    disk.recorder.save([inPhase(0, 'triggering')]);
    disk.files.refuse(path);
    disk.recorder.save([inPhase(0, 'unknown')]);
    const { notes } = disk.recorder.save([inPhase(1, 'unknown')]);
    expect(notes, 'the log mentions a failed write once').toEqual([]);
    disk.recorder.save([inPhase(0, 'not_queued')]);
    expect(disk.linesIn(path)).toEqual(['0 #2']);
    disk.files.accept(path);
    return { ...disk, path };
  };

  it.each<[string, (disk: ReturnType<typeof stepOnDisk>) => unknown, string[]]>([
    ['the next change', ({ recorder }) => recorder.save([inPhase(2, 'unknown')]), ['2 #6']],
    ['the next intent', ({ recorder }) => recorder.save([inPhase(2, 'triggering')]), ['2 #6']],
    ['the next status check', ({ recorder }) => recorder.repair(), []],
    ['the last line', ({ recorder }) => recorder.end(HANDLED), ['end #6']],
  ])('gets the newest line of each run, with its own number, with %s', (_, act, also) => {
    const disk = repairable();
    act(disk);
    expect(disk.linesIn(disk.path)).toEqual(['0 #2', '1 #4', '0 #5', ...also]);
    // The lines are written once.
    disk.recorder.repair();
    expect(disk.linesIn(disk.path)).toHaveLength(3 + also.length);
  });

  it('is mentioned once in the log, and once more when it can be written again', () => {
    const { files, recorder, ...disk } = stepOnDisk();
    files.refuse(disk[name]);
    const notes = [recorder.save([inPhase(0, 'unknown')]), recorder.save([inPhase(1, 'unknown')]), recorder.repair()];
    files.accept(disk[name]);
    notes.push(recorder.repair(), recorder.save([inPhase(2, 'unknown')]));
    const which = name === 'state' ? "the runner's GITHUB_STATE file" : 'the journal in RUNNER_TEMP';
    expect(notes.flatMap((each) => each.notes)).toEqual([
      expect.stringContaining(`Could not save the state of the runs to ${which}: ENOSPC`),
      `The step can save the state of the runs to ${which} again.`,
    ]);
  });

  it('keeps every intent from being sent until it has the intent', () => {
    const { files, recorder, ...disk } = stepOnDisk();
    files.refuse(disk[name]);
    expect(recorder.save([inPhase(0, 'unknown')]).problem).toBeUndefined();
    expect(recorder.save([inPhase(1, 'triggering')]).problem).toMatchObject({
      attempted: 'save the state needed to cancel a run',
      cause: expect.stringContaining('ENOSPC') as string,
    });
    expect(recorder.save([inPhase(1, 'triggering')]).problem?.remedy).toContain('Free up disk space on the runner');
    files.accept(disk[name]);
    expect(recorder.save([inPhase(1, 'triggering')]).problem).toBeUndefined();
  });
});

describe('a change of a run', () => {
  it('is unsaved until one file has it', () => {
    const { files, recorder, state, journal } = stepOnDisk();
    files.refuse(state);
    files.refuse(journal);
    const { isUnsaved } = recorder.save([inPhase(0, 'unknown')]);
    expect([isUnsaved(0), isUnsaved(1)]).toEqual([true, false]);
    files.accept(journal);
    expect(recorder.repair().isUnsaved(0)).toBe(false);
    files.refuse(journal);
    files.accept(state);
    expect(recorder.save([inPhase(1, 'unknown')]).isUnsaved(0)).toBe(false);
  });

  it('is not written if only the names of the pipeline are new', () => {
    const { files, recorder, state } = stepOnDisk();
    const run = inPhase(0, 'triggering');
    const pipeline = { id: PIPELINE_IDS.orders, name: '', apiName: '' };
    recorder.save([{ ...run, state: { ...run.state, pipeline } }]);
    const before = files.read(state);
    const named = { ...run, state: { ...run.state, pipeline: { ...pipeline, name: 'Orders' } } };
    expect(recorder.save([named]).notes).toEqual([]);
    expect(files.read(state)).toBe(before);
  });

  it('is written only once, so later status checks do not notice that the files cannot be written', () => {
    const { files, recorder, state, journal } = stepOnDisk();
    recorder.save([inPhase(0, 'unknown')]);
    files.refuse(state);
    files.refuse(journal);
    expect(recorder.repair().notes).toEqual([]);
  });

  it('does not recreate a journal that has vanished', () => {
    const { files, recorder, journal } = stepOnDisk();
    files.texts.delete(journal);
    recorder.save([inPhase(0, 'unknown')]);
    recorder.repair();
    recorder.end(HANDLED);
    expect(files.read(journal)).toBeUndefined();
  });
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
    { resetTarget: 'true' },
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
    expect(shownBy(post)).toContain('cannot read a record of this step');
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
    [
      'can be used even without a complete line',
      [beginning(9, 'left')],
      undefined,
      { phase: { at: 'left' }, jobId: ID },
    ],
    [
      'says that a run was lost, but not why',
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

  it('contains no runs if not even the beginning of a value is left', () => {
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
      expect(seen).toMatch(/: cancelled|warning .*may have triggered|warning .*may still be running/);
    }
  });
});
