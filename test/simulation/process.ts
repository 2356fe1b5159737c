/* A process of a scenario. Everything that its code does to the world is an effect with a number. */
import type { Level, World } from '../../src/world.ts';
import { Disk } from './disk.ts';
import type { ProcessHistory } from './history.ts';
import type { Machine } from './machine.ts';
import { createNetwork } from './network.ts';
import { createRandom } from './random.ts';
import type { Call, ClockSpec, RequestPhase, Role, StepSpec } from './scenario.ts';

const WORKER_PID = 3_900;
const INIT_PID = 1;
const KILLED = 137;
const TICK_MS = 1_000;
/** The monotonic clock shows any time when a process starts. */
const CLOCK_STARTS_AT_MS = 987_654_321.25;

/** Something that happens to a process at one of its effects. */
export interface Hook {
  readonly effect: number;
  readonly when: 'before' | 'after' | 'torn';
  readonly run: () => void;
}

export class SimProcess {
  readonly role: Role;
  readonly name: string;
  readonly pid: number;
  readonly history: ProcessHistory;
  readonly world: World;
  readonly machine: Machine;
  readonly spec: StepSpec;
  readonly hooks: Hook[] = [];
  readonly random: () => number;
  /** Called when a request reaches a phase. */
  onPhase: (call: Call, nth: number, phase: RequestPhase) => void = () => undefined;
  /** Called when the process has ended. */
  onEnd: () => void = () => undefined;
  isAlive = true;
  isPidReused = false;
  /** Whether someone reads what the process prints. */
  isRead = true;
  #isStdoutOpen = true;
  #isStdoutClosedNoticed = false;
  #parent = WORKER_PID;
  #hasLooked = false;
  #effects = 0;
  /** What keeps the process alive: timers, requests, and a write to stdout. */
  #holds = 0;
  #exitCode = 0;
  #isExiting = false;
  #isDrained = false;
  readonly #disk: Disk;
  readonly #sleep: ClockSpec['sleep'];
  readonly #onSignal: ((name: string) => void)[] = [];
  readonly #onStdoutClosed: (() => void)[] = [];
  readonly #onError: ((error: unknown) => void)[] = [];
  readonly #onDrained: (() => void)[] = [];

  constructor(machine: Machine, step: number, role: Role, env: World['env']) {
    const spec = machine.scenario.steps[step];
    if (spec === undefined) throw new Error(`There is no step ${step}.`);
    this.machine = machine;
    this.spec = spec;
    this.role = role;
    this.name = machine.scenario.steps.length === 1 ? role : `${role}${step + 1}`;
    this.pid = 4_001 + machine.processes.length;
    machine.processes.push(this);
    // A process that starts later has not slept.
    this.#sleep = spec.clock.sleep !== null && machine.now < spec.clock.sleep.atMs ? spec.clock.sleep : null;
    this.#disk = new Disk(machine, role, spec.disk);
    this.random = createRandom(machine.scenario.seed, this.pid).next;
    this.history = {
      role,
      step,
      started: machine.instant(),
      requests: [],
      writes: [],
      outputs: [],
      lines: [],
      annotations: [],
      masked: [],
      stops: [],
      errors: [],
    };
    this.world = this.#createWorld(env);
  }

