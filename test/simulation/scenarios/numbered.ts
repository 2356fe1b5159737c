import { createRandom } from '../model/random.ts';
import { alone, type ScenarioSpec, type SingleSpec } from '../model/spec.ts';
import { ATTEMPT_CELLS, randomAttempts, scenarioBetweenAttempts } from './attempts.ts';
import { CELLS, scenarioInCell } from './cells.ts';
import { crashedSomewhere } from './enumerate.ts';
import { randomNeighbours } from './random-neighbours.ts';
import { randomSingle } from './random-scenario.ts';

/**
 * Every third scenario leads to a cell, every sixth crashes an effect of a calm one, every twelfth has several executions, every
 * twelfth several attempts, and the others have one of any kind.
 */
export function scenarioNumbered(seed: number): ScenarioSpec {
  return seed % 12 === 6 ? randomNeighbours(seed) : alone(singleNumbered(seed));
}

function singleNumbered(seed: number): SingleSpec {
  const third = Math.floor(seed / 3);
  const cell = CELLS[third % CELLS.length];
  if (seed % 6 === 1) return crashedSomewhere(createRandom(seed));
  if (seed % 12 === 9) return randomAttempts(seed);
  const between = ATTEMPT_CELLS[Math.floor(seed / 48) % ATTEMPT_CELLS.length];
  if (seed % 48 === 3 && between !== undefined) return scenarioBetweenAttempts(between, seed);
  if (seed % 3 !== 2 || cell === undefined) return randomSingle(seed);
  // A step that shares no divisor with their number leads to all cells, and not to neighbours one after the other.
  const next = CELLS[(third * STRIDE) % CELLS.length] ?? cell;
  return scenarioInCell(next, 1 + Math.floor(third / CELLS.length));
}

const STRIDE = 1_009;
