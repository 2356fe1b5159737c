import { describe, expect, it } from 'vitest';
import { expectNoViolations } from './expect-none.ts';
import { PHASES } from './model/fault-table.ts';
import { CELLS, coveredBy, nameOfCell, scenarioInCell } from './scenarios/cells.ts';

describe('every fault in every phase, with every crash', () => {
  it.each(PHASES)('$on $call', async (phase) => {
    const cells = CELLS.filter((cell) => cell.phase === phase);
    const empty = new Set(cells.map(nameOfCell));
    await expectNoViolations(
      cells.map((cell) => scenarioInCell(cell, 1)),
      ({ facts }) => {
        for (const name of coveredBy(facts)) empty.delete(name);
      },
    );
    // Another way into the cells that were missed.
    for (let number = 2; number <= 5 && empty.size > 0; number += 1) {
      const missed = cells.filter((cell) => empty.has(nameOfCell(cell)));
      await expectNoViolations(
        missed.map((cell) => scenarioInCell(cell, number)),
        ({ facts }) => {
          for (const name of coveredBy(facts)) empty.delete(name);
        },
      );
    }
    expect([...empty]).toEqual([]);
  });
});
