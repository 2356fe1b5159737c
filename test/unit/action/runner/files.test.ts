// Local files: the kinds of paths, checks before each use, appends of whole lines, and multi-line values.
import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
import { memoryFiles } from '../../../support/memory-files.ts';

const itPosix = it.skipIf(process.platform === 'win32');
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'files-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a file with this content in a new folder and returns its path. Without content, creates only the folder. */
function newFile(content?: string | Buffer): string {
  const path = join(mkdtempSync(join(folder, 'new-')), 'file');
  if (content !== undefined) writeFileSync(path, content);
  return path;
}

function newFifo(): string {
  const path = newFile();
  execFileSync('mkfifo', [path]);
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
    expect(readFileSync(path, 'utf8')).toBe(after);
  });

  it('create a file that only its owner can read, if its folder exists', () => {
    const path = newFile();
    systemFiles.append(path, 'b=2\n', ANY);
    expect(readFileSync(path, 'utf8')).toBe('b=2\n');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(() => systemFiles.append(join(folder, 'gone', 'x'), 'b=2\n', ANY)).toThrow('ENOENT');
  });
});

describe('a path', () => {
  it('is recognized as missing, a file or a directory', () => {
    const path = newFile('');
    const kinds = [path, folder, join(folder, 'gone'), join(path, 'below')].map((each) => systemFiles.kindOf(each));
    expect(kinds).toEqual(['file', 'directory', 'missing', 'missing']);
    expect([dirname(path), join(folder, 'gone')].map((each) => systemFiles.list(each))).toEqual([['file'], []]);
  });

  itPosix("is recognized as a device, the process's own stdout, a FIFO or a socket, and links are followed", () => {
    const fifo = newFifo();
    symlinkSync(fifo, `${fifo}-link`);
    const server = createServer().listen(`${fifo}-socket`);
    const paths = ['/dev/zero', '/dev/stdout', fifo, `${fifo}-link`, `${fifo}-socket`];
    const kinds = paths.map((each) => systemFiles.kindOf(each));
    server.close();
    expect(kinds).toEqual(['character_device', 'stdout', 'fifo', 'fifo', 'socket']);
  });

  itPosix(
    'causes an error or reads as empty, but never blocks, if it leads to a FIFO that no other process has opened',
    () => {
      const fifo = newFifo();
      expect(() => systemFiles.append(fifo, 'b=2\n', ANY)).toThrow('ENXIO');
      expect(() => systemFiles.write(fifo, 'b=2\n', ANY)).toThrow('ENXIO');
      expect(systemFiles.read(fifo, ANY)).toBe('');
    },
  );

  it('leads to a file that is neither read nor written if the check rejects it', () => {
    const path = newFile('a long text');
    expect(() => systemFiles.append(path, 'b=2\n', REJECT)).toThrow('rejected a file');
    expect(() => systemFiles.write(path, 'b=2\n', REJECT)).toThrow('rejected a file');
    expect(systemFiles.read(path, REJECT)).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe('a long text');
  });

  it('leads to a file that is replaced completely, read as far as it exists, and closed', () => {
    const path = newFile('a long text');
    systemFiles.write(path, 'äö', ANY);
    const sizes: number[] = [];
    expect(systemFiles.read(path, ({ bytes }) => void sizes.push(bytes))).toBe('äö');
    expect(sizes).toEqual([4]);
    expect(systemFiles.read(path, () => truncateSync(path, 2))).toBe('ä');
    // Only Linux shows open files in this way.
    const open = systemFiles.list('/proc/self/fd').map((fd) => orElse('', () => readlinkSync(`/proc/self/fd/${fd}`)));
    expect(open).not.toContain(path);
  });
});

describe('a multi-line value', () => {
  it('ends with a delimiter line and must not contain that line', () => {
    const [, end = ''] = /^ids<<(\S+)\n1\n2\n\1\n$/.exec(fileRecord('ids', '1\n2')) ?? [];
    expect(end).not.toBe('');
    expect(() => fileRecord('ids', `1\r${end}\r2`)).toThrow('ids');
  });
});

describe('a runner file', () => {
  const PATH = '/runner/file';

  const KINDS = ['directory', 'character_device', 'block_device', 'fifo', 'socket', 'stdout'] as const;
  it.each(KINDS)('of the kind %s causes an error that contains the name of this kind', (kind) => {
    const name = FILE_KINDS[kind];
    const files = memoryFiles({ [PATH]: 'a=1\n' });
    files.become(PATH, kind);
    for (const write of [appendToFile, replaceFile]) {
      expect(() => write(files, PATH, 'b=2\n')).toThrow(new UnsuitableFile(`"${PATH}" is ${name}`));
    }
    expect(mistakeInOutputFile(files, PATH)).toContain(`"${PATH}", which is ${name}. `);
    expect(readFile(files, PATH)).toBeUndefined();
    expect(files.text(PATH)).toBe('a=1\n');
    if (kind === 'character_device') appendToSummary(files, PATH, 'text');
    else expect(() => appendToSummary(files, PATH, 'text')).toThrow(UnsuitableFile);
  });

  it('supports appends, replacements and reads if it is a regular file', () => {
    const files = memoryFiles();
    appendToFile(files, PATH, 'a=1\n');
    appendToSummary(files, PATH, 'b=2\n');
    expect(readFile(files, PATH)).toBe('a=1\nb=2\n');
    replaceFile(files, PATH, 'c=3\n');
    expect(readFile(files, PATH)).toBe('c=3\n');
    files.refuse(PATH);
    expect(() => appendToFile(files, PATH, 'a=1\n')).toThrow('ENOSPC');
  });

  it('is readable up to a size of 16 MiB', () => {
    const withSize = (bytes: number): Files => {
      const read: Files['read'] = (_, check) => {
        check({ kind: 'file', bytes });
        return 'text';
      };
      return { ...memoryFiles(), read };
    };
    expect(readFile(withSize(16 * 1_048_576), PATH)).toBe('text');
    expect(() => readFile(withSize(16 * 1_048_576 + 1), PATH)).toThrow(UnsuitableFile);
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
