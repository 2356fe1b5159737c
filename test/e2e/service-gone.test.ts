// Stops steps at every instant while the service is permanently unreachable. Post would retry for three minutes, so the
// tests send SIGINT to post.
import { describe, expect, it, vi } from 'vitest';
import { logOf, useAction } from '../support/e2e.ts';
import { playCell } from '../support/e2e-matrix/cell.ts';
import { CELLS_WITHOUT_SERVICE, nameOf } from '../support/e2e-matrix/cells.ts';
import { faultsIn } from '../support/e2e-matrix/verdict.ts';

const action = useAction();

// Most of these tests wait, because main gives up after 9.3 s, and post gives up 6.5 s after SIGINT.
vi.setConfig({ maxConcurrency: 20, testTimeout: 180_000 });

describe.concurrent('a step keeps its promises when stopped by', () => {
  it.each(CELLS_WITHOUT_SERVICE.map((cell) => [nameOf(cell), cell] as const))('%s', async (_, cell) => {
    const played = await playCell(action, cell);
    expect(faultsIn(cell, played), logOf(played)).toEqual([]);
  });
});
