// Durations as users write them, and as messages show them.
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../../src/base/duration.ts';

describe('a duration', () => {
  it.each([
    ['250ms', 250],
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['1h 30m', 5_400_000],
    ['1d2h3m4s5ms', 93_784_005],
    ['30m1h', 5_400_000],
    ['1m1m', 120_000],
    ['0.5s', 500],
    ['0s', 0],
    ['10MS', 10],
  ])('may be written as %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each('|45|s|5 m| 5m|-5m|+5m|5min|5m;|1h30|1.m|.5m|1,5m|1e3s|٥m|1m\u00A0x'.split('|'))(
    'may not be written as %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it.each([
    ['a number beyond all others', `${'9'.repeat(400)}d`],
    ['many parts', `${'1m'.repeat(50_000)}!`],
    ['many digits', '1'.repeat(100_000)],
  ])('may not be written as %s, which is rejected without delay', (_, text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it.each([
    [0, '0s'],
    [0.4, '0ms'],
    [999, '999ms'],
    [1_000, '1s'],
    [1_550, '1.5s'],
    [9_999, '9.9s'],
    [12_900, '12s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [90_000, '1m 30s'],
    [3_599_999, '59m 59s'],
    [3_605_000, '1h'],
    [7_500_000, '2h 5m'],
    [93_600_000, '1d 2h'],
    [86_400_000 * 24, '24d'],
    [86_400_000 + 5 * 60_000, '1d'],
    [-1, '0s'],
    [Number.NaN, '0s'],
    [Infinity, '0s'],
  ])('of %d ms is shown as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
