import { describe, expect, it } from 'vitest';
import { expectNoFindings } from './expect-none.ts';
import { BASES, POST_BASES, struckEverywhere } from './seeds/enumerate.ts';

describe('every effect of main is struck', () => {
  it.each(Object.entries(BASES))('%s', async (_, base) => {
    expect(await expectNoFindings(struckEverywhere(base, 'main'))).toBeGreaterThan(500);
  });
});

describe('every effect of post is struck', () => {
  it.each(Object.entries(POST_BASES))('%s', async (_, base) => {
    expect(await expectNoFindings(struckEverywhere(base, 'post'))).toBeGreaterThan(50);
  });
});
