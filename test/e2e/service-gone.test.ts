import { describe, expect, it, vi } from 'vitest';
import { useAction } from '../support/e2e.ts';
import { type Cell, logOf, nameOf, playCell } from '../support/e2e-matrix/cell.ts';
import { DEATHS } from '../support/e2e-matrix/deaths.ts';
import { INSTANTS } from '../support/e2e-matrix/instants.ts';
import { IS_GONE } from '../support/e2e-matrix/services.ts';
import { complaints } from '../support/e2e-matrix/verdict.ts';

const action = useAction();

// Nearly all of this is waiting: main gives up after 9.3 s, and post 6.5 s after the SIGINT that it gets here,
// where it would try for three minutes.
vi.setConfig({ maxConcurrency: 24, testTimeout: 180_000 });

const POLICIES = ['cancel', 'leave'] as const;
const WAYS = ['SIGINT', 'SIGKILL', 'no signal, alive beside post'];

const cells: readonly Cell[] = INSTANTS.flatMap((instant) =>
  DEATHS.filter(({ name }) => WAYS.includes(name)).flatMap((death) =>
    POLICIES.map((policy) => ({ instant, death, service: IS_GONE, policy })),
  ),
);

describe.concurrent('with post itself ended by SIGINT instead of after its three minutes, a step ended by', () => {
  it.each(cells.map((cell) => [nameOf(cell), cell] as const))('%s', async (_, cell) => {
    const played = await playCell(action, cell);
    expect(complaints(cell, played), logOf(played)).toEqual([]);
  });
});
