import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../../src/service/classify.ts';

const WALL = Date.parse('2026-01-05T12:00:00Z');
const HALF_A_MINUTE_LATER = 'Mon, 05 Jan 2026 12:00:30 GMT';

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['7', 7_000],
    [' 7 ', 7_000],
    ['60', 60_000],
    ['3600', 60_000],
    ['99999999999999999999', 60_000],
    [HALF_A_MINUTE_LATER, 30_000],
    ['Monday, 05-Jan-26 12:00:30 GMT', 30_000],
    ['Mon Jan  5 12:00:30 2026 GMT', 30_000],
    ['Mon, 05 Jan 2026 11:00:00 GMT', 0],
    ['Mon, 05 Jan 2037 11:00:00 GMT', 60_000],
  ])('%s is %i ms', (value, ms) => {
    expect(parseRetryAfter({ 'retry-after': value }, WALL)).toBe(ms);
  });

  it.each([
    '',
    '   ',
    'soon',
    '-5',
    '1.5',
    '5s',
    '0x10',
    '+7',
    'Mon, 99 Foo 2026 12:00:30 GMT',
    // Dates to V8, and none to HTTP.
    'on Mon, 05 Jan 2026 12:00:30 GMT',
    'Mon, 05 Jan 2026 2:00:30 GMT',
    'Mon, 05 Jan 2026 12:0:30 GMT',
    'Mon, 05 Jan 2026 12:00:3 GMT',
  ])('%j makes no sense and is ignored', (value) => {
    expect(parseRetryAfter({ 'retry-after': value }, WALL)).toBeUndefined();
  });

  it('may be missing', () => {
    expect(parseRetryAfter({}, WALL)).toBeUndefined();
  });

  it("as a date is measured by the answer's own clock, not by the runner's", () => {
    const headers = { 'retry-after': HALF_A_MINUTE_LATER, date: 'Mon, 05 Jan 2026 12:00:20 GMT' };
    expect(parseRetryAfter(headers, WALL - 3_600_000)).toBe(10_000);
    expect(parseRetryAfter({ ...headers, date: 'yesterday' }, WALL)).toBe(30_000);
  });
});
