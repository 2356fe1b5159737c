// Tests that printed text contains no workflow commands, escape sequences or invisible characters.
import { describe, expect, it } from 'vitest';
import { neutral, oneLine, quoted, quotedName, shorten } from '../../../src/base/safe-text.ts';

/** All white space in Unicode, and other characters that some systems treat as white space. */
const WHITE_SPACE = [
  0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006,
  0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
].map((code) => String.fromCharCode(code));

/** Returns true if the runner would execute the line as a command. */
function isCommand(line: string): boolean {
  const trimmed = line.replace(/^[\s\u0085\uFEFF]+/u, '');
  return trimmed.startsWith('::') || line.includes('##[');
}

describe('external text', () => {
  const codesIn = (text: string) => Array.from(text, (each) => `U+${each.charCodeAt(0).toString(16)}`).join(' ');
  const spaces = WHITE_SPACE.flatMap((space) => [space, `${space}${space}`, ` ${space} `]);
  const named = spaces.map((space) => [codesIn(space), space] as const);

  it.each(named)('does not become a workflow command if it starts with %s', (_, space) => {
    const text = `${space}::error::x`;
    expect(oneLine(text)).toMatch(/^:\u200B:/);
    expect(isCommand(neutral(text))).toBe(false);
  });

  const old = ['##[error]x', 'x ##[group]y', '####[debug]', '#\u001B[0m#[error]', '#\u0000##[add-mask]'];
  const hidden = ['\u001B[0m:', '\u200B:', '\u202E:', '\u0000:', ':\u001B[0m'].map((mark) => `${mark}:error::x`);

  it.each([...old, ...hidden])('such as %j is not a workflow command after cleaning', (text) => {
    expect([isCommand(oneLine(text)), isCommand(neutral(text)), isCommand(quotedName(text))]).not.toContain(true);
  });

  it.each([
    ['a control sequence that begins with a C1 character', 'a\u009B31mb', 'ab'],
    ['a terminal link', '\u001B]8;;https://evil.test\u0007click\u001B]8;;\u001B\\', 'click'],
    ['an unfinished terminal title', 'a\u001B]0;title', 'a'],
    ['an ESC followed by a letter, digit or symbol', '\u001Bca\u001B7b\u001B=c\u001B>d', 'abcd'],
    ['character set selections', 'a\u001B(B\u001B[mb\u001B#8c\u001B%Gd', 'abcd'],
    ['APC, PM and SOS strings', 'a\u001B_x\u001B\\b\u001B^y\u001B\\c\u001BXz\u009Cd', 'abcd'],
    ['cancelled control strings', 'a\u001B]0;t\u0018b\u001BPq\u001Ac', 'abc'],
    ['control strings that begin with a C1 character', 'a\u009D0;t\u0007b\u0090q\u009Cc', 'abc'],
    ['a control sequence that contains control characters', 'a\u001B\u000B[0\u000B;\n1mb', 'ab'],
    ['unfinished sequences', 'a\u001B[31\u001B(\u001Bé', 'aé'],
    ['the control characters, and nothing else, in misread UTF-8', 'â\u0080\u009Dquoted', 'â quoted'],
    ['line breaks', ' a\n\n b\r\n\tc\rd ', 'a b c d'],
    ['a backspace and a bell', 'a\u0008b\u0007c', 'a b c'],
    ['line and paragraph separators', 'a\u2028b\u2029c\u0085d', 'a b c d'],
    ['bidirectional marks', 'abc\u202Edef\u2066ghi\u200F', 'abc def ghi'],
    ['zero-width characters', 'pass\u200Bword\uFEFF\u00ADx', 'pass word x'],
    ['invisible tag characters', 'a\u{E0041}\u{E0042}b', 'a b'],
    ['private and unassigned characters', 'a\uE000b\u{10FFFF}c\u0378d', 'a b c d'],
    ['lone surrogates', 'a\uD83Db\uDE00c', 'a b c'],
    ['all its characters if it consists of white space', ' \u3000\n\u200B ', ''],
  ])('is cleaned of %s', (_, text, shown) => {
    expect(oneLine(text)).toBe(shown);
  });

  const plain = ['Überlauf – „ja“', '日本語のパイプライン', 'مرحبا', '🚀 done ✅ 👍🏽', 'a: b :: c', '5 % | `x` <b>'];

  it.each(plain)('such as %s is unchanged by cleaning', (text) => {
    expect([oneLine(text), neutral(text), quotedName(text)]).toEqual([text, text, `"${text}"`]);
  });

  it('is shortened if it is too long, and contains no command even if it is cleaned again', () => {
    const once = oneLine(`::${'x'.repeat(600)}`);
    expect(once).toHaveLength(501);
    expect(once.endsWith('…')).toBe(true);
    expect([oneLine(once, 501), neutral(once)]).not.toContainEqual(expect.stringMatching(/^::/));
  });

  describe.each(['\u001B]', ' ', '\u001B[', '\u001B\u000B', '\u009D', '\u000B', ':'])('that repeats %j', (part) => {
    it.each([
      ['alone', part.repeat(50_000)],
      ['between two escape characters', `\u001B${part.repeat(100_000)}\u001B`],
    ])('%s takes linear time to clean', (_, text) => {
      expect(oneLine(text).length).toBeLessThanOrEqual(501);
    });
  });
});

it.each([
  ['keeps its spaces', '  two  spaces  ', '  two  spaces  '],
  ['becomes one line', 'a\nb\r\nc\u2028d\u0085e', 'a b  c d e'],
  ['keeps the zero-width space that disarms a command', oneLine('##[error]'), '#\u200B#[error]'],
])("the action's own text %s", (_, text, printed) => {
  expect(neutral(text)).toBe(printed);
});

it.each([
  ['of a text is one line with single quotation marks inside', quoted('a "b" c\n::d'), `a 'b' c ::d`],
  ['of a long text has at most the given length', quoted('x'.repeat(300), 10), `${'x'.repeat(9)}…`],
  ['of a name has single quotation marks inside', quotedName('a "b"'), `a 'b'`],
  ['of a long name has at most the given length', quotedName('\u200B'.repeat(100_000), 13), '\\u200B\\u200B…'],
])('a quotation %s', (_, quotation, inside) => {
  expect(quotation).toBe(`"${inside}"`);
});

it.each([
  ['a zero-width space', 'or\u200Bders', 'or\\u200Bders'],
  ['a tag character', 'orders\u{E0041}', 'orders\\u{E0041}'],
  ['a filler letter', 'orders\u3164', 'orders\\u3164'],
  ['a no-break space', 'my\u00A0orders', 'my\\u00A0orders'],
  ['a tab and a line feed', 'my\torders\n', 'my\\u0009orders\\u000A'],
  ['spaces at both ends', ' orders ', '\\u0020orders\\u0020'],
  ['two consecutive spaces', 'my  orders', 'my \\u0020orders'],
  ['a terminal escape', '\u001B[31morders', '\\u001B[31morders'],
  ['a lone surrogate', 'orders\uD83D', 'orders\\uD83D'],
])('a quotation makes %s visible in a name', (_, name, shown) => {
  expect(quotedName(name)).toBe(`"${shown}"`);
});

it.each([
  ['ab', 2, 'ab'],
  ['abcd', 3, 'ab…'],
  ['ab   cd', 5, 'ab…'],
  ['a🚀bc', 3, 'a…'],
  ['a🚀bc', 4, 'a🚀…'],
  ['abc', 1, '…'],
])('the text "%s", shortened to %d characters, is "%s"', (text, longest, shown) => {
  expect(shorten(text, longest)).toBe(shown);
});
