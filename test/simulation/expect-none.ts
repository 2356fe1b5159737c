import { expect } from 'vitest';
import { alone, type SingleSpec } from './model/spec.ts';
import { type Examined, examine } from './scenarios/examine.ts';
import { reportOf } from './scenarios/report.ts';

/** Simulates scenarios, and fails with the first that violates an invariant. Returns how many there were. */
export async function expectNoViolations(
  specs: Iterable<SingleSpec> | AsyncIterable<SingleSpec>,
  onExamined: (examined: Examined) => void = () => undefined,
): Promise<number> {
  let scenarios = 0;
  for await (const spec of specs) {
    const examined = await examine(alone(spec));
    scenarios += 1;
    onExamined(examined);
    if (examined.violations.length > 0) expect.fail(await reportOf(examined));
  }
  return scenarios;
}
