import { describe, expect, it } from 'vitest';
import { createRedactor, tokensIn } from '../../../src/service/redact.ts';
import { API_KEY } from '../../support/service.ts';

function redacting(...secrets: readonly string[]): (text: string) => string {
  const redactor = createRedactor(API_KEY);
  for (const secret of secrets) redactor.learn(secret);
  return (text) => redactor.redact(text);
}

describe('a redactor', () => {
  it('knows what it has learned, and says whether that was new', () => {
    const redactor = createRedactor(API_KEY);
    expect([redactor.learn('abc'), redactor.learn('abc'), redactor.learn('abcd')]).toEqual([true, false, true]);
  });

  it('does not take nothing for a secret', () => {
    const redactor = createRedactor(API_KEY);
    expect(redactor.learn('')).toBe(false);
    expect(redactor.redact('abc')).toBe('abc');
  });

  it.each([
    ['as it is', 'a"b/c', 'x a"b/c y', 'x *** y'],
    ['in a URL', 'a"b/c', 'x a%22b%2Fc y', 'x *** y'],
    ['in a URL, in lower case', 'a"b/c', 'x a%22b%2fc y', 'x *** y'],
    ['in JSON, whose quotes stay', 'a"b\\c', '{"key":"a\\"b\\\\c"}', '{"key":"***"}'],
    ['again and again', 'abc', 'abcabc abc', '****** ***'],
    ['next to itself', 'abcdefgh', 'abcdefghabcdefgh abcdefgh', '*** ***'],
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

  it('may be written with escapes', () => {
    expect(tokensIn(String.raw`"token":"tok\/A1b2\"C3"`)).toEqual(['tok/A1b2"C3']);
  });

  it('may break off', () => {
    expect(tokensIn('{"token":"tok-A1b2')).toEqual(['tok-A1b2']);
    expect(tokensIn('{"token":"tok-A1b2\\')).toEqual(['tok-A1b2']);
  });

  it('is looked for twice', () => {
    expect(tokensIn('"token":"abc-1" "token":"abc-2" "token":"abc-3"')).toEqual(['abc-1', 'abc-2']);
  });
});

describe('a token of any length', () => {
  it.each([
    [2_000, 62_000],
    [16_000, 200_000],
    [100, 262_144],
  ])('of %i equal characters costs no more than one pass over a text of %i', (length, size) => {
    const redactor = createRedactor('ak_1234567890');
    redactor.learn(`${'a'.repeat(length)}b`);
    const safe = redactor.redact('a'.repeat(size));
    expect(safe).toMatch(/^(?:\*\*\*)+a*$/);
    expect(safe.length).toBeLessThan(size / 10);
  });

  it('is removed as far as a text that breaks off repeats it', () => {
    const redactor = createRedactor('ak_1234567890');
    redactor.learn(`at_${'0123456789'.repeat(10)}`);
    expect(redactor.redact(`token at_${'0123456789'.repeat(5)} and more`)).toBe('token *** and more');
  });
});

describe('a secret in a web page or in an address within an address', () => {
  const KEY = 'ak_a+b/c=d0123456789';

  it.each([
    KEY.replaceAll('+', '&#x2B;').replaceAll('/', '&#47;').replaceAll('=', '&#61;'),
    encodeURIComponent(encodeURIComponent(KEY)),
  ])('is removed from %s', (text) => {
    expect(createRedactor(KEY).redact(`x ${text} y`)).toBe('x *** y');
  });
});

describe('a long secret', () => {
  const TOKEN = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${'Zm9vYmFy/NDU2Nzg5+QUJD_'.repeat(6)}==`;

  it.each([
    ['percent-encoded behind its beginning', encodeURIComponent(TOKEN)],
    ['with escaped slashes', TOKEN.replaceAll('/', String.raw`\/`)],
    ['wrapped at 76 characters', TOKEN.replace(/.{76}/g, '$&\n')],
    ['in base64 that is wrapped', Buffer.from(TOKEN).toString('base64').replace(/.{76}/g, '$&\r\n')],
    ['interrupted behind its beginning', `${TOKEN.slice(0, 40)}\u200b${TOKEN.slice(40)}`],
    ['with one character percent-encoded', TOKEN.replaceAll('_', '%5F')],
  ])('leaves nothing behind %s', (_, text) => {
    const redactor = createRedactor('ak_1234567890');
    redactor.learn(TOKEN);
    expect(redactor.redact(text)).toMatch(/^\*\*\*=?=?$/);
  });

  it('that is in use is not forgotten for texts that only look like tokens', () => {
    const redactor = createRedactor('ak_1234567890');
    redactor.learn('at_in_use_0123456789');
    for (let seen = 0; seen < 20; seen += 1) redactor.learn(`csrf-${seen}-abcdef`, 'seen');
    expect(redactor.redact('bearer at_in_use_0123456789')).toBe('bearer ***');
  });
});
