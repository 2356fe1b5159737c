import { createRandom } from '../life/random.ts';
import { alone, type LifeSpec, type ScenarioSpec } from '../life/spec.ts';
import { CELLS, lifeInCell } from './cells.ts';
import { struckSomewhere } from './enumerate.ts';
import { lifeOf } from './random-life.ts';

/** Every second life is of any kind; the others lead to a cell, or strike an effect of a calm life. */
export function lifeNumbered(seed: number): ScenarioSpec {
  return alone(lifeOfKind(seed));
}

function lifeOfKind(seed: number): LifeSpec {
  const quarter = seed >>> 2;
  const cell = CELLS[quarter % CELLS.length];
  if (seed % 4 === 1) return struckSomewhere(createRandom(seed));
  if (seed % 4 !== 3 || cell === undefined) return lifeOf(seed);
  // A step that shares no divisor with their number leads to all cells, and not to neighbours one after the other.
  const next = CELLS[(quarter * STRIDE) % CELLS.length] ?? cell;
  return lifeInCell(next, 1 + Math.floor(quarter / CELLS.length));
}

const STRIDE = 1_009;
