import { describe, expect, it } from 'vitest';
import { createRedactor, tokensIn } from '../../../src/service/redact.ts';

function redacting(...secrets: readonly string[]): (text: string) => string {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.learn(secret);
  return (text) => redactor.redact(text);
}

describe('a redactor', () => {
  it('knows what it has learned, and says whether that was new', () => {
    const redactor = createRedactor();
    expect([redactor.learn('abc'), redactor.learn('abc'), redactor.learn('abcd')]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('does not take nothing for a secret', () => {
    const redactor = createRedactor();
    expect(redactor.learn('')).toBe(false);
    expect(redactor.redact('abc')).toBe('abc');
  });

  it.each([
    ['as it is', 'a"b/c', 'x a"b/c y', 'x *** y'],
    ['in a URL', 'a"b/c', 'x a%22b%2Fc y', 'x *** y'],
    ['in a URL, in lower case', 'a"b/c', 'x a%22b%2fc y', 'x *** y'],
    ['in JSON, whose quotes stay', 'a"b\\c', '{"key":"a\\"b\\\\c"}', '{"key":"***"}'],
    ['with half a character', 'a\uD800b', 'x a%EF%BF%BDb y', 'x *** y'],
    ['again and again', 'abc', 'abcabc abc', '****** ***'],
  ])('replaces a secret %s', (_how, secret, text, safe) => {
    expect(redacting(secret)(text)).toBe(safe);
  });

  it('leaves nothing of a secret that begins with another one, whichever came first', () => {
    expect(redacting('abc', 'abcdef')('abcdef')).toBe('***');
    expect(redacting('abcdef', 'abc')('abcdef')).toBe('***');
  });
});

describe('a token in a text', () => {
  it.each<[string, readonly string[]]>([
    ['{"token":"abc-1"}', ['abc-1']],
    ['{"a":1, "token" : "abc-1", "b":2} {"token":"abc-2"}', ['abc-1', 'abc-2']],
    ['broken {"token":"abc-1", and no end', ['abc-1']],
    ['{"token":"abc', []],
    ['{"token":"abc"}', []],
    ['{"token":"abcd"}', ['abcd']],
    ['{"token":"a b c d"}', []],
    ['{"token":"a\\nbcd"}', []],
    ['{"token":null}', []],
    ['{"access_token":"abc-1"}', []],
  ])('%j', (text, tokens) => {
    expect(tokensIn(text)).toEqual(tokens);
  });

  it('is looked for in the first 65,536 characters', () => {
    const field = '"token":"abcde"';
    const blanks = (count: number) => ' '.repeat(65_536 - field.length + count);
    expect(tokensIn(`${blanks(0)}${field}`)).toEqual(['abcde']);
    expect(tokensIn(`${blanks(1)}${field}`)).toEqual([]);
  });
});
