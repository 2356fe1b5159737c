import { describe, expect, it, vi } from 'vitest';
import { useAction } from '../support/e2e.ts';
import { type Cell, logOf, nameOf, playCell } from '../support/e2e-matrix/cell.ts';
import { DEATHS } from '../support/e2e-matrix/deaths.ts';
import { INSTANTS } from '../support/e2e-matrix/instants.ts';
import { ANSWERS, FAILS_ONCE, IS_SLOW } from '../support/e2e-matrix/services.ts';
import { complaints } from '../support/e2e-matrix/verdict.ts';

const action = useAction();

vi.setConfig({ maxConcurrency: 8, testTimeout: 180_000 });

const POLICIES = ['cancel', 'leave'] as const;

/** The ways that differ in who talks to the service: main, post, or both. */
const TALKERS = ['SIGINT', 'SIGKILL', 'no signal, alive beside post'];

const whileItAnswers: readonly Cell[] = INSTANTS.flatMap((instant) =>
  DEATHS.flatMap((death) => POLICIES.map((policy) => ({ instant, death, service: ANSWERS, policy }))),
);
/** A service that is slow or fails matters to those who ask it for something, and so not to who leaves a run. */
const whileItDoesNot: readonly Cell[] = INSTANTS.flatMap((instant) =>
  DEATHS.filter(({ name }) => TALKERS.includes(name)).flatMap((death) =>
    [IS_SLOW, FAILS_ONCE].map((service) => ({ instant, death, service, policy: 'cancel' as const })),
  ),
);

function named(cells: readonly Cell[]): readonly (readonly [string, Cell])[] {
  return cells.map((cell) => [nameOf(cell), cell]);
}

describe.concurrent('a step ended by', () => {
  it.each([...named(whileItAnswers), ...named(whileItDoesNot)])('%s', async (_, cell) => {
    const played = await playCell(action, cell);
    expect(complaints(cell, played), logOf(played)).toEqual([]);
  });
});
