/** Random scenarios of one execution. Changing the order of the draws changes the scenario of a seed. */

import { CALLS } from '../../support/fault-scripts.ts';
import { canHappen, FAULTS, SIMULATED_FAULTS, type SimulatedFault } from '../../support/faults.ts';
import { MAIN_CRASHES, POST_CRASHES } from '../model/crashes.ts';
import { NOT_IN_HEADERS, SPELLINGS } from '../model/network/echo.ts';
import { PLAIN_PLACEMENT } from '../model/plain.ts';
import { createRandom, type Random } from '../model/random.ts';
import type { ClockSpec, Crash, Echo, Fault, Moment, Outage, PipelineSpec, SingleSpec, Stage } from '../model/spec.ts';

/** In milliseconds, like all durations here. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The tasks of steps. Repetition makes a task more likely. */
const MODES = ['trigger', 'trigger', 'trigger', 'trigger', 'trigger', 'attach', 'resume', 'dry_run'] as const;

export function randomSingle(seed: number): SingleSpec {
  const random = createRandom(seed);
  const mode = random.pick(MODES);
  const several = mode !== 'resume' && random.chance(0.3) ? random.between(2, 4) : 1;
  const pipelines = Array.from({ length: several }, (_, index) => ({
    ...pipelineOf(random, index),
    earlierMs: mode === 'attach' || mode === 'resume' ? random.below(5 * MINUTE) : null,
  }));
  const faults = faultsOf(random);
  const inputs = inputsOf(random, several > 1 ? 'several' : mode === 'trigger' ? 'one, triggered' : 'one');
  // Main can only await an existing run, so the inputs for triggers must be empty.
  if (mode === 'attach') Object.assign(inputs, { wait: 'true', 'full-resync': '', 'on-lost-response': '' });
  const single: SingleSpec = {
    seed,
    placement: PLAIN_PLACEMENT,
    mode,
    pipelines,
    inputs,
    local: false,
    latencyMs: random.pick([3, 20, 20, 200, 1_500]),
    faults,
    outages: random.chance(0.15) ? [outageOf(random)] : [],
    disk: random.chance(0.1) ? [{ ...writesOf(random, 4, [0, 1, 1_000]), part: random.pick(WRITTEN_PARTS) }] : [],
    crashes: crashesOf(random, faults, pipelines),
    clocks: { main: clockOf(random), post: clockOf(random) },
    ttlSeconds: random.pick([3_600, 3_600, 3_600, 600, 60]),
    keyRevokedAtMs: random.chance(0.04) ? random.below(4 * MINUTE) : null,
    lostTimer: random.chance(0.02) ? random.between(1, 12) : null,
    runner: {
      noTemp: random.chance(0.1),
      jobStatusAtStart: random.pick(['success', 'success', 'success', 'failure', 'cancelled', '']),
      jobStatusAtEnd: random.pick(['success', 'success', 'failure', 'cancelled']),
      postAfterMs: random.pick([0, 0, 20 * SECOND, 10 * MINUTE]),
      postInputsEmpty: random.chance(0.2),
      postKeyMissing: random.chance(0.03),
      debug: random.chance(0.3),
      flushMs: random.pick([0, 0, 0, 250]),
      sight: 'all',
    },
    echo: random.chance(0.15) ? echoOf(random) : null,
    stalls: random.chance(0.1)
      ? [{ ...writesOf(random, 5, [0, 0, 1, 4]), ms: random.pick([300, 2 * SECOND, 6 * SECOND, 15 * SECOND]) }]
      : [],
  };
  const sight = random.pick(['all', 'all', 'all', 'all', 'nothing', 'existence', 'no_signals'] as const);
  return { ...single, runner: { ...single.runner, sight } };
}

const WRITTEN_PARTS = [0, 0, 0.3, 0.7, 1];

/** Writes that the disk refuses or blocks, starting with one of the first `last`. */
function writesOf(random: Random, last: number, more: readonly number[]) {
  const from = random.between(1, last);
  const file = random.pick(['state', 'journal', 'output', 'summary', 'all'] as const);
  return { file, from, to: from + random.pick(more) };
}

const ENDS = ['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped'];

/** Texts that try to act as something other than text. */
const TEXTS = [
  null,
  'Loading: 3 of 5 objects',
  'done\n::error title=forged::CANARY',
  '\u2028::add-mask::completed',
  '##[error]CANARY',
  'x\r\noutcome=succeeded\r\n',
  '<b>CANARY</b> | @everyone [a](b)\u202e',
  '\u001b[2K\u001b[1A::set-output name=outcome::succeeded',
];

