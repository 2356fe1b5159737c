/** A scenario as plain data: the same spec always gives the same scenario, to the last byte. */
import { INPUTS } from '../../../src/action/inputs/input-table.ts';
import { MAIN_CRASHES, POST_CRASHES } from './crashes.ts';
import { SPELLINGS } from './network/echo.ts';
import { CALLS, FAULT_NAMES } from './network/faults.ts';
import {
  flag,
  list,
  number,
  type ObjectOf,
  type Of,
  object,
  oneOf,
  orNull,
  type Rule,
  rule,
  someOf,
  text,
} from './schema.ts';

const PROCESS = oneOf('main', 'post');
export type ProcessName = Of<typeof PROCESS>;

export type Call = (typeof CALLS)[number];

/** Something that a run goes through, `afterMs` milliseconds after its trigger. */
export type Stage = readonly [afterMs: number, status: string, message: string | null];

const STAGE = rule('[milliseconds, status, message]', (value): value is Stage => {
  const [afterMs, status, message] = Array.isArray(value) && value.length === 3 ? (value as unknown[]) : [];
  return typeof afterMs === 'number' && typeof status === 'string' && (message === null || typeof message === 'string');
});

const PIPELINE = object({
  name: text,
  apiName: text,
  /** How the step's input names it. */
  given: oneOf('uuid', 'api', 'name'),
  timeline: list(STAGE),
  /** So many of its first runs fail after ten seconds, against the timeline. */
  failsFirst: number,
  /** It has a run already, queued so many milliseconds before the scenario begins; null for none. */
  earlierMs: orNull(number),
});
export type PipelineSpec = Of<typeof PIPELINE>;

/** Something that goes wrong with requests `from` to `to` (counted from 1) of a kind of call in one process. */
const FAULT = object({
  on: PROCESS,
  call: oneOf(...CALLS),
  from: number,
  to: number,
  what: oneOf(...FAULT_NAMES),
  /** Whether the service processes the request nevertheless, perhaps when the client is gone. */
  commit: oneOf('never', 'at_once', 'late'),
  /** How long it takes where that matters, in milliseconds. */
  ms: number,
  /** The text of a `Retry-After` header; null for none. */
  retryAfter: orNull(text),
});
export type Fault = Of<typeof FAULT>;

/** Every request in this time meets the same fault. */
const OUTAGE_FAULT = oneOf('refused', 'unresolved', 's503', 'reset', 'mute', 'html_ok');
const OUTAGE = object({ fromMs: number, toMs: number, what: OUTAGE_FAULT });
export type Outage = Of<typeof OUTAGE>;

const FILE_NAMES = ['state', 'journal', 'output', 'summary'] as const;
export type FileName = (typeof FILE_NAMES)[number];
/** Writes `from` to `to` of a file, counted from 1. */
const WRITES = { file: oneOf('all', ...FILE_NAMES), from: number, to: number };

/** A full disk: these writes fail, after a part of the text. */
const DISK_FAULT = object({ ...WRITES, part: number });
export type DiskFault = Of<typeof DISK_FAULT>;

/** A disk that blocks: these writes each return `ms` milliseconds later. */
const DISK_STALL = object({ ...WRITES, ms: number });
export type DiskStall = Of<typeof DISK_STALL>;

export type CrashKind = (typeof MAIN_CRASHES)[number];

/** When a crash comes, by the names of its members. Effects and requests of a process are counted from 1. */
const MOMENTS = {
  /** A torn effect happens in part. */
  'effect when': object({ effect: number, when: oneOf('before', 'after', 'torn') }),
  ms: object({ ms: number }),
  /** Just before the request of this number is sent. */
  request: object({ request: number }),
  /** Just before the first byte of the response to it, or its failure, reaches the process. */
  response: object({ response: number }),
  /** The same, for the first request that the fault of this number has hit. */
  'before fault': object({ fault: number, before: oneOf('request', 'response') }),
  /** So many effects after the first request that the fault of this number has hit; 0 is the request itself. */
  'fault plus when': object({ fault: number, plus: number, when: oneOf('before', 'after') }),
  /** So many milliseconds after it. */
  'fault plusMs': object({ fault: number, plusMs: number }),
};
const momentKind = oneOf(...(Object.keys(MOMENTS) as (keyof typeof MOMENTS)[]));
export type Moment = Of<(typeof MOMENTS)[keyof typeof MOMENTS]>;

const MOMENT: Rule<Moment> = (place, value) => {
  const names = Object.keys({ ...(value as object) }).sort();
  return MOMENTS[momentKind(`the members of ${place}`, names.join(' '))](place, value);
};

const ANY_CRASH = object({ on: PROCESS, at: MOMENT, kind: oneOf(...MAIN_CRASHES) });
export type Crash = Of<typeof ANY_CRASH>;

const CRASH: Rule<Crash> = (place, value) => {
  const crash = ANY_CRASH(place, value);
  if (crash.on === 'post') oneOf<CrashKind>(...POST_CRASHES)(`${place}.kind`, crash.kind);
  return crash;
};

