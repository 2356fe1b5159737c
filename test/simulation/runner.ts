/* The runner: starts main and post, injects incidents, and reads what they write by its own rules. */
import type { Role } from '../../sandbox/faults.ts';
import { addPipeline, queueRun } from '../../sandbox/model/index.ts';
import { MODES, type Mode, parseRecords } from '../../sandbox/runner/index.ts';
import type { Entry } from '../support/entries.ts';
import type { Machine } from '../support/machine.ts';
import type { NetworkUser, SentRequest } from '../support/network.ts';
import type { FakeProcess } from '../support/process.ts';
import { endBy } from '../support/steps.ts';
import { fakeWorld } from '../support/world.ts';
import { withEcho } from './echo.ts';
import type { StepHistory } from './history.ts';
import { createRandom, type Random } from './random.ts';
import type { Incident, IncidentKind, PipelineSpec, Scenario, StepSpec } from './scenario.ts';

const SECOND = 1_000;
/** `timeout-minutes` of the job. */
const JOB_TIMEOUT_MS = 3 * 3_600 * SECOND;
/** The monotonic clock shows any time when a machine starts. */
const CLOCK_STARTS_AT_MS = 987_654_321.25;

/** The part of the key that no encoding but base64 changes. */
export const CORE_OF_KEY = 'simulated0key';
export const KEY = `ak_+/"${CORE_OF_KEY}"%~42`;

interface Job {
  status: string | undefined;
  /** Its worker is dead, so no further step starts. */
  isDead: boolean;
  readonly steps: readonly Step[];
}

/** One step of a job, as its runner sees it. */
interface Step {
  readonly index: number;
  readonly spec: StepSpec;
  readonly job: number;
  readonly pipelineIds: readonly string[];
  readonly givenIds: readonly string[];
  readonly history: StepHistory;
  main: FakeProcess | undefined;
  post: FakeProcess | undefined;
  /** Called when the runner no longer waits for main. */
  leave: () => void;
  /** The state that main had saved when the runner read it. */
  state: Readonly<Record<string, string>> | undefined;
}

export class Runner {
  readonly steps: readonly Step[];
  readonly #machine: Machine;
  readonly #scenario: Scenario;
  readonly #jobs = new Map<number, Job>();

