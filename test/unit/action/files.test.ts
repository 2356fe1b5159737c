import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileRecord, systemFiles } from '../../../src/action/files.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'files-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('what is appended to a file', () => {
  it.each([
    { why: 'that is empty', before: '', after: 'b=2\n' },
    { why: 'of whole lines', before: 'a=1\n', after: 'a=1\nb=2\n' },
    { why: 'that ends in the middle of a line', before: 'a=', after: 'a=\nb=2\n' },
    {
      why: 'that ends in the middle of a letter',
      before: Buffer.from([0x61, 0xe2]),
      after: 'a\ufffd\nb=2\n',
    },
  ])('$why is a line of its own, and no line is empty', ({ why, before, after }) => {
    const path = join(folder, why);
    writeFileSync(path, before);
    systemFiles.append(path, fileRecord('b', '2'));
    expect(readFileSync(path, 'utf8')).toBe(after);
  });

  it('makes the file, for its owner alone', () => {
    const path = join(folder, 'new');
    systemFiles.append(path, fileRecord('b', '2'));
    expect(readFileSync(path, 'utf8')).toBe('b=2\n');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('throws when the folder is gone', () => {
    expect(() => systemFiles.append(join(folder, 'gone', 'x'), 'b=2\n')).toThrow('ENOENT');
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
