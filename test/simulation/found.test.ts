// Scenarios that once violated an invariant and must not do so again.
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../sandbox/faults.ts';
import { violationsIn } from './check/index.ts';
import { play } from './play.ts';
import { type PipelineSpec, type Sketch, scenario } from './scenario.ts';

const LOST_TRIGGER: Fault = { on: 'main', call: 'trigger', times: 1, what: 'reset', processed: 'yes' };

/** An existing run that does not end by itself. */
const ENDLESS: Partial<PipelineSpec> = {
  existsSinceMs: 60_000,
  stages: [
    [0, 'queued', null],
    [4_000, 'running', null],
  ],
};

/** A step of a cancelled job that waits for existing runs. */
const AWAITING = { task: 'await', inputs: { 'on-cancel': 'cancel' }, runner: { statusAtEnd: 'cancelled' } } as const;

const FOUND: Readonly<Record<string, Sketch>> = {
  'a signal arrives before main has looked for a run from job-id three times, and main is killed': {
    steps: [
      {
        ...AWAITING,
        faults: [{ call: ['read', 'cancel'], fromMs: 0, forMs: 30_000, what: 'empty' }],
        incidents: [
          { on: 'main', what: 'cancel', at: { ms: 30 } },
          { on: 'main', what: 'kill', at: { ms: 200 } },
        ],
        pipelines: [ENDLESS],
      },
    ],
  },
  'post sees a run that main did not find, and then misses it in several tries': {
    steps: [
      {
        ...AWAITING,
        faults: [
          { on: 'main', call: 'read', what: 'empty' },
          { on: 'post', call: 'cancel', times: 1, what: 'http_503' },
          { on: 'post', call: 'cancel', from: 2, forMs: 25_000, what: 'empty' },
          { on: 'post', call: 'read', from: 2, forMs: 25_000, what: 'empty' },
        ],
        pipelines: [ENDLESS],
      },
    ],
  },
  'main sees a run that it did not find before, and post misses it in several tries': {
    steps: [
      {
        ...AWAITING,
        faults: [
          { on: 'main', call: 'read', about: 'load_0_0', times: 3, what: 'empty' },
          { on: 'main', call: 'cancel', about: 'load_0_0', what: 'empty' },
          { on: 'post', call: ['cancel', 'read'], about: 'load_0_0', fromMs: 0, forMs: 140_000, what: 'empty' },
        ],
        incidents: [{ on: 'main', what: 'cancel', at: { ms: 90_000 } }],
        pipelines: [ENDLESS, ENDLESS],
      },
    ],
  },
  'main does not find a run from job-id, and is shut down without a post step': {
    steps: [
      {
        ...AWAITING,
        faults: [{ call: 'read', about: 'load_0_1', fromMs: 0, forMs: 62_000, what: 'empty' }],
        incidents: [{ on: 'main', what: 'shutdown', at: { ms: 98_889 } }],
        pipelines: [ENDLESS, ENDLESS],
      },
    ],
  },
  'the runner dies while main saves that it does not wait for its runs': {
    seed: 640_020_421,
    steps: [
      {
        inputs: { wait: 'false' },
        incidents: [{ on: 'main', what: 'worker_killed', at: { effect: 61, when: 'torn' } }],
        pipelines: [{}, {}, {}, {}],
      },
    ],
  },
  'stdout of a post step closes before it reports the lost trigger of another step in its composite': {
    seed: 640_167_368,
    service: { latencyMs: 200 },
    steps: [
      {
        faults: [{ on: 'main', call: 'trigger', from: 1, what: 'lost', times: 1 }],
        incidents: [
          { on: 'main', what: 'stdout_closed', at: { call: 'trigger', nth: 1, phase: 'answered', plusMs: 0 } },
        ],
        runner: { action: '__composite', post: 'without_key' },
      },
      {
        task: 'dry_run',
        by: 'api_name',
        incidents: [
          { on: 'main', what: 'kill', at: { effect: 38, when: 'torn' } },
          { on: 'post', what: 'stdout_closed', at: { ms: 69 } },
        ],
        pipelines: [{}, {}],
        runner: { action: '__composite', losesState: true, post: 'without_key' },
      },
    ],
  },
  'a post step of a composite is killed before it prints the report of another post step': {
    steps: [
      {
        task: 'resume',
        pipelines: [
          {
            stages: [
              [0, 'queued', null],
              [152, 'running', null],
              [678, 'timed_out', null],
            ],
            existsSinceMs: 42_337,
          },
        ],
        runner: { action: '__composite', flushMs: 20_000 },
      },
      {
        incidents: [
          { on: 'main', what: 'abandoned', at: { ms: 2_768 } },
          { on: 'post', what: 'kill', at: { ms: 92 } },
        ],
        runner: { action: '__composite' },
      },
    ],
  },
  'main notices the mark of the post step while a cancel gets no response': {
    steps: [
      {
        faults: [{ on: 'main', call: 'cancel', times: 99, what: 'silent', processed: 'no' }],
        incidents: [{ on: 'main', what: 'abandoned', at: { ms: 10_000 } }],
      },
    ],
  },
  'a job is cancelled after one post step of a composite has handled the detached run of another step': {
    steps: [
      { inputs: { wait: 'false' }, runner: { startMs: 3_000, action: '__composite', flushMs: 20_000 } },
      {
        by: 'name',
        incidents: [
          { on: 'main', what: 'abandoned', at: { ms: 1_769 } },
          { on: 'main', what: 'act_cancel', at: { call: 'trigger', nth: 1, phase: 'connected', plusMs: 8_000 } },
        ],
        runner: { action: '__composite' },
      },
    ],
  },
  'a post step is killed while it waits for a process that has reused the id of main': {
    steps: [
      {
        incidents: [
          { on: 'main', what: 'kill', at: { ms: 10_000 } },
          { on: 'post', what: 'kill', at: { ms: 60_000 } },
        ],
        pipelines: [{ stages: [[0, 'queued', null]] }],
        runner: { reusesPid: true },
      },
    ],
  },
  'a kill cuts off the line with the id, and there is no journal': {
    steps: [
      { incidents: [{ on: 'main', what: 'act_cancel', at: { effect: 23, when: 'torn' } }], runner: { temp: 'none' } },
    ],
  },
  'a kill cuts off a line about a run that may have a twin': {
    steps: [
      {
        inputs: { 'on-lost-response': 'retry' },
        faults: [LOST_TRIGGER],
        incidents: [{ on: 'main', what: 'kill', at: { effect: 36, when: 'torn' } }],
        runner: { temp: 'vanishes' },
      },
    ],
  },
  'main in a container exits before it checks for the mark of the post step': {
    steps: [
      {
        faults: [LOST_TRIGGER],
        incidents: [{ on: 'main', what: 'container_cancel', at: { effect: 12, when: 'before' } }],
      },
    ],
  },
  'the post step cannot create its mark beside a main process that has a run waiting': {
    steps: [
      {
        inputs: { 'max-parallel': '1' },
        faults: [{ on: 'post', file: 'mark', what: 'full_disk' }],
        incidents: [{ on: 'main', what: 'container_cancel', at: { ms: 10_000 } }],
        pipelines: [{ stages: [[0, 'queued', null]] }, { name: 'Customers' }],
      },
    ],
  },
  'main in a container cannot be stopped and exits while the post step waits': {
    steps: [
      {
        inputs: { 'on-cancel': 'leave', summary: 'false', 'fail-fast': 'true' },
        incidents: [{ on: 'main', what: 'container_cancel', at: { effect: 12, when: 'before' } }],
        pipelines: [{}, { name: 'Customers', failsFirst: 1 }],
        runner: { temp: 'none' },
      },
    ],
  },
  'the state has a truncated line, but the journal has the complete line': {
    steps: [
      {
        inputs: { wait: 'false' },
        faults: [{ on: 'main', file: 'state', from: 3, times: 997, what: 'full_disk', part: 0.5 }],
        incidents: [{ on: 'main', what: 'kill', at: { effect: 36, when: 'before' } }],
        pipelines: [{}, { name: 'Customers' }],
      },
    ],
  },
  'one intent cannot be saved, and another run is unknown': {
    seed: 6_655,
    steps: [
      {
        faults: [{ on: 'main', file: 'state', from: 2, times: 2, what: 'full_disk' }],
        incidents: [{ on: 'main', what: 'error', at: { call: 'trigger', nth: 2, phase: 'connected', plusMs: 1 } }],
        pipelines: [{}, { name: 'Customers' }, { name: 'Invoices' }],
      },
    ],
  },
  'an internal error occurs after a signal, before the response to a trigger': {
    steps: [
      {
        incidents: [
          { on: 'main', what: 'step_timeout', at: { call: 'trigger', nth: 1, phase: 'processed' } },
          { on: 'main', what: 'error', at: { call: 'trigger', nth: 1, phase: 'processed', plusMs: 2 } },
        ],
        pipelines: [{ stages: [[0, 'queued', null]] }],
      },
    ],
  },
  'an internal error occurs while the first read of a failed run to resume is in flight': {
    seed: 222199336,
    service: { latencyMs: 200 },
    steps: [
      {
        task: 'resume',
        by: 'name',
        inputs: { 'on-timeout': 'cancel', 'succeed-on': 'completed', 'full-resync': 'true' },
        incidents: [{ on: 'main', what: 'error', at: { effect: 29, when: 'before' } }],
        pipelines: [
          {
            stages: [
              [0, 'queued', null],
              [21866, 'running', 'no\n::error title=forged::CANARY ##[error]CANARY <b>CANARY</b> \u001b[2K\u202e | x'],
              [79689, 'completed', null],
            ],
            failsFirst: 1,
            existsSinceMs: 113714,
          },
        ],
      },
    ],
  },
  'an internal error occurs right before the run to resume is seen to have failed': {
    seed: 7_363_106,
    steps: [
      {
        task: 'resume',
        incidents: [{ on: 'main', what: 'error', at: { effect: 28, when: 'before' } }],
        pipelines: [{ existsSinceMs: 86_191, failsFirst: 1 }],
      },
    ],
  },
};

describe('no invariant is violated if', () => {
  it.each(Object.entries(FOUND))('%s', async (_name, sketch) => {
    expect(violationsIn(await play(scenario(sketch)))).toEqual([]);
  });
});
