// A step that is stopped at every instant, when the service is gone for good. Post would try for three minutes; here it
// gets a SIGINT instead.
import { describe, expect, it, vi } from 'vitest';
import { logOf, useAction } from '../support/e2e.ts';
import { playCell } from '../support/e2e-matrix/cell.ts';
import { CELLS_WITHOUT_SERVICE, nameOf } from '../support/e2e-matrix/cells.ts';
import { faultsIn } from '../support/e2e-matrix/verdict.ts';

const action = useAction();

// Nearly all of this is waiting: main gives up after 9.3 s, and post 6.5 s after its SIGINT.
vi.setConfig({ maxConcurrency: 20, testTimeout: 180_000 });

describe.concurrent('a step keeps its promises if it is stopped by', () => {
  it.each(CELLS_WITHOUT_SERVICE.map((cell) => [nameOf(cell), cell] as const))('%s', async (_, cell) => {
    const played = await playCell(action, cell);
    expect(faultsIn(cell, played), logOf(played)).toEqual([]);
  });
});
