/** Tests random scenarios. `npm run mutate` also runs these tests for each mutant that survives the fast tests. */
import { expect, it } from 'vitest';
import { randomSingle } from './scenarios/random-scenario.ts';
import { requireNoViolations } from './scenarios/report.ts';

const SEEDS = 25;

it.each(Array.from({ length: 20 }, (_, group) => group * SEEDS))(
  'a random scenario violates no invariant for any of the 25 seeds from %i on',
  async (from) => {
    const specs = Array.from({ length: SEEDS }, (_, index) => randomSingle(from + index));
    expect(await requireNoViolations(specs)).toHaveLength(SEEDS);
  },
);
