// Tests the durations that users write and that messages show.
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../../src/base/duration.ts';

const DAY = 86_400_000;

const WRITTEN = [
  { '250ms': 250, '90s': 90_000, '1h30m': 5_400_000, '1h 30m': 5_400_000, '30m1h': 5_400_000, '1m1m': 120_000 },
  { '0.5s': 500, '0s': 0, '10MS': 10, '1d2h3m4s5ms': 93_784_005 },
].flatMap((each) => Object.entries(each));

const SHOWN = [
  { '0s': 0, '0ms': 0.4, '999ms': 999, '1s': 1_000, '1.5s': 1_550, '9.9s': 9_999, '12s': 12_900, '59s': 59_999 },
  { '1m': 60_000, '1m 30s': 90_000, '59m 59s': 3_599_999, '1h': 3_605_000, '2h 5m': 7_500_000 },
  { '1d': DAY + 300_000, '1d 2h': 93_600_000, '24d': 24 * DAY },
].flatMap((each) => Object.entries(each));

describe('a duration', () => {
  it.each(WRITTEN)('can have the form %s, which means %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  const invalid = '|45|s|5 m| 5m|-5m|+5m|5min|5m;|1h30|1.m|.5m|1,5m|1e3s|٥m|1m\u00A0x'.split('|');

  it.each(invalid)('cannot have the form %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it.each([
    ['400 digits and a unit', `${'9'.repeat(400)}d`],
    ['50,000 parts and an invalid character', `${'1m'.repeat(50_000)}!`],
    ['100,000 digits without a unit', '1'.repeat(100_000)],
  ])('cannot consist of %s, which the parser rejects without delay', (_, text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  const impossible = [-1, Number.NaN, Infinity].map((ms): [string, number] => ['0s', ms]);

  it.each([...SHOWN, ...impossible])('is formatted as %s if it is %d ms long', (text, ms) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
