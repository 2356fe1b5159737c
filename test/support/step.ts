// Runs a whole step in virtual time: main, post or cancel/, against a fake service or a scripted connection.
import type { Environment } from '../../src/action/inputs/input-table.ts';
import type { FileKind } from '../../src/action/runner/files.ts';
import type { Processes } from '../../src/action/runner/processes.ts';
import type { Toolkit } from '../../src/action/runner/toolkit.ts';
import { inOrder, recordsInText, type StoredFact, type WrittenRecord } from '../../src/action/state/records.ts';
import { prepareCancel } from '../../src/action/steps/cancel-step.ts';
import type { Machine } from '../../src/action/steps/machine.ts';
import { type MainStep, prepareMain } from '../../src/action/steps/main-step.ts';
import { performPost } from '../../src/action/steps/post-step.ts';
import type { Uuid } from '../../src/base/uuid.ts';
import type { Service } from '../../src/service/api.ts';
import { createService } from '../../src/service/client.ts';
import { type Annotation, environment, type Inputs, keptToolkit } from './action.ts';
import { type Call, type FakeService, fakeService, type ServiceScript } from './fake-service.ts';
import { interruptible } from './interruption.ts';
import { type MemoryFiles, memoryFiles, recordsOf } from './memory-files.ts';
import { HOST, PID, postEnv } from './post.ts';
import { answers, type Sent, type Step, scriptedWire } from './scripted-wire.ts';
import { bootstrap, JOB, PIPELINE } from './service.ts';
import { VirtualClock } from './virtual-clock.ts';

/** The calls of the service, as requests on a connection. */
export type Request = 'exchange' | 'list' | 'trigger' | 'read' | 'cancel';

/** What a connection does for the nth request of its kind, given the usual response. Undefined: sends that response. */
export type Script = (nth: number, usual: string, sent: Sent) => readonly Step[] | undefined;

/** What a test may use while a step runs. */
export interface Stage {
  readonly clock: VirtualClock;
  readonly files: MemoryFiles;
  readonly interrupt: (signal?: string) => void;
}

/** How the responses on a scripted connection differ from the usual ones. */
interface WireOptions {
  readonly scripts?: Partial<Record<Request, Script>>;
  /** The statuses that successive reads return. The last one repeats. An accepted cancel overrides it. */
  readonly statuses?: readonly string[];
  /** A cancel takes effect even if its response is unusual. */
  readonly cancelsAnyhow?: boolean;
  /** Called with each request before the response. */
  readonly onRequest?: (kind: Request, clock: VirtualClock) => void;
}

export interface StepOptions extends WireOptions {
  /** The default is `main`. */
  readonly entry?: 'main' | 'post' | 'cancel';
  readonly inputs?: Inputs;
  readonly env?: Environment;
  /** For post: the records that main left in its state. */
  readonly state?: readonly WrittenRecord[];
  /** For post: how many milliseconds main takes to exit after a signal, or whether it is unknown if main is alive. */
  readonly main?: ((signal: string, stage: Stage) => number) | 'unknown';
  /** Uses the fake service with this script instead of the scripted connection. */
  readonly service?: ServiceScript;
  /** Wraps the fake service. */
  readonly around?: (service: Service, stage: Stage) => Service;
  /** Interrupts the step after this many milliseconds, before its first instant, or once it prints a matching line. */
  readonly interruptAtMs?: number;
  readonly interruptAt?: RegExp | 'start';
  /** The step fails with an internal error after this many milliseconds, or before its first instant. */
  readonly crashAtMs?: number | 'start';
  /** Called before the step starts. */
  readonly watch?: (stage: Stage) => void;
  /** Called with each line that the step prints. */
  readonly onLine?: (line: string, stage: Stage, calls: readonly Call[]) => void;
  /** The offset of the runner's clock, in milliseconds. */
  readonly wallOffMs?: number;
  /** The maximum duration of the step, in virtual milliseconds. */
  readonly longestMs?: number;
  readonly random?: () => number;
  /** Files that exist before the step starts. */
  readonly files?: MemoryFiles;
  /** Files that are on a full disk from one instant to another, perhaps only for texts that match. */
  readonly full?: readonly string[];
  readonly fullAtMs?: number;
  readonly fullUntilMs?: number;
  readonly fullFor?: RegExp;
  /** Paths that are not regular files. */
  readonly kinds?: Readonly<Record<string, FileKind>>;
  /** Receives commands and lines, which are kept by default. */
  readonly toolkit?: Toolkit;
  readonly print?: (line: string) => void;
}

