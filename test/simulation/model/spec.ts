// A scenario as plain data. The same spec always produces the same scenario, byte for byte. The rules determine the
// types, so a scenario cannot have a member that no rule checks.
import { INPUTS, type InputName } from '../../../src/action/inputs/input-table.ts';
import { CALLS } from '../../support/fault-scripts.ts';
import { SIMULATED_FAULTS } from '../../support/faults.ts';
import { MAIN_CRASHES, POST_CRASHES } from './crashes.ts';
import { SPELLINGS } from './network/echo.ts';

/** Returns a valid value unchanged, and otherwise throws an error that names its location. */
export type Rule<T> = (place: string, value: unknown) => T;

export type Of<R> = R extends Rule<infer T> ? T : never;

export function rule<T>(expected: string, accepts: (value: unknown) => value is T): Rule<T> {
  return (place, value) => {
    if (accepts(value)) return value;
    throw new Error(`${place} is ${JSON.stringify(value)}. Write ${expected}.`);
  };
}

export const text = rule('a string', (value) => typeof value === 'string');
export const number = rule('a number', (value) => typeof value === 'number');
export const flag = rule('true or false', (value) => typeof value === 'boolean');

export function oneOf<T extends string>(...choices: readonly T[]): Rule<T> {
  return rule(`one of: ${choices.join(', ')}`, (value): value is T => choices.some((choice) => choice === value));
}

export function orNull<T>(inner: Rule<T>): Rule<T | null> {
  return (place, value) => (value === null ? null : inner(place, value));
}

export function list<T>(inner: Rule<T>): Rule<readonly T[]> {
  const whole = rule('a list', (value): value is unknown[] => Array.isArray(value));
  return (place, value) => whole(place, value).map((each, index) => inner(`${place}[${index}]`, each));
}

type Members = Readonly<Record<string, Rule<unknown>>>;
export type ObjectOf<M extends Members> = { readonly [Name in keyof M]: Of<M[Name]> };

/** An object with exactly these members. */
export function object<M extends Members>(members: M): Rule<ObjectOf<M>> {
  const some = someOf(members);
  const none = Object.fromEntries(Object.keys(members).map((name) => [name, undefined]));
  return (place, value) => some(place, { ...none, ...some(place, value) }) as ObjectOf<M>;
}

/** An object with some of these members, and no others. */
export function someOf<M extends Members>(members: M): Rule<Partial<ObjectOf<M>>> {
  const whole = rule('an object', (value): value is Partial<ObjectOf<M>> => String(value) === '[object Object]');
  const name = oneOf(...Object.keys(members));
  return (place, value) => {
    for (const [key, member] of Object.entries(whole(place, value))) {
      members[name(`a member of ${place}`, key)]?.(`${place}.${key}`, member);
    }
    return whole(place, value);
  };
}

const PROCESS = oneOf('main', 'post');
export type ProcessName = Of<typeof PROCESS>;

export type Call = (typeof CALLS)[number];

/** A status change of a run, `afterMs` milliseconds after its trigger. */
export type Stage = readonly [afterMs: number, status: string, message: string | null];

const STAGE = rule('[milliseconds, status, message]', (value): value is Stage => {
  const [afterMs, status, message] = Array.isArray(value) && value.length === 3 ? (value as unknown[]) : [];
  return typeof afterMs === 'number' && typeof status === 'string' && (message === null || typeof message === 'string');
});

const PIPELINE = object({
  name: text,
  apiName: text,
  /** How the step's input identifies the pipeline. */
  given: oneOf('uuid', 'api', 'name'),
  timeline: list(STAGE),
  /** How many of its first runs fail after ten seconds, regardless of the timeline. */
  failsFirst: number,
  /** How many milliseconds before the scenario an existing run was queued; null if no run exists. */
  earlierMs: orNull(number),
});
export type PipelineSpec = Of<typeof PIPELINE>;

/** A fault of requests `from` to `to` (counted from 1) of one kind of call in one process. */
const FAULT = object({
  on: PROCESS,
  call: oneOf(...CALLS),
  from: number,
  to: number,
  what: oneOf(...SIMULATED_FAULTS),
  /** Whether the service still processes the request, possibly after the client has disconnected. */
  commit: oneOf('never', 'at_once', 'late'),
  /** The duration in milliseconds, for faults that have one. */
  ms: number,
  retryAfter: orNull(text),
});
export type Fault = Of<typeof FAULT>;

/** A period during which every request has the same fault. */
const OUTAGE_FAULT = oneOf('refused', 'unresolved', 'http_503', 'reset', 'no_response', 'html_ok');
const OUTAGE = object({ fromMs: number, toMs: number, what: OUTAGE_FAULT });
export type Outage = Of<typeof OUTAGE>;

const FILE_NAMES = ['state', 'journal', 'output', 'summary'] as const;
export type FileName = (typeof FILE_NAMES)[number];
/** The writes `from` to `to` to a file, counted from 1. */
const WRITES = { file: oneOf('all', ...FILE_NAMES), from: number, to: number };

/** A full disk, on which these writes fail after part of the text. */
const DISK_FAULT = object({ ...WRITES, part: number });
export type DiskFault = Of<typeof DISK_FAULT>;

/** A disk that blocks each of these writes for `ms` milliseconds. */
const DISK_STALL = object({ ...WRITES, ms: number });
export type DiskStall = Of<typeof DISK_STALL>;