  constructor(machine: Machine, scenario: Scenario) {
    this.#machine = machine;
    this.#scenario = scenario;
    this.steps = scenario.steps.map((spec, index) => this.#prepare(spec, index));
    for (const { job } of this.steps) {
      this.#jobs.set(job, { status: undefined, isDead: false, steps: this.steps.filter((each) => each.job === job) });
    }
  }

  /** Resolves when all jobs are over and all processes have ended. */
  async run(): Promise<void> {
    const ends: Promise<void>[] = [];
    await Promise.all([...this.#jobs.values()].map((job) => this.#runJob(job, ends)));
    await Promise.all(ends);
  }

  async #runJob(job: Job, ends: Promise<void>[]): Promise<void> {
    const inOrder = job.steps.filter(({ spec }) => spec.runner.startMs === null);
    const background = job.steps.filter(({ spec }) => spec.runner.startMs !== null);
    const begun = background.map(async (step) => {
      await this.#pass(step.spec.runner.startMs ?? 0);
      if (!job.isDead && job.status !== 'cancelled') await this.#runMain(step, ends);
    });
    for (const step of inOrder) if (!job.isDead && job.status !== 'cancelled') await this.#runMain(step, ends);
    await Promise.all(begun);
    for (const step of job.steps.toReversed()) {
      if (job.isDead || step.main === undefined) continue;
      await this.#pass(step.spec.runner.postAfterMs);
      await this.#runPost(step, job, ends);
    }
  }

  async #runMain(step: Step, ends: Promise<void>[]): Promise<void> {
    const { history, spec } = step;
    const process = this.#createProcess(step, 'main', { 'INTERNAL-JOB-STATUS': spec.runner.statusAtStart });
    step.main = process;
    history.main = process.history;
    this.#machine.clock.after(JOB_TIMEOUT_MS, () => this.#inject(step, process, 'cancel'));
    await new Promise<void>((resolve) => {
      step.leave = resolve;
      ends.push(execute(process, 'main').then(() => this.#read(step)));
    });
  }

  async #runPost(step: Step, job: Job, ends: Promise<void>[]): Promise<void> {
    const { history, spec } = step;
    if (spec.runner.temp === 'vanishes') this.#machine.disk.emptyTemp();
    history.isStateKept = step.state !== undefined && !spec.runner.losesState;
    history.jobStatus = job.status ?? job.steps[0]?.spec.runner.statusAtEnd ?? '';
    const process = this.#createProcess(step, 'post', { 'INTERNAL-JOB-STATUS': history.jobStatus });
    step.post = process;
    history.post = process.history;
    const end = execute(process, 'post');
    ends.push(end);
    await end;
    const isKept = ({ file, path }: { file: string; path: string }): boolean =>
      file === 'journal' && this.#machine.disk.texts.has(path);
    history.isJournalKept = history.main?.writes.some(isKept) ?? false;
  }

  #createProcess(step: Step, role: Role, inputs: Readonly<Record<string, string>>): FakeProcess {
    const { index, spec, job } = step;
    const { clock, runner } = spec;
    const { seed, service, steps } = this.#scenario;
    const own = role === 'post' && runner.post === 'without_inputs' ? {} : inputsOf(step);
    const withoutKey = role === 'post' && runner.post === 'without_key';
    const isStateful = role === 'post' && step.history.isStateKept;
    const state = Object.entries(isStateful ? (step.state ?? {}) : {});
    const pid = this.#machine.processes.length;
    const process = fakeWorld({
      beside: { machine: this.#machine },
      role,
      name: steps.length === 1 ? role : `${role}${index + 1}`,
      inputs: { ...own, 'api-key': withoutKey ? '' : KEY, ...inputs },
      env: {
        ...(runner.temp === 'none' && { RUNNER_TEMP: undefined }),
        GITHUB_ACTION: runner.action,
        GITHUB_JOB: `job_${job}`,
        GITHUB_RUN_ID: '123',
        GITHUB_RUN_ATTEMPT: '1',
        RUNNER_TRACKING_ID: `github_${job}`,
        ...Object.fromEntries(state.map(([key, value]) => [`STATE_${key}`, value])),
      },
      faults: [...spec.faults, ...service.faults],
      random: createRandom(seed, pid).next,
      sleep: clock.sleep,
      wallOffMs: clock.wallOffMs,
      clockStartsAtMs: CLOCK_STARTS_AT_MS,
      flushMs: runner.flushMs,
      reusesPid: runner.reusesPid,
      network: networkOf(this.#scenario, pid),
    });
    for (const incident of spec.incidents) if (incident.on === role) this.#plan(step, process, incident);
    return process;
  }

  /** Injects an incident at its moment. */
  #plan(step: Step, process: FakeProcess, { at, what }: Incident): void {
    const { clock } = this.#machine;
    const run = (): void => this.#inject(step, process, what);
    // Only a kill can interrupt an effect halfway.
    const isKill = what === 'kill' || what === 'act_cancel';
    if ('effect' in at) process.hooks.push({ ...at, when: at.when === 'torn' && !isKill ? 'after' : at.when, run });
    else if ('ms' in at) clock.after(process.lasts(at.ms, false), run);
    else {
      const before = process.onPhase;
      process.onPhase = (phase, request) => {
        before(phase, request);
        if (request.call !== at.call || request.nth !== at.nth || phase !== at.phase) return;
        if (at.plusMs === 0) run();
        else clock.after(process.lasts(at.plusMs, false), run);
      };
    }
  }

  #inject(step: Step, process: FakeProcess, what: IncidentKind): void {
    const job = this.#jobs.get(step.job);
    if (!process.isAlive || job === undefined || (job.isDead && what !== 'kill' && what !== 'act_cancel')) return;
    const { role } = process.history;
    // A job that the user cancelled sends its signals only once.
    if (what === 'cancel' && step.history.incidents.some((each) => each.on === role && each.what === what)) return;
    step.history.incidents.push({ ...this.#machine.instant(), on: role, what });
    this.#machine.log('runner', 0, `incident on ${process.name}: ${what}`);
    if (role === 'main' && step.spec.runner.temp === 'vanishes') this.#machine.disk.emptyTemp();
    this.#act(step, process, job, what);
  }

  #act(step: Step, process: FakeProcess, job: Job, what: IncidentKind): void {
    if (what === 'error') {
      // Node reports an error that no code catches between two events.
      this.#machine.clock.after(0, () => {
        this.#machine.running = process;
        if (process.isListening) process.fail(new Error('injected'));
      });
      return;
    }
    const mode: Mode = MODES[what];
    if (mode.jobStatus === 'cancelled') job.status = 'cancelled';
    else job.status ??= mode.jobStatus;
    if (mode.isOfJob && process.role === 'main')
      for (const other of job.steps) if (other !== step) this.#cancelToo(other);
    if (mode.post === 'skipped') this.#loseRunner(job, process, what);
    else endBy(process, mode);
    if (mode.isAwaited) return;
    if (mode.post === 'with state') this.#read(step);
    step.leave();
  }

