// Runs a whole step in virtual time: main, post or cancel/, against a fake service or a scripted connection. Only the
// simulation runs steps in another way, because its processes may crash at every effect.
import type { Environment } from '../../src/action/inputs/input-table.ts';
import type { FileKind } from '../../src/action/runner/files.ts';
import type { Processes } from '../../src/action/runner/processes.ts';
import type { Toolkit } from '../../src/action/runner/toolkit.ts';
import { inOrder, recordsInText, type StoredFact, type WrittenRecord } from '../../src/action/state/records.ts';
import { prepareCancel } from '../../src/action/steps/cancel-step.ts';
import type { Machine } from '../../src/action/steps/machine.ts';
import { prepareMain } from '../../src/action/steps/main-step.ts';
import { performPost } from '../../src/action/steps/post-step.ts';
import type { Uuid } from '../../src/base/uuid.ts';
import type { Service } from '../../src/service/api.ts';
import { createService } from '../../src/service/client.ts';
import { isTerminal } from '../../src/service/statuses.ts';
import { environment, type Inputs, keptToolkit } from './action.ts';
import { type Call, fakeService, type ServiceScript } from './fake-service.ts';
import type { Call as Request } from './fault-scripts.ts';
import { interruptible } from './interruption.ts';
import { type MemoryFiles, memoryFiles, valuesIn } from './memory-files.ts';
import { HOST, PID, postEnv, STATE_FILE, SUMMARY_FILE, TEMP } from './post.ts';
import { answers, type Sent, type Step, scriptedWire } from './scripted-wire.ts';
import { bootstrap, HEALTHY, JOB, kindOf, row } from './service.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Returns the script for the nth request of its kind. With `undefined`, the connection sends the usual response. */
export type Script = (nth: number, usual: string, sent: Sent) => readonly Step[] | undefined;

/** The parts of a running step that a test may use. */
export interface Stage {
  readonly clock: VirtualClock;
  readonly files: MemoryFiles;
  readonly interrupt: (signal?: string) => void;
}

export interface StepOptions {
  /** Scripts that replace the usual responses on the scripted connection. */
  readonly scripts?: Partial<Record<Request, Script>>;
  /** The statuses that successive reads return. The last one repeats. An accepted cancel overrides it. */
  readonly statuses?: readonly string[];
  /** Whether a cancel takes effect even if a script changes its response. */
  readonly cancelsAnyhow?: boolean;
  /** The default is `main`. */
  readonly entry?: 'main' | 'post' | 'cancel';
  readonly inputs?: Inputs;
  readonly env?: Environment;
  /** For post: the records that main left in its state. */
  readonly state?: readonly WrittenRecord[];
  /** For post: called when post looks for the main process. */
  readonly onLook?: (stage: Stage) => void;
  /** For post: the milliseconds that main takes to exit after a signal, or `unknown` if post cannot find main. */
  readonly main?: ((signal: string, stage: Stage) => number) | 'unknown';
  /** Uses the fake service with this script instead of the scripted connection. */
  readonly service?: ServiceScript;
  /** Wraps the fake service. */
  readonly around?: (service: Service, stage: Stage) => Service;
  /** Interrupts the step after this many milliseconds, before it starts, or once it prints a matching line. */
  readonly interruptAtMs?: number;
  readonly interruptAt?: RegExp | 'start';
  /** For main and cancel: the step fails with an internal error after this many milliseconds, or before it starts. */
  readonly crashAtMs?: number | 'start';
  /** Called before the step starts. */
  readonly watch?: (stage: Stage) => void;
  /** Called with each line that the step prints. */
  readonly onLine?: (line: string, stage: Stage, calls: readonly Call[]) => void;
  /** The maximum duration of the step, in virtual milliseconds. */
  readonly longestMs?: number;
  readonly random?: () => number;
  /** Files that exist before the step starts. */
  readonly files?: MemoryFiles;
  /** Files to which writes (of matching text) fail between two instants, by default as on a full disk. */
  readonly full?: readonly string[];
  readonly fullAtMs?: number | undefined;
  readonly fullUntilMs?: number | undefined;
  readonly fullFor?: RegExp;
  readonly fullWith?: Error | undefined;
  /** Paths that are not regular files. */
  readonly kinds?: Readonly<Record<string, FileKind>>;
  /** Receive commands and lines. By default, the result of the step contains them. */
  readonly toolkit?: Toolkit;
  readonly print?: (line: string) => void;
}

/** Everything that a test can observe about a finished step. */
export type PlayedStep = Awaited<ReturnType<typeof playStep>>;

export const STEP_FILES = { output: '/files/output', state: STATE_FILE, summary: SUMMARY_FILE, temp: TEMP } as const;

