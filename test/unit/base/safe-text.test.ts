import { describe, expect, it } from 'vitest';
import { neutral, oneLine, quoted, quotedName, shorten } from '../../../src/base/safe-text.ts';

/** All that Unicode calls white space, and what some systems take for it. */
const WHITE_SPACE = [
  0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006,
  0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
].map((code) => String.fromCharCode(code));

/** What a runner does to find out whether a line is a command. */
function isCommand(line: string): boolean {
  const trimmed = line.replace(/^[\s\u0085\uFEFF]+/u, '');
  return trimmed.startsWith('::') || line.includes('##[');
}

describe('text from outside', () => {
  it.each(WHITE_SPACE.map((space) => [space.charCodeAt(0).toString(16), space]))(
    'is no workflow command after U+%s',
    (_, space) => {
      for (const text of [`${space}::error::x`, `${space}${space}::error::x`, ` ${space} ::stop-commands::x`]) {
        expect(oneLine(text)).toMatch(/^:\u200B:/);
        expect(isCommand(neutral(text))).toBe(false);
      }
    },
  );

  it.each([
    '##[error]x',
    'x ##[group]y',
    '####[debug]',
    '#\u001B[0m#[error]',
    '\u001B[1m##[error]',
    '#\u0000##[add-mask]',
  ])('is no old command: %j', (text) => {
    expect(isCommand(oneLine(text))).toBe(false);
    expect(isCommand(neutral(text))).toBe(false);
  });

  it.each(['\u001B[0m::error::x', '\u200B::error::x', '\u202E::error::x', ':\u001B[0m:error::x', '\u0000::error::x'])(
    'is no command behind what is taken away: %j',
    (text) => {
      expect(isCommand(oneLine(text))).toBe(false);
      expect(isCommand(neutral(text))).toBe(false);
    },
  );

  it.each([
    ['colours', '\u001B[31;1mred\u001B[0m text', 'red text'],
    ['a cursor that moves', 'a\u001B[2K\u001B[1Gb', 'ab'],
    ['a control sequence of one character', 'a\u009B31mb', 'ab'],
    ['a link of the terminal', '\u001B]8;;https://evil.test\u0007click\u001B]8;;\u001B\\', 'click'],
    ['a title of the terminal that never ends', 'a\u001B]0;title', 'a'],
    ['an escape of its own', 'a\u001Bcb', 'ab'],
    ['escapes of one digit or mark', 'a\u001B7b\u001B=c\u001B>d', 'abcd'],
    ['a choice of character sets', 'a\u001B(B\u001B[mb\u001B#8c\u001B%Gd', 'abcd'],
    ['a device control string', 'a\u001BPq#0\u001B\\b', 'ab'],
    ['other strings', 'a\u001B_x\u001B\\b\u001B^y\u001B\\c\u001BXz\u009Cd', 'abcd'],
    ['strings that are cancelled', 'a\u001B]0;t\u0018b\u001BPq\u001Ac', 'abc'],
    ['strings that begin with one character', 'a\u009D0;t\u0007b\u0090q\u009Cc', 'abc'],
    ['a control sequence with control characters in it', 'a\u001B\u000B[0\u000B;\n1mb', 'ab'],
    ['sequences that do not end', 'a\u001B[31\u001B(\u001Bé', 'aé'],
    ['no text behind misread UTF-8', 'â\u0080\u009Dquoted', 'â quoted'],
    ['a carriage return', 'good\rbad', 'good bad'],
    ['lines', ' a\n\n b\r\n\tc ', 'a b c'],
    ['a backspace and a bell', 'a\u0008b\u0007c', 'a b c'],
    ['separators', 'a\u2028b\u2029c\u0085d', 'a b c d'],
    ['marks that turn the direction', 'abc\u202Edef\u2066ghi\u200F', 'abc def ghi'],
    ['characters of no width', 'pass\u200Bword\uFEFF\u00ADx', 'pass word x'],
    ['tags that nobody sees', 'a\u{E0041}\u{E0042}b', 'a b'],
    ['private use and what is not assigned', 'a\uE000b\u{10FFFF}c\u0378d', 'a b c d'],
    ['half a character', 'a\uD83Db\uDE00c', 'a b c'],
    ['nothing but white space', ' \u3000\n\u200B ', ''],
  ])('loses %s', (_, text, shown) => {
    expect(oneLine(text)).toBe(shown);
  });

  it.each([
    'Überlauf – „ja“',
    '日本語のパイプライン',
    'שלום',
    'مرحبا',
    '🚀 done ✅ 👍🏽',
    'a: b :: c',
    '5 % | `x` <b>',
    'it\'s "so"',
  ])('keeps %s', (text) => {
    expect(oneLine(text)).toBe(text);
    expect(neutral(text)).toBe(text);
  });

  it('is cut where it grows too long, and goes through a second time unchanged', () => {
    const once = oneLine(`::${'x'.repeat(600)}`);
    expect(once).toHaveLength(501);
    expect(once.endsWith('…')).toBe(true);
    expect(oneLine(once, 501)).not.toMatch(/^::/);
    expect(neutral(once)).toBe(once);
  });

  it('takes no time to speak of, however it is made', () => {
    const nasty = [
      '\u001B]'.repeat(50_000),
      ' '.repeat(100_000),
      '\u001B['.repeat(50_000),
      '\u001B\u000B'.repeat(50_000),
      '\u009D'.repeat(100_000),
      `\u001B${'\u000B'.repeat(100_000)}\u001B`,
      ':'.repeat(100_000),
    ];
    for (const text of nasty) expect(oneLine(text).length).toBeLessThanOrEqual(501);
  });
});

