// Stops a step at every instant, when the service is permanently gone. Post would try for three minutes, so it
// gets a SIGINT here.
import { describe, expect, it, vi } from 'vitest';
import { logOf, useAction } from '../support/e2e.ts';
import { playCell } from '../support/e2e-matrix/cell.ts';
import { CELLS_WITHOUT_SERVICE, nameOf } from '../support/e2e-matrix/cells.ts';
import { faultsIn } from '../support/e2e-matrix/verdict.ts';

const action = useAction();

// These tests mostly wait: main gives up after 9.3 s, and post gives up 6.5 s after its SIGINT.
vi.setConfig({ maxConcurrency: 20, testTimeout: 180_000 });

describe.concurrent('a step keeps its promises when stopped by', () => {
  it.each(CELLS_WITHOUT_SERVICE.map((cell) => [nameOf(cell), cell] as const))('%s', async (_, cell) => {
    const played = await playCell(action, cell);
    expect(faultsIn(cell, played), logOf(played)).toEqual([]);
  });
});