/** An entry of the output `results`. */
export type Entry = Readonly<Record<string, string>>;

/** Everything that a test can observe about a finished step. */
export interface PlayedStep extends Pick<FakeService, 'statusOf'> {
  readonly exitCode: number;
  readonly endedAtMs: number;
  /** Active timers, which would keep a process alive unless it exits explicitly. */
  readonly timersLeft: number;
  readonly outputs: Readonly<Record<string, string>>;
  readonly results: readonly Entry[];
  /** The outcomes and statuses in `results`: `succeeded failed`. */
  readonly outcomes: string;
  readonly statuses: string;
  /** Every call or request in order: `connect list trigger read×3`. */
  readonly calls: string;
  /** The calls of the fake service. */
  readonly made: (call: Call['call'], jobId?: Uuid) => readonly Call[];
  /** When the fake service received these calls, in seconds: `2 32 62`. */
  readonly reads: string;
  readonly cancels: string;
  readonly triggers: string;
  /** The nth pipelines of the triggers, in order: `1 2 1`. */
  readonly triggered: string;
  /** The recorded facts about all runs or one: `intent queued finished`. */
  readonly facts: string;
  readonly factsOf: (run: number) => string;
  readonly records: readonly StoredFact[];
  /** The requests on the scripted connection. */
  readonly sent: readonly Sent[];
  readonly of: (kind: Request) => readonly Sent[];
  readonly annotations: readonly Annotation[];
  /** The levels of the annotations: `warning error`. */
  readonly levels: string;
  readonly lines: readonly string[];
  readonly log: string;
  readonly debugged: readonly string[];
  readonly masked: readonly string[];
  readonly files: MemoryFiles;
  /** The base addresses of the services that the step used. */
  readonly opened: readonly string[];
  /** The signals that post sent to main: `0 SIGTERM`. */
  readonly signals: readonly string[];
}

export const STEP_FILES = {
  output: '/files/output',
  state: '/files/state',
  summary: '/files/summary',
  temp: '/files/temp',
} as const;

/** Runs a whole step against a service that succeeds unless a script says otherwise. */
export async function playStep(options: StepOptions = {}): Promise<PlayedStep> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 5, 12) + (options.wallOffMs ?? 0));
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
      if (options.print === undefined) lines.push(line);
      else options.print(line);
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
    const crash = (): void => resolve(step.crash('TypeError: x is not a function'));
    if (options.crashAtMs === 'start') crash();
    else if (options.crashAtMs !== undefined) clock.after(options.crashAtMs, crash);
  });
  const ended = options.crashAtMs === 'start' ? crashed : Promise.race([step.run(), crashed]);
  const exitCode = await clock.until(ended, options.longestMs);
  step.close(true);
  const written = writtenIn(files, machine.env);
  const { calls } = fake;
  const made: PlayedStep['made'] = (call, jobId) =>
    calls.filter((one) => one.call === call && (jobId === undefined || one.jobId === jobId));
  return {
    exitCode,
    endedAtMs: clock.now(),
    timersLeft: clock.pending,
    ...written,
    calls: inShort(isFake ? calls.map(({ call }) => call) : wire.sent.map(kindOf)),
    made,
    reads: secondsOf(made('read')),
    cancels: secondsOf(made('cancel')),
    triggers: secondsOf(made('trigger')),
    triggered: made('trigger')
      .map(({ pipelineId = '' }) => Number(pipelineId.slice(-12)))
      .join(' '),
    statusOf: fake.statusOf,
    sent: wire.sent,
    of: wire.of,
    annotations: toolkit.annotations,
    levels: toolkit.annotations.map(({ level }) => level).join(' '),
    lines,
    log: lines.join('\n'),
    debugged: toolkit.debugged,
    masked: toolkit.masked,
    files,
    opened,
    signals,
  };
}

/** Post and cancel/ start with the run JOB in progress. */
function existingFor({ entry = 'main', service }: StepOptions): NonNullable<ServiceScript['existing']> {
  return { ...(entry !== 'main' && { [JOB]: [[0, 'running']] }), ...service?.existing };
}

/** Post always uses the fake service. */
function usesFake({ entry, service, around }: StepOptions): boolean {
  return service !== undefined || around !== undefined || entry === 'post';
}

