/** Tests crashes at every effect of a step with an existing run or two runs, and at every effect of post. */
import { describe, expect, it } from 'vitest';
import { crashedEverywhere, OTHER_BASES, POST_BASES } from './scenarios/enumerate.ts';
import { requireNoViolations } from './scenarios/report.ts';

describe('a crash', () => {
  it.each(Object.entries(OTHER_BASES))('at any effect of main violates no invariant with %s', async (_, base) => {
    expect((await requireNoViolations(crashedEverywhere(base, 'main'))).length).toBeGreaterThan(500);
  });

  it.each(Object.entries(POST_BASES))('at any effect of post violates no invariant with %s', async (_, base) => {
    expect((await requireNoViolations(crashedEverywhere(base, 'post'))).length).toBeGreaterThan(50);
  });
});
