/** Tests crashes at every effect of a step that triggers one run. */
import { expect, it } from 'vitest';
import { crashedEverywhere, ONE_RUN_BASES } from './scenarios/enumerate.ts';
import { requireNoViolations } from './scenarios/report.ts';

it.each(Object.entries(ONE_RUN_BASES))(
  'a crash at any effect of main violates no invariant with %s',
  async (_, base) => {
    expect((await requireNoViolations(crashedEverywhere(base, 'main'))).length).toBeGreaterThan(500);
  },
);