  /** No step of the job has a runner any more. On a shutdown, the machine still sends signals. */
  #loseRunner(job: Job, first: FakeProcess, what: keyof typeof MODES): void {
    job.isDead = true;
    for (const step of job.steps) {
      for (const process of [step.main, step.post]) {
        if (!process?.isAlive) continue;
        endBy(process, MODES[what]);
        if (process !== first) step.history.incidents.push({ ...this.#machine.instant(), on: process.role, what });
      }
      step.leave();
    }
  }

  /** A cancelled job cancels all its running steps. */
  #cancelToo(step: Step): void {
    if (step.main?.isAlive) this.#inject(step, step.main, 'cancel');
  }

  /** The runner reads the files of main, unless it has abandoned the step. It stops waiting for main. */
  #read(step: Step): void {
    const { history, main: process } = step;
    const isAbandoned = history.incidents.some(({ what }) => what !== 'error' && isStateLost(MODES[what]));
    if (process !== undefined && step.state === undefined && !isAbandoned) {
      step.state = parseRecords(this.#machine.disk.read(process.world.env['GITHUB_STATE'] ?? '') ?? '').values;
      history.outputs = Object.fromEntries(process.history.outputs.map(({ name, value }) => [name, value]));
    }
    step.leave();
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#machine.clock.after(ms, resolve));
  }

  #prepare(spec: StepSpec, index: number): Step {
    const { service } = this.#machine;
    const pipelines = spec.pipelines.map((each, number) => {
      const scenario = `step ${index} pipeline ${number}`;
      service.scenarios[scenario] = { does: 'is simulated', timeline: each.stages, first: failures(each) };
      const name = nameOf(each, index);
      const rows = this.#scenario.service.fleet?.rows ?? 1;
      return { ...addPipeline(service, { name, apiName: apiNameOf(index, number), scenario, rows }), spec: each };
    });
    const given = pipelines.flatMap((pipeline) => {
      const since = pipeline.spec.existsSinceMs;
      const parameters = {
        p_pipeline_id: pipeline.id,
        p_job_type: 'pipeline_run',
        p_full_resync: false,
        p_reset_target: false,
      };
      return since === null ? [] : [queueRun(service, pipeline, parameters, -since).id];
    });
    return {
      index,
      spec,
      job: spec.runner.job,
      pipelineIds: pipelines.map(({ id }) => id),
      givenIds: given,
      main: undefined,
      post: undefined,
      leave: () => undefined,
      state: undefined,
      history: {
        main: undefined,
        post: undefined,
        incidents: [],
        outputs: {},
        isStateKept: false,
        isJournalKept: false,
        jobStatus: '',
        summaries: [],
      },
    };
  }
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

/** Returns the inputs of a step, apart from those that every process gets. */
function inputsOf({ givenIds, index, pipelineIds, spec }: Step): Record<string, string> {
  const { by, inputs, pipelines, task } = spec;
  const names = pipelines.map((each, number) =>
    by === 'uuid' ? (pipelineIds[number] ?? '') : by === 'name' ? nameOf(each, index) : apiNameOf(index, number),
  );
  return {
    ...inputs,
    ...(task !== 'await' && { pipeline: names.join('\n') }),
    ...(task === 'await' || task === 'resume' ? { 'job-id': givenIds.join('\n') } : {}),
    ...(task === 'dry_run' && { 'dry-run': 'true' }),
    ...(task === 'invalid' && { timeout: 'soon' }),
  };
}

/** Whether the runner never reads what main saves. */
function isStateLost({ post }: Mode): boolean {
  return post === 'state lost';
}

/** Starts a process. Resolves at its end. */
function execute(process: FakeProcess, entry: Entry): Promise<void> {
  process.start(entry);
  return process.end.then(() => undefined);
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