/** Runs a whole step against a service that succeeds unless a script says otherwise. */
export async function playStep(options: StepOptions = {}) {
  const clock = new VirtualClock();
  const files = options.files ?? memoryFiles();
  for (const [path, kind] of Object.entries(options.kinds ?? {})) files.become(path, kind);
  const toolkit = keptToolkit();
  const lines: string[] = [];
  const opened: string[] = [];
  const wire = wireFor(options, clock);
  const { interruption, interrupt } = interruptible(clock);
  const stage: Stage = { clock, files, interrupt };
  const fake = fakeService(clock, { ...options.service, existing: existingFor(options) });
  const api = options.around?.(fake.service, stage) ?? fake.service;
  const isFake = usesFake(options);
  const machine: Machine = {
    env: envFor(options),
    clock,
    random: options.random ?? (() => 0.5),
    files,
    toolkit: options.toolkit ?? toolkit,
    print(line) {
      (options.print ?? ((text) => lines.push(text)))(line);
      options.onLine?.(line, stage, fake.calls);
      if (options.interruptAt instanceof RegExp && options.interruptAt.test(line)) interrupt();
    },
    interruption,
    openService: (service) => {
      opened.push(service.baseUrl.href);
      return isFake ? api : createService({ ...service, connection: wire.connection, clock });
    },
  };
  const signals: string[] = [];
  const step = stepOf(machine, options, processesFor(options, stage, signals));
  options.watch?.(stage);
  schedule(options, stage);
  const crashed = new Promise<number>((resolve) => {
    const crash = (): void => {
      if ('crash' in step) resolve(step.crash('TypeError: x is not a function'));
    };
    if (options.crashAtMs === 'start') crash();
    else if (options.crashAtMs !== undefined) clock.after(options.crashAtMs, crash);
  });
  const ended = options.crashAtMs === 'start' ? crashed : Promise.race([step.run(), crashed]);
  const exitCode = await clock.until(ended, options.longestMs);
  if ('close' in step) step.close(true);
  const { calls, statusOf } = fake;
  /** The calls of the fake service. */
  const made = (call: Call['call'], jobId?: Uuid): readonly Call[] =>
    calls.filter((one) => one.call === call && (jobId === undefined || one.jobId === jobId));
  const { annotations, debugged, masked } = toolkit;
  return {
    exitCode,
    endedAtMs: clock.now(),
    /** Active timers, which would keep a process alive unless it exits explicitly. */
    timersLeft: clock.pending,
    ...writtenIn(files, machine.env),
    /** Every call or request in order: `connect list trigger read×3`. */
    calls: inShort(isFake ? calls.map(({ call }) => call) : wire.sent.map(kindOf)),
    made,
    /** The times at which the fake service received these calls, in seconds: `2 32 62`. */
    reads: secondsOf(made('read')),
    cancels: secondsOf(made('cancel')),
    triggers: secondsOf(made('trigger')),
    /** The numbers of the triggered pipelines, in order: `1 2 1`. */
    triggered: made('trigger')
      .map(({ pipelineId = '' }) => Number(pipelineId.slice(-12)))
      .join(' '),
    statusOf,
    /** The requests on the scripted connection. */
    sent: wire.sent,
    of: wire.of,
    annotations,
    /** The levels of the annotations: `warning error`. */
    levels: annotations.map(({ level }) => level).join(' '),
    lines,
    log: lines.join('\n'),
    debugged,
    masked,
    files,
    /** The base addresses of the services that the step used. */
    opened,
    /** The signals that post sent to main, with their times: `0 SIGTERM`. */
    signals,
  };
}

/** Post and cancel/ start with the run JOB in progress. */
function existingFor({ entry = 'main', service }: StepOptions): NonNullable<ServiceScript['existing']> {
  return { ...(entry !== 'main' && { [JOB]: 'running' }), ...service?.existing };
}

/** Post always uses the fake service. */
function usesFake({ entry, service, around }: StepOptions): boolean {
  return service !== undefined || around !== undefined || entry === 'post';
}

function envFor(options: StepOptions): Environment {
  const { entry, inputs = {}, env, state = [] } = options;
  if (usesFake(options) && (options.scripts ?? options.statuses) !== undefined) {
    throw new Error('`scripts` and `statuses` have no effect on the fake service.');
  }
  if (entry === 'post' && options.crashAtMs !== undefined) throw new Error('`crashAtMs` has no effect on post.');
  if (entry === 'post') return postEnv(state, env);
  const { output, state: kept, summary, temp } = STEP_FILES;
  const paths = { GITHUB_OUTPUT: output, GITHUB_STATE: kept, GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: temp };
  return environment({ ...(usesFake(options) && { pipeline: 'pipeline-1' }), ...inputs }, { ...paths, ...env });
}

