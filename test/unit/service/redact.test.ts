// Tests the redaction of texts, and the detection of tokens in responses to the exchange.
import { describe, expect, it } from 'vitest';
import { createRedactor, tokensIn } from '../../../src/service/redact.ts';

const API_KEY = 'ak_1234567890';

function redacting(...secrets: readonly string[]): (text: string) => string {
  const redactor = createRedactor(API_KEY);
  for (const secret of secrets) redactor.learn(secret);
  return (text) => redactor.redact(text);
}

describe('a redactor', () => {
  it.each([
    ['a token as new', ['abc'], true],
    ['a known token as known', ['abc', 'abc'], false],
    ['a token that starts with a known token as new', ['abc', 'abcd'], true],
    ['the API key as known', [API_KEY], false],
    ['an empty token as known', [''], false],
  ])('reports %s', (_what, tokens, isNew) => {
    const redactor = createRedactor(API_KEY);
    expect(tokens.map((token) => redactor.learn(token)).at(-1)).toBe(isNew);
    expect(redactor.redact('xyz')).toBe('xyz');
  });

  it.each([
    ['known if it sees the string again', 'seen', false],
    ['new if the service grants it', 'granted', true],
  ] as const)('reports a string that it has seen as %s', (_what, by, isNew) => {
    const redactor = createRedactor(API_KEY);
    expect([redactor.learn('odd', 'seen'), redactor.learn('odd', by)]).toEqual([true, isNew]);
  });

  it.each([
    ['in a URL', 'a"b/c', 'x a%22b%2Fc y', 'x *** y'],
    ['in a URL with lowercase percent-encoding', 'a"b/c', 'x a%22b%2fc y', 'x *** y'],
    ['in JSON, but keeps the quotation marks', 'a"b\\c', '{"key":"a\\"b\\\\c"}', '{"key":"***"}'],
    ['in capital letters', 'ab12-cd34-ef56', 'x AB12-CD34-EF56 y', 'x *** y'],
    ['in lowercase letters', 'AB12-CD34-EF56', 'x ab12-cd34-ef56 y', 'x *** y'],
    ['encoded with named HTML entities', `a&b"c'<d>`, 'x a&amp;b&quot;c&apos;&lt;d&gt; y', 'x *** y'],
    ['in a JavaScript string', 'ab/cd', String.raw`x ab\x2f\x63d y`, 'x *** y'],
    ['of digits that is interrupted by an invisible character', '12345678', 'x 1234\u200B5678 y', 'x *** y'],
    ['interrupted by an escaped line break', 'abcdefgh', 'x abcd\\nefgh y', 'x *** y'],
    ['percent-encoded three times', 'a"b/c', 'x a%252522b%25252Fc y', 'x *** y'],
    ['interrupted by spaces and an invisible character', 'abcd-efgh', 'a b cd\u200B-ef gh', '***'],
    ['in one piece if both halves are recognizable', 'abcdefghijkl', 'x abcdef\u200Bghijkl y', 'x *** y'],
    ['but keeps other invisible characters', 'abcdefgh', 'x\u200Bx abcdefgh', 'x\u200Bx ***'],
    ['each time it appears', 'abc', 'abcabc abc', '****** ***'],
    ['together with an adjacent copy of it', 'abcdefgh', 'abcdefghabcdefgh abcdefgh', '*** ***'],
    ['even if only part of it appears', `at_${'0123456789'.repeat(10)}`, `x at_${'0123456789'.repeat(5)} y`, 'x *** y'],
  ])('replaces a secret %s', (_how, secret, text, safe) => {
    expect(redacting(secret)(text)).toBe(safe);
  });

  it.each([4_000, 4_001])('replaces any part of a secret of several thousand characters (from %i)', (from) => {
    const secret = Array.from({ length: 1_250 }, (_, nth) => String(1_000 + nth)).join('.');
    expect(redacting(secret)(`x ${secret.slice(from, from + 30)} y`)).toBe('x *** y');
  });

  const nested = (times: number): string => `a%${'25'.repeat(times - 1)}22b`;
  const LONG = '0123456789abcdefghijklmnopqrstuvwxyz';
  it.each([
    ['replaces eight characters from the middle of a secret', LONG, 'x 9abcdefg y', 'x *** y'],
    ['keeps seven characters from the middle of a secret', LONG, 'x 9abcdef y', 'x 9abcdef y'],
    ['does not decode a string four times in one round', 'a"b', nested(4), nested(4)],
    ['decodes a string in five rounds', 'a"b', [1, 4, 7, 10, 13].map(nested).join(' '), '*** *** *** *** ***'],
    ['replaces an entire string after six rounds', 'a"b', [1, 4, 7, 10, 13, 16].map(nested).join(' '), '***'],
    ['replaces a long string that needs two rounds', 'a"b', `${'x'.repeat(16_350)} ${nested(1)} ${nested(4)}`, '***'],
    ['replaces an entire secret that starts with an earlier one', 'abc abcdef', 'abcdef', '***'],
    ['replaces an entire secret that starts with a later one', 'abcdef abc', 'abcdef', '***'],
    ['replaces part of one of two similar secrets', 'abcdefghij abcdefghKLmnopqrst', 'x abcdefghKL y', 'x *** y'],
  ])('%s', (_what, secrets, text, safe) => {
    expect(redacting(...secrets.split(' '))(text)).toBe(safe);
  });

  it.each([
    ['replaces an entire string if its', 68, '***'],
    ['keeps a string without secrets if its', 69, '100 %'],
  ])('%s decoding budget is %i', (_what, left, safe) => {
    expect(createRedactor(API_KEY).redact('100 %', { left })).toBe(safe);
  });

  const TOKEN = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${'Zm9vYmFy/NDU2Nzg5+QUJD_'.repeat(6)}==`;

  it.each([
    ['is percent-encoded', encodeURIComponent(TOKEN)],
    ['contains escaped slashes', TOKEN.replaceAll('/', String.raw`\/`)],
    ['is wrapped at 76 characters', TOKEN.replace(/.{76}/g, '$&\n')],
    ['is in line-wrapped base64', Buffer.from(TOKEN).toString('base64').replace(/.{76}/g, '$&\r\n')],
    ['is interrupted after 40 characters', `${TOKEN.slice(0, 40)}\u200b${TOKEN.slice(40)}`],
    ['contains percent-encoded underscores', TOKEN.replaceAll('_', '%5F')],
  ])('removes every part of a long secret that %s', (_, text) => {
    expect(redacting(TOKEN)(text)).toMatch(/^\*\*\*=?=?$/);
  });

  it.each([
    [2_000, 62_000],
    [16_000, 200_000],
    [100, 262_144],
  ])('takes one pass for a secret with %i identical characters and a string of %i of them', (length, size) => {
    const safe = redacting(`${'a'.repeat(length)}b`)('a'.repeat(size));
    expect(safe).toMatch(/^(?:\*\*\*)+a*$/);
    expect(safe.length).toBeLessThan(size / 10);
  });

  it.each([
    ['does not forget a token in use', 'at_in_use_0123456789', false],
    ['does not forget the sixteenth last string', 'csrf-4-abcdef', false],
    ['forgets an earlier string', 'csrf-3-abcdef', true],
  ])('%s after twenty strings that only look like tokens', (_what, token, isNew) => {
    const redactor = createRedactor(API_KEY);
    redactor.learn('at_in_use_0123456789');
    for (let nth = 0; nth < 20; nth += 1) redactor.learn(`csrf-${nth}-abcdef`, 'seen');
    expect(redactor.redact('bearer at_in_use_0123456789')).toBe('bearer ***');
    expect(redactor.learn(token, 'seen')).toBe(isNew);
  });
});

describe('the token search', () => {
  it.each<[string, readonly string[]]>([
    ['{"token":"abc-1"}', ['abc-1']],
    ['{"a":1, "token" : "abc-1", "b":2} {"token":"abc-2"}', ['abc-1', 'abc-2']],
    ['"token":"abc-1" "token":"abc-2" "token":"abc-3"', ['abc-1', 'abc-2']],
    ['broken {"token":"abc-1", and no end', ['abc-1']],
    ['{"token":"tok-A1b2', ['tok-A1b2']],
    ['{"token":"tok-A1b2\\', ['tok-A1b2']],
    [String.raw`"token":"tok\/A1b2\"C3"`, ['tok/A1b2"C3']],
    ['{"token":"abcd"}', ['abcd']],
  ])('given %s, finds %j', (text, tokens) => {
    expect(tokensIn(text)).toEqual(tokens);
  });

  it.each([
    '{"token":"abc',
    '{"token":"abc"}',
    '{"token":"a b c d"}',
    '{"token":"abcd efgh"}',
    '{"token":"a\\nbcd"}',
    '{"token":null}',
    '{"access_token":"abc-1"}',
  ])('finds no token in %s', (text) => {
    expect(tokensIn(text)).toEqual([]);
  });
});
