/*
 * The runner in virtual time. It plays a step as sandbox/runner does in real processes: it starts main with the inputs,
 * lets the incidents happen, hands the state to post, and starts post.
 */
import type { Fault, Role } from '../../sandbox/faults.ts';
import {
  type Incident,
  inputsOfPost,
  type JobStatus,
  MODES,
  type Mode,
  type ModeName,
  QUEUED,
  type StepDescription,
  statusAfter,
} from '../../sandbox/runner/index.ts';
import type { Environment } from '../../src/base/environment.ts';
import { Machine } from './machine.ts';
import type { Instant } from './network.ts';
import type { VirtualMoment } from './process.ts';
import { type FakeOptions, type FakeWorld, fakeWorld } from './world.ts';

/** Something that happens to a process: what can happen in every runner, or an error that no code catches. */
export type VirtualIncident = Incident<ModeName | 'error', VirtualMoment>;

/** A description with what only virtual time has: faults of files, errors, and incidents at every effect. */
export type VirtualStep = StepDescription<Fault, VirtualIncident>;

/** What a test does to a process right before it starts, for example `(main) => main.at(5_000, () => main.kill())`. */
export type Events = (process: FakeWorld) => void;

/** Starts a process of a step, and returns it immediately. */
export function start(options: FakeOptions, events: Events = () => undefined): FakeWorld {
  const process = fakeWorld(options);
  events(process);
  process.start(process.role);
  return process;
}

/** Starts the post process on the machine of main. By default, with the state that main has saved by now. */
export function startPost(main: FakeWorld, options: FakeOptions, events?: Events, state = main.state): FakeWorld {
  const inputs = { 'internal-job-status': 'success', ...options.inputs };
  return start({ ...options, role: 'post', beside: main, inputs, env: { ...state, ...options.env } }, events);
}

/** What the steps of a job share. */
export class Job {
  readonly machine: Machine;
  readonly steps: Step[] = [];
  status: JobStatus = 'success';
  /** Its worker is dead, so no further step and no post step starts. */
  isDead = false;

  constructor(machine = new Machine()) {
    this.machine = machine;
  }
}

/** One step of a job, as its runner sees it. */
export class Step {
  readonly incidents: (Instant & { readonly on: Role; readonly what: VirtualIncident['what'] })[] = [];
  main: FakeWorld | undefined;
  post: FakeWorld | undefined;
  /** What the runner read in the files of main, unless it has abandoned the step. */
  read: { readonly state: Environment; readonly outputs: Readonly<Record<string, string>> } | undefined;
  readonly job: Job;
  readonly description: VirtualStep;
  readonly #options: (role: Role) => FakeOptions;
  /** Settles when the runner no longer waits for main. */
  readonly #left = Promise.withResolvers<void>();

  /** @param options what a process has in addition to its inputs, its faults and its state */
  constructor(job: Job, description: VirtualStep, options: (role: Role) => FakeOptions = () => ({})) {
    this.job = job;
    this.description = description;
    this.#options = options;
    job.steps.push(this);
  }

  /** Plays the whole step. Resolves when both processes have ended. */
  async run(): Promise<void> {
    await this.runMain();
    await this.runPost();
    await this.main?.end;
  }

