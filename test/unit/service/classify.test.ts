// Tests the meaning of statuses and Retry-After. test/matrix/fault-texts.txt covers every fault of every call.
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../../src/service/classify.ts';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { bench, JOB } from '../../support/service.ts';

describe('a response', () => {
  it.each([
    [103, 'maybe_processed', undefined],
    [199, 'maybe_processed', undefined],
    [300, 'rejected', 'redirects'],
    [303, 'rejected', 'redirects'],
    [304, 'rejected', 'redirects'],
    [399, 'rejected', 'redirects'],
    [400, 'rejected', 'workspace'],
    [402, 'rejected', 'workspace'],
    [407, 'rejected', 'proxy'],
    [408, 'maybe_processed', undefined],
    [422, 'rejected', 'workspace'],
    [429, 'not_processed', undefined],
    [499, 'rejected', 'workspace'],
    [500, 'maybe_processed', undefined],
    [599, 'maybe_processed', undefined],
  ])('with status %i makes a read %s, with a remedy about: %s', async (status, kind, remedy) => {
    const { service, clock, calls } = bench({ call: () => answers(status, '') });
    const outcome = await clock.until(service.read(JOB));
    expect(outcome).toMatchObject({ kind, problem: { cause: `HTTP ${status}` } });
    const shown = 'problem' in outcome ? outcome.problem.remedy : undefined;
    if (remedy === undefined) expect(shown).toBeUndefined();
    else expect(shown).toContain(remedy);
    expect(calls()).toHaveLength(1);
  });

  it.each<[string, readonly Step[], object]>([
    ['a body that is cut off', [{ status: 400 }, { text: '{"mess' }, { end: 'cut_off' }], { kind: 'rejected' }],
    ['a body that stalls', [{ status: 503, headers: { 'retry-after': '20' } }], { retryAfterMs: 20_000 }],
  ])('is classified by its status and headers if it has %s', async (_what, script, expected) => {
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
    ['60', 60_000],
    ['3600', 60_000],
    ['99999999999999999999', 60_000],
    [IN_HALF_A_MINUTE, 30_000],
    ['Monday, 05-Jan-26 12:00:30 GMT', 30_000],
    ['Mon Jan  5 12:00:30 2026 GMT', 30_000],
    ['Mon, 05 Jan 2026 11:00:00 GMT', 0],
    ['Mon, 05 Jan 2037 11:00:00 GMT', 60_000],
  ])('of %s asks for %i ms', (value, ms) => {
    expect(parseRetryAfter({ 'retry-after': value }, WALL)).toBe(ms);
  });

  it.each([
    ...['', '   ', 'soon', '-5', '1.5', '5s', '0x10', '+7', 'Mon, 99 Foo 2026 12:00:30 GMT'],
    // V8 parses these dates, but HTTP does not allow them.
    'on Mon, 05 Jan 2026 12:00:30 GMT',
    'Mon, 05 Jan 2026 2:00:30 GMT',
    'Mon, 05 Jan 2026 12:0:30 GMT',
    'Mon, 05 Jan 2026 12:00:3 GMT',
  ])('of %j is ignored', (value) => {
    expect(parseRetryAfter({ 'retry-after': value }, WALL)).toBeUndefined();
  });

  it('may be missing', () => {
    expect(parseRetryAfter({}, WALL)).toBeUndefined();
  });

  it("is compared with the date of the response, or else with the runner's clock", () => {
    const headers = { 'retry-after': IN_HALF_A_MINUTE, date: 'Mon, 05 Jan 2026 12:00:20 GMT' };
    expect(parseRetryAfter(headers, WALL - 3_600_000)).toBe(10_000);
    expect(parseRetryAfter({ ...headers, date: 'yesterday' }, WALL)).toBe(30_000);
  });
});