function envFor(options: StepOptions): Environment {
  const { entry, inputs = {}, env, state = [] } = options;
  if (entry === 'post') return postEnv(state, env);
  const { output, state: kept, summary, temp } = STEP_FILES;
  const paths = { GITHUB_OUTPUT: output, GITHUB_STATE: kept, GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: temp };
  return environment({ ...(usesFake(options) && { pipeline: 'pipeline-1' }), ...inputs }, { ...paths, ...env });
}

function stepOf(machine: Machine, { entry }: StepOptions, processes: Processes): MainStep {
  if (entry === 'cancel') return prepareCancel(machine);
  const host = HOST;
  if (entry !== 'post') return prepareMain({ ...machine, pid: PID, startedAt: 'ticks:1', host });
  return {
    run: () => performPost({ ...machine, host, processes }).then(() => 0),
    crash: () => 0,
    close: () => undefined,
  };
}

/** Main from post's point of view: dead, unless the options differ. */
function processesFor({ main }: StepOptions, stage: Stage, signals: string[]): Processes {
  const { clock } = stage;
  let diesAtMs = typeof main === 'function' ? Infinity : 0;
  return {
    stateOf(pid, startedAt) {
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
  const { full = [], fullAtMs, fullUntilMs, fullFor, interruptAt, interruptAtMs } = options;
  const fill = (): void => {
    for (const path of full) files.refuse(path, fullFor);
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

/** What the step wrote: outputs, results and records, the last of which are in its state or in a journal. */
function writtenIn(files: MemoryFiles, env: Environment) {
  const outputs = recordsOf(files.read(env['GITHUB_OUTPUT'] ?? '') ?? '');
  const results: readonly Entry[] = JSON.parse(outputs['results'] ?? '[]') as readonly Entry[];
  const state = env['GITHUB_STATE'] ?? '';
  const journal = files.paths.find((path) => path.endsWith('.journal')) ?? '';
  const text = files.read(state) ?? files.read(journal) ?? '';
  const records = inOrder(recordsInText(text)).filter((record) => 'fact' in record);
  const factsOf = (of: readonly StoredFact[]): string => of.map(({ fact }) => fact.kind).join(' ');
  return {
    outputs,
    results,
    outcomes: results.map((entry) => entry['outcome']).join(' '),
    statuses: results.map((entry) => entry['job-status']).join(' '),
    records,
    facts: factsOf(records),
    factsOf: (run: number) => factsOf(records.filter((record) => record.run === run)),
  };
}

function secondsOf(calls: readonly Call[]): string {
  return calls.map(({ atMs }) => atMs / 1_000).join(' ');
}

/** `read read read cancel` as `read×3 cancel`. */
function inShort(words: readonly string[]): string {
  return words.join(' ').replace(/\b(\w+)(?: \1\b)+/g, (all, word: string) => `${word}×${all.split(' ').length}`);
}

function wireFor({ scripts = {}, statuses = ['running', 'completed'], ...options }: WireOptions, clock: VirtualClock) {
  let cancelled = false;
  const usualAnswer = (kind: Request, nth: number): unknown => {
    switch (kind) {
      case 'exchange':
        return bootstrap({ token: `token-${nth}` });
      case 'list':
        return [{ pipeline_id: PIPELINE, pipeline_name: 'Orders', pipeline_api_name: 'orders' }];
      case 'trigger':
        return JOB;
      case 'read':
        return [row(cancelled ? 'cancelled' : (statuses[nth - 1] ?? statuses.at(-1) ?? 'running'))];
      case 'cancel':
        return cancelled ? [] : [row('cancelled')];
    }
  };
  const { connection, sent } = scriptedWire(clock, (one) => {
    const kind = kindOf(one);
    options.onRequest?.(kind, clock);
    const nth = of(kind).length;
    const usual = JSON.stringify(usualAnswer(kind, nth));
    const script = scripts[kind]?.(nth, usual, one);
    if (kind === 'cancel' && (script === undefined || options.cancelsAnyhow === true)) cancelled = true;
    return script ?? answers(200, usual, { 'content-type': 'application/json' });
  });
  const of = (kind: Request): readonly Sent[] => sent.filter((one) => kindOf(one) === kind);
  return { connection, sent, of };
}

function row(status: string): Record<string, unknown> {
  return { id: JOB, job_status: status, status_message: null };
}

function kindOf({ request, path }: Sent): Request {
  if (path.endsWith('/api/cli/bootstrap')) return 'exchange';
  if (path.includes('/rpc/create_pipeline_run_job')) return 'trigger';
  if (path.includes('/pipelines_and_datasources')) return 'list';
  return request.method === 'PATCH' ? 'cancel' : 'read';
}
