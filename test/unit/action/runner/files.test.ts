// Local files: the kinds of paths, checks before each use, appends of whole lines, and multi-line values.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  appendToFile,
  appendToSummary,
  fileRecord,
  mistakeInOutputFile,
  readFile,
  replaceFile,
} from '../../../../src/action/runner/file-access.ts';
import { type Check, FILE_KINDS, type Files, orElse, systemFiles } from '../../../../src/action/runner/files.ts';
import { UnsuitableFile } from '../../../../src/base/file-errors.ts';
import { FIFO } from '../../../support/kinds-of-files.ts';
import { memoryFiles } from '../../../support/memory-files.ts';

const isWindows = process.platform === 'win32';
let folder = '';
beforeAll(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'files-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Creates a file with this content in a new folder and returns its path. Without content, creates only the folder. */
function newFile(content?: string | Buffer): string {
  const path = join(fs.mkdtempSync(join(folder, 'new-')), 'file');
  if (content !== undefined) fs.writeFileSync(path, content);
  return path;
}

const newFifo = (): string => FIFO.make(dirname(newFile()));

function newLink(target: string): string {
  const path = newFile();
  fs.symlinkSync(target, path);
  return path;
}

function newSocket(): string {
  const path = newFile();
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  return path;
}

const ANY: Check = () => undefined;
const REJECT: Check = ({ kind }) => {
  throw new Error(`rejected a ${kind}`);
};

describe('appended lines', () => {
  it.each([
    ['an empty file', '', 'b=2\n'],
    ['complete lines', 'a=1\n', 'a=1\nb=2\n'],
    ['an incomplete line', 'a=', 'a=\nb=2\n'],
    ['an incomplete character', Buffer.from([0x61, 0xe2]), 'a\ufffd\nb=2\n'],
  ])('begin on a new line after %s', (_, before, after) => {
    const path = newFile(before);
    systemFiles.append(path, 'b=2\n', ANY);
    expect(fs.readFileSync(path, 'utf8')).toBe(after);
  });

  it('create a file that only its owner can read', () => {
    const path = newFile();
    systemFiles.append(path, 'b=2\n', ANY);
    expect(fs.readFileSync(path, 'utf8')).toBe('b=2\n');
    if (!isWindows) expect(fs.statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['leave nothing in the file if they fail halfway', 'Error', 'a=1\n'],
    ['are reported as partial if their beginning cannot be removed', 'PartialWrite', 'a=1\nb='],
  ])('%s', (_, name, after) => {
    const fail = (_writtenBytes: number): never => {
      throw new Error('EIO');
    };
    vi.spyOn(fs, 'appendFileSync').mockImplementationOnce((file) => fail(fs.writeSync(Number(file), 'b=')));
    if (name === 'PartialWrite') vi.spyOn(fs, 'ftruncateSync').mockImplementationOnce(fail);
    syncBuiltinESMExports();
    const path = newFile('a=1\n');
    expect(() => systemFiles.append(path, 'b=2\n', ANY)).toThrow(expect.objectContaining({ name }));
    expect(fs.readFileSync(path, 'utf8')).toBe(after);
  });

  it('cause an error if the folder of their file does not exist', () => {
    expect(() => systemFiles.append(join(folder, 'gone', 'x'), 'b=2\n', ANY)).toThrow('ENOENT');
  });
});

describe('a path', () => {
  const everywhere = [
    ['an ordinary file', 'file', () => newFile('')],
    ['a folder', 'directory', () => folder],
    ['nothing', 'missing', () => join(folder, 'gone')],
    ['a path below a file', 'missing', () => join(newFile(''), 'below')],
  ] as const;
  const posix = [
    ['a device', 'character_device', () => '/dev/zero'],
    ["the process's own stdout", 'stdout', () => '/dev/stdout'],
    ['a new FIFO', 'fifo', newFifo],
    ['a link to a FIFO', 'fifo', () => newLink(newFifo())],
    ['a new socket', 'socket', newSocket],
  ] as const;

  it.each([...everywhere, ...(isWindows ? [] : posix)])('to %s has the kind "%s"', (_, kind, make) => {
    expect(systemFiles.kindOf(make())).toBe(kind);
  });

  it.each([
    ['the files in a folder', () => dirname(newFile('')), ['file']],
    ['nothing in a missing folder', () => join(folder, 'gone'), []],
  ])('leads to %s', (_, make, names) => {
    expect(systemFiles.list(make())).toEqual(names);
  });

  it.skipIf(isWindows)('is neither read nor written, and never blocks, if it leads to an unopened FIFO', () => {
    const fifo = newFifo();
    expect(() => systemFiles.append(fifo, 'b=2\n', ANY)).toThrow('ENXIO');
    expect(() => systemFiles.write(fifo, 'b=2\n', ANY)).toThrow('ENXIO');
    expect(systemFiles.read(fifo, ANY)).toBe('');
  });

  it('is neither read nor written if it leads to a file that the check rejects', () => {
    const path = newFile('a long text');
    expect(() => systemFiles.append(path, 'b=2\n', REJECT)).toThrow('rejected a file');
    expect(() => systemFiles.write(path, 'b=2\n', REJECT)).toThrow('rejected a file');
    expect(systemFiles.read(path, REJECT)).toBeUndefined();
    expect(fs.readFileSync(path, 'utf8')).toBe('a long text');
  });

  // Only Linux shows open files in this way.
  const openFiles = () =>
    systemFiles.list('/proc/self/fd').map((fd) => orElse('', () => fs.readlinkSync(`/proc/self/fd/${fd}`)));

  it('leads to a file that is replaced completely, read with its new size, and closed', () => {
    const path = newFile('a long text');
    systemFiles.write(path, 'äö', ANY);
    const sizes: number[] = [];
    expect(systemFiles.read(path, ({ bytes }) => void sizes.push(bytes))).toBe('äö');
    expect(sizes).toEqual([4]);
    expect(openFiles()).not.toContain(path);
  });

  it('leads to a file that is read as far as it exists, and closed, if it shrinks after the check', () => {
    const path = newFile('äö');
    expect(systemFiles.read(path, () => fs.truncateSync(path, 2))).toBe('ä');
    expect(openFiles()).not.toContain(path);
  });
});

it('a multi-line value ends with a delimiter line, and no value may contain this line', () => {
  const [, end = ''] = /^ids<<(\S+)\n1\n2\n\1\n$/.exec(fileRecord('ids', '1\n2')) ?? [];
  expect(end).not.toBe('');
  expect(() => fileRecord('ids', `1\r${end}\r2`)).toThrow('ids');
});

describe('a runner file', () => {
  const PATH = '/runner/file';

  const KINDS = ['directory', 'character_device', 'block_device', 'fifo', 'socket', 'stdout'] as const;
  it.each(KINDS)(
    'of the kind %s is neither read nor written, and every error contains the name of the kind',
    (kind) => {
      const name = FILE_KINDS[kind];
      const files = memoryFiles({ [PATH]: 'a=1\n' });
      files.become(PATH, kind);
      // A character device accepts a summary.
      for (const write of [appendToFile, replaceFile, ...(kind === 'character_device' ? [] : [appendToSummary])]) {
        expect(() => write(files, PATH, 'b=2\n')).toThrow(new UnsuitableFile(`"${PATH}" is ${name}`));
      }
      expect(mistakeInOutputFile(files, PATH)).toContain(`"${PATH}", which is ${name}. `);
      expect(readFile(files, PATH)).toBeUndefined();
      expect(files.text(PATH)).toBe('a=1\n');
    },
  );

  it('supports appends, replacements and reads if it is a regular file', () => {
    const files = memoryFiles();
    appendToFile(files, PATH, 'a=1\n');
    appendToSummary(files, PATH, 'b=2\n');
    expect(readFile(files, PATH)).toBe('a=1\nb=2\n');
    replaceFile(files, PATH, 'c=3\n');
    expect(readFile(files, PATH)).toBe('c=3\n');
  });

  const readWithSize = (bytes: number) => {
    const read: Files['read'] = (_, check) => {
      check({ kind: 'file', bytes });
      return 'text';
    };
    return readFile({ ...memoryFiles(), read }, PATH);
  };

  it('is read if its size is 16 MiB', () => {
    expect(readWithSize(16 * 1_048_576)).toBe('text');
  });

  it('causes an error if it is read and its size exceeds 16 MiB', () => {
    expect(() => readWithSize(16 * 1_048_576 + 1)).toThrow(UnsuitableFile);
  });

  it.each([undefined, '', PATH, '/runner/new'])('is accepted as GITHUB_OUTPUT if its path is %j', (path) => {
    expect(mistakeInOutputFile((path ?? '') === '' ? systemFiles : memoryFiles({ [PATH]: '' }), path)).toBeUndefined();
  });

  it('that is a FIFO causes an error that says so, even though the system only reports ENXIO', () => {
    const files = memoryFiles();
    files.become(PATH, 'fifo');
    const append = (): void => {
      throw Object.assign(new Error('ENXIO: no such device or address'), { code: 'ENXIO' });
    };
    expect(() => appendToFile({ ...files, append }, PATH, 'a=1\n')).toThrow('is a FIFO');
  });
});
