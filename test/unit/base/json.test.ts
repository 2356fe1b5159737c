// JSON from outside, which may be anything.
import { expect, it } from 'vitest';
import { asObject, parseJson } from '../../../src/base/json.ts';

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
