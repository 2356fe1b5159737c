import { describe, expect, it } from 'vitest';
import { EXPECTED_FAILURES, unexpectedIn } from './expected-failures.ts';
import { plainSingle } from './model/plain.ts';
import { alone } from './model/spec.ts';
import { examine } from './scenarios/examine.ts';

describe('a bug that is not fixed yet', () => {
  it.each(EXPECTED_FAILURES)('still shows: $bug', async ({ invariant, replay, matches }) => {
    const { violations } = await examine(replay);
    expect(violations.map((violation) => violation.invariant)).toContain(invariant);
    expect(matches(replay)).toBe(true);
    expect(unexpectedIn(replay, violations)).toEqual([]);
  });

  it('excuses no scenario without its cause', () => {
    const calm = alone(plainSingle());
    expect(EXPECTED_FAILURES.filter(({ matches }) => matches(calm))).toEqual([]);
    const violation = { invariant: 'settled', what: '' };
    expect(unexpectedIn(calm, [violation])).toEqual([violation]);
  });
});
