// The marks by which post stops a main process that it cannot signal.
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../../src/action/inputs/input-table.ts';
import { markPath, ownerOf } from '../../../../src/action/state/journals.ts';
import { mark, marksOf, watchMark } from '../../../../src/action/state/mark.ts';
import { type MemoryFiles, memoryFiles } from '../../../support/memory-files.ts';
import { HOST, JOB_ENV, JOURNAL } from '../../../support/post.ts';

const HOUR = 3_600_000;
const MAIN = { journal: JOURNAL, stateFile: '/state' };
const ENV: Environment = { ...JOB_ENV, GITHUB_ACTION: 'load' };
const STEP = markPath(ENV);
const TRACKED = { RUNNER_TRACKING_ID: 'github_1' };

/** Has files, a post that marks paths in them, and a main that looks for marks. Each acts after another hour. */
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
  it.each(marksOf(MAIN))('stops only this process if its path is %s', (path) => {
    const { post, main } = bench();
    const isMarked = main();
    expect(isMarked()).toBe(false);
    post([path]);
    expect(isMarked()).toBe(true);
    expect(main({ records: { journal: '/temp/other.journal', stateFile: '' } })()).toBe(false);
  });

  it('has no effect if an earlier step left it there, until post creates it again', () => {
    const { files, post, main } = bench();
    post(marksOf(MAIN));
    const isMarked = main();
    expect(isMarked()).toBe(false);
    post(marksOf(MAIN));
    expect(isMarked()).toBe(true);
    for (const path of marksOf(MAIN)) files.write(path, '');
    expect(isMarked()).toBe(false);
  });

  it('is missing without an error if main has no records or the disk is full', () => {
    expect(marksOf({ journal: '', stateFile: '' })).toEqual([]);
    const { files, post, main } = bench();
    for (const path of marksOf(MAIN)) files.refuse(path);
    expect(() => post(marksOf(MAIN))).not.toThrow();
    expect(main()()).toBe(false);
  });
});

describe('a mark of a post step', () => {
  it.each<[string, Environment, boolean]>([
    ['stops a main of the step', {}, true],
    ['stops a main of the same job', TRACKED, true],
    ['does not stop a main of another run', { GITHUB_RUN_ID: '78' }, false],
  ])('%s if the mark is newer than the start of main', (_, env, stops) => {
    const { post, main } = bench();
    post([STEP]);
    const isMarked = main();
    expect(isMarked()).toBe(false);
    post([STEP], env);
    expect(isMarked()).toBe(stops);
  });

  it.each<[string, Parameters<ReturnType<typeof bench>['main']>[0], boolean]>([
    ['stops a main with the same RUNNER_TRACKING_ID', { env: TRACKED }, true],
    ['does not stop a main of another job', { env: { RUNNER_TRACKING_ID: 'github_2' } }, false],
    ['stops a main that starts a moment later, as in a job container', { env: {}, ms: 300 }, true],
    ['does not stop a main that starts a minute later', { env: {}, ms: 60_000 }, false],
  ])('%s if the mark is older than the start of main', (_, options, stops) => {
    const { post, main } = bench();
    post([STEP], options?.ms === undefined ? TRACKED : {});
    expect(main(options)()).toBe(stops);
  });

  it('stops main if another user created it and it is therefore unreadable', () => {
    const { files, main } = bench();
    const isMarked = main();
    files.become(STEP, 'socket');
    expect(isMarked()).toBe(true);
  });

  it.each(['', 'torn', '{}', 'null', '[]', JSON.stringify(ownerOf(JOB_ENV, HOST)).slice(0, -1)])(
    'has no effect if it contains %j',
    (text) => {
      const { files, main } = bench();
      const isMarked = main();
      files.write(STEP, text);
      expect(isMarked()).toBe(false);
    },
  );
});
