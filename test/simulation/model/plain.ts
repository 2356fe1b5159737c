/** The scenario on which all handwritten ones are based, in which nothing goes wrong. */
import type { Crash, CrashKind, Fault, PipelineSpec, Placement, SingleSpec } from './spec.ts';

export const PLAIN_PIPELINE: PipelineSpec = {
  name: 'Orders',
  apiName: 'orders',
  given: 'api',
  failsFirst: 0,
  earlierMs: null,
  timeline: [
    [0, 'queued', null],
    [5_000, 'picked', null],
    [12_000, 'running', 'Loading: 3 of 5 objects'],
    [95_000, 'completed', '5 objects synced'],
  ],
};

export const ENDLESS_PIPELINE: PipelineSpec = { ...PLAIN_PIPELINE, timeline: PLAIN_PIPELINE.timeline.slice(0, 3) };

/** A fault in main's first request of a kind. */
export function plainFault(call: Fault['call'], what: Fault['what'], changes: Partial<Fault> = {}): Fault {
  return { on: 'main', call, from: 1, to: 1, what, commit: 'never', ms: 1, retryAfter: null, ...changes };
}

/** A crash of main at an instant in milliseconds or at another moment. */
export function plainCrash(at: number | Crash['at'], kind: CrashKind, on: Crash['on'] = 'main'): Crash {
  return { on, at: typeof at === 'number' ? { ms: at } : at, kind };
}

const CLOCK = { zeroMs: 31, wallOffMs: 0, jumps: [], timerLateMs: 0 } as const;
const NOTHING_FAILS = { outages: [], faults: [], disk: [], stalls: [], crashes: [], lostTimer: null } as const;
const SERVICE = { local: false, latencyMs: 20, ttlSeconds: 3_600, keyRevokedAtMs: null, echo: null } as const;

/** The only step of the only job. */
export const PLAIN_PLACEMENT: Placement = {
  job: 1,
  begins: 'concurrent',
  startMs: 0,
  container: false,
  action: '__run-pipeline',
  jobName: 'load',
};

export function plainSingle(changes: Partial<SingleSpec> = {}): SingleSpec {
  return {
    seed: 1,
    ...SERVICE,
    ...NOTHING_FAILS,
    placement: PLAIN_PLACEMENT,
    mode: 'trigger',
    pipelines: [PLAIN_PIPELINE],
    inputs: {},
    clocks: { main: CLOCK, post: CLOCK },
    runner: {
      noTemp: false,
      jobStatusAtStart: 'success',
      jobStatusAtEnd: 'success',
      postAfterMs: 0,
      postInputsEmpty: false,
      postKeyMissing: false,
      debug: true,
      flushMs: 0,
      sight: 'all',
    },
    ...changes,
  };
}