  /** Executes a program, until it exits or has nothing left to wait for. */
  start(program: (world: World) => void): void {
    this.deliver('starts', () => program(this.world));
    this.machine.clock.after(0, () => this.#checkDrained());
  }

  /** Runs code of this process as one event, unless the process is dead or dies right before it. */
  deliver(what: string, task: () => void): void {
    if (!this.isAlive) return;
    this.#effects += 1;
    const effect = this.#effects;
    const isInterrupted = this.#runHooks(effect, 'before');
    const act = (): void => {
      if (!this.isAlive) return;
      this.machine.running = this;
      this.#log(what, effect);
      try {
        task();
      } catch (error) {
        this.fail(error);
      }
      this.#runHooks(effect, 'torn');
      this.#runHooks(effect, 'after');
    };
    // What happens before an event is an event of its own.
    if (isInterrupted) this.after(0, act);
    else act();
  }

  /** Calls a task after a time that keeps the process alive. Returns a function that cancels the call. */
  after(ms: number, task: () => void): () => void {
    let isPending = true;
    const release = (): void => {
      if (isPending) this.#release();
      isPending = false;
    };
    this.#holds += 1;
    const stop = this.machine.clock.after(ms, () => {
      if (isPending && this.isAlive) task();
      release();
    });
    return () => {
      stop();
      release();
    };
  }

  /** Sends a signal. A process that does not listen dies. */
  signal(name: string): void {
    if (name === 'SIGKILL') {
      this.#end('killed', KILLED);
      return;
    }
    this.machine.clock.after(0, () => this.#notice(name, this.#onSignal));
  }

  closeStdout(): void {
    this.#isStdoutOpen = false;
    this.isRead = false;
  }

  /** Gives the process another parent, as when the runner's worker dies. */
  orphan(): void {
    this.#parent = INIT_PID;
  }

  /** Whether the process handles errors yet. */
  get isListening(): boolean {
    return this.#onError.length > 0;
  }

  /** Throws an error that no code of the process catches. */
  fail(error: unknown): void {
    if (!this.isAlive) return;
    this.#log(`uncaught ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`, 0);
    this.history.errors.push({ ...this.machine.instant(), message: String(error) });
    if (this.#onError.length === 0) this.#end('exited', 7);
    for (const listener of this.#onError) listener(error);
  }

  /** Returns how long something takes that starts now, on a machine that may be asleep for a part of it. */
  lasts(ms: number, isByProcessClock: boolean): number {
    const sleep = this.#sleep;
    if (sleep === null) return ms;
    const from = this.machine.now;
    const awakeAt = sleep.atMs + sleep.forMs;
    const to = from + ms;
    if (isByProcessClock && !sleep.isCounted) return from < sleep.atMs && to >= sleep.atMs ? ms + sleep.forMs : ms;
    return to >= sleep.atMs && to < awakeAt ? awakeAt - from : ms;
  }

  #createWorld(env: World['env']): World {
    const { machine, spec, history } = this;
    const print = (what: string, record: (isRead: boolean) => void): void =>
      this.perform(what, () => {
        record(this.isRead);
        if (this.#isStdoutOpen || this.#isStdoutClosedNoticed) return;
        this.#isStdoutClosedNoticed = true;
        machine.clock.after(0, () => this.#notice('stdout', this.#onStdoutClosed));
      });
    const printLine = (text: string, isDebug: boolean): void =>
      print(isDebug ? `debug   ${text}` : `prints  ${text}`, (isRead) => {
        history.lines.push({ ...machine.instant(), text, isDebug, isRead });
      });
    return {
      env,
      clock: {
        now: () => {
          machine.noteLook();
          return CLOCK_STARTS_AT_MS + machine.now - this.#sleptMs();
        },
        wall: () => machine.clock.wall() + spec.clock.wallOffMs,
        after: (ms, task) => {
          if (ms === Infinity || !this.isAlive) return () => undefined;
          return this.after(this.lasts(Math.max(ms, 0), true), () => this.deliver('timer', task));
        },
      },
      random: this.random,
      files: {
        read: (path) => this.#read(path),
        list: this.#disk.list,
        append: (path, text) => this.#write(path, text, (isTorn) => this.#disk.append(path, text, isTorn)),
        create: (path, text) => this.#write(path, text, (isTorn) => this.#disk.create(path, text, isTorn)),
      },
      toolkit: {
        getInput: (name) => env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`]?.trim() ?? '',
        setSecret: (secret) =>
          this.perform('masks a secret', () => history.masked.push({ ...machine.instant(), secret })),
        setOutput: (name, value) => {
          const path = env['GITHUB_OUTPUT'] ?? '';
          const record = `${name}<<END\n${value}\nEND\n`;
          this.#write(path, `${name}=${value}`, (isTorn) => {
            this.#disk.append(path, record, isTorn);
            if (!isTorn) history.outputs.push({ ...machine.instant(), name, value });
          });
        },
        info: (line) => printLine(line, false),
        debug: (line) => printLine(line, true),
        annotate: (level: Level, message: string, title: string) =>
          print(`${level.padEnd(7)} ${title}: ${message}`, (isRead) => {
            history.annotations.push({ ...machine.instant(), level, title, message, isRead });
          }),
      },
      host: {
        pid: this.pid,
        hostname: 'runner',
        parent: () => this.#lookForParent(),
        isAlive: (pid) => machine.isAlive(pid),
        onSignal: (listener) => void this.#onSignal.push(listener),
        onStdoutClosed: (listener) => void this.#onStdoutClosed.push(listener),
        onError: (listener) => void this.#onError.push(listener),
        onDrained: (listener) => void this.#onDrained.push(listener),
        onTick: (listener) => this.#tick(listener),
        flushed: () =>
          new Promise((resolve) => {
            this.after(spec.runner.flushMs, () => this.deliver('flushed', () => resolve(this.#isStdoutOpen)));
          }),
        setExitCode: (code) => {
          this.#exitCode = code;
        },
        exit: (code) => {
          this.#isExiting = true;
          this.perform(`exits with ${code}`, () => this.#end('exited', code));
        },
      },
      send: createNetwork(this),
    };
  }

  /** Carries out an effect, unless the process is dead or dies right before it. */
  perform(what: string, act: (isTorn: boolean) => void): void {
    if (!this.isAlive) return;
    this.#effects += 1;
    const effect = this.#effects;
    this.#runHooks(effect, 'before');
    if (!this.isAlive) return;
    const isTorn = this.hooks.some((hook) => hook.effect === effect && hook.when === 'torn');
    this.#log(isTorn ? `${what} (torn)` : what, effect);
    try {
      act(isTorn);
    } finally {
      this.#runHooks(effect, 'torn');
      this.#runHooks(effect, 'after');
    }
  }

  /** The only file of another process that main reads is the mark of a post step. */
  #read(path: string): string | undefined {
    const text = this.#disk.read(path);
    if (text !== undefined && this.role === 'main' && this.#disk.isForeign(path)) this.#see('mark');
    return text;
  }

  /** A process looks first when it starts, and its runner was alive then. */
  #lookForParent(): number {
    const isFirst = !this.#hasLooked;
    this.#hasLooked = true;
    if (isFirst || this.#parent === WORKER_PID) return WORKER_PID;
    this.#see('runner');
    return this.#parent;
  }

  /** Notes that the code learned of an interruption for which it has to look. */
  #see(by: 'mark' | 'runner'): void {
    const { stops } = this.history;
    if (!stops.some((each) => each.by === by)) stops.push({ ...this.machine.instant(), by });
  }

  #write(path: string, text: string, act: (isTorn: boolean) => void): void {
    const file = this.#disk.kindOf(path);
    const record = (failed: boolean): void => {
      if (text === '' && file !== 'mark') return;
      this.history.writes.push({ ...this.machine.instant(), file, path, failed });
    };
    this.perform(`writes  ${file} ${text.trimEnd()}`, (isTorn) => {
      try {
        act(isTorn);
        record(isTorn);
      } catch (error) {
        const text = String(error);
        // A file that exists already is not a faulty disk.
        const isThere = text.includes('EEXIST');
        if (!isThere) record(true);
        this.#log(isThere ? '          which exists already' : `          which fails: ${text}`, 0);
        throw error;
      }
    });
  }

  /** Calls a listener once a second. A tick alone is not an effect, because it rarely has one. */
  #tick(listener: () => void): void {
    this.machine.clock.after(this.lasts(TICK_MS, true), () => {
      if (!this.isAlive) return;
      this.machine.running = this;
      listener();
      this.#tick(listener);
    });
  }

  /** Returns whether any hook was due. */
  #runHooks(effect: number, when: Hook['when']): boolean {
    const due = this.hooks.filter((hook) => hook.effect === effect && hook.when === when);
    for (const hook of due) this.hooks.splice(this.hooks.indexOf(hook), 1);
    for (const hook of due) hook.run();
    return due.length > 0;
  }

  #notice<T extends string>(by: T, listeners: readonly ((by: T) => void)[]): void {
    if (!this.isAlive) return;
    if (listeners.length === 0) {
      this.#end('killed', KILLED);
      return;
    }
    this.deliver(`notices ${by}`, () => {
      this.history.stops.push({ ...this.machine.instant(), by });
      for (const listener of listeners) listener(by);
    });
  }

  #release(): void {
    this.#holds -= 1;
    if (this.#holds === 0) this.machine.clock.after(0, () => this.#checkDrained());
  }

  /** Ends the process if it waits for nothing, after a last chance to do something. */
  #checkDrained(): void {
    if (!this.isAlive || this.#holds > 0 || this.#isExiting) return;
    // An idle post step only returns.
    if (!this.isListening) {
      this.#log('has nothing to do', 0);
      this.#end('exited', this.#exitCode);
      return;
    }
    if (this.#isDrained) {
      this.#end('exited', this.#exitCode);
      return;
    }
    this.#isDrained = true;
    this.history.errors.push({ ...this.machine.instant(), message: 'nothing was left to wait for' });
    this.deliver('has nothing left to wait for', () => {
      for (const listener of this.#onDrained) listener();
    });
    this.machine.clock.after(0, () => this.#checkDrained());
  }

  #sleptMs(): number {
    const sleep = this.#sleep;
    if (sleep === null || sleep.isCounted) return 0;
    return Math.min(Math.max(this.machine.now - sleep.atMs, 0), sleep.forMs);
  }

  #end(how: 'exited' | 'killed', code: number): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.isPidReused = this.spec.runner.reusesPid;
    this.history.end = { ...this.machine.instant(), how, code };
    if (how === 'killed') this.#log('is killed', 0);
    this.onEnd();
  }

  #log(text: string, effect: number): void {
    this.machine.log(this.name, effect, text);
  }
}
