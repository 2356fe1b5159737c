import { expect } from 'vitest';
import { alone, type SingleSpec } from './model/spec.ts';
import { coveredBy } from './scenarios/cells.ts';
import { examine } from './scenarios/examine.ts';
import { reportOf } from './scenarios/report.ts';

/** Simulates scenarios and fails on the first that violates an invariant. Returns the cells that each one covers. */
export async function expectNoViolations(
  specs: Iterable<SingleSpec> | AsyncIterable<SingleSpec>,
): Promise<readonly string[][]> {
  const covered: string[][] = [];
  for await (const spec of specs) {
    const examined = await examine(alone(spec));
    covered.push(coveredBy(examined.facts));
    if (examined.violations.length > 0) expect.fail(await reportOf(examined));
  }
  return covered;
}
