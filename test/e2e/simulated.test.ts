import { expect, it } from 'vitest';
import { livedForReal } from '../simulation/bundle/many.ts';

/** A sample; `npm run simulate -- --on-bundle N` lives more. */
const LIVES = 40;
const PARTS = 2;

it.each(Array.from({ length: PARTS }, (_, part) => 1 + (part * LIVES) / PARTS))(
  'the bundle lives simulated lives from number %i on as they were simulated',
  async (from) => {
    expect(await livedForReal(from, LIVES / PARTS)).toEqual([]);
  },
);
