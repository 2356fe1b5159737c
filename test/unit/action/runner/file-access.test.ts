import { describe, expect, it } from 'vitest';
import {
  appendToFile,
  appendToSummary,
  mistakeInOutputFile,
  readFile,
  replaceFile,
} from '../../../../src/action/runner/file-access.ts';
import type { FileKind, Files } from '../../../../src/action/runner/files.ts';
import { fileRemedy } from '../../../../src/base/file-errors.ts';
import { memoryFiles } from '../../../support/memory-files.ts';

const PATH = '/runner/file';

const ODD: readonly (readonly [FileKind, string])[] = [
  ['directory', 'a directory'],
  ['character_device', 'a character device'],
  ['block_device', 'a block device'],
  ['fifo', 'a FIFO (named pipe)'],
  ['socket', 'a socket'],
  ['stdout', "this step's standard output"],
];

function filesWith(kind: FileKind) {
  const files = memoryFiles({ [PATH]: 'a=1\n' });
  files.become(PATH, kind);
  return files;
}

function errorOf(task: () => void): unknown {
  try {
    task();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe.each(ODD)('a path that is a %s', (kind, name) => {
  it.each([
    ['append to', appendToFile],
    ['replace', replaceFile],
  ])('is not used by: %s a regular file', (_, write) => {
    const files = filesWith(kind);
    const error = errorOf(() => write(files, PATH, 'b=2\n'));
    expect(error).toMatchObject({ message: `"${PATH}" is ${name}` });
    expect(fileRemedy(error)).toBe('Use the path of a regular file instead.');
    expect(files.text(PATH)).toBe('a=1\n');
  });

  it('is not read', () => {
    expect(readFile(filesWith(kind), PATH)).toBeUndefined();
  });

  it(kind === 'character_device' ? 'takes a summary' : 'takes no summary', () => {
    const error = errorOf(() => appendToSummary(filesWith(kind), PATH, 'text'));
    expect(error === undefined).toBe(kind === 'character_device');
  });

  it('is a mistake in GITHUB_OUTPUT', () => {
    expect(mistakeInOutputFile(filesWith(kind), PATH)).toBe(
      `GITHUB_OUTPUT is "${PATH}", which is ${name}. Outputs can only be written to a regular file. Set GITHUB_OUTPUT to the path of one, or leave it unset.`,
    );
  });
});

describe('a regular file', () => {
  it('is appended to, replaced and read', () => {
    const files = memoryFiles();
    appendToFile(files, PATH, 'a=1\n');
    appendToSummary(files, PATH, 'b=2\n');
    expect(readFile(files, PATH)).toBe('a=1\nb=2\n');
    replaceFile(files, PATH, 'c=3\n');
    expect(readFile(files, PATH)).toBe('c=3\n');
  });

  it.each([
    [16 * 1_048_576, 'is'],
    [16 * 1_048_576 + 1, 'is not'],
  ])('of %d bytes %s read', (bytes, is) => {
    const files: Files = {
      ...memoryFiles(),
      read(_, check) {
        try {
          check({ kind: 'file', bytes });
          return 'text';
        } catch {
          return undefined;
        }
      },
    };
    expect(readFile(files, PATH)).toBe(is === 'is' ? 'text' : undefined);
  });

  it.each([undefined, '', PATH, '/runner/new'])('and no file at all is right for GITHUB_OUTPUT (%j)', (path) => {
    expect(mistakeInOutputFile(memoryFiles({ [PATH]: '' }), path)).toBeUndefined();
  });

  it('that takes nothing is reported with the error of the system', () => {
    const files = memoryFiles({ [PATH]: '' });
    files.refuse(PATH);
    expect(() => appendToFile(files, PATH, 'a=1\n')).toThrow('ENOSPC');
  });
});

describe('a FIFO without a reader', () => {
  it('is named, although the system only says ENXIO', () => {
    const files: Files = {
      ...filesWith('fifo'),
      append() {
        throw Object.assign(new Error('ENXIO: no such device or address'), { code: 'ENXIO' });
      },
    };
    expect(() => appendToFile(files, PATH, 'a=1\n')).toThrow('is a FIFO');
  });
});
