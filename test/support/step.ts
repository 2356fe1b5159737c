import type { FileKind } from '../../src/action/runner/files.ts';
import type { Toolkit } from '../../src/action/runner/toolkit.ts';
import { prepareMain } from '../../src/action/steps/main-step.ts';
import { createService } from '../../src/service/client.ts';
import { type Annotation, environment, type Inputs, keptToolkit } from './action.ts';
import { interruptible } from './interruption.ts';
import { type MemoryFiles, memoryFiles, recordsOf } from './memory-files.ts';
import { answers, type Sent, type Step, scriptedWire } from './scripted-wire.ts';
import { bootstrap, JOB, PIPELINE } from './service.ts';
import { VirtualClock } from './virtual-clock.ts';

/** The calls of the service by what a step asks of them. */
export type Request = 'exchange' | 'list' | 'trigger' | 'read' | 'cancel';

/** What a connection does for the nth request of its kind, given the usual answer to it; undefined: just that. */
export type Script = (nth: number, usual: string, sent: Sent) => readonly Step[] | undefined;

export interface StepOptions {
  readonly inputs?: Inputs;
  readonly env?: Readonly<Record<string, string>>;
  readonly scripts?: Partial<Record<Request, Script>>;
  /** What the reads say, one after the other; the last stays. A cancel that was accepted overrides it. */
  readonly statuses?: readonly string[];
  /** Whether a cancel that does not get the usual answer has taken effect nevertheless. */
  readonly cancelsAnyhow?: boolean;
  /** SIGINT this many milliseconds after the start. */
  readonly interruptAtMs?: number;
  /** SIGINT when such a line is printed. */
  readonly interruptAt?: RegExp;
  /** Called before the start, to look at the files while the step runs. */
  readonly watch?: (clock: VirtualClock, files: MemoryFiles) => void;
  /** How far the runner's clock is off, in milliseconds. */
  readonly wallOffMs?: number;
  /** For at most this long, in virtual milliseconds. */
  readonly longestMs?: number;
  /** Called with each request before it is answered. */
  readonly onRequest?: (kind: Request, clock: VirtualClock) => void;
  readonly random?: () => number;
  /** Files to which nothing can be written, as on a full disk. */
  readonly full?: readonly string[];
  /** Paths that are not regular files, with what they are. */
  readonly kinds?: Readonly<Record<string, FileKind>>;
  /** The files are full from this many milliseconds after the start on, and not before. */
  readonly fullAtMs?: number;
  /** This many milliseconds after the start the process is about to end in a way that nobody meant. */
  readonly crashAtMs?: number;
  /** Where commands and lines go instead of being kept. */
  readonly toolkit?: Toolkit;
  readonly print?: (line: string) => void;
}

/** All that can be seen of a step that has ended. */
export interface PlayedStep {
  readonly exitCode: number;
  readonly endedAtMs: number;
  /** Timers that were still set: what would keep a process alive that does not exit by itself. */
  readonly timersLeft: number;
  readonly outputs: Readonly<Record<string, string>>;
  readonly annotations: readonly Annotation[];
  readonly lines: readonly string[];
  readonly debugged: readonly string[];
  readonly masked: readonly string[];
  readonly sent: readonly Sent[];
  readonly of: (kind: Request) => readonly Sent[];
  readonly files: MemoryFiles;
}

const OUTPUT = '/files/output';
const STATE = '/files/state';
const SUMMARY = '/files/summary';
export const STEP_FILES = { output: OUTPUT, state: STATE, summary: SUMMARY, temp: '/files/temp' } as const;

/** Lives a whole main step in virtual time, against a service that does what it should unless a script says otherwise. */
export async function playStep(options: StepOptions = {}): Promise<PlayedStep> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 5, 12) + (options.wallOffMs ?? 0));
  const files = memoryFiles();
  for (const [path, kind] of Object.entries(options.kinds ?? {})) files.become(path, kind);
  const toolkit = keptToolkit();
  const lines: string[] = [];
  const { connection, sent, of } = serviceFor(options, clock);
  const { interruption, interrupt } = interruptible(clock);
  if (options.interruptAtMs !== undefined) clock.after(options.interruptAtMs, interrupt);
  options.watch?.(clock, files);
  const env = environment(options.inputs, {
    GITHUB_OUTPUT: OUTPUT,
    GITHUB_STATE: STATE,
    GITHUB_STEP_SUMMARY: SUMMARY,
    RUNNER_TEMP: STEP_FILES.temp,
    ...options.env,
  });
  const step = prepareMain({
    env,
    pid: 4_711,
    startedAt: 'ticks:1',
    host: 'machine',
    clock,
    random: options.random ?? (() => 0.5),
    files,
    toolkit: options.toolkit ?? toolkit,
    print(line) {
      if (options.print === undefined) lines.push(line);
      else options.print(line);
      if (options.interruptAt?.test(line) === true) interrupt();
    },
    interruption,
    openService: (service) => createService({ ...service, connection, clock }),
  });
  const fill = (): void => {
    for (const path of options.full ?? []) files.refuse(path);
  };
  if (options.fullAtMs === undefined) fill();
  else clock.after(options.fullAtMs, fill);
  const crashed = new Promise<number>((resolve) => {
    const crash = (): void => resolve(step.crash('TypeError: x is not a function'));
    if (options.crashAtMs !== undefined) clock.after(options.crashAtMs, crash);
  });
  const exitCode = await clock.until(Promise.race([step.run(), crashed]), options.longestMs);
  step.close(true);
  return {
    exitCode,
    endedAtMs: clock.now(),
    timersLeft: clock.pending,
    outputs: recordsOf(files.read(OUTPUT) ?? ''),
    annotations: toolkit.annotations,
    lines,
    debugged: toolkit.debugged,
    masked: toolkit.masked,
    sent,
    of,
    files,
  };
}

function serviceFor(options: StepOptions, clock: VirtualClock) {
  const { scripts = {}, statuses = ['running', 'completed'] } = options;
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
