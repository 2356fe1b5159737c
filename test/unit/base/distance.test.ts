import { expect, it } from 'vitest';
import { editDistance } from '../../../src/base/distance.ts';

it.each([
  ['', '', 0],
  ['timeout', '', 7],
  ['timeout', 'timeout', 0],
  ['timeout', 'timeouts', 1],
  ['timeout', 'imeout', 1],
  ['timeout', 'tineout', 1],
  ['timeout', 'tiemout', 1],
  ['kitten', 'sitting', 3],
  ['flaw', 'lawn', 2],
  ['a💥c', 'abc', 1],
])('the edit distance between %j and %j is %i', (one, other, expected) => {
  expect([editDistance(one, other), editDistance(other, one)]).toEqual([expected, expected]);
});

it('the edit distance depends only on the first 100 characters', () => {
  expect(editDistance('a'.repeat(1_000_000), 'b'.repeat(1_000_000))).toBe(100);
  expect(editDistance(`${'a'.repeat(100)}b`, `${'a'.repeat(100)}cdef`)).toBe(0);
});
