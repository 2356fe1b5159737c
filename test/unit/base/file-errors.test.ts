import { describe, expect, it } from 'vitest';
import { fileRemedy, UnsuitableFile, writeFailure } from '../../../src/base/file-errors.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: it failed`), { code });
}

describe('the remedy for a file error', () => {
  it.each([
    ['EACCES', 'Let the user that runs this step write to this path.'],
    ['EPERM', 'Let the user that runs this step write to this path.'],
    ['ENOENT', 'Create the folder of this path, or correct the path.'],
    ['ENOTDIR', 'Correct the path: one of its parents is not a folder.'],
    ['EISDIR', 'Use the path of a regular file instead.'],
    ['ENOSPC', 'Free disk space on the runner.'],
    ['EDQUOT', 'Free disk space or raise the disk quota of the user that runs this step.'],
    ['EROFS', 'Use a path on a writable file system, or mount this one as writable.'],
    ['EWHATEVER', 'Check the file system of the runner.'],
  ])('fits %s', (code, remedy) => {
    expect(fileRemedy(systemError(code))).toBe(remedy);
  });

  it('fits the cause of an error that has no code', () => {
    expect(fileRemedy(new Error('torn', { cause: systemError('ENOSPC') }))).toBe('Free disk space on the runner.');
  });

  it('fits a path that is not a regular file', () => {
    expect(fileRemedy(new UnsuitableFile('it is a socket'))).toBe('Use the path of a regular file instead.');
  });

  it.each([new Error('a bug'), 'text', undefined])('is empty for what is no file error: %s', (error) => {
    expect(fileRemedy(error)).toBe('');
  });
});

describe('the report of a failed write', () => {
  it('says what happened, what it means and what to do, on one line', () => {
    expect(writeFailure('the outputs', systemError('ENOSPC\n::error::x'), 'They are missing.')).toBe(
      'Could not write the outputs: ENOSPC ::error::x: it failed. They are missing. Check the file system of the runner.',
    );
  });

  it('leaves out what there is nothing to say about', () => {
    expect(writeFailure('the outputs', new Error('a bug'), '')).toBe('Could not write the outputs: a bug.');
  });
});
