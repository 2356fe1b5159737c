import { createRandom } from '../model/random.ts';
import { alone, type ScenarioSpec, type SingleSpec } from '../model/spec.ts';
import { CELLS, scenarioInCell } from './cells.ts';
import { crashedSomewhere } from './enumerate.ts';
import { randomNeighbours } from './random-neighbours.ts';
import { randomSingle } from './random-scenario.ts';

/** Of eight scenarios one has several executions, and three have one of any kind; the others lead to a cell, or crash an effect of a calm scenario. */
export function scenarioNumbered(seed: number): ScenarioSpec {
  return seed % 8 === 6 ? randomNeighbours(seed) : alone(singleNumbered(seed));
}

function singleNumbered(seed: number): SingleSpec {
  const quarter = seed >>> 2;
  const cell = CELLS[quarter % CELLS.length];
  if (seed % 4 === 1) return crashedSomewhere(createRandom(seed));
  if (seed % 4 !== 3 || cell === undefined) return randomSingle(seed);
  // A step that shares no divisor with their number leads to all cells, and not to neighbours one after the other.
  const next = CELLS[(quarter * STRIDE) % CELLS.length] ?? cell;
  return scenarioInCell(next, 1 + Math.floor(quarter / CELLS.length));
}

const STRIDE = 1_009;
