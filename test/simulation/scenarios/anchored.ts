import type { Moment, ScenarioSpec } from '../model/spec.ts';

/** On average, a process has about so many effects for each of its requests. */
const EFFECTS_PER_REQUEST = 10;

/**
 * The same scenario without anything that depends on how many effects or timers a process has: with a disk that
 * neither fails nor blocks, without a lost timer, and with crashes anchored to instants, requests and responses only.
 */
export function anchored(spec: ScenarioSpec): ScenarioSpec {
  return {
    ...spec,
    executions: spec.executions.map((execution) => ({
      ...execution,
      disk: [],
      stalls: [],
      lostTimer: null,
      crashes: execution.crashes.map((crash) => ({ ...crash, at: anchorOf(crash.at) })),
    })),
  };
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