  /** Starts main, and waits for it as long as its runner does. */
  runMain(): Promise<void> {
    const main = start({ ...this.#optionsOf('main'), beside: this.job }, (process) => this.#plan(process));
    void main.end.then(() => this.#readFiles());
    return this.#left.promise;
  }

  /** Starts post after main, and waits for it. */
  async runPost(): Promise<void> {
    const { job, main } = this;
    if (main === undefined || job.isDead) return;
    const { inputs = {}, runner = {} } = this.description;
    const code = main.history.end?.code ?? 0;
    const { statusAtEnd = code === 0 ? 'success' : 'failure' } = job.steps[0]?.description.runner ?? {};
    if (job.status === 'success') job.status = statusAtEnd;
    if (runner.temp === 'vanishes') main.files.emptyTemp();
    const options = {
      ...this.#optionsOf('post'),
      inputs: { ...inputsOfPost(inputs, runner), 'internal-job-status': job.status },
    };
    await startPost(main, options, (process) => this.#plan(process), this.stateForPost ?? {}).end;
  }

  /** The state that post receives, if any. */
  get stateForPost(): Environment | undefined {
    return this.description.runner?.losesState === true ? undefined : this.read?.state;
  }

  #optionsOf(role: Role): FakeOptions {
    const { faults = [], inputs = {}, runner = {} } = this.description;
    const { env, ...options } = this.#options(role);
    return { ...options, faults, inputs, env: { ...env, ...(runner.temp === 'none' && { RUNNER_TEMP: undefined }) } };
  }

  /** Plans the incidents of a process that is about to start. The first one can happen while it starts. */
  #plan(process: FakeWorld): void {
    this[process.role] = process;
    for (const { on = 'main', what, at = QUEUED } of this.description.incidents ?? []) {
      if (on !== process.role) continue;
      // Only a kill can interrupt an effect halfway.
      const isLater = 'effect' in at && at.when === 'torn' && what !== 'kill' && what !== 'act_cancel';
      process.when(isLater ? { ...at, when: 'after' } : at, () => this.#happen(process, what));
    }
  }

  #happen(process: FakeWorld, what: VirtualIncident['what']): void {
    const { job } = this;
    const { machine, role } = process;
    if (!process.isAlive || (job.isDead && what !== 'kill' && what !== 'act_cancel')) return;
    // A job that the user cancelled sends its signals only once.
    if (what === 'cancel' && this.incidents.some((each) => each.on === role && each.what === what)) return;
    this.incidents.push({ ...machine.instant(), on: role, what });
    machine.log('runner', 0, `incident on ${process.name}: ${what}`);
    if (role === 'main' && this.description.runner?.temp === 'vanishes') machine.disk.emptyTemp();
    if (what === 'error') {
      failSoon(process);
      return;
    }
    const mode: Mode = MODES[what];
    job.status = statusAfter(mode, job.status);
    if (mode.isOfJob && role === 'main')
      for (const step of job.steps) if (step !== this && step.main !== undefined) step.#happen(step.main, 'cancel');
    if (mode.post === 'skipped') this.#loseRunner(process, what);
    else end(process, mode);
    if (mode.isAwaited) return;
    if (mode.post === 'with state') this.#readFiles();
    this.#left.resolve();
  }

  /** No step of the job has a runner any more. On a shutdown, the machine still sends signals. */
  #loseRunner(first: FakeWorld, what: ModeName): void {
    this.job.isDead = true;
    for (const step of this.job.steps) {
      for (const process of [step.main, step.post]) {
        if (!process?.isAlive) continue;
        end(process, MODES[what]);
        if (process !== first) step.incidents.push({ ...process.machine.instant(), on: process.role, what });
      }
      step.#left.resolve();
    }
  }

  /** The runner reads the files of main, unless it has abandoned the step. It stops waiting for main. */
  #readFiles(): void {
    const isAbandoned = this.incidents.some(({ what }) => what !== 'error' && MODES[what].post === 'state lost');
    if (this.main !== undefined && !isAbandoned) {
      const { history, state } = this.main;
      this.read ??= { outputs: Object.fromEntries(history.outputs.map(({ name, value }) => [name, value])), state };
    }
    this.#left.resolve();
  }
}

/** Ends a process as a runner does. */
function end(process: FakeWorld, { isOrphaned, signals, stdout }: Mode): void {
  if (stdout === 'unread') process.isRead = false;
  if (stdout === 'closed') process.closeStdout();
  if (isOrphaned) process.orphan();
  for (const [name, afterMs] of signals) {
    if (afterMs === 0) process.signal(name);
    else process.at(process.clock.now() + afterMs, () => process.signal(name));
  }
}

/** Node reports an error that no code catches between two events. */
function failSoon(process: FakeWorld): void {
  process.machine.clock.after(0, () => {
    process.machine.running = process;
    if (process.isListening) process.fail(new Error('injected'));
  });
}
