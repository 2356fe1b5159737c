// How post recovers steps from the state kept by the runner, or from journals if the runner lost the state.
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../../src/action/inputs/input-table.ts';
import { isAllSettled, openIds } from '../../../../src/action/state/all-settled.ts';
import { isSameStep, journalPath, ownerOf } from '../../../../src/action/state/journals.ts';
import { type MainRecord, stateKey, type WrittenRecord } from '../../../../src/action/state/records.ts';
import { type RecoveredStep, recover } from '../../../../src/action/state/recover.ts';
import { askedIn, sealOf } from '../../../../src/action/state/seal.ts';
import { createStateWriter } from '../../../../src/action/state/writer.ts';
import { type MemoryFiles, memoryFiles } from '../../../support/memory-files.ts';
import {
  closed,
  fact,
  HOST,
  intent,
  JOB_ENV,
  JOURNAL,
  journals,
  mainRecord,
  over,
  postEnv,
  QUEUED_RUN,
  queued,
  STATE_FILE,
  stopped,
  TEMP,
  wrote,
} from '../../../support/post.ts';
import { API_KEY, JOB, OTHER_JOB } from '../../../support/service.ts';

const SECOND = `${TEMP}/run-pipeline-77-1-load-99-x.journal`;
const URL_OF_MAIN = 'https://app.example.test/';
const main = mainRecord();
const ended = over('failed');
/** The environment of a post step after the runner has lost the state. */
const LOST = { ...JOB_ENV, 'INPUT_API-KEY': API_KEY };
const TRACKED = { RUNNER_TRACKING_ID: 'github_1' };

/** The ids of the main processes that are alive. The others are dead, or post cannot tell. */
type Alive = readonly number[] | 'unknown';

/** Returns the steps that post finds. */
function stepsIn(env: Environment, files: MemoryFiles, alive: Alive = []): readonly RecoveredStep[] {
  const stateOf = (pid: number) => (alive === 'unknown' ? alive : alive.includes(pid) ? 'alive' : 'dead');
  const processes = { stateOf };
  return recover({ env, host: HOST, files, processes, clock: { wall: () => 0 } }).steps;
}

/** Returns the phases of the runs that post finds in each step, followed by the obstacle to their cancellation. */
function found(env: Environment, files = memoryFiles(), alive?: Alive): readonly string[] {
  return stepsIn(env, files, alive).map(({ runs, obstacle }) => {
    const phases = runs.map(({ phase }) => phase.at);
    return [...phases, ...(obstacle === undefined ? [] : [`but ${obstacle.cause}`])].join(' ');
  });
}

describe('the state that the runner keeps', () => {
  const kept: readonly WrittenRecord[] = [mainRecord(), intent()];

  it.each([
    ['the state file', STATE_FILE],
    ['the journal', JOURNAL],
  ])('is supplemented with the records in %s', (_, path) => {
    const files = memoryFiles();
    expect(found(postEnv(kept), files)).toEqual(['triggering']);
    wrote(files, [...kept, queued], [path]);
    expect(found(postEnv(kept), files)).toEqual(['in_progress']);
  });

  it('includes the records of an earlier post step', () => {
    const files = memoryFiles();
    createStateWriter(files, [JOURNAL], 'post', 6).write(ended);
    expect(stepsIn(postEnv(kept), files)).toMatchObject([{ lastOfPost: 7, runs: [{ phase: { at: 'finished' } }] }]);
  });

  it.each([
    ["another step's journal", SECOND, { journal: SECOND, pid: 99 }],
    ["a state file that contains another step's records", STATE_FILE, { seal: 'of another' }],
  ])('is not mixed with %s', (_, path, fields) => {
    const files = wrote(memoryFiles(), [mainRecord(fields), ...QUEUED_RUN, closed('nothing')], [path]);
    expect(found(postEnv(kept), files)).toEqual(['triggering']);
    expect(stepsIn(postEnv(kept), files)[0]?.left).toBeUndefined();
  });
});

const claimed = fact({ kind: 'claimed', jobId: OTHER_JOB });
const timedOut = stopped({ kind: 'timeout', afterMs: 1_000 }, 'leave');
const cancelled = { ...stopped({ kind: 'queue_timeout', afterMs: 1_000 }, 'cancel', 1), jobId: JOB };
const several = [main, intent(2, 'customers'), intent(1), { ...ended, run: 7 }, queued];
const second = [intent(), queued].map((record) => ({ ...record, attempt: 2 }));
const again = [main, ...QUEUED_RUN, ended, ...second, timedOut];
const given = [mainRecord({ given: { 2: JOB } }), intent(1)];

