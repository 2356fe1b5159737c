/* The runner of a scenario: several steps and jobs, on the machine and with the service that the scenario describes. */
import type { Role } from '../../sandbox/faults.ts';
import { addPipeline, type Pipeline, queueRun } from '../../sandbox/model/index.ts';
import type { Machine } from '../support/machine.ts';
import type { NetworkUser, SentRequest } from '../support/network.ts';
import { Job, Step } from '../support/runner.ts';
import type { FakeOptions } from '../support/world.ts';
import { withEcho } from './echo.ts';
import type { StepHistory } from './history.ts';
import { createRandom, type Random } from './random.ts';
import type { Incident, PipelineSpec, Scenario, StepSpec } from './scenario.ts';

/** `timeout-minutes` of the job. */
const JOB_TIMEOUT: Incident = { on: 'main', what: 'cancel', at: { ms: 3 * 3_600_000 } };
/** The monotonic clock shows any time when a machine starts. */
const CLOCK_STARTS_AT_MS = 987_654_321.25;

/** The part of the key that no encoding but base64 changes. */
export const CORE_OF_KEY = 'simulated0key';
export const KEY = `ak_+/"${CORE_OF_KEY}"%~42`;

interface PlayedStep {
  readonly spec: StepSpec;
  readonly step: Step;
  readonly pipelineIds: readonly string[];
  readonly givenIds: readonly string[];
  /** Whether the journal of main existed when post ended. */
  isJournalKept: boolean;
}

export class Runner {
  readonly steps: readonly PlayedStep[];
  readonly #machine: Machine;
  readonly #scenario: Scenario;
  readonly #jobs = new Map<number, Job>();