/** Post has neither an exit code nor a crash handler, because it never fails the job. */
function stepOf(machine: Machine, { entry }: StepOptions, processes: Processes) {
  if (entry === 'cancel') return prepareCancel(machine);
  if (entry === 'post') return { run: () => performPost({ ...machine, host: HOST, processes }) };
  return prepareMain({ ...machine, pid: PID, startedAt: 'ticks:1', host: HOST });
}

/** Simulates main as seen by post. By default, main is dead. */
function processesFor({ main, onLook }: StepOptions, stage: Stage, signals: string[]): Processes {
  const { clock } = stage;
  let diesAtMs = typeof main === 'function' ? Infinity : 0;
  return {
    stateOf(pid, startedAt) {
      onLook?.(stage);
      if (main === 'unknown') return 'unknown';
      return pid === PID && startedAt === 'ticks:1' && clock.now() < diesAtMs ? 'alive' : 'dead';
    },
    signal(_pid, name) {
      signals.push(`${clock.now()} ${name}`);
      if (typeof main === 'function') diesAtMs = Math.min(diesAtMs, clock.now() + main(name, stage));
    },
  };
}

/** Interrupts the step, and fills and empties the disk, at the times in the options. */
function schedule(options: StepOptions, { clock, files, interrupt }: Stage): void {
  const { full = [], fullAtMs, fullUntilMs, fullFor, fullWith, interruptAt, interruptAtMs } = options;
  const fill = (): void => {
    for (const path of full) files.refuse(path, fullFor, fullWith);
  };
  if (fullAtMs === undefined) fill();
  else clock.after(fullAtMs, fill);
  const empty = (): void => {
    for (const path of full) files.accept(path);
  };
  if (fullUntilMs !== undefined) clock.after(fullUntilMs, empty);
  if (interruptAt === 'start') interrupt();
  if (interruptAtMs !== undefined) clock.after(interruptAtMs, interrupt);
}

/** Reads the outputs and results that the step wrote, and the records in its state or in a journal. */
function writtenIn(files: MemoryFiles, env: Environment) {
  const outputs = valuesIn(files.read(env['GITHUB_OUTPUT'] ?? '') ?? '');
  const results = JSON.parse(outputs['results'] ?? '[]') as readonly Readonly<Record<string, string>>[];
  const state = env['GITHUB_STATE'] ?? '';
  const journal = files.paths.find((path) => path.endsWith('.journal')) ?? '';
  const text = files.read(state) ?? files.read(journal) ?? '';
  const records = inOrder(recordsInText(text)).filter((record) => 'fact' in record);
  const factsOf = (of: readonly StoredFact[]): string => of.map(({ fact }) => fact.kind).join(' ');
  return {
    outputs,
    results,
    /** The outcomes and statuses in `results`: `succeeded failed`. */
    outcomes: results.map((entry) => entry['outcome']).join(' '),
    statuses: results.map((entry) => entry['job-status']).join(' '),
    records,
    /** The recorded facts about all runs or one: `intent queued finished`. */
    facts: factsOf(records),
    factsOf: (run: number) => factsOf(records.filter((record) => record.run === run)),
  };
}

function secondsOf(calls: readonly Call[]): string {
  return calls.map(({ atMs }) => atMs / 1_000).join(' ');
}

/** Shortens `read read read cancel` to `read×3 cancel`. */
function inShort(words: readonly string[]): string {
  return words.join(' ').replace(/\b(\w+)(?: \1\b)+/g, (all, word: string) => `${word}×${all.split(' ').length}`);
}

/** A scripted connection with the responses of the fake service, which has only the run JOB. */
function wireFor({ scripts = {}, statuses = ['running', 'completed'], ...options }: StepOptions, clock: VirtualClock) {
  const counts = new Map<Request, number>();
  const current = (): string => statuses[Math.max(1, counts.get('read') ?? 1) - 1] ?? statuses.at(-1) ?? 'running';
  const { statusOf, cancel } = fakeService(clock, { existing: { [JOB]: current } });
  const usualFor = (kind: Request, nth: number): string => {
    if (kind === 'exchange') return JSON.stringify(bootstrap({ token: `token-${nth}` }));
    if (kind === 'read') return JSON.stringify([row({ job_status: statusOf(JOB) })]);
    return kind === 'cancel' && isTerminal(statusOf(JOB)) ? '[]' : HEALTHY[kind];
  };
  const { connection, sent } = scriptedWire(clock, (one) => {
    const kind = kindOf(one);
    const nth = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, nth);
    const usual = usualFor(kind, nth);
    const script = scripts[kind]?.(nth, usual, one);
    if (kind === 'cancel' && (script === undefined || options.cancelsAnyhow === true)) cancel(JOB);
    return script ?? answers(200, usual, { 'content-type': 'application/json' });
  });
  return { connection, sent, of: (kind: Request) => sent.filter((one) => kindOf(one) === kind) };
}
