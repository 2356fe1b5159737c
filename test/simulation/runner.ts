/* The runner: starts main and post, injects incidents, and reads what they write by its own rules. */
import { addPipeline, queueRun } from '../../sandbox/model/index.ts';
import { parseRecords } from '../../sandbox/runner/index.ts';
import { mainStep } from '../../src/action/main-step.ts';
import { postStep } from '../../src/action/post-step.ts';
import { runProcess } from '../../src/action/process.ts';
import { listenForInterruption } from '../../src/action/signals.ts';
import { isIdle } from '../../src/early.ts';
import type { World } from '../../src/world.ts';
import { BASE_URL } from '../support/world.ts';
import type { StepHistory } from './history.ts';
import { KEY, type Machine, TEMP } from './machine.ts';
import { SimProcess } from './process.ts';
import type { Incident, IncidentKind, PipelineSpec, Role, StepSpec } from './scenario.ts';

const SECOND = 1_000;
/** After SIGINT, the runner sends SIGTERM and then SIGKILL. */
const SIGTERM_AFTER_MS = 7.5 * SECOND;
const SIGKILL_AFTER_MS = 10 * SECOND;
/** `timeout-minutes` of the job. */
const JOB_TIMEOUT_MS = 3 * 3_600 * SECOND;

/** What the processes execute: the entries of the action, with a simulated world instead of the real one. */
function main(world: World): void {
  const interruption = listenForInterruption(world);
  runProcess(world, mainStep(world, interruption), interruption, 1);
}

/** Most post steps have nothing to do, and load no other code. */
function post(world: World): void {
  if (isIdle(world.env)) return;
  const interruption = listenForInterruption(world);
  runProcess(world, postStep(world, interruption), interruption, 0);
}

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
  main: SimProcess | undefined;
  post: SimProcess | undefined;
  /** Called when the runner no longer waits for main. */
  leave: () => void;
  /** The state that main had saved when the runner read it. */
  state: Readonly<Record<string, string>> | undefined;
}

export class Runner {
  readonly steps: readonly Step[];
  readonly #machine: Machine;
  readonly #jobs = new Map<number, Job>();

  constructor(machine: Machine) {
    this.#machine = machine;
    this.steps = machine.scenario.steps.map((spec, index) => this.#prepare(spec, index));
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
      ends.push(this.#execute(process, main).then(() => this.#read(step)));
    });
  }

