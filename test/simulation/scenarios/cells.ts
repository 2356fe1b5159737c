/** Combinations of a call, a fault and a crash, and scenarios that lead to each of them. */
import { MAIN_CRASHES, POST_CRASHES } from '../model/crashes.ts';
import type { Facts, ScenarioFacts } from '../model/facts.ts';
import { phaseAfter, phaseOfFault } from '../model/network/connecting.ts';
import { canHappen, FAULT_NAMES, type FaultName } from '../model/network/faults.ts';
import { plainCrash, plainSingle } from '../model/plain.ts';
import { createRandom, hashOf, type Random } from '../model/random.ts';
import type { Crash, CrashKind, Fault, Moment, PipelineSpec, SingleSpec } from '../model/spec.ts';
import { ATTEMPT_CELLS, attemptCellsOf, LAST_RESORT, nameOfAttemptCell } from './attempts.ts';
import { faultIn, PHASES, type Phase, pipelineOf } from './random-scenario.ts';

/** A fault of a call, and what crashed the process there. */
export interface Cell {
  readonly phase: Phase;
  readonly fault: FaultName;
  readonly crash: CrashKind | 'none';
}

/** Every cell that a scenario can come to. */
export const CELLS: readonly Cell[] = PHASES.flatMap((phase) =>
  FAULT_NAMES.filter((fault) => canHappen(fault, phase.call)).flatMap((fault) =>
    (['none', ...(phase.on === 'main' ? MAIN_CRASHES : POST_CRASHES)] as const).map((crash) => ({
      phase,
      fault,
      crash,
    })),
  ),
);

export function nameOfCell({ phase, fault, crash }: Cell): string {
  return `${phase.on} ${phase.call} × ${fault} × ${crash}`;
}

/** The names of all cells, also of those between two attempts. */
export const ALL_CELLS: readonly string[] = [...CELLS.map(nameOfCell), ...ATTEMPT_CELLS.map(nameOfAttemptCell)];

/** The names of the cells that a scenario has come to. */
export function coveredBy({ executions }: Pick<ScenarioFacts, 'executions'>): string[] {
  return executions.flatMap((facts) => [...coveredByOne(facts), ...attemptCellsOf(facts)]);
}

function coveredByOne(facts: Facts): string[] {
  const covered: string[] = [];
  const crashed = new Map(facts.crashed.map((one) => [one.on, one]));
  for (const { on, call, what = 'none', step, atMs, connecting } of facts.requests) {
    const crash = crashed.get(on);
    const phase = phaseOfFault(what);
    const isHit =
      crash !== undefined &&
      isLastBefore(facts, on, step, crash.step) &&
      (phase === undefined || phaseAfter(connecting, crash.atMs - atMs) === phase);
    covered.push(`${on} ${call} × ${what} × ${isHit ? crash.kind : 'none'}`);
  }
  return covered;
}

/** Whether a request was the last that a process had sent when it was crashed. */
function isLastBefore(facts: Facts, on: string, step: number, crashedStep: number): boolean {
  if (step > crashedStep) return false;
  return !facts.requests.some((other) => other.on === on && other.step > step && other.step <= crashedStep);
}

/** A scenario that comes to a cell; with another number, in another way. */
export function scenarioInCell(cell: Cell, number: number): SingleSpec {
  const random = createRandom(Math.imul(number, 0x9e3779b1) ^ hashOf(nameOfCell(cell)));
  const fault = { ...faultIn(random, cell.phase, cell.fault), from: 1 };
  const crashes: Crash[] =
    cell.crash === 'none' ? [] : [{ on: cell.phase.on, at: momentIn(random, cell.fault), kind: cell.crash }];
  const way = wayTo(cell.phase, random);
  return plainSingle({
    seed: number,
    pipelines: way.pipelines,
    inputs: { ...restOfInputs(random), ...way.inputs },
    faults: [fault, ...way.faults],
    crashes: [...crashes, ...way.crashes, LAST_RESORT],
    latencyMs: random.pick([3, 20, 200]),
  });
}

function restOfInputs(random: Random): Record<string, string> {
  return {
    'on-cancel': random.pick(['cancel', 'cancel', 'leave']),
    'on-lost-response': random.pick(['fail', 'fail', 'retry']),
    'max-outage': random.pick(['15m', '2m']),
  };
}

/** While the request is in flight, or at its first event. */
function momentIn(random: Random, fault: FaultName): Moment {
  // In the middle of the slow phase.
  if (phaseOfFault(fault) !== undefined) return { fault: 0, plusMs: 500 };
  return random.pick<Moment>([
    { fault: 0, plus: 0, when: 'after' },
    { fault: 0, plus: 1, when: 'before' },
    { fault: 0, plus: 1, when: 'after' },
  ]);
}

interface Way {
  readonly pipelines: readonly PipelineSpec[];
  readonly inputs: Record<string, string>;
  readonly faults: readonly Fault[];
  readonly crashes: readonly Crash[];
}

/** What has to happen before a phase is reached. */
function wayTo({ on, call }: Phase, random: Random): Way {
  const named = { ...pipelineOf(random, 0), given: 'api' } as const;
  const long: PipelineSpec = {
    ...named,
    timeline: [
      [0, 'queued', null],
      [4_000, 'running', null],
      [random.pick([100_000, 250_000]), 'completed', 'done'],
    ],
  };
  if (on === 'main') {
    const inputs = call === 'cancel' ? { timeout: '20s', 'on-timeout': 'cancel' } : {};
    return { pipelines: [call === 'read' || call === 'cancel' ? long : named], inputs, faults: [], crashes: [] };
  }
  const kill = plainCrash(30_000, random.pick<CrashKind>(['kill', 'kill_lost', 'beside_frozen']));
  // Only a cancel that changed nothing is followed by a read.
  const unchanged: Fault = { ...faultIn(random, { on, call: 'cancel' }, 'empty'), from: 1, to: 3 };
  return {
    pipelines: [long],
    inputs: { 'on-cancel': 'cancel' },
    faults: call === 'read' ? [unchanged] : [],
    crashes: [kill],
  };
}
