import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileRecord } from '../../../../src/action/runner/file-access.ts';
import { type Check, type OpenedFile, systemFiles } from '../../../../src/action/runner/files.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'files-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Accepts every file. */
const ANY: Check = () => undefined;

const REFUSE: Check = ({ kind }) => {
  throw new Error(`refused a ${kind}`);
};

describe('what is appended to a file', () => {
  it.each([
    { why: 'that is empty', before: '', after: 'b=2\n' },
    { why: 'of whole lines', before: 'a=1\n', after: 'a=1\nb=2\n' },
    { why: 'that ends in the middle of a line', before: 'a=', after: 'a=\nb=2\n' },
    { why: 'that ends in the middle of a letter', before: Buffer.from([0x61, 0xe2]), after: 'a\ufffd\nb=2\n' },
  ])('$why is a line of its own, and no line is empty', ({ why, before, after }) => {
    const path = join(folder, why);
    writeFileSync(path, before);
    systemFiles.append(path, fileRecord('b', '2'), ANY);
    expect(readFileSync(path, 'utf8')).toBe(after);
  });

  it('makes the file, for its owner alone', () => {
    const path = join(folder, 'new');
    systemFiles.append(path, fileRecord('b', '2'), ANY);
    expect(readFileSync(path, 'utf8')).toBe('b=2\n');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('throws when the folder is gone', () => {
    expect(() => systemFiles.append(join(folder, 'gone', 'x'), 'b=2\n', ANY)).toThrow('ENOENT');
  });
});

describe('a value of several lines', () => {
  it('takes the form that ends with a line of its own', () => {
    expect(fileRecord('ids', '1\n2')).toMatch(/^ids<<(\S+)\n1\n2\n\1\n$/);
  });

  it('is refused when it would end that form early', () => {
    const end = /^ids<<(\S+)/.exec(fileRecord('ids', '1\n2'))?.[1] ?? '';
    expect(() => fileRecord('ids', `1\r${end}\r2`)).toThrow('ids');
  });
});

const itPosix = process.platform === 'win32' ? it.skip : it;

function newFifo(): string {
  const path = join(mkdtempSync(join(folder, 'fifo-')), 'fifo');
  execFileSync('mkfifo', [path]);
  return path;
}

describe('a path', () => {
  it('is missing, a file or a directory', () => {
    const path = join(folder, 'kinds');
    expect(systemFiles.kindOf(path)).toBe('missing');
    writeFileSync(path, '');
    expect(systemFiles.kindOf(path)).toBe('file');
    expect(systemFiles.kindOf(folder)).toBe('directory');
    expect(systemFiles.kindOf(join(path, 'below'))).toBe('missing');
  });

  itPosix('is what its link leads to', () => {
    const fifo = newFifo();
    symlinkSync(fifo, `${fifo}-link`);
    expect(systemFiles.kindOf(fifo)).toBe('fifo');
    expect(systemFiles.kindOf(`${fifo}-link`)).toBe('fifo');
  });

  itPosix("is a device, or this process's own stdout", () => {
    expect(systemFiles.kindOf('/dev/zero')).toBe('character_device');
    expect(systemFiles.kindOf('/dev/stdout')).toBe('stdout');
  });
});

describe('a file that the check refuses', () => {
  it('keeps its content', () => {
    const path = join(folder, 'kept');
    writeFileSync(path, 'kept');
    expect(() => systemFiles.append(path, 'b=2\n', REFUSE)).toThrow('refused a file');
    expect(() => systemFiles.write(path, 'b=2\n', REFUSE)).toThrow('refused a file');
    expect(systemFiles.read(path, REFUSE)).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe('kept');
  });

  it('is replaced as a whole if the check accepts it', () => {
    const path = join(folder, 'replaced');
    writeFileSync(path, 'a long text');
    systemFiles.write(path, 'short', ANY);
    expect(readFileSync(path, 'utf8')).toBe('short');
  });
});

describe('opening a file', () => {
  itPosix('does not wait for the other end of a FIFO', () => {
    const fifo = newFifo();
    const kinds: string[] = [];
    const keep = ({ kind }: OpenedFile): void => void kinds.push(kind);
    expect(() => systemFiles.append(fifo, 'b=2\n', keep)).toThrow('ENXIO');
    expect(() => systemFiles.write(fifo, 'b=2\n', keep)).toThrow('ENXIO');
    expect(systemFiles.read(fifo, keep)).toBe('');
    expect(kinds).toEqual(['fifo']);
  });

  it('gives the check the size of the file in bytes', () => {
    const path = join(folder, 'size');
    writeFileSync(path, 'äö');
    const sizes: number[] = [];
    expect(systemFiles.read(path, ({ bytes }) => void sizes.push(bytes))).toBe('äö');
    expect(sizes).toEqual([4]);
  });
});
