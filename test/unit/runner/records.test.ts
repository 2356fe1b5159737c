import { describe, expect, it } from 'vitest';
import { parseRecords } from '../../../sandbox/runner/records.ts';

describe('what a runner reads from a file of a step', () => {
  it.each([
    ['', {}],
    ['a=1\n\nb=2\n', { a: '1', b: '2' }],
    ['a=x=y<<z', { a: 'x=y<<z' }],
    ['a=\n', { a: '' }],
    ['a<<E\none\n\nt=wo\nE\nb=2', { a: 'one\n\nt=wo', b: '2' }],
    ['a<<E\nE\n', { a: '' }],
    ['a=1\na=2\n', { a: '2' }],
    ['a=1\r\n', { a: '1\r' }],
  ])('%j', (text, values) => {
    expect(parseRecords(text)).toEqual({ values, broken: undefined });
  });

  it.each([
    ['a heredoc without an end', 'a=1\nb<<E\nx\nc=3\n', "Invalid value. Matching delimiter not found 'E'"],
    ['a line that is no record', 'a=1\nnonsense\nc=3\n', "Invalid format 'nonsense'"],
    ['a record without a name', 'a=1\n=2\nc=3\n', "Invalid format '=2'. Name and delimiter must not be empty"],
    ['a heredoc without a mark', 'a=1\nb<<\nc=3\n', "Invalid format 'b<<'. Name and delimiter must not be empty"],
  ])('stops at %s, and keeps what came before', (_, text, broken) => {
    expect(parseRecords(text)).toEqual({ values: { a: '1' }, broken });
  });
});
