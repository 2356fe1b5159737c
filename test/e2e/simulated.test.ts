// Runs generated scenarios on the bundle, and compares its requests with those that the simulation predicts.
import { expect, it } from 'vitest';
import { runForReal } from '../simulation/bundle/replay.ts';

/** The number of scenarios in this sample. `npm run simulate -- --on-bundle N` runs more. */
const SCENARIOS = 40;
const PARTS = 2;

it.each(Array.from({ length: PARTS }, (_, part) => 1 + (part * SCENARIOS) / PARTS))(
  'the bundle sends the requests that the simulation predicts for the scenarios from number %i on',
  async (from) => {
    expect(await runForReal(from, SCENARIOS / PARTS)).toEqual([]);
  },
);