  constructor(machine: Machine, scenario: Scenario) {
    this.#machine = machine;
    this.#scenario = scenario;
    this.steps = scenario.steps.map((spec, index) => this.#prepare(spec, index));
  }

  /** Resolves when all jobs and processes have ended. */
  async run(): Promise<void> {
    const jobs = [...this.#jobs.values()];
    await Promise.all(jobs.map((job) => this.#runJob(this.steps.filter(({ step }) => step.job === job))));
    await Promise.all(this.steps.flatMap(({ step: { main, post } }) => [main?.end, post?.end]));
  }

  async #runJob(steps: readonly PlayedStep[]): Promise<void> {
    const begun = steps.map(async (each) => {
      const { startMs } = each.spec.runner;
      if (startMs === null) return;
      await this.#pass(startMs);
      await runMain(each);
    });
    for (const each of steps) if (each.spec.runner.startMs === null) await runMain(each);
    await Promise.all(begun);
    for (const each of steps.toReversed()) {
      if (each.step.job.isDead || each.step.main === undefined) continue;
      await this.#pass(each.spec.runner.postAfterMs);
      await each.step.runPost();
      const journal = each.step.main.history.writes.find(({ file }) => file === 'journal');
      each.isJournalKept = each.step.post !== undefined && this.#machine.disk.texts.has(journal?.path ?? '');
    }
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#machine.clock.after(ms, resolve));
  }

  #prepare(spec: StepSpec, index: number): PlayedStep {
    const { service } = this.#machine;
    const pipelines = spec.pipelines.map((each, number) => {
      const scenario = `step ${index} pipeline ${number}`;
      service.scenarios[scenario] = { does: 'is simulated', timeline: each.stages, first: failures(each) };
      const rows = this.#scenario.service.fleet?.rows ?? 1;
      return addPipeline(service, { name: nameOf(each, index), apiName: apiNameOf(index, number), scenario, rows });
    });
    const givenIds = pipelines.flatMap((pipeline, number) => {
      const since = spec.pipelines[number]?.existsSinceMs ?? null;
      const flags = { p_job_type: 'pipeline_run', p_full_resync: false, p_reset_target: false };
      return since === null ? [] : [queueRun(service, pipeline, { p_pipeline_id: pipeline.id, ...flags }, -since).id];
    });
    const job = this.#jobs.get(spec.runner.job) ?? new Job(this.#machine);
    this.#jobs.set(spec.runner.job, job);
    const description = {
      ...spec,
      inputs: inputsOf(spec, pipelines, givenIds),
      faults: [...spec.faults, ...this.#scenario.service.faults],
      incidents: [...spec.incidents, JOB_TIMEOUT],
    };
    const step = new Step(job, description, (role) => this.#optionsOf(spec, index, role));
    return { spec, step, pipelineIds: pipelines.map(({ id }) => id), givenIds, isJournalKept: false };
  }

  #optionsOf({ clock, runner }: StepSpec, index: number, role: Role): FakeOptions {
    const { seed, steps } = this.#scenario;
    const pid = this.#machine.processes.length;
    return {
      name: steps.length === 1 ? role : `${role}${index + 1}`,
      env: {
        GITHUB_ACTION: runner.action,
        GITHUB_JOB: `job_${runner.job}`,
        GITHUB_RUN_ID: '123',
        GITHUB_RUN_ATTEMPT: '1',
        RUNNER_TRACKING_ID: `github_${runner.job}`,
      },
      random: createRandom(seed, pid).next,
      sleep: clock.sleep,
      wallOffMs: clock.wallOffMs,
      clockStartsAtMs: CLOCK_STARTS_AT_MS,
      flushMs: runner.flushMs,
      reusesPid: runner.reusesPid,
      network: networkOf(this.#scenario, pid),
    };
  }
}

/** Runs the main process of a step, unless its job has ended. */
async function runMain({ step }: PlayedStep): Promise<void> {
  const { isDead, status } = step.job;
  if (!isDead && status !== 'cancelled') await step.runMain();
}

/** Returns what can be observed of a step that has ended. */
export function historyOf({ isJournalKept, step }: PlayedStep): StepHistory {
  const { incidents, main, post, read, stateForPost } = step;
  return {
    main: main?.history,
    post: post?.history,
    incidents,
    outputs: read?.outputs ?? {},
    isStateKept: post !== undefined && stateForPost !== undefined,
    isJournalKept,
    jobStatus: post?.world.env['INPUT_INTERNAL-JOB-STATUS'] ?? '',
    summaries: [main, post].flatMap((each) => each?.summary ?? []),
  };
}

export function nameOf({ name }: PipelineSpec, step: number): string {
  return step === 0 ? name : `${name} ${step + 1}`;
}

export function apiNameOf(step: number, number: number): string {
  return `load_${step}_${number}`;
}

function failures({ failsFirst }: PipelineSpec): PipelineSpec['stages'][] {
  const failure: PipelineSpec['stages'] = [
    [0, 'queued', null],
    [1_000, 'running', 'Loading'],
    [10_000, 'failed', 'Load failed'],
  ];
  return Array.from({ length: failsFirst }, () => failure);
}

/** Returns all inputs of a step. */
function inputsOf(
  { by, inputs, runner, task }: StepSpec,
  pipelines: readonly Pipeline[],
  givenIds: readonly string[],
): Record<string, string> {
  // A dry run of existing runs waits for them.
  const isAwaited = task === 'await' || (task === 'dry_run' && givenIds.length > 0);
  const names = pipelines.map(({ apiName, id, name }) => ({ api_name: apiName, name, uuid: id })[by]);
  return {
    ...inputs,
    'api-key': KEY,
    'internal-job-status': runner.statusAtStart,
    ...(!isAwaited && { pipeline: names.join('\n') }),
    ...(isAwaited || task === 'resume' ? { 'job-id': givenIds.join('\n') } : {}),
    ...(task === 'dry_run' && { 'dry-run': 'true' }),
    ...(task === 'invalid' && { timeout: 'soon' }),
  };
}

/** The latencies and the other random details of a process's requests. */
function networkOf({ seed, service }: Scenario, pid: number): Partial<NetworkUser> {
  const randoms = new WeakMap<SentRequest, Random>();
  const randomOf = (request: SentRequest): Random => {
    const random = randoms.get(request) ?? createRandom(seed, pid, request.call.length, request.nth);
    randoms.set(request, random);
    return random;
  };
  const { echo, latencyMs } = service;
  return {
    legMs: (_leg, request) => 1 + randomOf(request).below(latencyMs),
    choiceOf: (request) => randomOf(request).below(5_040),
    changed(response, { call, headers }) {
      const bearer = headers['authorization']?.replace(/^Bearer /, '') ?? '';
      return echo === null ? response : withEcho(response, echo, call, KEY, bearer);
    },
  };
}