it.each<[string, readonly WrittenRecord[], readonly string[]]>([
  ['list runs by number', several, ['1 in_progress orders JOB', '2 triggering customers -', '7 finished - JOB']],
  ['include an existing run without a record of its own', given, ['1 triggering orders -', '2 in_progress - JOB']],
  ['restore a lost id from a later fact', [main, intent(), fact({ kind: 'detached' })], ['1 detached orders JOB']],
  ['restore a lost id from a stop', [main, cancelled], ['1 in_progress - JOB cancel']],
  ['restore a lost id after an intent', [main, intent(), cancelled], ['1 in_progress orders JOB cancel']],
  ['describe only the latest attempt', [main, claimed, { ...queued, attempt: 2 }, ended], ['1 in_progress - JOB']],
  ['apply a stop to the latest attempt', again, ['1 left orders JOB leave']],
  [
    'apply a stop to all runs',
    [main, ...QUEUED_RUN, intent(2), timedOut],
    ['1 left orders JOB leave', '2 triggering orders - leave'],
  ],
])('the records of a step %s', (_, records, runs) => {
  const [step] = stepsIn(postEnv(records), memoryFiles());
  const seen = step?.runs.map(({ number, phase, pipeline, jobId, stop }) =>
    [number, phase.at, pipeline?.name ?? '-', jobId?.replace(JOB, 'JOB') ?? '-', stop?.policy].join(' ').trim(),
  );
  expect(seen).toEqual(runs);
});

describe('a post step', () => {
  const whole: readonly WrittenRecord[] = [main, ...QUEUED_RUN, ended, closed('nothing')];
  const cutOff: WrittenRecord = { kind: 'closed', left: 'nothing', isPrinted: false };
  const unreadable = { ...postEnv(whole), [`STATE_${stateKey('main', 3)}`]: '{"v":2,"kind":"queued"}' };
  const without = (number: number) => postEnv(whole, { [`STATE_${stateKey('main', number)}`]: undefined });

  it.each<[string, Environment, boolean]>([
    ['has nothing to do if main ended without an open run', postEnv(whole), true],
    ['has nothing to do if main ended without a trigger', postEnv([main, closed('nothing')]), true],
    ['has nothing to do if main did not wait for its run', postEnv([main, closed('detached')]), true],
    ['investigates if main left an open run', postEnv([main, ...QUEUED_RUN, closed('runs')]), false],
    ['investigates if main did not record its end', postEnv([main, ...QUEUED_RUN, ended]), false],
    ['investigates if main wrote records after recording its end', postEnv([main, closed('nothing'), intent()]), false],
    ['investigates if a record is missing', without(2), false],
    ["investigates if main's first record is missing", without(1), false],
    ["investigates if only main's end is recorded", postEnv([closed('nothing')]), false],
    ['investigates if the log may be cut off', postEnv([main, cutOff]), false],
    ['investigates if the runner kept nothing', JOB_ENV, false],
    ['investigates if it cannot read a record', unreadable, false],
  ])('%s', (_name, env, isSettled) => {
    expect(isAllSettled(env)).toBe(isSettled);
  });

  it.each([
    ['the open runs in the journal if the runner lost the state', LOST, [OTHER_JOB, JOB]],
    ['the open runs in the state that the runner kept', postEnv([main, ...QUEUED_RUN]), [JOB]],
    ['detached runs', postEnv([main, ...QUEUED_RUN, fact({ kind: 'detached' })]), [JOB]],
    ['no runs if the state that the runner kept has no open run', postEnv(whole), []],
  ])('without the rest of its code lists %s', (_name, env, ids) => {
    const files = wrote(memoryFiles(), [mainRecord({ given: { 2: OTHER_JOB } }), ...QUEUED_RUN, intent(3)], [JOURNAL]);
    expect(openIds({ env, host: HOST, files })).toEqual(ids);
  });
});

const own = { ...JOB_ENV, ...TRACKED, GITHUB_ACTION: '__run', RUNNER_NAME: 'one' };

