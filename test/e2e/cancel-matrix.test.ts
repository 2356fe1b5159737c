// Stops steps at every instant and in every way while the service responds normally, responds slowly, or fails.
import { describe, expect, it, vi } from 'vitest';
import { logOf, useAction } from '../support/e2e.ts';
import { playCell } from '../support/e2e-matrix/cell.ts';
import { CELLS, nameOf } from '../support/e2e-matrix/cells.ts';
import { faultsIn } from '../support/e2e-matrix/verdict.ts';

const action = useAction();

vi.setConfig({ maxConcurrency: 8, testTimeout: 180_000 });

describe.concurrent('a step keeps its promises when stopped by', () => {
  it.each(CELLS.map((cell) => [nameOf(cell), cell] as const))('%s', async (_, cell) => {
    const played = await playCell(action, cell);
    expect(faultsIn(cell, played), logOf(played)).toEqual([]);
  });
});
