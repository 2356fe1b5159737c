/** A crash at every effect of a process. */
import { expect, it } from 'vitest';
import { expectNoViolations } from './expect-none.ts';
import { BASES, crashedEverywhere, POST_BASES } from './scenarios/enumerate.ts';

it.each(Object.entries(BASES))('no crash of main violates an invariant: %s', async (_, base) => {
  expect(await expectNoViolations(crashedEverywhere(base, 'main'))).toBeGreaterThan(500);
});

it.each(Object.entries(POST_BASES))('no crash of post violates an invariant: %s', async (_, base) => {
  expect(await expectNoViolations(crashedEverywhere(base, 'post'))).toBeGreaterThan(50);
});
