import { expect, it } from 'vitest';
import { livedForReal } from '../simulation/bundle/many.ts';

const LIVES = 200;
const PARTS = 5;

it.each(Array.from({ length: PARTS }, (_, part) => 1 + (part * LIVES) / PARTS))(
  'the bundle lives simulated lives from number %i on as they were simulated',
  async (from) => {
    expect(await livedForReal(from, LIVES / PARTS)).toEqual([]);
  },
);
