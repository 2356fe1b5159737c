// Runs generated scenarios on the bundle, which must send the requests that the simulation predicts.
import { expect, it } from 'vitest';
import { runForReal } from '../simulation/bundle/replay.ts';

/** A sample of the scenarios; `npm run simulate -- --on-bundle N` runs more. */
const SCENARIOS = 40;
const PARTS = 2;

it.each(Array.from({ length: PARTS }, (_, part) => 1 + (part * SCENARIOS) / PARTS))(
  'the bundle sends the requests that the simulation predicts, from scenario %i on',
  async (from) => {
    expect(await runForReal(from, SCENARIOS / PARTS)).toEqual([]);
  },
);
