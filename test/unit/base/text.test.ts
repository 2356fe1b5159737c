// Text from outside, which must neither rewrite a terminal nor start a workflow command.
import { describe, expect, it, vi } from 'vitest';
import {
  asSeen,
  bugOf,
  capitalized,
  flat,
  listed,
  messageOf,
  oneLine,
  quoted,
  sentence,
  shorten,
  unescaped,
  withoutCommands,
} from '../../../src/base/text.ts';

/** All white space in Unicode, and other characters that some systems treat as white space. */
const WHITE_SPACE = [
  0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006,
  0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
].map((code) => String.fromCharCode(code));

/** Whether the runner would execute a line of the text as a command. */
function isCommand(text: string): boolean {
  return text
    .split('\n')
    .some((line) => line.replace(/^[\s\u0085\uFEFF]+/u, '').startsWith('::') || line.includes('##['));
}

describe('oneLine', () => {
  const spaces = WHITE_SPACE.flatMap((space) => [space, `${space}${space}`, ` ${space} `]);

  it.each(spaces.map((space) => [JSON.stringify(space), space]))('leaves no workflow command after %s', (_, space) => {
    const text = `${space}::error::x`;
    expect(oneLine(text)).toMatch(/^:\u200B:/);
    expect(isCommand(withoutCommands(unescaped(`x\n${text}`).slice(2)))).toBe(false);
  });

  const old = ['##[error]x', 'x ##[group]y', '####[debug]', '#\u001B[0m#[error]', '#\u0000##[add-mask]'];
  const hidden = ['\u001B[0m:', '\u200B:', '\u202E:', '\u0000:', ':\u001B[0m'].map((mark) => `${mark}:error::x`);
  it.each([...old, ...hidden])('leaves no workflow command in %j', (text) => {
    expect([oneLine(text), oneLine(oneLine(text)), quoted(text)].map(isCommand)).toEqual([false, false, false]);
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
    ['the control characters, and nothing else, in misread UTF-8', 'â\u0080\u009Dquoted', 'âquoted'],
    ['line breaks', ' a\n\n b\r\n\tc\rd\u2028e\u2029f\u0085g ', 'a b c d e f g'],
    ['a backspace, a bell and a null character', 'a\u0008b\u0007c\0d', 'abcd'],
    ['bidirectional marks', 'abc\u202Edef\u2066ghi\u200F', 'abcdefghi'],
    ['zero-width and tag characters', 'pass\u200Bword\uFEFF\u00ADx\u{E0041}y', 'passwordxy'],
    ['private and unassigned characters', 'a\uE000b\u{10FFFF}c\u0378d', 'abcd'],
    ['lone surrogates', 'a\uD83Db\uDE00c', 'abc'],
    ['everything from a text of white space', ' \u3000\n\u200B ', ''],
  ])('removes or replaces %s', (_, text, shown) => {
    expect(oneLine(text)).toBe(shown);
  });

  it.each(['Überlauf – „ja“', '日本語のパイプライン', 'مرحبا', '🚀 done ✅ 👍🏽', 'a: b :: c', '5 % | `x` <b>'])(
    'does not change %s',
    (text) => {
      expect([oneLine(text), flat(text)]).toEqual([text, text]);
    },
  );

  it.each(['\u001B]', ' ', '\u001B[', '\u001B\u000B', '\u009D', '\u000B', ':', '##['])(
    'takes linear time for 100,000 times %j',
    (part) => {
      expect(oneLine(`\u001B${part.repeat(100_000)}\u001B`).length).toBeLessThanOrEqual(700);
    },
  );
});

it.each([
  ['Cafe\u0301', 'Caf\u00e9'],
  [' a\u00a0\u00a0b\u200bc\n', 'a bc'],
  ['x'.repeat(1_000), 'x'.repeat(1_000)],
  ['x'.repeat(1_001), ''],
])('people see %j as %j', (name, seen) => {
  expect(asSeen(name)).toBe(seen);
});

it('a name that is too long is not normalized', () => {
  const name = `x${'\u0301\u0316'.repeat(120_000)}`;
  const normalize = vi.spyOn(String.prototype, 'normalize');
  expect(asSeen(name)).toBe('');
  expect(normalize).not.toHaveBeenCalled();
});

it.each([
  ['a\r\nb\rc\u2028d\n', 'a\nb\nc\nd'],
  ['\u001B[31mred\u001B[0m\n\u202Eleft', 'red\nleft'],
  [' \n a\tb \n', 'a b'],
])('unescaped keeps the line breaks in %j, but nothing else that moves the cursor', (text, shown) => {
  expect(unescaped(text)).toBe(shown);
});

it.each([
  ['abc', 3, 'abc'],
  ['abcdefghijk', 6, 'abc…jk'],
  ['ab   cdefghij', 6, 'ab…ij'],
  ['ab🚀defghijkl', 6, 'ab…kl'],
  ['abcdefgh🚀', 6, 'abc…🚀'],
  ['abcdefg🚀h', 6, 'abc…h'],
  ['abcdefgu\u0308\u0301h', 6, 'abc…h'],
  ['abc', 1, '…'],
])('shorten keeps the beginning and the end of %j within %d characters: %j', (text, longest, shown) => {
  expect(shorten(text, longest)).toBe(shown);
});

it('the small helpers quote, punctuate, capitalize and list texts', () => {
  expect([quoted('a "b" c\n::d'), quoted('x'.repeat(30), 6)]).toEqual([`'a "b" c ::d'`, '"xxx…xx"']);
  expect(quoted('"a" doesn\'t exist')).toBe(`"'a' doesn't exist"`);
  expect([sentence('a'), sentence('a!'), sentence('a…')]).toEqual(['a.', 'a!', 'a…']);
  expect([capitalized('run'), capitalized('')]).toEqual(['Run', '']);
  expect([listed(['a', 'b']), listed('a b c d e f g'.split(' '))]).toEqual(['a and b', 'a, b, c, d, e and 2 more']);
  expect([messageOf(new Error('x')), messageOf('y'), messageOf(undefined)]).toEqual(['x', 'y', 'undefined']);
});

it('an internal error is described with the place in the bundle, but without paths', () => {
  const error = new TypeError('x is not a function');
  error.stack =
    'TypeError: x is not a function\n    at watch (file:///home/runner/work/_actions/a/b/dist/index.js:12:3)';
  expect(bugOf(error)).toBe('x is not a function, index.js:12');
  error.stack = 'TypeError: x is not a function\n    at read (file:///a/dist/162.index.js:870:3)';
  expect(bugOf(error)).toBe('x is not a function, 162.index.js:870');
  expect([bugOf(new Error('boom')), bugOf('thrown text')]).toEqual(['boom', 'thrown text']);
});