describe('a line of our own', () => {
  it('keeps its spaces, and its order', () => {
    expect(neutral('  two  spaces  ')).toBe('  two  spaces  ');
  });

  it('is one line', () => {
    expect(neutral('a\nb\r\nc\u2028d\u0085e')).toBe('a b  c d e');
  });

  it('keeps the characters of no width that keep a command from being one', () => {
    expect(neutral(oneLine('##[error]'))).toBe('#\u200B#[error]');
  });
});

describe('a quotation', () => {
  it('ends where it says', () => {
    expect(quoted('a "b" c\n::d')).toBe(`"a 'b' c ::d"`);
    expect(quoted('x'.repeat(300), 10)).toBe(`"${'x'.repeat(9)}…"`);
    expect(quoted('')).toBe('""');
  });
});

describe('a quoted name', () => {
  it.each([
    ['a zero-width space', 'or\u200Bders', 'or\\u200Bders'],
    ['a byte order mark', '\uFEFForders', '\\uFEFForders'],
    ['a tag', 'orders\u{E0041}', 'orders\\u{E0041}'],
    ['a filler that is a letter', 'orders\u3164', 'orders\\u3164'],
    ['a no-break space', 'my\u00A0orders', 'my\\u00A0orders'],
    ['a tab and a line feed', 'my\torders\n', 'my\\u0009orders\\u000A'],
    ['spaces at its ends', ' orders ', '\\u0020orders\\u0020'],
    ['two spaces', 'my  orders', 'my \\u0020orders'],
    ['a terminal escape', '\u001B[31morders', '\\u001B[31morders'],
    ['a mark that turns the direction', 'orders\u202E', 'orders\\u202E'],
    ['half a character', 'orders\uD83D', 'orders\\uD83D'],
  ])('shows %s', (_, name, shown) => {
    expect(quotedName(name)).toBe(`"${shown}"`);
  });

  it.each(['orders', 'my orders', '日本語のパイプライン', 'Überlauf – „ja“', '🚀 done ✅'])('keeps %s', (name) => {
    expect(quotedName(name)).toBe(`"${name}"`);
  });

  it('is no command, and ends where it says', () => {
    expect(isCommand(quotedName('\u200B##[error]x'))).toBe(false);
    expect(quotedName('a "b"')).toBe(`"a 'b'"`);
    expect(quotedName('\u200B'.repeat(100_000), 13)).toBe('"\\u200B\\u200B…"');
  });
});

describe('a text that is shortened', () => {
  it('never ends in half a character, and says that something is missing', () => {
    expect(shorten('ab', 2)).toBe('ab');
    expect(shorten('abcd', 3)).toBe('ab…');
    expect(shorten('ab   cd', 5)).toBe('ab…');
    expect(shorten('a🚀bc', 3)).toBe('a…');
    expect(shorten('a🚀bc', 4)).toBe('a🚀…');
    expect(shorten('abc', 1)).toBe('…');
  });
});
