/** Combinations of a call, a fault and a crash, and scenarios that reach each of them. */

import { canHappen, SIMULATED_FAULTS, type SimulatedFault } from '../../support/faults.ts';
import { MAIN_CRASHES, POST_CRASHES } from '../model/crashes.ts';
import type { Facts, ScenarioFacts } from '../model/facts.ts';
import { phaseAfter, phaseOfFault } from '../model/network/connecting.ts';
import { plainCrash, plainSingle } from '../model/plain.ts';
import { createRandom, hashOf, type Random } from '../model/random.ts';
import type { Crash, CrashKind, Fault, Moment, PipelineSpec, SingleSpec, Stage } from '../model/spec.ts';
import { ATTEMPT_CELLS, attemptCellsOf, LAST_RESORT, nameOfAttemptCell } from './attempts.ts';
import { faultIn, PHASES, type Phase, pipelineOf } from './random-scenario.ts';

const CRASHES_ON = { main: ['none', ...MAIN_CRASHES], post: ['none', ...POST_CRASHES] } as const;

/** Each fault of each call, with each crash of the process at that point. */
export const CELLS = PHASES.flatMap((phase) =>
  SIMULATED_FAULTS.filter((fault) => canHappen(fault, phase.call)).flatMap((fault) =>
    CRASHES_ON[phase.on].map((crash) => ({ phase, fault, crash })),
  ),
);

type Cell = (typeof CELLS)[number];

export function nameOfCell({ phase, fault, crash }: Cell): string {
  return `${phase.on} ${phase.call} × ${fault} × ${crash}`;
}

/** The names of all cells, including those between two attempts. */
export const ALL_CELLS: readonly string[] = [...CELLS.map(nameOfCell), ...ATTEMPT_CELLS.map(nameOfAttemptCell)];

export function coveredBy({ executions }: Pick<ScenarioFacts, 'executions'>): string[] {
  return executions.flatMap((facts) => [...coveredByOne(facts), ...attemptCellsOf(facts)]);
}

function coveredByOne(facts: Facts): string[] {
  return facts.requests.map((request) => {
    const { on, call, what = 'none', atMs, connecting } = request;
    const crash = facts.crashed.find((one) => one.on === on);
    const last = facts.requests.findLast((one) => one.on === on && one.step <= (crash?.step ?? -1));
    const phase = phaseOfFault(what);
    const isInPhase = phase === undefined || phaseAfter(connecting, (crash?.atMs ?? 0) - atMs) === phase;
    const isHit = last?.step === request.step && isInPhase;
    return `${on} ${call} × ${what} × ${isHit && crash !== undefined ? crash.kind : 'none'}`;
  });
}

/** A scenario that reaches a cell; different numbers reach it in different ways. */
export function scenarioInCell(cell: Cell, number: number): SingleSpec {
  const random = createRandom(Math.imul(number, 0x9e3779b1) ^ hashOf(nameOfCell(cell)));
  const fault = { ...faultIn(random, cell.phase, cell.fault), from: 1 };
  const crashes: Crash[] =
    cell.crash === 'none' ? [] : [{ on: cell.phase.on, at: momentIn(random, cell.fault), kind: cell.crash }];
  const way = wayTo(cell.phase, random);
  const inputs = {
    'on-cancel': random.pick(['cancel', 'cancel', 'leave']),
    'on-lost-response': random.pick(['fail', 'fail', 'retry']),
    'max-outage': random.pick(['15m', '2m']),
    ...way.inputs,
  };
  return plainSingle({
    seed: number,
    pipelines: [way.pipeline],
    inputs,
    faults: [fault, ...way.faults],
    crashes: [...crashes, ...way.crashes, LAST_RESORT],
    latencyMs: random.pick([3, 20, 200]),
  });
}

/** Crashes while the request is in flight or at its first event. */
function momentIn(random: Random, fault: SimulatedFault): Moment {
  // The crash happens in the middle of the slow phase.
  if (phaseOfFault(fault) !== undefined) return { fault: 0, plusMs: 500 };
  return random.pick<Moment>([
    { fault: 0, plus: 0, when: 'after' },
    { fault: 0, plus: 1, when: 'before' },
    { fault: 0, plus: 1, when: 'after' },
  ]);
}

type Way = Pick<SingleSpec, 'inputs' | 'faults' | 'crashes'> & { readonly pipeline: PipelineSpec };

/** The events that must precede a phase. */
function wayTo({ on, call }: Phase, random: Random): Way {
  const named = { ...pipelineOf(random, 0), given: 'api' } as const;
  const endMs = random.pick([100_000, 250_000]);
  const timeline: readonly Stage[] = [
    [0, 'queued', null],
    [4_000, 'running', null],
    [endMs, 'completed', 'done'],
  ];
  const long = { ...named, timeline };
  if (on === 'main') {
    const inputs = call === 'cancel' ? { timeout: '20s', 'on-timeout': 'cancel' } : undefined;
    return { pipeline: /read|cancel/.test(call) ? long : named, inputs: inputs ?? {}, faults: [], crashes: [] };
  }
  const kill = plainCrash(30_000, random.pick<CrashKind>(['kill', 'kill_lost', 'beside_frozen']));
  // Main reads the run only after a cancel that changed nothing.
  const unchanged: Fault = { ...faultIn(random, { on, call: 'cancel' }, 'empty'), from: 1, to: 3 };
  const faults = call === 'read' ? [unchanged] : [];
  return { pipeline: long, inputs: { 'on-cancel': 'cancel' }, faults, crashes: [kill] };
}
