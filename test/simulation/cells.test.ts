import { describe, expect, it } from 'vitest';
import { expectNoFindings } from './expect-none.ts';
import { PHASES } from './life/fault-table.ts';
import { CELLS, coveredBy, lifeInCell, nameOfCell } from './seeds/cells.ts';

describe('every fault in every phase, with every strike', () => {
  it.each(PHASES)('$on $call', async (phase) => {
    const cells = CELLS.filter((cell) => cell.phase === phase);
    const empty = new Set(cells.map(nameOfCell));
    await expectNoFindings(
      cells.map((cell) => lifeInCell(cell, 1)),
      ({ facts }) => {
        for (const name of coveredBy(facts)) empty.delete(name);
      },
    );
    // Another way into the cells that were missed.
    for (let number = 2; number <= 5 && empty.size > 0; number += 1) {
      const missed = cells.filter((cell) => empty.has(nameOfCell(cell)));
      await expectNoFindings(
        missed.map((cell) => lifeInCell(cell, number)),
        ({ facts }) => {
          for (const name of coveredBy(facts)) empty.delete(name);
        },
      );
    }
    expect([...empty]).toEqual([]);
  });
});
