// Tests the meaning of statuses and Retry-After. test/matrix/fault-texts.txt covers every fault in every call.
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../../src/service/classify.ts';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { bench, JOB } from '../../support/service.ts';

describe('a response', () => {
  it.each([
    [199, 'maybe_processed', undefined],
    [300, 'rejected', expect.stringContaining('redirects')],
    [399, 'rejected', expect.stringContaining('redirects')],
    [499, 'rejected', expect.stringContaining('workspace')],
    [599, 'maybe_processed', undefined],
  ])('with the status %i has the outcome %s for a read', async (status, kind, remedy: unknown) => {
    const { service, clock } = bench({ call: () => answers(status, '') });
    const outcome = await clock.until(service.read(JOB));
    expect(outcome).toMatchObject({ kind, problem: { cause: `HTTP ${status}`, remedy } });
    expect(outcome).not.toHaveProperty('retryAfterMs');
  });

  it.each<[string, readonly Step[], object]>([
    ['is cut off', [{ status: 400 }, { text: '{"mess' }, { end: 'cut_off' }], { kind: 'rejected' }],
    ['stalls', [{ status: 503, headers: { 'retry-after': '20' } }], { retryAfterMs: 20_000 }],
  ])('is classified by its status and headers if its body %s', async (_what, script, expected) => {
    const { service, clock } = bench({ call: () => script });
    expect(await clock.until(service.read(JOB))).toMatchObject(expected);
  });
});

describe('Retry-After', () => {
  const WALL = Date.parse('2026-01-05T12:00:00Z');
  const IN_HALF_A_MINUTE = 'Mon, 05 Jan 2026 12:00:30 GMT';

  it.each([
    ['0', 0],
    ['7', 7_000],
    [' 7 ', 7_000],
    ['61', 60_000],
    ['99999999999999999999', 60_000],
    [IN_HALF_A_MINUTE, 30_000],
    ['Monday, 05-Jan-26 12:00:30 GMT', 30_000],
    ['Mon Jan  5 12:00:30 2026 GMT', 30_000],
    ['Mon, 05 Jan 2026 11:00:00 GMT', 0],
    ['Mon, 05 Jan 2037 11:00:00 GMT', 60_000],
  ])('with the value "%s" requests a pause of %i ms', (value, ms) => {
    expect(parseRetryAfter({ 'retry-after': value }, WALL)).toBe(ms);
  });

  it.each([
    ...['', '   ', 'soon', '-5', '1.5', '5s', '0x10', '+7', 'Mon, 99 Foo 2026 12:00:30 GMT'],
    // V8 parses these dates, but HTTP does not allow them.
    'on Mon, 05 Jan 2026 12:00:30 GMT',
    'Mon, 05 Jan 2026 2:00:30 GMT',
    'Mon, 05 Jan 2026 12:0:30 GMT',
    'Mon, 05 Jan 2026 12:00:3 GMT',
  ])('with the value %j is ignored', (value) => {
    expect(parseRetryAfter({ 'retry-after': value }, WALL)).toBeUndefined();
  });

  it('may be missing', () => {
    expect(parseRetryAfter({}, WALL)).toBeUndefined();
  });

  it.each([
    ["the response's date", 'Mon, 05 Jan 2026 12:00:20 GMT', WALL - 3_600_000, 10_000],
    ["the runner's clock if the response's date is invalid", 'yesterday', WALL, 30_000],
  ])('with a date is relative to %s', (_what, date, wall, ms) => {
    expect(parseRetryAfter({ 'retry-after': IN_HALF_A_MINUTE, date }, wall)).toBe(ms);
  });
});
