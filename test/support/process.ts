/*
 * A process of the action on a fake machine. Everything that its code does to the world is an effect with a number, and
 * the history (observed.ts) has everything that a user could observe.
 */
import type { Fault, Role } from '../../sandbox/faults.ts';
import type { Moment } from '../../sandbox/runner/index.ts';
import { TICK_MS } from '../../src/base/clock.ts';
import type { Environment } from '../../src/base/environment.ts';
import type { Entry } from '../../src/index.ts';
import { asOutput } from '../../src/real-world.ts';
import type { Level, World } from '../../src/world.ts';
import { ProcessDisk } from './disk.ts';
import { execute } from './entries.ts';
import type { Machine } from './machine.ts';
import { createNetwork, type NetworkUser, type RequestPhase } from './network.ts';
import { Observed } from './observed.ts';
import { type Sleep, SleepyTime } from './sleep.ts';

/** Begins the line with which post marks the journal if it cannot create a file. */
const MARK_IN_JOURNAL = '\nrun_pipeline_mark=';

const WORKER_PID = 39;
const INIT_PID = 1;
const FIRST_PID = 101;
const LEG_MS = 10;
/** The exit code of a process that a signal killed. */
const KILLED = 137;

/** Effects are numbered from 1 in each process. A torn effect happens in part. A phase begins just before its effects. */
export type VirtualMoment =
  | Moment<RequestPhase>
  | { readonly effect: number; readonly when: 'before' | 'after' | 'torn' };

interface Hook {
  readonly at: VirtualMoment;
  readonly run: () => void;
}

export interface ProcessOptions {
  readonly env: Environment;
  readonly role?: Role;
  readonly name?: string;
  readonly faults?: readonly Fault[];
  /** By default, always 0.5, so pauses are predictable. */
  readonly random?: () => number;
  /** Called before each effect of the process, such as `append /path`, `request trigger ID` or `print`. It may call `kill`. */
  readonly onEffect?: ((effect: string) => void) | undefined;
  readonly sleep?: Sleep | null;
  /** How wrong the wall clock is, and what the monotonic clock shows when the machine starts. */
  readonly wallOffMs?: number;
  readonly clockStartsAtMs?: number;
  /** How long stdout takes to accept everything. */
  readonly flushMs?: number;
  /** Another process has the id of this one after its end. */
  readonly reusesPid?: boolean;
  readonly network?: Partial<Pick<NetworkUser, 'legMs' | 'choiceOf' | 'changed'>>;
}

