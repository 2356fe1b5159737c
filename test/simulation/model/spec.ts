/** A scenario as plain data: the same spec always gives the same scenario, to the last byte. */
import type { FaultName } from './fault-table.ts';
import type { Spelling } from './spelling.ts';

export type ProcessName = 'main' | 'post';
export type Call = 'exchange' | 'list' | 'trigger' | 'read' | 'cancel';

/** What a run of a pipeline goes through, in milliseconds since its trigger. */
export type Stage = readonly [afterMs: number, status: string, message: string | null];

export interface PipelineSpec {
  readonly name: string;
  readonly apiName: string;
  /** How the step's input names it. */
  readonly given: 'uuid' | 'api' | 'name';
  readonly timeline: readonly Stage[];
  /** So many of its first runs fail after ten seconds, whatever the timeline says. */
  readonly failsFirst: number;
  /** There is a run of it already, queued so many milliseconds before the scenario begins; null for none. */
  readonly earlierMs: number | null;
}

/**
 * What the step is asked for: new runs, runs that exist, an earlier run or else a new one, or nothing but a check;
 * or for nothing at all, because an input is wrong.
 */
export type Mode = 'trigger' | 'attach' | 'resume' | 'dry_run' | 'bad_input';

/** Something that goes wrong with requests `from` to `to` (counted from 1) of a kind of call in one process. */
export interface Fault {
  readonly on: ProcessName;
  readonly call: Call;
  readonly from: number;
  readonly to: number;
  readonly what: FaultName;
  /** Whether the service does what it was asked all the same, perhaps when the client is gone. */
  readonly commit: 'never' | 'at_once' | 'late';
  /** How long it takes where that matters, in milliseconds. */
  readonly ms: number;
  /** The text of a `Retry-After` header; null for none. */
  readonly retryAfter: string | null;
}

/** Everything that is sent in this time meets the same end. */
export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
  readonly what: 'refused' | 'unresolved' | 's503' | 'reset' | 'mute' | 'html_ok';
}

export type FileName = 'state' | 'journal' | 'output' | 'summary';

/** A disk that takes no more: writes `from` to `to` of a file (counted from 1) fail, after a part of the text. */
export interface DiskFault {
  readonly file: FileName | 'all';
  readonly from: number;
  readonly to: number;
  readonly part: number;
}

/** A disk that blocks: writes `from` to `to` of a file (counted from 1) each return `ms` milliseconds later. */
export interface DiskStall {
  readonly file: FileName | 'all';
  readonly from: number;
  readonly to: number;
  readonly ms: number;
}

/** What becomes of a process from outside; who does it, and what the runner makes of it. */
export type CrashKind =
  /** SIGINT, SIGTERM 7.5 s later, SIGKILL 2.5 s later; the job is cancelled. */
  | 'cancel'
  /** As before, and the user clicks again a second later. */
  | 'cancel_twice'
  /** The same signals; the step has failed, the job is not cancelled. */
  | 'step_timeout'
  /** The same, 7.5 s in all: then the files are read, and what comes later is lost. */
  | 'background'
  /** SIGTERM and nothing more. */
  | 'sigterm'
  /** SIGHUP and nothing more. */
  | 'sighup'
  /** SIGKILL at once; the state is kept. */
  | 'kill'
  /** SIGKILL by the system: the job has failed. */
  | 'out_of_memory'
  /** SIGKILL at once, and the runner loses the state. */
  | 'kill_lost'
  /** Main hears nothing and lives on beside post. */
  | 'beside'
  /** As before; the runner has lost the state, and knows nothing of a cancel. */
  | 'beside_lost'
  /** As before, and main does nothing any more, not even end. */
  | 'beside_frozen'
  /** SIGINT and the whole ladder, stdout gone, no post. */
  | 'shutdown'
  /** SIGKILL and no post. */
  | 'power'
  /** Stdout loses its reader; no signal, no post step. */
  | 'stdout'
  /** The runner's worker is killed: main gets another parent, stdout loses its reader, no signal, no post step. */
  | 'worker_killed';

export const MAIN_CRASHES: readonly CrashKind[] = [
  'cancel',
  'cancel_twice',
  'step_timeout',
  'background',
  'sigterm',
  'sighup',
  'kill',
  'out_of_memory',
  'kill_lost',
  'beside',
  'beside_lost',
  'beside_frozen',
  'shutdown',
  'power',
  'stdout',
  'worker_killed',
];

export const POST_CRASHES: readonly CrashKind[] = ['cancel', 'sigterm', 'kill', 'stdout'];

/** When a crash comes. Effects of a process are counted from 1; a torn one happens in part. */
export type Moment =
  | { readonly effect: number; readonly when: 'before' | 'after' | 'torn' }
  | { readonly ms: number }
  /** Just before the request of this number is sent. The requests of a process are counted from 1. */
  | { readonly request: number }
  /** Just before the first byte of the response to the request of this number, or its failure, reaches the process. */
  | { readonly response: number }
  /** The same, for the first request that the fault of this number has hit. */
  | { readonly fault: number; readonly before: 'request' | 'response' }
  /** So many effects after the first request that the fault of this number has hit; 0 is the request itself. */
  | { readonly fault: number; readonly plus: number; readonly when: 'before' | 'after' }
  /** So many milliseconds after it. */
  | { readonly fault: number; readonly plusMs: number };

