// Tests the remedies for file system errors, and the reports of failed writes.
import { describe, expect, it } from 'vitest';
import { fileRemedy, UnsuitableFile, writeFailure } from '../../../src/base/file-errors.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: it failed`), { code });
}

// test/matrix/error-texts/runs.ts shows the remedy for each error code.
describe('the remedy', () => {
  it('is that for the cause if the error has no code', () => {
    expect(fileRemedy(new Error('torn', { cause: systemError('EIO') }))).toContain('disk for errors');
  });

  it('suggests a regular file if the path leads to another kind of file', () => {
    expect(fileRemedy(new UnsuitableFile('it is a socket'))).toContain('a regular file instead');
  });

  it.each([new DOMException('late'), 'text', undefined])('is empty for %s, which is not a file error', (error) => {
    expect(fileRemedy(error)).toBe('');
  });
});

it.each([
  ['the error, its consequence and the remedy', systemError('ENOSPC\n::error::x'), 'Lost.', ' Lost. Check'],
  ['only the error if it has no known consequence or remedy', new Error('ENOSPC ::error::x: it failed'), '', ''],
])('the report of a failed write contains, on one line, %s', (_, error, meaning, rest) => {
  const report = writeFailure('the file', error, meaning);
  expect(report).toMatch(new RegExp(`^Could not write the file: ENOSPC ::error::x: it failed\\.${rest}.*$`));
  expect(report.endsWith('failed.')).toBe(rest === '');
});
