// The durations that users write and that messages show.
import { describe, expect, it } from 'vitest';
import { formatDuration, isoTime, parseDuration } from '../../../src/base/duration.ts';

const WRITTEN = {
  '250ms': 250,
  '90s': 90_000,
  '1h30m': 5_400_000,
  '1h 30m': 5_400_000,
  '30m1h': 5_400_000,
  '1m1m': 120_000,
  '0.5s': 500,
  '0s': 0,
  '10MS': 10,
  '1d2h3m4s5ms': 93_784_005,
};
const SHOWN = {
  '999ms': 999,
  '1s': 1_000,
  '12s': 12_900,
  '1m': 60_000,
  '1m 30s': 90_000,
  '59m 59s': 3_599_999,
  '1h': 3_600_000,
  '1h 5s': 3_605_000,
  '2h 5m': 7_500_000,
  '26h': 93_600_000,
  '0s': 0,
};

describe('a duration', () => {
  it.each(Object.entries(WRITTEN))('can be written as %s, which means %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each('|45|s|5 m| 5m|-5m|+5m|5min|5m;|1h30|1.m|.5m|1,5m|1e3s|٥m|1m\u00A0x'.split('|'))(
    'cannot be written as %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it.each([`${'1m'.repeat(50_000)}!`, '1'.repeat(100_000)])(
    'with a very long text is rejected without delay',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it.each(Object.entries(SHOWN))('is shown as %s if it is %d ms long', (text, ms) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

it.each([
  [0, '1970-01-01T00:00:00.000Z'],
  [9e15, 'an unknown time'],
  [Number.NaN, 'an unknown time'],
])('the wall-clock time %d is shown as %s', (ms, text) => {
  expect(isoTime(ms)).toBe(text);
});