/** A pipeline, given its index in a scenario, and the timeline of its run. */
export function pipelineOf(random: Random, index: number): PipelineSpec {
  return {
    name: ['Orders', 'Customers | <b>', 'Überweisungen ::x::', '@team/billing'][index] ?? `Load ${index}`,
    apiName: `load_${index}`,
    given: random.pick(['api', 'uuid', 'name']),
    failsFirst: 0,
    earlierMs: null,
    timeline: timelineOf(random),
  };
}

function timelineOf(random: Random): Stage[] {
  const scale = random.pick([2 * SECOND, 20 * SECOND, MINUTE, 4 * MINUTE]);
  const stages: Stage[] = [[0, 'queued', null]];
  let at = 0;
  const add = (status: string): void => {
    at += random.below(scale);
    stages.push([at, status, random.pick(TEXTS)]);
  };
  if (random.chance(0.1)) return stages;
  add('picked');
  add('running');
  if (random.chance(0.15)) add(random.pick(['paused', 'retrying', 'Running', '']));
  if (random.chance(0.3)) add('running');
  if (random.chance(0.75)) add(random.pick(ENDS));
  return stages;
}

/** The position of a request in a scenario. */
export interface Phase {
  readonly on: Fault['on'];
  readonly call: Fault['call'];
}

export const PHASES: readonly Phase[] = [
  ...CALLS.map((call) => ({ on: 'main', call }) as const),
  ...(['exchange', 'cancel', 'read'] as const).map((call) => ({ on: 'post', call }) as const),
];

function faultsOf(random: Random): Fault[] {
  return Array.from({ length: random.pick([0, 0, 1, 1, 1, 2, 3]) }, () => {
    const phase = random.pick(PHASES);
    return faultIn(random, phase, random.pick(SIMULATED_FAULTS.filter((what) => canHappen(what, phase.call))));
  });
}

/** A fault of this kind in this phase, early enough to affect most scenarios. */
export function faultIn(random: Random, { on, call }: Phase, what: SimulatedFault): Fault {
  const furthest = { exchange: 3, list: 1, trigger: 1, read: 4, cancel: 2 }[call];
  const from = random.between(1, furthest);
  const times = random.pick([1, 1, 1, 1, 2, 2, 3, 5, 9, 999]);
  const { commits } = FAULTS[what];
  const maybe = commits === 'maybe' ? random.pick(['never', 'at_once', 'late'] as const) : 'never';
  return {
    ...{ on, call, what, from },
    to: from + times - 1,
    commit: commits === 'yes' ? 'at_once' : maybe,
    ms: random.pick([1, 400, 3 * SECOND, 12 * SECOND, 31 * SECOND, 70 * SECOND]),
    retryAfter: random.pick([null, null, '1', '7', '3600', 'Mon, 05 Jan 2026 12:00:30 GMT', 'soon', '-5']),
  };
}

function outageOf(random: Random): Outage {
  const fromMs = random.pick([0, random.below(2 * MINUTE), random.below(10 * MINUTE)]);
  const toMs = fromMs + random.pick([5 * SECOND, MINUTE, 5 * MINUTE, 20 * MINUTE]);
  return { fromMs, toMs, what: random.pick(['refused', 'unresolved', 'http_503', 'reset', 'no_response', 'html_ok']) };
}

/** The crashes of a scenario. The last one ends every scenario that is still in progress. */
function crashesOf(random: Random, faults: readonly Fault[], pipelines: readonly PipelineSpec[]): Crash[] {
  const crashes: Crash[] = [];
  if (random.chance(0.65)) {
    crashes.push({ on: 'main', at: momentOf(random, faults), kind: random.pick(MAIN_CRASHES) });
  }
  if (random.chance(0.1)) {
    const at = random.chance(0.3) ? momentOfRequest(random, 5) : momentOfEffect(random, 30);
    crashes.push({ on: 'post', at, kind: random.pick(POST_CRASHES) });
  }
  const longest = Math.max(...pipelines.map(({ timeline }) => timeline.at(-1)?.[0] ?? 0));
  const endless = pipelines.some(({ timeline }) => !ENDS.includes(timeline.at(-1)?.[1] ?? ''));
  const patience = endless ? random.between(2 * MINUTE, 12 * MINUTE) : 3 * HOUR;
  return [...crashes, { on: 'main', at: { ms: longest + patience }, kind: 'cancel' }];
}

