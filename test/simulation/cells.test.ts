/** Tests every fault in every phase, combined with every crash. */
import { expect, it } from 'vitest';
import { expectNoViolations } from './expect-none.ts';
import { CELLS, nameOfCell, scenarioInCell } from './scenarios/cells.ts';
import { PHASES } from './scenarios/random-scenario.ts';

it.each(PHASES)('a fault of $call in $on violates no invariant, with or without a crash', async (phase) => {
  let missed = CELLS.filter((cell) => cell.phase === phase);
  // If the first scenario misses a cell, the test tries another one.
  for (let number = 1; number <= 5 && missed.length > 0; number += 1) {
    const covered = (await expectNoViolations(missed.map((cell) => scenarioInCell(cell, number)))).flat();
    missed = missed.filter((cell) => !covered.includes(nameOfCell(cell)));
  }
  expect(missed.map(nameOfCell)).toEqual([]);
});
