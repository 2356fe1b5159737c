/** Random scenarios of several executions on one machine. */
import { PLAIN_PLACEMENT } from '../model/plain.ts';
import { createRandom, type Random } from '../model/random.ts';
import { alone, type Crash, type ExecutionSpec, type Placement, type ScenarioSpec } from '../model/spec.ts';
import { MINUTE, randomSingle, SECOND } from './random-scenario.ts';

/** How the executions of a scenario relate: steps of one job, or jobs on one machine. */
const RELATIONS = ['steps', 'background steps', 'composite', 'matrix in containers', 'jobs'] as const;

/** What happens to an execution besides its own faults. */
const ROLES = ['as it comes', 'as it comes', 'undisturbed', 'bad input', 'cancelled', 'killed'] as const;

/** Two or three executions on one machine. The same number always gives the same scenario. */
export function randomNeighbours(seed: number): ScenarioSpec {
  const random = createRandom(seed);
  const relation = random.pick(RELATIONS);
  const count = random.pick([2, 2, 3]);
  const singles = Array.from({ length: count }, (_, index) => randomSingle(seed + index * 1_000_003));
  const [first] = singles;
  if (first === undefined) throw new Error('A scenario has at least one execution.');
  const { jobStatusAtStart, jobStatusAtEnd } = first.runner;
  const executions = singles.map((single, number): ExecutionSpec => {
    const [own] = alone(single).executions;
    if (own === undefined) throw new Error('A scenario has at least one execution.');
    const placement = placementOf(random, relation, number);
    const isSameJob = placement.job === PLAIN_PLACEMENT.job;
    return {
      ...disturbed(random, own),
      // A job has one status, which all of its steps see.
      runner: isSameJob ? { ...own.runner, jobStatusAtStart, jobStatusAtEnd } : own.runner,
      placement,
      // Names tell pipelines apart, also those of two executions.
      pipelines: own.pipelines.map((pipeline, index) => ({
        ...pipeline,
        name: number === 0 ? pipeline.name : `${pipeline.name} ${number + 1}`,
        apiName: `load_${number * 10 + index}`,
      })),
      lostTimer: null,
    };
  });
  return { ...alone(first), executions };
}

function placementOf(random: Random, relation: (typeof RELATIONS)[number], number: number): Placement {
  const startMs = number === 0 ? 0 : random.pick([0, 1, random.below(5 * SECOND), random.below(2 * MINUTE)]);
  const step = { ...PLAIN_PLACEMENT, startMs, action: `__run-pipeline_${number + 1}` };
  switch (relation) {
    case 'steps':
      return { ...step, begins: 'sequential' };
    case 'background steps':
      return step;
    case 'composite':
      return { ...step, begins: 'sequential', action: '__composite' };
    case 'matrix in containers':
      return { ...step, job: number + 1, container: true, action: PLAIN_PLACEMENT.action };
    case 'jobs':
      return { ...step, job: number + 1, jobName: `load_${number + 1}`, action: PLAIN_PLACEMENT.action };
  }
}

function disturbed(random: Random, spec: ExecutionSpec): ExecutionSpec {
  const [lastResort] = spec.crashes.slice(-1);
  const last = lastResort === undefined ? [] : [lastResort];
  const at = { ms: random.below(2 * MINUTE) };
  const crashed = (kind: Crash['kind']): ExecutionSpec => ({ ...spec, crashes: [{ on: 'main', at, kind }, ...last] });
  switch (random.pick(ROLES)) {
    case 'as it comes':
      return spec;
    case 'undisturbed':
      return { ...spec, faults: [], disk: [], crashes: last };
    case 'bad input':
      return { ...spec, mode: 'bad_input', faults: [], disk: [], crashes: last };
    case 'cancelled':
      return crashed(random.pick(['cancel', 'step_timeout', 'background']));
    case 'killed':
      return crashed(random.pick(['kill', 'kill_lost', 'out_of_memory', 'beside', 'beside_lost', 'worker_killed']));
  }
}
