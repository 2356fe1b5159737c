/*
 * One process of the action in a world of its own: virtual time, files in memory, a recording toolkit, and the sandbox's
 * model of the service behind `send`. A test says what the inputs are, what goes wrong and what happens to the
 * process, runs a step, and reads what a user could see:
 *
 *   const main = fakeWorld({ inputs: { pipeline: 'orders' }, faults: [{ call: 'read', from: 2, forMs: 30_000, what: 'http_503' }] });
 *   main.at(5_000, () => main.signal('SIGINT'));
 *   runProcess(step(main.world), …);
 *   expect(await main.ended()).toBe(1);
 *   expect(main.outputs['job-status']).toBe('cancelled');
 *
 * `fakeWorld({ beside: main, env: main.state })` is another process on the same machine, such as the post step.
 */
import { posix } from 'node:path';
import type { RequestFault } from '../../sandbox/faults.ts';
import { createWorld, SANDBOX_KEY, type World as Service } from '../../sandbox/model/index.ts';
import { parseRecords } from '../../sandbox/runner/index.ts';
import type { Environment, Files, Level, World } from '../../src/world.ts';
import { createNetwork, type SentRequest } from './network.ts';
import { VirtualClock } from './virtual-clock.ts';

export const BASE_URL = 'https://app.example.test';

const TICK_MS = 1_000;
/** The time that a connection or a response takes. */
const LEG_MS = 10;

export interface FakeOptions {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: Environment;
  readonly faults?: readonly RequestFault[];
  /** Called before each effect of the process, such as `append /path`, `request trigger` or `print`. It may call `kill`. */
  readonly onEffect?: (effect: string) => void;
  /** A process with which this one shares its machine: the clock, the files and the service. */
  readonly beside?: { readonly machine: Machine };
  /** By default, always 0.5, so pauses are predictable. */
  readonly random?: () => number;
  /** The service. By default, a new sandbox. */
  readonly service?: Service;
}

export interface Annotation {
  readonly level: Level;
  readonly title: string;
  readonly message: string;
}

export type FakeWorld = ReturnType<typeof fakeWorld>;

