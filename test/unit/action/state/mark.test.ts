import { describe, expect, it } from 'vitest';
import { markPath, ownerOf } from '../../../../src/action/state/journals.ts';
import { mark, marksOf, watchMark } from '../../../../src/action/state/mark.ts';
import { type MemoryFiles, memoryFiles } from '../../../support/memory-files.ts';
import { HOST, JOB_ENV, JOURNAL } from '../../../support/post.ts';

/** Hours pass between two marks. */
let hours = 0;
const clock = {
  wall: () => {
    hours += 1;
    return hours * 3_600_000;
  },
};

const MAIN = { journal: JOURNAL, stateFile: '/state' };

function marked(files: MemoryFiles, paths: readonly string[], env = {}): void {
  const own = { ...JOB_ENV, ...env };
  mark(paths, { env: own, host: HOST, files, clock });
}

function watched(files: MemoryFiles, main = MAIN): () => boolean {
  return watchMark(main, { env: { ...JOB_ENV, GITHUB_ACTION: 'load' }, host: HOST, files, clock });
}

const STEP = markPath({ ...JOB_ENV, GITHUB_ACTION: 'load' });

describe('the mark of a main process', () => {
  it.each(marksOf(MAIN))('is beside each of its records: %s', (path) => {
    const files = memoryFiles();
    const isMarked = watched(files);
    expect(isMarked()).toBe(false);
    marked(files, [path]);
    expect(isMarked()).toBe(true);
    expect(watched(files, { journal: '/temp/other.journal', stateFile: '' })()).toBe(false);
  });

  it('does not count if an earlier step left it, as where a path recurs', () => {
    const files = memoryFiles();
    marked(files, marksOf(MAIN));
    const isMarked = watched(files);
    expect(isMarked()).toBe(false);
    marked(files, marksOf(MAIN));
    expect(isMarked()).toBe(true);
  });

  it('does not count if somebody removes that of an earlier step', () => {
    const files = memoryFiles();
    marked(files, marksOf(MAIN));
    const isMarked = watched(files);
    for (const path of marksOf(MAIN)) files.write(path, '');
    expect(isMarked()).toBe(false);
  });

  it('is nowhere if it has recorded nothing', () => {
    expect(marksOf({ journal: '', stateFile: '' })).toEqual([]);
  });

  it('is missing on a full disk, and nothing breaks', () => {
    const files = memoryFiles();
    for (const path of marksOf(MAIN)) files.refuse(path);
    expect(() => marked(files, marksOf(MAIN))).not.toThrow();
    expect(watched(files)()).toBe(false);
  });
});

describe('the mark of a step', () => {
  it('counts if it was made after main had begun', () => {
    const files = memoryFiles();
    marked(files, [STEP]);
    const isMarked = watched(files);
    expect(isMarked()).toBe(false);
    marked(files, [STEP]);
    expect(isMarked()).toBe(true);
  });

  it('counts from before main began if it is surely that of its job', () => {
    const files = memoryFiles();
    const env = { ...JOB_ENV, GITHUB_ACTION: 'load', RUNNER_TRACKING_ID: 'github_1' };
    marked(files, [STEP], env);
    expect(watchMark(MAIN, { env, host: HOST, files, clock })()).toBe(true);
    expect(watchMark(MAIN, { env: { ...env, RUNNER_TRACKING_ID: 'github_2' }, host: HOST, files, clock })()).toBe(
      false,
    );
  });

  it.each<[string, Readonly<Record<string, string>>, boolean]>([
    ['of the same job', { RUNNER_TRACKING_ID: 'github_1' }, true],
    ['of another run', { GITHUB_RUN_ID: '78' }, false],
  ])('counts only for a main of its step: %s', (_, env, isOurs) => {
    const files = memoryFiles();
    const isMarked = watched(files);
    marked(files, [STEP], env);
    expect(isMarked()).toBe(isOurs);
  });

  it('counts if post made it a moment before main began, as in a job container', () => {
    const files = memoryFiles();
    marked(files, [STEP]);
    const soon = { wall: () => hours * 3_600_000 + 300 };
    expect(watchMark(MAIN, { env: { ...JOB_ENV, GITHUB_ACTION: 'load' }, host: HOST, files, clock: soon })()).toBe(
      true,
    );
  });

  it('counts if another user made it, so that it cannot be read', () => {
    const files = memoryFiles();
    const isMarked = watched(files);
    files.become(STEP, 'socket');
    expect(isMarked()).toBe(true);
  });

  it.each(['', 'torn', '{}', 'null', '[]', JSON.stringify(ownerOf(JOB_ENV, HOST)).slice(0, -1)])(
    'does not count if it is none: %s',
    (text) => {
      const files = memoryFiles();
      const isMarked = watched(files);
      files.write(STEP, text);
      expect(isMarked()).toBe(false);
    },
  );
});
