import { describe, expect, it } from 'vitest';
import { expectNoViolations } from './expect-none.ts';
import { BASES, crashedEverywhere, POST_BASES } from './scenarios/enumerate.ts';

describe('a crash at every effect of main', () => {
  it.each(Object.entries(BASES))('%s', async (_, base) => {
    expect(await expectNoViolations(crashedEverywhere(base, 'main'))).toBeGreaterThan(500);
  });
});

describe('a crash at every effect of post', () => {
  it.each(Object.entries(POST_BASES))('%s', async (_, base) => {
    expect(await expectNoViolations(crashedEverywhere(base, 'post'))).toBeGreaterThan(50);
  });
});
