import { describe, expect, it } from 'vitest';
import { markPath, ownerOf } from '../../../../src/action/state/journals.ts';
import { mark, markOf, watchMark } from '../../../../src/action/state/mark.ts';
import { type MemoryFiles, memoryFiles } from '../../../support/memory-files.ts';
import { HOST, JOB_ENV, JOURNAL } from '../../../support/post.ts';

const MAIN = { journal: JOURNAL, stateFile: '/state' };

function marked(files: MemoryFiles, paths: readonly (string | undefined)[], env = {}): void {
  const own = { ...JOB_ENV, ...env };
  mark(paths, { env: own, host: HOST, files, random: Math.random });
}

function watched(files: MemoryFiles, main = MAIN): () => boolean {
  return watchMark(main, { env: { ...JOB_ENV, GITHUB_ACTION: 'load' }, host: HOST, files });
}

const STEP = markPath({ ...JOB_ENV, GITHUB_ACTION: 'load' });

describe('the mark of a main process', () => {
  it.each([
    ['beside its journal', MAIN],
    ['beside its state, if it has no journal', { journal: '', stateFile: '/state' }],
  ])('is %s', (_, main) => {
    const files = memoryFiles();
    const isMarked = watched(files, main);
    expect(isMarked()).toBe(false);
    marked(files, [markOf(main)]);
    expect(isMarked()).toBe(true);
    expect(watched(files, { journal: '/temp/other.journal', stateFile: '' })()).toBe(false);
  });

  it('is nowhere if it has recorded nothing', () => {
    expect(markOf({ journal: '', stateFile: '' })).toBeUndefined();
  });

  it('is missing on a full disk, and nothing breaks', () => {
    const files = memoryFiles();
    const path = markOf(MAIN) ?? '';
    files.refuse(path);
    expect(() => marked(files, [path, undefined])).not.toThrow();
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

  it.each<[string, Readonly<Record<string, string>>, boolean]>([
    ['of the same job', { RUNNER_TRACKING_ID: 'github_1' }, true],
    ['of another run', { GITHUB_RUN_ID: '78' }, false],
  ])('counts only for a main of its step: %s', (_, env, isOurs) => {
    const files = memoryFiles();
    const isMarked = watched(files);
    marked(files, [STEP], env);
    expect(isMarked()).toBe(isOurs);
  });

  it('does not count if it is torn', () => {
    const files = memoryFiles();
    const isMarked = watched(files);
    files.write(STEP ?? '', JSON.stringify(ownerOf(JOB_ENV, HOST)).slice(0, -1));
    expect(isMarked()).toBe(false);
  });
});