export type CrashKind = (typeof MAIN_CRASHES)[number];

/** The moments of a crash, by the names of their members. Each process counts its effects and requests from 1. */
const MOMENTS = {
  /** A torn effect happens in part. */
  'effect when': object({ effect: number, when: oneOf('before', 'after', 'torn') }),
  ms: object({ ms: number }),
  /** Just before the process sends the request with this number. */
  request: object({ request: number }),
  /** Just before the process receives the first byte of this request's response, or its failure. */
  response: object({ response: number }),
  /** Just before the process sends the first request with this fault, or receives its response or failure. */
  'before fault': object({ fault: number, before: oneOf('request', 'response') }),
  /** This many effects after the first request with this fault; 0 is the request itself. */
  'fault plus when': object({ fault: number, plus: number, when: oneOf('before', 'after') }),
  /** This many milliseconds after the first request with this fault. */
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
  /** The reading of the monotonic clock when the scenario starts. */
  zeroMs: number,
  wallOffMs: number,
  jumps: list(JUMP),
  /** How late timers fire, in milliseconds. -1 simulates the timers in Node.js that fire a millisecond early. */
  timerLateMs: number,
});
export type ClockSpec = Of<typeof CLOCK>;

const ECHO = object({
  of: oneOf('key', 'token'),
  where: oneOf('message', 'name', 'region', 'error', 'header'),
  as: oneOf(...SPELLINGS),
  /** How many characters of other text precede the secret. */
  after: number,
});
export type Echo = Of<typeof ECHO>;

/** The service, and the network in front of it, which all executions of a scenario share. */
export const SERVICE = {
  /** Whether the service is on this machine, which permits reads that are less than 30 s apart. */
  local: flag,
  /** The maximum duration of each leg of a request, in milliseconds. */
  latencyMs: number,
  outages: list(OUTAGE),
  ttlSeconds: number,
  keyRevokedAtMs: orNull(number),
  echo: orNull(ECHO),
};
export type ServiceSpec = ObjectOf<typeof SERVICE>;

const PLACEMENT = object({
  /** Executions with the same number are steps of one job, whose post steps run after all of its main steps. */
  job: number,
  /** `sequential` starts after the preceding step in the job; `concurrent` starts `startMs` after the scenario. */
  begins: oneOf('sequential', 'concurrent'),
  startMs: number,
  /** Whether the step runs in a container, which sees no outside process and reuses other containers' process ids. */
  container: flag,
  /** `GITHUB_ACTION`: the id of the step, which embedded actions of the same composite share. */
  action: text,
  /** `GITHUB_JOB`, which jobs of a matrix share, as they do the run and the attempt. */
  jobName: text,
});
export type Placement = Of<typeof PLACEMENT>;

const RUNNER = object({
  /** Whether there is no folder for temporary files, and therefore no journal. */
  noTemp: flag,
  jobStatusAtStart: text,
  /** The status that post receives unless something interrupts the job. */
  jobStatusAtEnd: text,
  postAfterMs: number,
  /** Whether inputs that only main needs are empty in post. */
  postInputsEmpty: flag,
  postKeyMissing: flag,
  debug: flag,
  /** The delay from the verdict to the process's exit, while it flushes stdout. */
  flushMs: number,
  /** What post sees of main: nothing (another PID namespace), existence (hidden /proc), no signals (another user). */
  sight: oneOf('all', 'nothing', 'existence', 'no_signals'),
});

/** One execution of a step: its main process, then its post process. */
export const EXECUTION = {
  placement: PLACEMENT,
  /** The step's task: new runs, existing runs, an earlier run or else a new one, a dry run, or an invalid input. */
  mode: oneOf('trigger', 'attach', 'resume', 'dry_run', 'bad_input'),
  pipelines: list(PIPELINE),
  /** The inputs as a workflow specifies them, apart from `api-key`, `base-url` and `pipeline`. */
  inputs: someOf(Object.fromEntries(Object.keys(INPUTS).map((name) => [name, text]))) as Rule<
    Readonly<Partial<Record<InputName, string>>>
  >,
  faults: list(FAULT),
  disk: list(DISK_FAULT),
  stalls: list(DISK_STALL),
  crashes: list(CRASH),
  clocks: object({ main: CLOCK, post: CLOCK }),
  /** The number of a timer in main that never fires, which makes the loop drain. */
  lostTimer: orNull(number),
  runner: RUNNER,
};
export type ExecutionSpec = ObjectOf<typeof EXECUTION>;

/** A scenario: a machine, the service, and executions of steps on that machine. */
export interface ScenarioSpec {
  /** The seed for details: latencies, jitter, and where a text is split. */
  readonly seed: number;
  readonly service: ServiceSpec;
  readonly executions: readonly ExecutionSpec[];
}

/** An execution together with everything that it shares with the others, which is the subject of its checks. */
export type SingleSpec = { readonly seed: number } & ServiceSpec & ExecutionSpec;

export function alone({ seed, ...spec }: SingleSpec): ScenarioSpec {
  const { local, latencyMs, outages, ttlSeconds, keyRevokedAtMs, echo, ...only } = spec;
  return { seed, service: { local, latencyMs, outages, ttlSeconds, keyRevokedAtMs, echo }, executions: [only] };
}

export function executionsOf({ seed, service: shared, executions }: ScenarioSpec): SingleSpec[] {
  return executions.map((each) => ({ seed, ...shared, ...each }));
}
