// Tests the redaction of texts, and the detection of tokens in a response to the exchange.
import { describe, expect, it } from 'vitest';
import { createRedactor, tokensIn } from '../../../src/service/redact.ts';

const API_KEY = 'ak_1234567890';

function redacting(...secrets: readonly string[]): (text: string) => string {
  const redactor = createRedactor(API_KEY);
  for (const secret of secrets) redactor.learn(secret);
  return (text) => redactor.redact(text);
}

describe('a redactor', () => {
  it('reports whether a token is new', () => {
    const redactor = createRedactor(API_KEY);
    const learned = ['abc', 'abc', 'abcd', API_KEY, ''].map((token) => redactor.learn(token));
    expect(learned).toEqual([true, false, true, false, false]);
    expect(redactor.redact('xyz')).toBe('xyz');
  });

  it.each([
    ['in a URL', 'a"b/c', 'x a%22b%2Fc y', 'x *** y'],
    ['in a URL, in lower case', 'a"b/c', 'x a%22b%2fc y', 'x *** y'],
    ['in JSON, whose quotation marks stay', 'a"b\\c', '{"key":"a\\"b\\\\c"}', '{"key":"***"}'],
    ['each time', 'abc', 'abcabc abc', '****** ***'],
    ['and the same one right after it', 'abcdefgh', 'abcdefghabcdefgh abcdefgh', '*** ***'],
    ['even if only a part appears', `at_${'0123456789'.repeat(10)}`, `x at_${'0123456789'.repeat(5)} y`, 'x *** y'],
  ])('replaces a secret %s', (_how, secret, text, safe) => {
    expect(redacting(secret)(text)).toBe(safe);
  });

  it('replaces eight characters from the middle of a secret, but not seven', () => {
    const redact = redacting('0123456789abcdefghijklmnopqrstuvwxyz');
    expect([redact('x 9abcdefg y'), redact('x 9abcdef y')]).toEqual(['x *** y', 'x 9abcdef y']);
  });

  it('replaces a whole text if it is too expensive to decode', () => {
    expect(createRedactor(API_KEY).redact('100 %', { left: 10 })).toBe('***');
  });

  it('replaces a whole secret even if it starts with another secret', () => {
    expect(redacting('abc', 'abcdef')('abcdef')).toBe('***');
    expect(redacting('abcdef', 'abc')('abcdef')).toBe('***');
  });

  const TOKEN = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${'Zm9vYmFy/NDU2Nzg5+QUJD_'.repeat(6)}==`;

  it.each([
    ['percent-encoded', encodeURIComponent(TOKEN)],
    ['with escaped slashes', TOKEN.replaceAll('/', String.raw`\/`)],
    ['wrapped at 76 characters', TOKEN.replace(/.{76}/g, '$&\n')],
    ['in base64 that is wrapped', Buffer.from(TOKEN).toString('base64').replace(/.{76}/g, '$&\r\n')],
    ['interrupted after its beginning', `${TOKEN.slice(0, 40)}\u200b${TOKEN.slice(40)}`],
    ['with one character percent-encoded', TOKEN.replaceAll('_', '%5F')],
  ])('removes every part of a long secret %s', (_, text) => {
    expect(redacting(TOKEN)(text)).toMatch(/^\*\*\*=?=?$/);
  });

  it.each([
    [2_000, 62_000],
    [16_000, 200_000],
    [100, 262_144],
  ])('needs only one pass for a secret of %i equal characters in a text of %i characters', (length, size) => {
    const safe = redacting(`${'a'.repeat(length)}b`)('a'.repeat(size));
    expect(safe).toMatch(/^(?:\*\*\*)+a*$/);
    expect(safe.length).toBeLessThan(size / 10);
  });

  it('does not forget a current token because of texts that only look like tokens', () => {
    const redactor = createRedactor(API_KEY);
    redactor.learn('at_in_use_0123456789');
    for (let nth = 0; nth < 20; nth += 1) redactor.learn(`csrf-${nth}-abcdef`, 'seen');
    expect(redactor.redact('bearer at_in_use_0123456789')).toBe('bearer ***');
  });
});

describe('a text', () => {
  it.each<[string, readonly string[]]>([
    ['{"token":"abc-1"}', ['abc-1']],
    ['{"a":1, "token" : "abc-1", "b":2} {"token":"abc-2"}', ['abc-1', 'abc-2']],
    ['"token":"abc-1" "token":"abc-2" "token":"abc-3"', ['abc-1', 'abc-2']],
    ['broken {"token":"abc-1", and no end', ['abc-1']],
    ['{"token":"tok-A1b2', ['tok-A1b2']],
    ['{"token":"tok-A1b2\\', ['tok-A1b2']],
    [String.raw`"token":"tok\/A1b2\"C3"`, ['tok/A1b2"C3']],
    ['{"token":"abcd"}', ['abcd']],
    ['{"token":"abc', []],
    ['{"token":"abc"}', []],
    ['{"token":"a b c d"}', []],
    ['{"token":"a\\nbcd"}', []],
    ['{"token":null}', []],
    ['{"access_token":"abc-1"}', []],
  ])('like %s contains the tokens %j', (text, tokens) => {
    expect(tokensIn(text)).toEqual(tokens);
  });
});
