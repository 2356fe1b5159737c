/** Tests an eighth of the combinations of a fault, its phase and a crash. `npm run simulate` covers all of them. */
import { expect, it } from 'vitest';
import { CELLS, nameOfCell, scenarioInCell } from './scenarios/cells.ts';
import { PHASES } from './scenarios/random-scenario.ts';
import { requireNoViolations } from './scenarios/report.ts';

it.each(PHASES)(
  'a fault in the "$call" call from $on violates no invariant, with or without a crash',
  async (phase) => {
    let missed = CELLS.filter((cell, index) => cell.phase === phase && index % 8 === 0);
    // If the first scenario misses a cell, the test tries another one.
    for (let number = 1; number <= 5 && missed.length > 0; number += 1) {
      const covered = (await requireNoViolations(missed.map((cell) => scenarioInCell(cell, number)))).flat();
      missed = missed.filter((cell) => !covered.includes(nameOfCell(cell)));
    }
    expect(missed.map(nameOfCell)).toEqual([]);
  },
);
