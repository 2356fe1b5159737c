/** Random scenarios of several executions on one machine. */
import { PLAIN_PLACEMENT } from '../model/plain.ts';
import { createRandom, type Random } from '../model/random.ts';
import { alone, type CrashKind, type Placement, type ScenarioSpec, type SingleSpec } from '../model/spec.ts';
import { MINUTE, randomSingle, SECOND } from './random-scenario.ts';

/** How the executions of a scenario are related: as steps of one job, or as jobs on one machine. */
const RELATIONS = ['steps', 'background steps', 'composite', 'matrix in containers', 'jobs'] as const;
type Relation = (typeof RELATIONS)[number];

/** What happens to an execution apart from its own faults. */
const ROLES = ['as it comes', 'as it comes', 'undisturbed', 'bad input', 'cancelled', 'killed'] as const;

/** Two or three executions on one machine. The same number always produces the same scenario. */
export function randomNeighbours(seed: number): ScenarioSpec {
  const random = createRandom(seed);
  const relation = random.pick(RELATIONS);
  const count = random.pick([2, 2, 3]);
  const singles = Array.from({ length: count }, (_, index) => randomSingle(seed + index * 1_000_003));
  const [first] = singles;
  if (first === undefined) throw new Error('A scenario has at least one execution.');
  const { jobStatusAtStart, jobStatusAtEnd } = first.runner;
  const executions = singles.map((single, number): SingleSpec => {
    const placement = placementOf(random, relation, number);
    const isSameJob = placement.job === PLAIN_PLACEMENT.job;
    return {
      ...disturbed(random, single),
      // A job has one status, which all of its steps share.
      runner: isSameJob ? { ...single.runner, jobStatusAtStart, jobStatusAtEnd } : single.runner,
      placement,
      // Pipelines have unique names, even in different executions.
      pipelines: single.pipelines.map((pipeline, index) => ({
        ...pipeline,
        name: number === 0 ? pipeline.name : `${pipeline.name} ${number + 1}`,
        apiName: `load_${number * 10 + index}`,
      })),
      lostTimer: null,
    };
  });
  return { ...alone(first), executions: executions.flatMap((one) => alone(one).executions) };
}

function placementOf(random: Random, relation: Relation, number: number): Placement {
  const startMs = number === 0 ? 0 : random.pick([0, 1, random.below(5 * SECOND), random.below(2 * MINUTE)]);
  const job = number + 1;
  const changes: Readonly<Record<Relation, Partial<Placement>>> = {
    steps: { begins: 'sequential', action: `__run-pipeline_${number + 1}` },
    'background steps': { action: `__run-pipeline_${number + 1}` },
    composite: { begins: 'sequential', action: '__composite' },
    'matrix in containers': { job, container: true },
    jobs: { job, jobName: `load_${number + 1}` },
  };
  return { ...PLAIN_PLACEMENT, startMs, ...changes[relation] };
}

function disturbed(random: Random, spec: SingleSpec): SingleSpec {
  const last = spec.crashes.slice(-1);
  const at = { ms: random.below(2 * MINUTE) };
  const crashed = (kind: CrashKind): SingleSpec => ({ ...spec, crashes: [{ on: 'main', at, kind }, ...last] });
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