export class FakeProcess extends Observed {
  readonly role: Role;
  readonly name: string;
  readonly pid: number;
  readonly world: World;
  isAlive = true;
  isPidReused = false;
  /** Whether the runner reads what the process prints. */
  isRead = true;
  /** Settles with the exit code, or with undefined if the process was killed. */
  readonly end: Promise<number | undefined>;
  readonly #options: ProcessOptions;
  readonly #disk: ProcessDisk;
  readonly #listeners = {
    signal: [] as ((name: string) => void)[],
    closed: [] as (() => void)[],
    error: [] as ((error: unknown) => void)[],
    drained: [] as (() => void)[],
  };
  readonly #hooks: Hook[] = [];
  readonly #resolveEnd: (code: number | undefined) => void;
  readonly #time: SleepyTime;
  #isStdoutOpen = true;
  #isStdoutClosedNoticed = false;
  #isJammed = false;
  #parent = WORKER_PID;
  #hasLooked = false;
  #isStarted = false;
  #effects = 0;
  /** What keeps the process alive: timers, requests, and a write to stdout. */
  #holds = 0;
  #exitCode = 0;
  #isExiting = false;
  #isDrained = false;

  constructor(machine: Machine, options: ProcessOptions) {
    const { faults = [], role = 'main', sleep = null } = options;
    super(machine, role, options.env);
    this.role = role;
    this.name = options.name ?? role;
    this.pid = FIRST_PID + machine.processes.length;
    machine.processes.push(this);
    this.#options = options;
    this.#time = new SleepyTime(machine, sleep);
    this.#disk = new ProcessDisk(machine.disk, role, faults, () => machine.now);
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    this.end = promise;
    this.#resolveEnd = resolve;
    this.world = this.#createWorld(options.env);
  }

  /** Executes an entry of the action or another program, until it exits or has nothing left to wait for. */
  start(program: Entry | ((process: FakeProcess) => void)): void {
    this.#isStarted = true;
    this.deliver('starts', () => (typeof program === 'string' ? execute(program, this) : program(this)));
    this.machine.clock.after(0, () => this.#checkDrained());
  }

  // What happens to the process.

  /** Runs a task at a time, in milliseconds since the machine started. */
  at(ms: number, task: () => void): void {
    this.machine.clock.after(ms - this.machine.now, task);
  }

  /** Runs a task once, when the process reaches this point. Several tasks can be planned for the same point. */
  when(at: VirtualMoment, task: () => void): void {
    const later = (ms: number): void => void this.machine.clock.after(this.#time.lasts(ms, false), task);
    if ('ms' in at) {
      later(at.ms);
      return;
    }
    const { plusMs = 0 } = 'effect' in at ? {} : at;
    this.#hooks.push({ at, run: plusMs === 0 ? task : () => later(plusMs) });
  }

  /** Sends a signal, which arrives between two events. A process that does not listen dies. */
  signal(name: string): void {
    if (name === 'SIGKILL') this.kill();
    else this.#soon(() => this.#notice(name, this.#listeners.signal));
  }

  /** Ends the process immediately. From now on, nothing that it does has an effect. */
  kill(): void {
    this.#end('killed', undefined);
  }

  /** Closes stdout. The process notices when it next prints. */
  closeStdout(): void {
    this.#isStdoutOpen = false;
    this.isRead = false;
  }

  /** From now on, stdout accepts nothing, but does not fail either. */
  jamStdout(): void {
    this.#isJammed = true;
  }

  /** Gives the process another parent, as when the runner's worker dies. */
  orphan(): void {
    this.#parent = INIT_PID;
  }

  /** Throws an error that no code of the process catches. */
  fail(error: unknown): void {
    if (!this.isAlive) return;
    this.note(`uncaught ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    this.history.errors.push({ ...this.machine.instant(), message: String(error) });
    if (!this.isListening) this.#end('exited', 7);
    for (const listener of this.#listeners.error) listener(error);
  }

  /** Whether the process already handles errors. */
  get isListening(): boolean {
    return this.#listeners.error.length > 0;
  }

  /** Lets time pass until the process has ended. Returns its exit code, or undefined if it was killed. */
  ended(longestMs = 86_400_000): Promise<number | undefined> {
    return this.machine.clock.until(this.end, longestMs);
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  // What its code does.

  /** Runs code of this process as one event, unless the process is dead or dies right before it. */
  deliver(what: string, task: () => void): void {
    if (!this.isAlive) return;
    this.#effects += 1;
    const effect = this.#effects;
    const isInterrupted = this.#reach({ effect, when: 'before' });
    const act = (): void => {
      if (!this.isAlive) return;
      this.machine.running = this;
      this.note(what, effect);
      try {
        task();
      } catch (error) {
        this.fail(error);
      }
      this.#reach({ effect, when: 'torn' });
      this.#reach({ effect, when: 'after' });
    };
    // Anything that happens before an event is a separate event.
    if (isInterrupted) this.after(0, act);
    else act();
  }

  /** Carries out an effect, unless the process is dead or dies right before it. */
  perform(what: string, act: (isTorn: boolean) => void, trace = what): void {
    if (!this.isAlive) return;
    this.#effects += 1;
    const effect = this.#effects;
    this.#options.onEffect?.(what);
    this.#reach({ effect, when: 'before' });
    if (!this.isAlive) return;
    const isTorn = this.#hooks.some(({ at }) => isSame(at, { effect, when: 'torn' }));
    this.note(isTorn ? `${trace} (torn)` : trace, effect);
    try {
      act(isTorn);
    } finally {
      this.#reach({ effect, when: 'torn' });
      this.#reach({ effect, when: 'after' });
    }
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

  /** Adds a line to the machine's trace. */
  note(text: string, effect = 0): void {
    this.machine.log(this.name, effect, text);
  }

  #createWorld(env: Environment): World {
    const { machine, history } = this;
    const { clockStartsAtMs = 0, faults = [], network, random = () => 0.5, wallOffMs = 0 } = this.#options;
    const disk = this.#disk;
    return {
      env,
      clock: {
        now: () => {
          machine.noteLook();
          return clockStartsAtMs + this.#time.now();
        },
        wall: () => machine.clock.wall() + wallOffMs,
        after: (ms, task) => {
          if (ms === Infinity || !this.isAlive) return () => undefined;
          return this.after(this.#time.lasts(Math.max(ms, 0), true), () => this.deliver('timer', task));
        },
      },
      random,
      files: {
        read: (path) => this.#read(path),
        list: machine.disk.list,
        append: (path, text) => this.#write('append', path, text, (isTorn) => disk.append(path, text, isTorn)),
        create: (path, text) => this.#write('create', path, text, (isTorn) => disk.create(path, text, isTorn)),
      },
      toolkit: {
        getInput: (name) => env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`]?.trim() ?? '',
        setSecret: (secret) =>
          this.perform('mask', () => history.masked.push({ ...machine.instant(), secret }), 'masks a secret'),
        setOutput: (name, value) => {
          const path = env['GITHUB_OUTPUT'] ?? '';
          this.#write(`output ${name}`, path, `${name}=${value}`, (isTorn) => {
            disk.append(path, asOutput(name, value), isTorn);
            if (!isTorn) history.outputs.push({ ...machine.instant(), name, value });
          });
        },
        info: (line) => this.#printLine(line, false),
        debug: (line) => void machine.clock.after(0, () => this.#printLine(line, true)),
        annotate: (level: Level, message: string, title: string) =>
          this.#print(
            'print',
            (isRead) => history.annotations.push({ ...machine.instant(), level, title, message, isRead }),
            `${level.padEnd(7)} ${title}: ${message}`,
          ),
      },
      host: {
        pid: this.pid,
        hostname: 'runner',
        parent: () => this.#lookForParent(),
        isAlive: (pid) => machine.isAlive(pid),
        onSignal: (listener) => void this.#listeners.signal.push(listener),
        onStdoutClosed: (listener) => void this.#listeners.closed.push(listener),
        onError: (listener) => void this.#listeners.error.push(listener),
        onDrained: (listener) => void this.#listeners.drained.push(listener),
        onTick: (listener) => this.#tick(listener),
        flushed: () => this.#flushed(),
        turned: () =>
          new Promise((resolve) => {
            this.after(0, () => {
              machine.running = this;
              resolve();
            });
          }),
        setExitCode: (code) =>
          this.perform('exit code', () => {
            this.#exitCode = code;
          }),
        exit: (code) => {
          this.#isExiting = true;
          this.perform('exit', () => this.#end('exited', code), `exits with ${code}`);
        },
      },
      send: createNetwork({
        role: this.role,
        service: machine.service,
        faults,
        requests: history.requests,
        now: () => machine.now,
        instant: () => machine.instant(),
        legMs: (leg) => (leg === 'arrive' ? 0 : LEG_MS),
        choiceOf: () => 0,
        later: (ms, task) => void machine.clock.after(ms, task),
        after: (ms, isByProcessClock, task) => this.after(this.#time.lasts(ms, isByProcessClock), task),
        perform: (what, act) => this.perform(what, act),
        deliver: (what, task) => this.deliver(what, task),
        onPhase: (phase, { call, nth }) => void this.#reach({ call, nth, phase }),
        log: (text) => this.note(text),
        ...network,
      }),
    };
  }

  #printLine(text: string, isDebug: boolean): void {
    const record = (isRead: boolean): void => {
      this.history.lines.push({ ...this.machine.instant(), text, isDebug, isRead });
      this.#reach({ line: text });
    };
    this.#print(isDebug ? 'debug' : 'print', record, `${isDebug ? 'debug  ' : 'prints '} ${text}`);
  }

  #print(what: string, record: (isRead: boolean) => void, trace: string): void {
    this.perform(
      what,
      () => {
        record(this.isRead);
        if (this.#isStdoutOpen || this.#isStdoutClosedNoticed) return;
        this.#isStdoutClosedNoticed = true;
        this.#soon(() => this.#notice('stdout', this.#listeners.closed));
      },
      trace,
    );
  }

  #flushed(): Promise<boolean> {
    // A write that stdout does not accept keeps the process alive.
    if (this.#isJammed) this.#holds += 1;
    if (this.#isJammed) return new Promise(() => undefined);
    const { flushMs = 0 } = this.#options;
    if (flushMs > 0)
      return new Promise((resolve) => {
        this.after(flushMs, () => this.deliver('flushed', () => resolve(this.#isStdoutOpen)));
      });
    // A pipe that is not full accepts everything at once, so no other event is handled in between.
    this.perform('flushed', () => undefined);
    return this.isAlive ? Promise.resolve(this.#isStdoutOpen) : new Promise(() => undefined);
  }

  /** Main reads only the mark of a post step, and its own journal, which may contain the mark. */
  #read(path: string): string | undefined {
    const text = this.machine.disk.read(path);
    const isMark = this.#disk.kindOf(path) === 'mark' || text?.includes(MARK_IN_JOURNAL) === true;
    if (text !== undefined && this.role === 'main' && isMark) this.#see('mark');
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

  /** Records that the code noticed an interruption that raises no event. */
  #see(by: 'mark' | 'runner'): void {
    const { stops } = this.history;
    if (!stops.some((each) => each.by === by)) stops.push({ ...this.machine.instant(), by });
  }

  #write(what: string, path: string, text: string, act: (isTorn: boolean) => void): void {
    const file = text.includes(MARK_IN_JOURNAL) ? 'mark' : this.#disk.kindOf(path);
    const record = (failed: boolean): void => {
      if (text === '' && file !== 'mark') return;
      const isLast = text.includes('run_pipeline_end=');
      this.history.writes.push({ ...this.machine.instant(), file, path, failed, isLast });
    };
    this.perform(
      what.startsWith('output') ? what : `${what} ${path}`,
      (isTorn) => {
        try {
          act(isTorn);
          record(isTorn);
        } catch (error) {
          const why = String(error);
          // A file that exists already is not a faulty disk.
          const isThere = why.includes('EEXIST');
          if (!isThere) record(true);
          this.note(isThere ? '          which exists already' : `          which fails: ${why}`);
          throw error;
        }
      },
      `writes  ${file} ${text.trimEnd()}`,
    );
  }

  /** Calls a listener once a second. A tick alone is not an effect, because it rarely has one. */
  #tick(listener: () => void): void {
    this.machine.clock.after(this.#time.lasts(TICK_MS, true), () => {
      if (!this.isAlive) return;
      this.machine.running = this;
      listener();
      this.#tick(listener);
    });
  }

  /** Runs the tasks that are planned for a moment. Returns whether there were any. */
  #reach(moment: VirtualMoment): boolean {
    const due = this.#hooks.filter(({ at }) => isSame(at, moment));
    for (const hook of due) this.#hooks.splice(this.#hooks.indexOf(hook), 1);
    for (const hook of due) hook.run();
    return due.length > 0;
  }

  #soon(task: () => void): void {
    this.machine.clock.after(0, task);
  }

  #notice<T extends string>(by: T, listeners: readonly ((by: T) => void)[]): void {
    if (!this.isAlive) return;
    if (listeners.length === 0) {
      this.kill();
      return;
    }
    this.deliver(`notices ${by}`, () => {
      this.history.stops.push({ ...this.machine.instant(), by });
      for (const listener of listeners) listener(by);
    });
  }

  #release(): void {
    this.#holds -= 1;
    if (this.#holds === 0) this.#soon(() => this.#checkDrained());
  }

  /** Ends the process if it waits for nothing, after a last chance to do something. */
  #checkDrained(): void {
    if (!this.isAlive || !this.#isStarted || this.#holds > 0 || this.#isExiting) return;
    if (this.#listeners.drained.length === 0 || this.#isDrained) {
      this.note('has nothing to do');
      this.#end('exited', this.#exitCode);
      return;
    }
    this.#isDrained = true;
    this.history.errors.push({ ...this.machine.instant(), message: 'nothing was left to wait for' });
    this.deliver('has nothing left to wait for', () => {
      for (const listener of this.#listeners.drained) listener();
    });
    this.#soon(() => this.#checkDrained());
  }

  #end(how: 'exited' | 'killed', code: number | undefined): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.isPidReused = this.#options.reusesPid === true;
    this.history.end = { ...this.machine.instant(), how, code: code ?? KILLED };
    if (how === 'killed') this.note('is killed');
    this.#resolveEnd(code);
  }
}

/** Whether a process that reaches one moment reaches the other one, too. */
function isSame(planned: VirtualMoment, now: VirtualMoment): boolean {
  if ('line' in planned) return 'line' in now && now.line.includes(planned.line);
  if ('effect' in planned) return 'effect' in now && now.effect === planned.effect && now.when === planned.when;
  if ('ms' in planned || !('call' in now)) return false;
  return now.call === planned.call && now.nth === planned.nth && now.phase === planned.phase;
}