function momentOf(random: Random, faults: readonly Fault[]): Moment {
  const hit = faults.findIndex(({ on }) => on === 'main');
  if (hit >= 0 && random.chance(0.5)) return momentNear(random, hit);
  if (random.chance(0.3)) return { ms: random.below(4 * MINUTE) };
  return random.chance(0.3) ? momentOfRequest(random, 12) : momentOfEffect(random, 90);
}

function momentOfEffect(random: Random, last: number): Moment {
  return { effect: random.between(1, last), when: random.pick(['before', 'after', 'torn']) };
}

function momentOfRequest(random: Random, last: number): Moment {
  const number = random.between(1, last);
  return random.chance(0.5) ? { request: number } : { response: number };
}

/** A crash at a faulty request, at one of its events, or in the pause after it. */
function momentNear(random: Random, fault: number): Moment {
  if (random.chance(0.3)) return { fault, plusMs: random.pick([1, 15, 300, 1_500, 8_000, 20_000]) };
  if (random.chance(0.3)) return { fault, before: random.pick(['request', 'response']) };
  return { fault, plus: random.between(0, 6), when: random.pick(['before', 'after']) };
}

function inputsOf(random: Random, of: 'several' | 'one, triggered' | 'one'): Record<string, string> {
  const inputs: Record<string, string> = {
    'poll-interval': random.pick(['', '', '30s', '45s', '2m']),
    'on-cancel': random.pick(['', 'cancel', 'cancel', 'leave']),
    'on-timeout': random.pick(['', 'cancel', 'leave']),
    'on-lost-response': random.pick(['', 'fail', 'fail', 'retry']),
    wait: random.pick(['', 'true', 'true', 'true', 'false']),
    'max-outage': random.pick(['', '15m', '90s', '1h']),
    'succeed-on': random.pick(['', '', 'completed', 'completed, failed', 'cancelled']),
    summary: random.pick(['', 'false']),
  };
  if (random.chance(0.2)) inputs['timeout'] = random.pick(['1s', '20s', '1m30s', '5m']);
  if (random.chance(0.2)) inputs['queue-timeout'] = random.pick(['1s', '10s', '40s', '2m']);
  if (random.chance(0.1)) inputs['full-resync'] = 'true';
  if (of === 'several') {
    inputs['max-parallel'] = random.pick(['', '', '1', '2']);
    inputs['fail-fast'] = random.pick(['', 'false', 'true']);
  }
  // A reset of the target drops tables, so it requires a single pipeline that main triggers once.
  const isReset = of === 'one, triggered' && random.chance(0.05);
  return { ...inputs, ...(isReset && { 'full-resync': 'true', 'reset-target': 'true', 'on-lost-response': '' }) };
}

/** A process's clock, which may be off, jump, and run late. */
function clockOf(random: Random): ClockSpec {
  const wallOffMs = random.pick([0, 0, 5 * HOUR, -7 * HOUR, 400 * 24 * HOUR]);
  return {
    wallOffMs,
    zeroMs: random.pick([0, 37.25, 987_654_321]),
    jumps: random.chance(0.2) ? [[random.below(3 * MINUTE), random.pick([-HOUR, HOUR, -25 * HOUR])]] : [],
    timerLateMs: random.pick([0, 0, 1, -1, 40]),
  };
}

/** Lengths (from, to) near the limits at which texts are truncated, so that truncation splits the secret. */
const CUTS = { 0: 119, 150: 215, 270: 310, 470: 510, 900: 2_000 };
const LONG = [100_000, 100_000, 200_000, 300_000, 2_000_000];

function echoOf(random: Random): Echo {
  const where = random.pick(['message', 'message', 'name', 'region', 'error', 'header'] as const);
  const spellings = where === 'header' ? SPELLINGS.filter((as) => !NOT_IN_HEADERS.has(as)) : SPELLINGS;
  const isLong = where !== 'header' && random.chance(0.1);
  const of = random.pick(['key', 'token'] as const);
  const as = random.pick(spellings);
  if (isLong) return { of, where, as, after: where === 'name' ? 100_000 : random.pick(LONG) };
  const [from, to] = random.pick(Object.entries(CUTS));
  return { of, where, as, after: random.between(Number(from), to) };
}