it.each<[string, Environment, boolean]>([
  ['recognized as itself', {}, true],
  ['recognized even if its job is unknown', { RUNNER_TRACKING_ID: '' }, true],
  ['not mistaken for a step on another host', { HOSTNAME: 'another host' }, false],
  ['not mistaken for a step on another runner', { RUNNER_NAME: 'two' }, false],
  ['not mistaken for a step of another job', { RUNNER_TRACKING_ID: 'github_2' }, false],
  ['not mistaken for a step of another workflow run', { GITHUB_RUN_ID: '78' }, false],
  ['not mistaken for a step of another run attempt', { GITHUB_RUN_ATTEMPT: '2' }, false],
  ['not mistaken for a step of a job with another name', { GITHUB_JOB: 'load2' }, false],
  ['not mistaken for another step of the job', { GITHUB_ACTION: '__run_2' }, false],
])('a step is %s', (_, fields, isSame) => {
  const { HOSTNAME = HOST, ...env } = { ...own, ...fields };
  const [one, other] = [ownerOf(own, HOST), ownerOf(env, HOSTNAME)];
  expect([isSameStep(one, other), isSameStep(other, one)]).toEqual([isSame, isSame]);
});

const SEAL = sealOf(API_KEY, URL_OF_MAIN, JOURNAL);
const OF_NEIGHBOUR = expect.stringContaining('but the run may belong') as unknown;
const UNSEALED = expect.stringMatching(/^in_progress but .* sealed with another/) as unknown;
const HEADLESS = expect.stringMatching(/^(triggering ){2}unknown but .* contain the service's address$/) as unknown;

describe('a step whose state the runner lost', () => {
  it.each<[string, Environment, Alive]>([
    ['if main is dead', LOST, []],
    ['if main is alive', LOST, [1]],
    ['without a key', JOB_ENV, []],
  ])('is recoverable from its journal %s', (_, env, alive) => {
    expect(found(env, journals({}), alive)).toEqual(['in_progress']);
  });

  it.each<[string, Environment, Environment, Alive, unknown[]]>([
    ['is recoverable from two journals of dead main processes', LOST, {}, [], ['in_progress', 'in_progress']],
    ['is recoverable from two journals of its own job', TRACKED, TRACKED, [1, 99], ['in_progress', 'in_progress']],
    ['leads to a warning if a live main may be of another job', TRACKED, {}, [99], ['in_progress', OF_NEIGHBOUR]],
    ['leads to warnings if both may be of an unknown job', TRACKED, {}, 'unknown', [OF_NEIGHBOUR, OF_NEIGHBOUR]],
  ])('%s', (_, env, ofMain, alive, steps) => {
    const owner = { env: { ...JOB_ENV, ...ofMain } };
    const files = journals(owner, { ...owner, path: SECOND, pid: 99 });
    expect(found({ ...LOST, ...env }, files, alive)).toEqual(steps);
  });

  const detached = [...QUEUED_RUN, fact({ kind: 'detached' }), closed('detached')];

  it.each<[string, readonly WrittenRecord[], number[], unknown]>([
    ['is recovered from the journal of a dead main process', QUEUED_RUN, [], 'in_progress'],
    ['leads only to a warning about the journal of a live main process', QUEUED_RUN, [99], OF_NEIGHBOUR],
    ['leads only to a warning about a journal with a detached run', detached, [], OF_NEIGHBOUR],
  ])('%s if another journal has no open runs', (_, records, alive, step) => {
    const files = journals({ records: [closed('nothing')] }, { path: SECOND, pid: 99, records });
    expect(found({ ...LOST, 'INPUT_INTERNAL-JOB-STATUS': 'cancelled' }, files, alive)).toEqual([step]);
  });

  const ofFifo = journals({});
  ofFifo.become(JOURNAL, 'fifo');
  const misnamed = wrote(memoryFiles(), QUEUED_RUN, [JOURNAL.replace('-77-', '-78-'), `${JOURNAL}.copy`]);

  it.each([
    ['without RUNNER_TEMP', { ...LOST, RUNNER_TEMP: '' }, journals({})],
    ['from a copied journal', LOST, memoryFiles({ [SECOND]: journals({}).text(JOURNAL) })],
    ['from a FIFO', LOST, ofFifo],
    ['from a torn journal', LOST, memoryFiles({ [JOURNAL]: 'torn' })],
    ['from files with other names', LOST, misnamed],
  ])('is not recoverable %s', (_, env, files) => {
    expect(found(env, files)).toEqual([]);
  });

  it.each<[string, readonly WrittenRecord[], readonly WrittenRecord[]]>([
    ['its journal', QUEUED_RUN, []],
    ["main's state file", [], QUEUED_RUN],
  ])('is recoverable from %s even if main spelled the folder differently', (_, inJournal, inState) => {
    const main = mainRecord({ journal: JOURNAL.replace(TEMP, `${TEMP}/../temp`) });
    const files = wrote(memoryFiles(), [main, ...inJournal], [JOURNAL]);
    expect(found(LOST, wrote(files, [main, ...inState], [STATE_FILE]))).toEqual(['in_progress']);
  });

  const sent = (id: typeof JOB, wall: number, run = 1) =>
    fact({ kind: 'intent', pipeline: { id, name: '' }, wall }, run);

  it("leads only to a warning, about runs that no other journal contains, if main's own record is missing", () => {
    const unknown = { ...fact({ kind: 'unknown' }, 4), jobId: undefined };
    const headless = [sent(JOB, 1), sent(JOB, 2, 2), sent(OTHER_JOB, 1, 3), unknown];
    const files = wrote(journals({ records: [sent(JOB, 1)] }), headless, [SECOND]);
    expect(found(LOST, files)).toEqual(['triggering', HEADLESS]);
  });
});

type Seal = readonly [what: string, fields: Partial<MainRecord>];
const SEALS: readonly Seal[] = [
  ['is empty', { seal: '' }],
  ['requires another key', { seal: sealOf('ak_other', URL_OF_MAIN, JOURNAL) }],
  ['is for another journal', { seal: sealOf(API_KEY, URL_OF_MAIN, SECOND) }],
];
const SEALS_OF_OTHER_ADDRESSES: readonly Seal[] = [
  ['is for another host', { baseUrl: 'https://evil.test/', seal: SEAL }],
  ['is for a host that begins like the right one', { baseUrl: `${URL_OF_MAIN.slice(0, -1)}.evil.test/`, seal: SEAL }],
  ['is for another port', { baseUrl: `${URL_OF_MAIN.slice(0, -1)}:8443/`, seal: SEAL }],
];

describe('a step whose records have a seal that', () => {
  const all = [...SEALS, ...SEALS_OF_OTHER_ADDRESSES];
  const kept = (fields: Partial<MainRecord>, env?: Environment) => postEnv([mainRecord(fields), ...QUEUED_RUN], env);
  const confirmed = { 'INPUT_BASE-URL': URL_OF_MAIN };

  it.each(all)('%s leads only to a warning if the runner lost its state', (_, fields) => {
    expect(found(LOST, wrote(memoryFiles(), [mainRecord(fields), ...QUEUED_RUN], [JOURNAL]))).toEqual([UNSEALED]);
  });

  it.each(all)('%s has no effect on its main process', (_, fields) => {
    const files = wrote(memoryFiles(), [mainRecord({ ...fields, journal: JOURNAL }), ...QUEUED_RUN], [JOURNAL]);
    found(LOST, files);
    expect(files.paths.filter((path) => path.startsWith(JOURNAL))).toEqual([JOURNAL]);
  });

  it.each(all)('%s leads only to a warning if the journal is lost', (_, fields) => {
    expect(found(kept(fields))).toEqual([UNSEALED]);
  });

  it.each(SEALS)('%s is recoverable if base-url confirms its address', (_, fields) => {
    expect(found(kept(fields, confirmed))).toEqual(['in_progress']);
  });

  it.each(SEALS_OF_OTHER_ADDRESSES)('%s leads only to a warning if base-url is the right address', (_, fields) => {
    expect(found(kept(fields, confirmed))).toEqual([UNSEALED]);
  });

  it.each(all)('%s is recoverable if its journal has a valid seal', (_, fields) => {
    expect(found(kept(fields), journals({}))).toEqual(['in_progress']);
  });
});

describe('the name of a journal', () => {
  it("is safe and in the job's temporary folder", () => {
    const env = { ...JOB_ENV, GITHUB_JOB: 'load/../../etc daily'.padEnd(99, 'x') };
    expect(journalPath(env, 7, 0.5)).toMatch(/^\/temp\/run-pipeline-77-1-load_etc_dailyx{46}-7-[0-9a-z]+\.journal$/);
  });

  it('differs between processes with the same id', () => {
    expect(journalPath(JOB_ENV, 7, 0.25)).not.toBe(journalPath(JOB_ENV, 7, 0.5));
  });

  it('is empty without RUNNER_TEMP', () => {
    expect(journalPath({}, 7, 0.5)).toBe('');
  });
});

it('the seal of a journal is a hash that does not contain the key', () => {
  expect(SEAL).toMatch(/^[0-9a-f]{64}$/);
  expect(SEAL).not.toContain(API_KEY.slice(3));
});

it('the hash of the requested pipelines and runs distinguishes a pipeline, a run and nothing', () => {
  expect(new Set([{}, { INPUT_PIPELINE: JOB }, { 'INPUT_JOB-ID': JOB }].map(askedIn)).size).toBe(3);
});
