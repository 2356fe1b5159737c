// The marks with which post stops a main process that it cannot signal.
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../../src/action/inputs/input-table.ts';
import { markPath } from '../../../../src/action/state/journals.ts';
import { mark, marksOf, watchMark } from '../../../../src/action/state/mark.ts';
import { type MemoryFiles, memoryFiles } from '../../../support/memory-files.ts';
import { HOST, JOB_ENV, JOURNAL } from '../../../support/post.ts';

const HOUR = 3_600_000;
const MAIN = { journal: JOURNAL, stateFile: '/state' };
const ENV: Environment = { ...JOB_ENV, GITHUB_ACTION: 'load' };
const STEP = markPath(ENV);
const TRACKED = { RUNNER_TRACKING_ID: 'github_1' };

/** Returns files, a post step that creates marks in them, and a main process that finds marks an hour later. */
function bench(files: MemoryFiles = memoryFiles()) {
  let now = 0;
  const later = (ms: number) => ({ wall: () => (now += ms) });
  const post = (paths: readonly string[], env: Environment = {}): void =>
    mark(paths, { env: { ...JOB_ENV, ...env }, host: HOST, files, clock: later(HOUR) });
  const main = ({ records = MAIN, env = {}, ms = HOUR } = {}): (() => boolean) =>
    watchMark(records, { env: { ...ENV, ...env }, host: HOST, files, clock: later(ms) });
  return { files, post, main };
}

describe('a mark beside the records of a main process', () => {
  it.each(marksOf(MAIN))("stops only that process if the mark's path is %s", (path) => {
    const { post, main } = bench();
    const isMarked = main();
    expect(isMarked()).toBe(false);
    post([path]);
    expect(isMarked()).toBe(true);
    expect(main({ records: { journal: '/temp/other.journal', stateFile: '' } })()).toBe(false);
  });

  it('has no effect, if an earlier step left it behind, until post creates it again', () => {
    const { post, main } = bench();
    post(marksOf(MAIN));
    const isMarked = main();
    expect(isMarked()).toBe(false);
    post(marksOf(MAIN));
    expect(isMarked()).toBe(true);
  });

  it('has no effect, if an earlier step left it behind, once it is empty', () => {
    const { files, post, main } = bench();
    post(marksOf(MAIN));
    const isMarked = main();
    for (const path of marksOf(MAIN)) files.write(path, '');
    expect(isMarked()).toBe(false);
  });

  it('has no path if main has no records', () => {
    expect(marksOf({ journal: '', stateFile: '' })).toEqual([]);
  });

  it('is not created, and causes no error, if the disk is full', () => {
    const { files, post, main } = bench();
    for (const path of marksOf(MAIN)) files.refuse(path);
    expect(() => post(marksOf(MAIN))).not.toThrow();
    expect(main()()).toBe(false);
  });
});

describe('a mark of a post step', () => {
  it.each<[string, Environment, boolean]>([
    ['stops a main process that the same step started', {}, true],
    ['stops a main process that the same job started', TRACKED, true],
    ['does not stop a main process that another workflow run started', { GITHUB_RUN_ID: '78' }, false],
  ])('%s before the mark was created', (_, env, stops) => {
    const { post, main } = bench();
    post([STEP]);
    const isMarked = main();
    expect(isMarked()).toBe(false);
    post([STEP], env);
    expect(isMarked()).toBe(stops);
  });

  it.each<[string, Parameters<ReturnType<typeof bench>['main']>[0], boolean]>([
    ['stops a main process that starts with the same RUNNER_TRACKING_ID', { env: TRACKED }, true],
    ['does not stop a main process that another job starts', { env: { RUNNER_TRACKING_ID: 'github_2' } }, false],
    ['stops a main process that starts, as in a job container, a moment', { env: {}, ms: 300 }, true],
    ['does not stop a main process that starts a minute', { env: {}, ms: 60_000 }, false],
  ])('%s after the mark was created', (_, options, stops) => {
    const { post, main } = bench();
    post([STEP], options?.ms === undefined ? TRACKED : {});
    expect(main(options)()).toBe(stops);
  });

  it('stops only a main process that has already started if main cannot read the mark, as of another user', () => {
    const { files, main } = bench();
    const isMarked = main();
    files.become(STEP, 'socket');
    expect([isMarked(), main()()]).toEqual([true, false]);
  });

  it.each(['torn', 'null', '{"host":"machine"'])('has no effect if its content is %j', (text) => {
    const { files, main } = bench();
    const isMarked = main();
    files.write(STEP, text);
    expect(isMarked()).toBe(false);
  });
});
