import type { PipelineSpec, Placement, SingleSpec } from './spec.ts';

/** A pipeline whose run ends well after a minute and a half. */
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

const PLAIN_CLOCK = { zeroMs: 31, wallOffMs: 0, jumps: [], timerLateMs: 0 } as const;

/** The only step of the only job. */
export const PLAIN_PLACEMENT: Placement = {
  job: 1,
  begins: 'concurrent',
  startMs: 0,
  container: false,
  action: '__run-pipeline',
  jobName: 'load',
};

/** A scenario in which nothing goes wrong, with changes. */
export function plainSingle(changes: Partial<SingleSpec> = {}): SingleSpec {
  return {
    seed: 1,
    placement: PLAIN_PLACEMENT,
    mode: 'trigger',
    pipelines: [PLAIN_PIPELINE],
    inputs: {},
    local: false,
    latencyMs: 20,
    faults: [],
    outages: [],
    disk: [],
    stalls: [],
    crashes: [],
    clocks: { main: PLAIN_CLOCK, post: PLAIN_CLOCK },
    ttlSeconds: 3_600,
    keyRevokedAtMs: null,
    echo: null,
    lostTimer: null,
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
