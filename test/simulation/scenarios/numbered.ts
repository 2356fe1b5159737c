/** The scenario of each seed. */
import { createRandom } from '../model/random.ts';
import { alone, type Moment, type ScenarioSpec, type SingleSpec } from '../model/spec.ts';
import { ATTEMPT_CELLS, randomAttempts, scenarioBetweenAttempts } from './attempts.ts';
import { CELLS, scenarioInCell } from './cells.ts';
import { crashedSomewhere } from './enumerate.ts';
import { randomNeighbours } from './random-neighbours.ts';
import { randomSingle } from './random-scenario.ts';

/** This number is coprime to the number of cells, so the scenarios reach all of them in a shuffled order. */
const STRIDE = 1_009;

/**
 * Every third scenario reaches a cell, every sixth crashes at an effect, every twelfth has several executions, every
 * twelfth has several attempts, every 48th crashes between two attempts, and the others are random.
 */
export function scenarioNumbered(seed: number): ScenarioSpec {
  return seed % 12 === 6 ? randomNeighbours(seed) : alone(singleNumbered(seed));
}

function singleNumbered(seed: number): SingleSpec {
  if (seed % 6 === 1) return crashedSomewhere(createRandom(seed));
  if (seed % 12 === 9) return randomAttempts(seed);
  const between = ATTEMPT_CELLS[Math.floor(seed / 48) % ATTEMPT_CELLS.length];
  if (seed % 48 === 3 && between !== undefined) return scenarioBetweenAttempts(between, seed);
  const third = Math.floor(seed / 3);
  const cell = CELLS[(third * STRIDE) % CELLS.length];
  if (seed % 3 !== 2 || cell === undefined) return randomSingle(seed);
  return scenarioInCell(cell, 1 + Math.floor(third / CELLS.length));
}

/** The average number of effects that a process performs per request. */
const EFFECTS_PER_REQUEST = 10;

/**
 * The same scenario without anything that depends on the number of effects or timers: its disk never fails or blocks,
 * it loses no timer, and its crashes are anchored only to instants, requests and responses.
 */
export function anchored(spec: ScenarioSpec): ScenarioSpec {
  const executions = spec.executions.map((execution) => ({
    ...execution,
    ...{ disk: [], stalls: [], lostTimer: null },
    crashes: execution.crashes.map((crash) => ({ ...crash, at: anchorOf(crash.at) })),
  }));
  return { ...spec, executions };
}

function anchorOf(at: Moment): Moment {
  if ('effect' in at) {
    const number = Math.ceil(at.effect / EFFECTS_PER_REQUEST);
    return at.when === 'before' ? { request: number } : { response: number };
  }
  if (!('plus' in at)) return at;
  const { fault, plus, when } = at;
  if (plus > 0) return { fault, before: 'response' };
  return when === 'before' ? { fault, before: 'request' } : { fault, plusMs: 0 };
}