export interface Crash {
  readonly on: ProcessName;
  readonly at: Moment;
  readonly kind: CrashKind;
}

/** What post sees of main: all; nothing (another PID namespace); that it exists (hidden /proc); no more (another user). */
export type Sight = 'all' | 'nothing' | 'existence' | 'no_signals';

export interface ClockSpec {
  /** What the monotonic clock shows when the scenario begins. */
  readonly zeroMs: number;
  /** How far the wall clock is off. */
  readonly wallOffMs: number;
  /** Jumps of the wall clock: at, by. */
  readonly jumps: readonly (readonly [atMs: number, byMs: number])[];
  /** How much later than asked timers fire; -1 for the millisecond that Node is early at times. */
  readonly timerLateMs: number;
}

/** A secret that the service repeats in its answers. */
export interface Echo {
  readonly of: 'key' | 'token';
  readonly where: 'message' | 'name' | 'region' | 'error' | 'header';
  readonly as: Spelling;
  /** How many characters of other text stand before it. */
  readonly after: number;
}

/** The service and the network to it, which all executions of a scenario share. */
export interface ServiceSpec {
  /** The service is on this machine: only there may reads be closer than every 30 s. */
  readonly local: boolean;
  /** Longest time of each leg of a request, in milliseconds. */
  readonly latencyMs: number;
  readonly outages: readonly Outage[];
  readonly ttlSeconds: number;
  readonly keyRevokedAtMs: number | null;
  /** Null for a service that repeats nothing. */
  readonly echo: Echo | null;
}

/** Where and when an execution runs on the machine. */
export interface Placement {
  /** Executions with the same number are steps of one job; their post steps run when all of its main steps are over. */
  readonly job: number;
  /** `sequential`: starts when the step before it in its job is over. `concurrent`: starts `startMs` after the scenario. */
  readonly begins: 'sequential' | 'concurrent';
  readonly startMs: number;
  /** In a container: its process ids are those of every other container, and it sees no other process. */
  readonly container: boolean;
  /** `GITHUB_ACTION`: the id of the step, which embedded actions of one composite share. */
  readonly action: string;
  /** `GITHUB_JOB`: legs of a matrix share it, with run and attempt. */
  readonly jobName: string;
}

/** One execution of a step: its main process, then its post process. */
export interface ExecutionSpec {
  readonly placement: Placement;
  readonly mode: Mode;
  readonly pipelines: readonly PipelineSpec[];
  /** As written in a workflow; `api-key`, `base-url` and `pipeline` are added. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly faults: readonly Fault[];
  readonly disk: readonly DiskFault[];
  readonly stalls: readonly DiskStall[];
  readonly crashes: readonly Crash[];
  readonly clocks: Readonly<Record<ProcessName, ClockSpec>>;
  /** The timer of main with this number is never heard of again: a loop that drains. */
  readonly lostTimer: number | null;
  readonly runner: {
    /** No folder for temporary files, so no journal. */
    readonly noTemp: boolean;
    readonly jobStatusAtStart: string;
    /** What post is told when nobody interrupted. */
    readonly jobStatusAtEnd: string;
    /** From the end of main to post. */
    readonly postAfterMs: number;
    /** Whether inputs that only main has to know are empty in post. */
    readonly postInputsEmpty: boolean;
    readonly postKeyMissing: boolean;
    readonly debug: boolean;
    /** From the verdict to the end of the process, while stdout is flushed. */
    readonly flushMs: number;
    readonly sight: Sight;
  };
}

/** A scenario as plain data: a machine, the service, and executions of steps on that machine. */
export interface ScenarioSpec {
  /** Of the small things: latencies, jitter, where a text is split. */
  readonly seed: number;
  readonly service: ServiceSpec;
  readonly executions: readonly ExecutionSpec[];
}

/** One execution together with what it shares with the others: what its checkers look at. */
export type SingleSpec = { readonly seed: number } & ServiceSpec & ExecutionSpec;

/** The scenario in which this execution is the only one. */
export function alone({ seed, ...spec }: SingleSpec): ScenarioSpec {
  const { local, latencyMs, outages, ttlSeconds, keyRevokedAtMs, echo, ...execution } = spec;
  const service = { local, latencyMs, outages, ttlSeconds, keyRevokedAtMs, echo };
  return { seed, service, executions: [execution] };
}

/** Each execution of a scenario with what it shares with the others. */
export function executionsOf({ seed, service, executions }: ScenarioSpec): SingleSpec[] {
  return executions.map((execution) => ({ seed, ...service, ...execution }));
}