  async #runPost(step: Step, job: Job, ends: Promise<void>[]): Promise<void> {
    const { history, spec } = step;
    if (spec.runner.temp === 'vanishes') this.#emptyTemp();
    history.isStateKept = step.state !== undefined && !spec.runner.losesState;
    history.jobStatus = job.status ?? job.steps[0]?.spec.runner.statusAtEnd ?? '';
    const process = this.#createProcess(step, 'post', { 'INTERNAL-JOB-STATUS': history.jobStatus });
    step.post = process;
    history.post = process.history;
    const end = this.#execute(process, post);
    ends.push(end);
    await end;
    const isKept = ({ file, path }: { file: string; path: string }): boolean =>
      file === 'journal' && this.#machine.files.has(path);
    history.isJournalKept = history.main?.writes.some(isKept) ?? false;
  }

  /** Starts a process. Resolves at its end. */
  #execute(process: SimProcess, program: typeof main): Promise<void> {
    return new Promise((resolve) => {
      process.onEnd = resolve;
      process.start(program);
    });
  }

  #createProcess(step: Step, role: Role, inputs: Readonly<Record<string, string>>): SimProcess {
    const { index, spec, job } = step;
    const { runner } = spec;
    const name = `${role}${index + 1}`;
    const paths = { OUTPUT: `output_${name}`, STATE: `state_${name}`, STEP_SUMMARY: `summary_${name}` };
    const files = Object.entries(paths).map(([key, file]) => [`GITHUB_${key}`, `/runner/files/${file}`] as const);
    for (const [, path] of files) this.#machine.files.set(path, '');
    const own = role === 'post' && runner.post === 'without_inputs' ? {} : inputsOf(step);
    const withoutKey = role === 'post' && runner.post === 'without_key';
    const all = { ...own, 'API-KEY': withoutKey ? '' : KEY, 'BASE-URL': BASE_URL, ...inputs };
    const isStateful = role === 'post' && step.history.isStateKept;
    const process = new SimProcess(this.#machine, index, role, {
      ...(runner.temp !== 'none' && { RUNNER_TEMP: TEMP }),
      GITHUB_ACTION: runner.action,
      GITHUB_JOB: `job_${job}`,
      GITHUB_RUN_ID: '123',
      GITHUB_RUN_ATTEMPT: '1',
      RUNNER_TRACKING_ID: `github_${job}`,
      ...Object.fromEntries(files),
      ...Object.fromEntries(Object.entries(all).map(([input, value]) => [`INPUT_${input.toUpperCase()}`, value])),
      ...(isStateful &&
        Object.fromEntries(Object.entries(step.state ?? {}).map(([key, value]) => [`STATE_${key}`, value]))),
    });
    for (const incident of spec.incidents) if (incident.on === role) this.#plan(step, process, incident);
    return process;
  }

  /** Injects an incident at its moment. */
  #plan(step: Step, process: SimProcess, { at, what }: Incident): void {
    const { clock } = this.#machine;
    const run = (): void => this.#inject(step, process, what);
    // Only a kill can interrupt an effect halfway.
    const isKill = what === 'kill' || what === 'act_cancel';
    if ('effect' in at) process.hooks.push({ ...at, when: at.when === 'torn' && !isKill ? 'after' : at.when, run });
    else if ('ms' in at) clock.after(process.lasts(at.ms, false), run);
    else {
      const before = process.onPhase;
      process.onPhase = (call, nth, phase) => {
        before(call, nth, phase);
        if (call !== at.call || nth !== at.nth || phase !== at.phase) return;
        if (at.plusMs === 0) run();
        else clock.after(process.lasts(at.plusMs, false), run);
      };
    }
  }

  #inject(step: Step, process: SimProcess, what: IncidentKind): void {
    const job = this.#jobs.get(step.job);
    if (!process.isAlive || job === undefined || (job.isDead && what !== 'kill' && what !== 'act_cancel')) return;
    const { role } = process.history;
    // A job that the user cancelled sends its signals only once.
    if (what === 'cancel' && step.history.incidents.some((each) => each.on === role && each.what === what)) return;
    step.history.incidents.push({ ...this.#machine.instant(), on: role, what });
    this.#machine.log('runner', 0, `incident on ${process.name}: ${what}`);
    if (role === 'main' && step.spec.runner.temp === 'vanishes') this.#emptyTemp();
    this.#act(step, process, job, what);
  }

  #act(step: Step, process: SimProcess, job: Job, what: IncidentKind): void {
    switch (what) {
      case 'cancel':
        job.status = 'cancelled';
        for (const other of job.steps) if (process.role === 'main' && other !== step) this.#cancelToo(other);
        this.#interrupt(process);
        break;
      case 'step_timeout':
        job.status ??= 'failure';
        this.#interrupt(process);
        break;
      case 'cancel_step':
        process.signal('SIGINT');
        this.#machine.clock.after(SIGTERM_AFTER_MS, () => process.signal('SIGKILL'));
        break;
      case 'kill':
        job.status ??= 'failure';
        process.signal('SIGKILL');
        break;
      case 'act_cancel':
        job.status = 'cancelled';
        process.signal('SIGKILL');
        break;
      case 'shutdown':
      case 'worker_killed':
        this.#killWorker(job, process, what);
        break;
      case 'container_cancel':
        job.status = 'cancelled';
        process.isRead = false;
        this.#read(step);
        break;
      case 'abandoned':
        process.isRead = false;
        step.leave();
        break;
      case 'stdout_closed':
        process.closeStdout();
        break;
      case 'error':
        // Node reports an error that no code catches between two events.
        this.#machine.clock.after(0, () => {
          this.#machine.running = process;
          if (process.isListening) process.fail(new Error('injected'));
        });
        break;
    }
  }

  /** No step of the job has a runner any more. On a shutdown, the machine still sends signals. */
  #killWorker(job: Job, first: SimProcess, what: 'shutdown' | 'worker_killed'): void {
    job.isDead = true;
    for (const step of job.steps) {
      for (const process of [step.main, step.post]) {
        if (!process?.isAlive) continue;
        process.closeStdout();
        if (what === 'shutdown') this.#interrupt(process);
        else process.orphan();
        if (process !== first) step.history.incidents.push({ ...this.#machine.instant(), on: process.role, what });
      }
      step.leave();
    }
  }

  /** A cancelled job cancels all its running steps. */
  #cancelToo(step: Step): void {
    if (step.main?.isAlive) this.#inject(step, step.main, 'cancel');
  }

  #interrupt(process: SimProcess): void {
    process.signal('SIGINT');
    this.#machine.clock.after(SIGTERM_AFTER_MS, () => process.signal('SIGTERM'));
    this.#machine.clock.after(SIGKILL_AFTER_MS, () => process.signal('SIGKILL'));
  }

  /** The runner reads the files of main, unless it has abandoned the step. It stops waiting for main. */
  #read(step: Step): void {
    const { history, main: process } = step;
    const isAbandoned = history.incidents.some(({ what }) => what === 'abandoned');
    if (process !== undefined && step.state === undefined && !isAbandoned) {
      step.state = parseRecords(this.#machine.files.get(process.world.env['GITHUB_STATE'] ?? '') ?? '').values;
      history.outputs = Object.fromEntries(process.history.outputs.map(({ name, value }) => [name, value]));
    }
    step.leave();
  }

  #emptyTemp(): void {
    const { files } = this.#machine;
    for (const path of [...files.keys()]) if (path.startsWith(TEMP)) files.delete(path);
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
      return { ...addPipeline(service, { name, apiName: apiNameOf(index, number), scenario }), spec: each };
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

function nameOf({ name }: PipelineSpec, step: number): string {
  return step === 0 ? name : `${name} ${step + 1}`;
}

function apiNameOf(step: number, number: number): string {
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
