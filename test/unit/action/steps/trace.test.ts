import { describe, expect, it } from 'vitest';
import { debugLine } from '../../../../src/action/steps/machine.ts';

const READ = { method: 'GET', path: '/rest/v1/jobs?id=eq.1', attempt: 1, ms: 45 };

describe('a line per request for debug logging', () => {
  it.each([
    [{ ...READ, status: 200 }, 'GET /rest/v1/jobs?id=eq.1 → 200 in 45ms'],
    [{ ...READ, status: 503, attempt: 3, ms: 1_500 }, 'GET /rest/v1/jobs?id=eq.1 → 503 in 1.5s (attempt 3)'],
    [{ ...READ, failure: 'reset\n::error::x' }, 'GET /rest/v1/jobs?id=eq.1 → reset ::error::x in 45ms'],
  ])('%#: says what was asked, and what came', (trace, line) => {
    expect(debugLine(trace)).toBe(line);
  });
});
