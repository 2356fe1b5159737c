import { describe, expect, it } from 'vitest';
import { asOutput } from '../../src/real-world.ts';

describe('an output', () => {
  it.each([
    ['', 'END'],
    ['one line', 'END'],
    ['first\nEND\nother<<END\nforged\nEND', 'END_END'],
    ['END_END\nEND', 'END_END_END'],
  ])('with the value %j ends with %s, which does not occur in the value', (value, delimiter) => {
    expect(asOutput('message', value)).toBe(`message<<${delimiter}\n${value}\n${delimiter}\n`);
  });
});