export function fakeWorld(options: FakeOptions = {}) {
  const machine = options.beside?.machine ?? newMachine(options.service);
  const { clock, files, service, pids } = machine;
  const pid = pids.size + 101;
  pids.set(pid, true);
  const paths = Object.fromEntries(
    ['GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'].map((name) => [name, `/runner/${pid}/${name}`]),
  );
  for (const path of Object.values(paths)) files.texts.set(path, '');
  const inputs = { 'api-key': SANDBOX_KEY, 'base-url': BASE_URL, ...options.inputs };
  const env: Environment = {
    RUNNER_TEMP: '/runner/temp',
    ...paths,
    ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    ...options.env,
  };

  const log: string[] = [];
  const debugged: string[] = [];
  const masked: string[] = [];
  const annotations: Annotation[] = [];
  const requests: SentRequest[] = [];
  const listeners = {
    signal: [] as ((name: string) => void)[],
    closed: [] as (() => void)[],
    error: [] as ((error: unknown) => void)[],
    tick: [] as (() => void)[],
    drained: [] as (() => void)[],
  };
  let resolveEnd: (code: number | undefined) => void = () => undefined;
  const end = new Promise<number | undefined>((resolve) => {
    resolveEnd = resolve;
  });
  let isDead = false;
  let isTicking = false;
  let wasDrained = false;
  let waits = 0;
  let code = 0;
  let parent = 1;
  let stdout: 'open' | 'closed' | 'stuck' = 'open';

  const die = (exitCode?: number): void => {
    isDead = true;
    pids.set(pid, false);
    resolveEnd(exitCode);
  };
  /** Carries out an effect, unless the process is dead or dies right before it. */
  const effect = (name: string, act: () => void): void => {
    if (!isDead) options.onEffect?.(name);
    if (!isDead) act();
  };
  const own = (task: () => void) => (): void => {
    if (!isDead) task();
  };
  /** Counts what the process waits for. Returns a function that ends one wait. */
  const opened = (): (() => void) => {
    let isOpen = true;
    waits += 1;
    return () => {
      waits -= isOpen ? 1 : 0;
      isOpen = false;
    };
  };
  /** Like Node, first reports that nothing is left to wait for. If nothing follows, the process ends. */
  const tick = (): void => {
    if (waits === 0 && wasDrained) die(code);
    if (isDead) return;
    const isDrained = waits === 0 && listeners.drained.length > 0;
    for (const listener of [...(isDrained ? listeners.drained : []), ...listeners.tick]) listener();
    wasDrained = isDrained;
    clock.after(TICK_MS, tick);
  };
  const startTicking = (): void => {
    if (!isTicking) clock.after(TICK_MS, tick);
    isTicking = true;
  };
  const outputFile = (): string => files.read(env['GITHUB_OUTPUT'] ?? '') ?? '';

  const world: World = {
    env,
    clock: {
      now: () => clock.now(),
      wall: () => clock.wall(),
      after(ms, task) {
        if (ms === Infinity) return () => undefined;
        const close = opened();
        const stop = clock.after(
          ms,
          own(() => {
            close();
            task();
          }),
        );
        return () => {
          close();
          stop();
        };
      },
    },
    random: options.random ?? (() => 0.5),
    files: {
      append: (path, text) => effect(`append ${path}`, () => files.append(path, text)),
      create: (path, text) => effect(`create ${path}`, () => files.create(path, text)),
      read: files.read,
      list: files.list,
    },
    toolkit: {
      getInput: (name) => env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`]?.trim() ?? '',
      setSecret: (secret) => effect('mask', () => masked.push(secret)),
      setOutput: (name, value) =>
        effect(`output ${name}`, () => {
          const { GITHUB_OUTPUT: path = '' } = env;
          // The toolkit then prints an old workflow command.
          if (path === '') log.push(`::set-output name=${name}::${value}`);
          else files.append(path, `${name}<<END\n${value}\nEND\n`);
        }),
      info: (line) => effect('print', () => log.push(line)),
      debug: (line) => effect('debug', () => debugged.push(line)),
      annotate: (level, message, title) => effect('print', () => annotations.push({ level, title, message })),
    },
    host: {
      pid,
      hostname: 'runner',
      parent: () => parent,
      isAlive: (other) => pids.get(other) === true,
      onSignal: (listener) => void listeners.signal.push(listener),
      onStdoutClosed: (listener) => void listeners.closed.push(listener),
      onError: (listener) => void listeners.error.push(listener),
      onTick(listener) {
        listeners.tick.push(listener);
        startTicking();
      },
      onDrained(listener) {
        listeners.drained.push(listener);
        startTicking();
      },
      flushed: () => (stdout === 'stuck' || isDead ? new Promise(() => undefined) : Promise.resolve(stdout === 'open')),
      setExitCode: (next) =>
        effect('exit code', () => {
          code = next;
        }),
      exit: (with_) => effect('exit', () => die(with_)),
    },
    send: createNetwork({
      role: options.beside === undefined ? 'main' : 'post',
      service,
      faults: options.faults ?? [],
      requests,
      now: () => clock.now(),
      instant: () => ({ at: clock.now(), order: 0 }),
      legMs: (leg) => (leg === 'arrive' ? 0 : LEG_MS),
      choiceOf: () => 0,
      later: (ms, task) => void clock.after(ms, task),
      after: (ms, _isByProcessClock, task) => {
        const close = opened();
        const stop = clock.after(
          ms,
          own(() => {
            close();
            task();
          }),
        );
        return () => {
          close();
          stop();
        };
      },
      perform: effect,
      deliver: (_what, task) => own(task)(),
      onPhase: () => undefined,
      log: () => undefined,
    }),
  };

  return {
    world,
    machine,
    clock,
    files,
    /** The sandbox's model, which knows every run and every violation of the service's rules. */
    service,
    requests,
    log,
    annotations,
    masked,
    debugged,
    /** Runs a task at a time, in milliseconds since the machine started. */
    at: (ms: number, task: () => void) => void clock.after(ms - clock.now(), task),
    /** Sends a signal. A process that does not listen dies. */
    signal(name: string) {
      if (listeners.signal.length === 0) die();
      for (const listener of listeners.signal) own(() => listener(name))();
    },
    /** Ends the process at once. From now on, nothing that it does has an effect. */
    kill: () => die(),
    /** Gives the process another parent, as when its runner dies. */
    orphan() {
      parent = 2;
    },
    closeStdout() {
      stdout = 'closed';
      for (const listener of listeners.closed) own(listener)();
    },
    /** From now on, stdout accepts nothing, but does not fail either. */
    jamStdout() {
      stdout = 'stuck';
    },
    throwUncaught: (error: unknown) => {
      for (const listener of listeners.error) own(() => listener(error))();
    },
    /** Lets time pass until the process has ended. Returns its exit code, or undefined if it was killed. */
    ended: (longestMs = 86_400_000): Promise<number | undefined> => clock.until(end, longestMs),
    /** The outputs, as the runner reads them. */
    get outputs(): Readonly<Record<string, string>> {
      return parseRecords(outputFile()).values;
    },
    /** The saved state as the environment variables of the post step. */
    get state(): Environment {
      const { values } = parseRecords(files.read(env['GITHUB_STATE'] ?? '') ?? '');
      return Object.fromEntries(Object.entries(values).map(([name, value]) => [`STATE_${name}`, value]));
    },
    get summary(): string {
      return files.read(env['GITHUB_STEP_SUMMARY'] ?? '') ?? '';
    },
    get exitCode(): number {
      return code;
    },
  };
}

export type Machine = ReturnType<typeof newMachine>;

function newMachine(service: Service = createWorld()) {
  return { clock: new VirtualClock(), files: memoryFiles(), service, pids: new Map<number, boolean>() };
}

/** Files in memory. `refuse` makes writes to a path fail, by default as on a full disk. */
function memoryFiles() {
  const texts = new Map<string, string>();
  const refused = new Map<string, Error>();
  const write = (path: string, text: string): void => {
    const error = refused.get(path);
    if (error !== undefined) throw error;
    texts.set(path, text);
  };
  return {
    texts,
    refuse: (path: string, error: Error = new Error(`ENOSPC: no space left on device, write '${path}'`)) =>
      void refused.set(path, error),
    accept: (path: string) => void refused.delete(path),
    append(path: string, text: string) {
      const before = texts.get(path);
      if (before === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
      write(path, before.replace(/[^\n]$/, '$&\n') + text);
    },
    create(path: string, text: string) {
      if (texts.has(path)) throw new Error(`EEXIST: file already exists, open '${path}'`);
      write(path, text);
    },
    read: (path: string) => texts.get(path),
    list: (folder: string) =>
      [...texts.keys()].filter((path) => posix.dirname(path) === folder).map((path) => posix.basename(path)),
  } satisfies Files & Record<string, unknown>;
}
