// External JSON, which may be anything.
import { describe, expect, it } from 'vitest';
import { asObject, isCompleteJson, parseJson, piecesOf } from '../../../src/base/json.ts';

it.each([
  ['{"a":1}', { a: 1 }, { a: 1 }],
  ['[1]', [1], {}],
  ['null', null, {}],
  ['"x"', 'x', {}],
  ['{"a":', undefined, {}],
  ['', undefined, {}],
])('the text %j is parsed as %j and read as the object %j', (text, value, object) => {
  expect(parseJson(text)).toEqual(value);
  expect(asObject(parseJson(text))).toEqual(object);
});

/** A text with more parts than `parseJson` accepts. */
const many = (part: string): string => `[${part.repeat(10_000)}1]`;

it.each([
  ['too many values', many('1,'), false],
  ['too many levels', '['.repeat(6_000) + ']'.repeat(6_000), false],
  ['as many parts in a string', JSON.stringify(many('[{"\\\\:,')), true],
])('JSON with %s is parsed: %j', (_, text, isParsed) => {
  expect(parseJson(text) !== undefined).toBe(isParsed);
});

describe('the pieces of an array', () => {
  const texts = ['a,]"', '\\', '[{:', '', '\u{1F600}"\\'];
  const rows = Array.from({ length: 5_000 }, (_, nth) => ({ nth, text: texts[nth % 5], more: [[nth], {}] }));

  it.each([
    ['no element', []],
    ['one element', [{ a: 1 }]],
    ['many elements', rows],
    ['a long element', [1, 'x,'.repeat(200_000), 2]],
  ])('are the entire array if it has %s', (_, array) => {
    const pieces = [...piecesOf(` ${JSON.stringify(array, null, 1)}\n`)];
    expect(pieces.flat()).toEqual(array);
    expect(pieces.length).toBeLessThan(20);
  });

  it('are many for a long array', () => {
    expect([...piecesOf(JSON.stringify(rows))].length).toBeGreaterThan(5);
  });

  it.each(['', '[', '[1', '[1,]', '[[]', '[1]2', '[1]]', '[}', '{"a":1}', '"[]"', '[1 2]', ' x'])(
    'end with undefined if the text is %j',
    (text) => {
      expect([...piecesOf(text)].at(-1)).toBeUndefined();
    },
  );

  it('end with undefined if an element is too complex', () => {
    expect([...piecesOf(`[1,${many('1,')},2]`)].at(-1)).toBeUndefined();
  });
});

it.each([
  ['null', true],
  ['"x', false],
  ['[1', false],
  [many('1,'), true],
  [` ${many('1,')}\n`, true],
  [many('[1],'), true],
  [many('1,').slice(0, -1), false],
  [many('[1],').slice(0, -1), false],
  [`${many('1,')}]`, false],
  [`1,${many('1,')}`, false],
  [`["${'x'.repeat(300_000)}"]`, true],
  [`["${'x'.repeat(300_000)}"`, false],
])('complete JSON is distinguished from other texts (case %#)', (text, isWhole) => {
  expect(isCompleteJson(text)).toBe(isWhole);
});
