import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Case } from './case.ts';
import { CASES } from './cases/index.ts';
import { DIFFERENCES } from './differences/index.ts';
import { type Lite, startLite } from './lite.ts';
import { compare, type Found, observe } from './observe.ts';
import { liteSide, sandboxSide } from './side.ts';
import { load, NOW, setStage } from './stage.ts';

let lite: Lite;

beforeAll(async () => {
  lite = await startLite();
});
afterAll(() => lite.close());

// The other service prints each error that it answers.
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});

async function ask(one: Case): Promise<{ readonly found: Found; readonly violations: readonly string[] }> {
  const { world, jobs } = setStage(one.world);
  await load(lite, world, NOW);
  const sandbox = await sandboxSide(world);
  try {
    const found = compare(await observe(sandbox, one, jobs), await observe(liteSide(lite), one, jobs));
    return { found, violations: world.violations.map(({ kind }) => kind) };
  } finally {
    await sandbox.close();
  }
}

const listed = new Map(DIFFERENCES.flatMap(({ cases }) => Object.entries(cases)));

describe('the sandbox and a server that nobody here wrote', () => {
  it.each(CASES)('$name', async (one) => {
    const { found, violations } = await ask(one);
    expect(found).toEqual(listed.get(one.name) ?? {});
    if (one.right === true) expect(violations).toEqual([]);
  });
});

describe('the list of differences', () => {
  it('names each case once, and none that is not there', () => {
    const names = DIFFERENCES.flatMap(({ cases }) => Object.keys(cases));
    expect(names.filter((name) => !CASES.some((one) => one.name === name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
  });

  it('leaves what a correct client sends with the same status and the same effect', () => {
    const right = CASES.filter((one) => one.right === true).flatMap(({ name }) => listed.get(name) ?? []);
    const statuses = right.map(({ answer }) => answer?.map((text) => text.slice(0, 3)));
    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses.every((pair) => pair?.[0] === pair?.[1] && pair?.[0] === '400')).toBe(true);
    expect(right.flatMap((found) => Object.keys(found))).toEqual(right.map(() => 'answer'));
  });
});
