/*
 * A scenario as plain data: a service, a machine, and one or more steps that run on it. The same scenario always has the
 * same history. Each type has a plain value, in which nothing goes wrong; a scenario in JSON names only what differs.
 * Times are in milliseconds.
 */

import type { RequestFault } from '../../sandbox/faults.ts';
import type { Cap } from '../../sandbox/model/index.ts';
import type { JobStatus, RunnerDescription } from '../../sandbox/runner/index.ts';
import type { VirtualIncident, VirtualStep } from '../support/runner.ts';
import type { Sleep } from '../support/sleep.ts';

export interface Scenario {
  /** Decides the details: latencies, jitter, where a text is cut. */
  readonly seed: number;
  readonly service: ServiceSpec;
  readonly steps: readonly StepSpec[];
}

export interface ServiceSpec {
  /** The longest time that one leg of a request takes: to connect, to arrive, or to return. */
  readonly latencyMs: number;
  readonly ttlSeconds: number;
  readonly keyRevokedAtMs: number | null;
  /** What all processes meet, unless a fault of their step applies. */
  readonly faults: readonly RequestFault[];
  readonly echo: Echo | null;
  readonly fleet: Fleet | null;
}

/** Other pipelines, which precede those of the steps in the list, and how the service truncates the list. */
export interface Fleet {
  readonly pipelines: number;
  /** The rows of each pipeline, including those of the steps. */
  readonly rows: number;
  readonly cap: Cap;
  /** Whether the first one's name is the API name of the first step's first pipeline, and vice versa. */
  readonly hasNamesake: boolean;
}

/** The service repeats a secret, after some other text, in one of its fields. */
export interface Echo {
  readonly of: 'key' | 'token';
  readonly where: 'message' | 'name' | 'region' | 'error' | 'location';
  readonly after: number;
}

/** The statuses of a run, each with the time since the trigger. */
export type Stage = readonly [afterMs: number, status: string, message: string | null];

export interface PipelineSpec {
  readonly name: string;
  readonly stages: readonly Stage[];
  /** The number of its runs that fail after ten seconds, before one has the stages above. */
  readonly failsFirst: number;
  /** How long before the scenario an existing run was queued. Null if none exists. */
  readonly existsSinceMs: number | null;
}

/** What a step does with its pipelines. */
export type Task = 'trigger' | 'await' | 'resume' | 'dry_run' | 'invalid';

/** The inputs contain neither `pipeline` nor `job-id`. */
export interface StepSpec extends Required<VirtualStep> {
  readonly task: Task;
  /** How the inputs identify the pipelines. */
  readonly by: 'name' | 'api_name' | 'uuid';
  readonly pipelines: readonly PipelineSpec[];
  readonly incidents: readonly Incident[];
  readonly clock: ClockSpec;
  readonly runner: RunnerSpec;
}

export type Incident = Required<VirtualIncident>;
export type IncidentKind = Incident['what'];
export type Moment = Incident['at'];
export const MAIN_INCIDENTS = [
  'cancel',
  'step_timeout',
  'cancel_step',
  'kill',
  'act_cancel',
  'shutdown',
  'worker_killed',
  'container_cancel',
  'abandoned',
  'stdout_closed',
  'error',
] as const satisfies readonly IncidentKind[];
export const POST_INCIDENTS = ['cancel', 'kill', 'shutdown', 'stdout_closed', 'error'] as const;

export interface ClockSpec {
  /** How wrong the wall clock is. */
  readonly wallOffMs: number;
  readonly sleep: Sleep | null;
}

export interface RunnerSpec extends Required<RunnerDescription> {
  /** Steps with the same number belong to one job. Its post steps run after all its main steps, in reverse order. */
  readonly job: number;
  /** When the step starts, or null if it starts after the one before it. */
  readonly startMs: number | null;
  /** `GITHUB_ACTION`, which all actions embedded in one composite share. */
  readonly action: string;
  readonly statusAtStart: JobStatus;
  readonly postAfterMs: number;
  /** How long stdout takes to accept everything. More than a few seconds mean that its reader is stuck. */
  readonly flushMs: number;
  /** Another process has the id of main after its end. */
  readonly reusesPid: boolean;
}

export const PLAIN_PIPELINE: PipelineSpec = {
  name: 'Sales',
  stages: [
    [0, 'queued', null],
    [4_000, 'running', 'Loading'],
    [40_000, 'completed', '5 objects'],
  ],
  failsFirst: 0,
  existsSinceMs: null,
};

export const PLAIN_STEP: StepSpec = {
  task: 'trigger',
  by: 'uuid',
  pipelines: [PLAIN_PIPELINE],
  inputs: {},
  faults: [],
  incidents: [],
  clock: { wallOffMs: 0, sleep: null },
  runner: {
    job: 1,
    startMs: null,
    action: 'sync',
    statusAtStart: 'success',
    statusAtEnd: 'success',
    postAfterMs: 0,
    losesState: false,
    temp: 'kept',
    post: 'complete',
    flushMs: 0,
    reusesPid: false,
  },
};

export const PLAIN_SCENARIO: Scenario = {
  seed: 1,
  service: { latencyMs: 20, ttlSeconds: 3_600, keyRevokedAtMs: null, faults: [], echo: null, fleet: null },
  steps: [PLAIN_STEP],
};

/** Parts of a scenario. Missing parts are plain. */
export type Sketch = {
  readonly seed?: number;
  readonly service?: Partial<ServiceSpec>;
  readonly steps?: readonly StepSketch[];
};

export type StepSketch = Partial<Omit<StepSpec, 'pipelines' | 'clock' | 'runner'>> & {
  readonly pipelines?: readonly Partial<PipelineSpec>[];
  readonly clock?: Partial<ClockSpec>;
  readonly runner?: Partial<RunnerSpec>;
};

/** Completes a scenario. */
export function scenario({ seed = 1, service = {}, steps = [{}] }: Sketch): Scenario {
  return { seed, service: { ...PLAIN_SCENARIO.service, ...service }, steps: steps.map(stepOf) };
}

function stepOf({ pipelines = [{}], clock = {}, runner = {}, ...rest }: StepSketch): StepSpec {
  return {
    ...PLAIN_STEP,
    ...rest,
    pipelines: pipelines.map((each) => ({ ...PLAIN_PIPELINE, ...each })),
    clock: { ...PLAIN_STEP.clock, ...clock },
    runner: { ...PLAIN_STEP.runner, ...runner },
  };
}

/** Returns only what is not plain, for a short replay command. */
export function sketchOf({ seed, service, steps }: Scenario): Sketch {
  return {
    seed,
    ...optional('service', differences(service, PLAIN_SCENARIO.service)),
    steps: steps.map(({ pipelines, clock, runner, ...rest }) => ({
      ...differences(rest, PLAIN_STEP),
      pipelines: pipelines.map((each) => differences(each, PLAIN_PIPELINE)),
      ...optional('clock', differences(clock, PLAIN_STEP.clock)),
      ...optional('runner', differences(runner, PLAIN_STEP.runner)),
    })),
  };
}

function differences<T extends object>(value: T, plain: Partial<T>): Partial<T> {
  const entries = Object.entries(value).filter(
    ([name, member]) => JSON.stringify(member) !== JSON.stringify(plain[name as keyof T]),
  );
  return Object.fromEntries(entries) as Partial<T>;
}

function optional<T extends object>(name: string, value: T): Record<string, T> {
  return Object.keys(value).length === 0 ? {} : { [name]: value };
}

/** Parses the argument of `--replay`. */
export function parseScenario(json: string): Scenario {
  return scenario(JSON.parse(json) as Sketch);
}
