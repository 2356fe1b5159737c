import { expect } from 'vitest';
import { alone, type SingleSpec } from './model/spec.ts';
import { type Examined, examine } from './scenarios/examine.ts';
import { reportOf } from './scenarios/report.ts';

/** Simulates every scenario and fails with the first that breaks an invariant, shrunk, with its log. Returns how many there were. */
export async function expectNoViolations(
  specs: Iterable<SingleSpec> | AsyncIterable<SingleSpec>,
  onLife: (scenario: Examined) => void = () => undefined,
): Promise<number> {
  let scenarios = 0;
  for await (const spec of specs) {
    const examined = await examine(alone(spec));
    scenarios += 1;
    onLife(examined);
    if (examined.violations.length > 0) expect.fail(await reportOf(examined));
  }
  return scenarios;
}
