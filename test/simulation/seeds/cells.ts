import type { Facts, ScenarioFacts } from '../life/facts.ts';
import { canHappen, FAULT_NAMES, type FaultName, PHASES, type Phase } from '../life/fault-table.ts';
import { plainLife } from '../life/plain.ts';
import { createRandom, type Random } from '../life/random.ts';
import {
  type Fault,
  type LifeSpec,
  MAIN_STRIKES,
  type Moment,
  type PipelineSpec,
  POST_STRIKES,
  type Strike,
  type StrikeKind,
} from '../life/spec.ts';
import { faultIn } from './random-faults.ts';
import { pipelineOf } from './random-pipeline.ts';

/** A fault at a point of a life, and what struck the process there. */
export interface Cell {
  readonly phase: Phase;
  readonly fault: FaultName;
  readonly strike: StrikeKind | 'none';
}

/** Every cell that a life can come to. */
export const CELLS: readonly Cell[] = PHASES.flatMap((phase) =>
  FAULT_NAMES.filter((fault) => canHappen(fault, phase.call)).flatMap((fault) =>
    (['none', ...(phase.on === 'main' ? MAIN_STRIKES : POST_STRIKES)] as const).map((strike) => ({
      phase,
      fault,
      strike,
    })),
  ),
);

export function nameOfCell({ phase, fault, strike }: Cell): string {
  return `${phase.on} ${phase.call} × ${fault} × ${strike}`;
}

/** The names of the cells that a scenario has come to. */
export function coveredBy({ executions }: Pick<ScenarioFacts, 'executions'>): string[] {
  return executions.flatMap(coveredByOne);
}

function coveredByOne(facts: Facts): string[] {
  const covered: string[] = [];
  const struck = new Map(facts.struck.map((one) => [one.on, one]));
  for (const { on, call, what = 'none', step } of facts.requests) {
    const strike = struck.get(on);
    const isHit = strike !== undefined && isLastBefore(facts, on, step, strike.step);
    covered.push(`${on} ${call} × ${what} × ${isHit ? strike.kind : 'none'}`);
  }
  return covered;
}

/** Whether a request was the last that a process had sent when it was struck. */
function isLastBefore(facts: Facts, on: string, step: number, struckStep: number): boolean {
  if (step > struckStep) return false;
  return !facts.requests.some((other) => other.on === on && other.step > step && other.step <= struckStep);
}

/** A life that comes to a cell; with another number, in another way. */
export function lifeInCell(cell: Cell, number: number): LifeSpec {
  const random = createRandom(Math.imul(number, 0x9e3779b1) ^ hash(nameOfCell(cell)));
  const fault = { ...faultIn(random, cell.phase, cell.fault), from: 1 };
  const strikes: Strike[] =
    cell.strike === 'none'
      ? []
      : [{ on: cell.phase.on, at: momentIn(random, cell.fault), kind: cell.strike }];
  const way = wayTo(cell.phase, random);
  return plainLife({
    seed: number,
    pipelines: way.pipelines,
    inputs: { ...restOfInputs(random), ...way.inputs },
    faults: [fault, ...way.faults],
    strikes: [...strikes, ...way.strikes, LAST_RESORT],
    latencyMs: random.pick([3, 20, 200]),
  });
}

const LAST_RESORT: Strike = { on: 'main', at: { ms: 900_000 }, kind: 'cancel' };

function restOfInputs(random: Random): Record<string, string> {
  return {
    'on-cancel': random.pick(['cancel', 'cancel', 'leave']),
    'retry-trigger': random.pick(['safe', 'safe', 'always']),
    'max-outage': random.pick(['15m', '2m']),
  };
}

/** While the request is on its way, or when its first event comes. */
function momentIn(random: Random, fault: FaultName): Moment {
  if (fault === 'silent_connect') return { fault: 0, plus: 0, when: 'after' };
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
  readonly strikes: readonly Strike[];
}

/** What has to come before, so that a phase is reached at all. */
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
    return {
      pipelines: [call === 'read' || call === 'cancel' ? long : named],
      inputs,
      faults: [],
      strikes: [],
    };
  }
  const kill: Strike = {
    on: 'main',
    at: { ms: 30_000 },
    kind: random.pick(['kill', 'kill_lost', 'beside_frozen']),
  };
  // Only a cancel that changed nothing is followed by a read.
  const unchanged: Fault = { ...faultIn(random, { on, call: 'cancel' }, 'empty'), from: 1, to: 3 };
  return {
    pipelines: [long],
    inputs: { 'on-cancel': 'cancel' },
    faults: call === 'read' ? [unchanged] : [],
    strikes: [kill],
  };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value;
}