type Jump = readonly [atMs: number, byMs: number];
const JUMP = rule('[at, by]', (all): all is Jump => Array.isArray(all) && all.every((ms) => typeof ms === 'number'));

const CLOCK = object({
  /** What the monotonic clock shows when the scenario begins. */
  zeroMs: number,
  /** How far the wall clock is off. */
  wallOffMs: number,
  /** Jumps of the wall clock. */
  jumps: list(JUMP),
  /** How much later than asked timers fire; -1 for the millisecond that Node is early at times. */
  timerLateMs: number,
});
export type ClockSpec = Of<typeof CLOCK>;

/** A secret that the service repeats in its answers. */
const ECHO = object({
  of: oneOf('key', 'token'),
  where: oneOf('message', 'name', 'region', 'error', 'header'),
  as: oneOf(...SPELLINGS),
  /** How many characters of other text precede it. */
  after: number,
});
export type Echo = Of<typeof ECHO>;

/** The service and the network to it, which all executions of a scenario share. */
export const SERVICE = {
  /** The service is on this machine: only there may reads be closer than every 30 s. */
  local: flag,
  /** Longest time of each leg of a request, in milliseconds. */
  latencyMs: number,
  outages: list(OUTAGE),
  ttlSeconds: number,
  keyRevokedAtMs: orNull(number),
  /** Null for a service that repeats nothing. */
  echo: orNull(ECHO),
};
export type ServiceSpec = ObjectOf<typeof SERVICE>;

/** Where and when an execution runs on the machine. */
const PLACEMENT = object({
  /** Executions with the same number are steps of one job. Their post steps run after all of its main steps. */
  job: number,
  /** `sequential`: starts when the step before it in its job has ended. `concurrent`: starts `startMs` after the scenario. */
  begins: oneOf('sequential', 'concurrent'),
  startMs: number,
  /** In a container: its process ids are those of every other container, and it sees no other process. */
  container: flag,
  /** `GITHUB_ACTION`: the id of the step, which embedded actions of one composite share. */
  action: text,
  /** `GITHUB_JOB`: legs of a matrix share it, with run and attempt. */
  jobName: text,
});
export type Placement = Of<typeof PLACEMENT>;

const RUNNER = object({
  /** No folder for temporary files, so no journal. */
  noTemp: flag,
  jobStatusAtStart: text,
  /** The status that post gets if nothing interrupted the job. */
  jobStatusAtEnd: text,
  /** From the end of main to post. */
  postAfterMs: number,
  /** Whether inputs that only main has to know are empty in post. */
  postInputsEmpty: flag,
  postKeyMissing: flag,
  debug: flag,
  /** From the verdict to the end of the process, while stdout is flushed. */
  flushMs: number,
  /** What post sees of main: nothing (another PID namespace), existence (hidden /proc), no signals (another user). */
  sight: oneOf('all', 'nothing', 'existence', 'no_signals'),
});

type Inputs = Readonly<Record<string, string>>;

/** One execution of a step: its main process, then its post process. */
export const EXECUTION = {
  placement: PLACEMENT,
  /** What the step is asked for: new runs, runs that exist, an earlier run or else a new one, a check, or nothing valid. */
  mode: oneOf('trigger', 'attach', 'resume', 'dry_run', 'bad_input'),
  pipelines: list(PIPELINE),
  /** As written in a workflow; `api-key`, `base-url` and `pipeline` are added. */
  inputs: someOf(Object.fromEntries(Object.keys(INPUTS).map((name) => [name, text]))) as Rule<Inputs>,
  faults: list(FAULT),
  disk: list(DISK_FAULT),
  stalls: list(DISK_STALL),
  crashes: list(CRASH),
  clocks: object({ main: CLOCK, post: CLOCK }),
  /** The timer of main with this number never fires: a loop that drains. */
  lostTimer: orNull(number),
  runner: RUNNER,
};
export type ExecutionSpec = ObjectOf<typeof EXECUTION>;

/** A scenario: a machine, the service, and executions of steps on that machine. */
export interface ScenarioSpec {
  /** Of the small things: latencies, jitter, where a text is split. */
  readonly seed: number;
  readonly service: ServiceSpec;
  readonly executions: readonly ExecutionSpec[];
}

/** One execution together with what it shares with the others, which is what its checks look at. */
export type SingleSpec = { readonly seed: number } & ServiceSpec & ExecutionSpec;

/** The scenario in which this execution is the only one. */
export function alone({ seed, ...spec }: SingleSpec): ScenarioSpec {
  const { local, latencyMs, outages, ttlSeconds, keyRevokedAtMs, echo, ...only } = spec;
  return { seed, service: { local, latencyMs, outages, ttlSeconds, keyRevokedAtMs, echo }, executions: [only] };
}

/** Each execution of a scenario with what it shares with the others. */
export function executionsOf({ seed, service: shared, executions }: ScenarioSpec): SingleSpec[] {
  return executions.map((each) => ({ seed, ...shared, ...each }));
}
