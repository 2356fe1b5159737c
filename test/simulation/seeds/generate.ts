import {
  canHappen,
  FAULT_NAMES,
  type FaultName,
  mayCommit,
  PHASES,
  type Phase,
} from '../life/fault-table.ts';
import { createRandom, type Random } from '../life/random.ts';
import {
  type ClockSpec,
  type DiskFault,
  type Fault,
  type LifeSpec,
  MAIN_STRIKES,
  type Moment,
  type Outage,
  type PipelineSpec,
  POST_STRIKES,
  type Stage,
  type Strike,
} from '../life/spec.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const ENDS = ['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped'];

/** What most steps are asked for, most often. */
const MODES = ['trigger', 'trigger', 'trigger', 'trigger', 'trigger', 'attach', 'resume', 'dry_run'] as const;

/** Texts that would like to be something else than text. */
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

/** A life out of a number. The same number always gives the same life. */
export function lifeOf(seed: number): LifeSpec {
  const random = createRandom(seed);
  const mode = random.pick(MODES);
  const several = mode !== 'resume' && random.chance(0.3) ? random.between(2, 4) : 1;
  const pipelines = Array.from({ length: several }, (_, index) => ({
    ...pipelineOf(random, index),
    earlierMs: mode === 'attach' || mode === 'resume' ? random.below(5 * MINUTE) : null,
  }));
  const faults = faultsOf(random);
  const inputs = { ...inputsOf(random), ...(several > 1 && severalOf(random)) };
  // A run that exists can be nothing but waited for.
  if (mode === 'attach') Object.assign(inputs, { wait: 'true', 'full-resync': '', 'retry-trigger': '' });
  // What a disk did not take is a failure that no request shows, and could stop other runs.
  const isSafe = inputs['fail-fast'] !== 'true';
  return {
    seed,
    mode,
    pipelines,
    inputs,
    local: false,
    latencyMs: random.pick([3, 20, 20, 200, 1_500]),
    faults,
    outages: random.chance(0.15) ? [outageOf(random)] : [],
    disk: isSafe && random.chance(0.1) ? [diskFaultOf(random)] : [],
    strikes: strikesOf(random, faults, pipelines),
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
    },
  };
}

export function pipelineOf(random: Random, index: number): PipelineSpec {
  const name =
    ['Orders', 'Customers | <b>', 'Überweisungen ::x::', '@team/billing'][index] ?? `Load ${index}`;
  return {
    name,
    apiName: `load_${index}`,
    given: random.pick(['api', 'uuid', 'name']),
    earlierMs: null,
    timeline: timelineOf(random),
  };
}

function timelineOf(random: Random): Stage[] {
  const scale = random.pick([2 * SECOND, 20 * SECOND, MINUTE, 4 * MINUTE]);
  const text = (): string | null => random.pick(TEXTS);
  const stages: Stage[] = [[0, 'queued', null]];
  let at = 0;
  const add = (status: string): void => {
    at += random.below(scale);
    stages.push([at, status, text()]);
  };
  if (random.chance(0.1)) return stages;
  add('picked');
  add('running');
  if (random.chance(0.15)) add(random.pick(['paused', 'retrying', 'Running', '']));
  if (random.chance(0.3)) add('running');
  if (random.chance(0.75)) add(random.pick(ENDS));
  return stages;
}

function inputsOf(random: Random): Record<string, string> {
  const inputs: Record<string, string> = {
    'poll-interval': random.pick(['', '', '30s', '45s', '2m']),
    'on-cancel': random.pick(['', 'cancel', 'cancel', 'leave']),
    'on-timeout': random.pick(['', 'cancel', 'leave']),
    'retry-trigger': random.pick(['', 'safe', 'safe', 'always']),
    wait: random.pick(['', 'true', 'true', 'true', 'false']),
    'max-outage': random.pick(['', '15m', '90s', '1h']),
    'succeed-on': random.pick(['', '', 'completed', 'completed, failed', 'cancelled']),
    summary: random.pick(['', 'false']),
  };
  if (random.chance(0.2)) inputs['timeout'] = random.pick(['1s', '20s', '90s', '5m']);
  if (random.chance(0.2)) inputs['queue-timeout'] = random.pick(['1s', '10s', '40s', '2m']);
  if (random.chance(0.1)) inputs['full-resync'] = 'true';
  return inputs;
}

function severalOf(random: Random): Record<string, string> {
  return {
    'max-parallel': random.pick(['', '', '1', '2']),
    'fail-fast': random.pick(['', 'false', 'true']),
  };
}

function clockOf(random: Random): ClockSpec {
  const off = random.pick([0, 0, 5 * HOUR, -7 * HOUR, 400 * 24 * HOUR]);
  return {
    zeroMs: random.pick([0, 37.25, 987_654_321]),
    wallOffMs: off,
    jumps: random.chance(0.2) ? [[random.below(3 * MINUTE), random.pick([-HOUR, HOUR, -25 * HOUR])]] : [],
    timerLateMs: random.pick([0, 0, 1, -1, 40]),
  };
}

function faultsOf(random: Random): Fault[] {
  const count = random.pick([0, 0, 1, 1, 1, 2, 3]);
  return Array.from({ length: count }, () => {
    const phase = random.pick(PHASES);
    return faultIn(random, phase, random.pick(FAULT_NAMES.filter((what) => canHappen(what, phase.call))));
  });
}

/** A fault of this kind in this phase, early enough that most lives meet it. */
export function faultIn(random: Random, { on, call }: Phase, what: FaultName): Fault {
  const furthest = { exchange: 1, list: 1, trigger: 1, read: 4, cancel: 2 }[call];
  const from = random.between(1, furthest);
  const times = random.pick([1, 1, 1, 1, 2, 2, 3, 5, 9, 999]);
  return {
    on,
    call,
    from,
    to: from + times - 1,
    what,
    commit: commitOf(random, what),
    ms: random.pick([1, 400, 3 * SECOND, 12 * SECOND, 31 * SECOND, 70 * SECOND]),
    retryAfter: random.pick([null, null, '1', '7', '3600', 'Mon, 05 Jan 2026 12:00:30 GMT', 'soon', '-5']),
  };
}

/** A body that begins as it should comes from a service that has done what it was asked. */
const DONE: ReadonlySet<FaultName> = new Set<FaultName>([
  'cut_at_once',
  'cut_half',
  'cut_whole',
  'reset_half',
  'reset_whole',
  'stalled_at_once',
  'stalled_half',
  'stalled_whole',
  'broken_chunks',
  'huge',
]);

function commitOf(random: Random, what: FaultName): Fault['commit'] {
  if (DONE.has(what)) return 'at_once';
  return mayCommit(what) ? random.pick(['never', 'at_once', 'late']) : 'never';
}

function outageOf(random: Random): Outage {
  const fromMs = random.pick([0, random.below(2 * MINUTE), random.below(10 * MINUTE)]);
  const lasts = random.pick([5 * SECOND, MINUTE, 5 * MINUTE, 20 * MINUTE]);
  const what = random.pick(['refused', 'unresolved', 's503', 'reset', 'mute', 'html_ok'] as const);
  return { fromMs, toMs: fromMs + lasts, what };
}

function diskFaultOf(random: Random): DiskFault {
  const from = random.between(1, 4);
  return {
    file: random.pick(['state', 'journal', 'output', 'summary', 'all'] as const),
    from,
    to: from + random.pick([0, 1, 1_000]),
    part: random.pick([0, 0, 0.3, 0.7, 1]),
  };
}

function strikesOf(random: Random, faults: readonly Fault[], pipelines: readonly PipelineSpec[]): Strike[] {
  const strikes: Strike[] = [];
  if (random.chance(0.65)) {
    strikes.push({ on: 'main', at: momentOf(random, faults), kind: random.pick(MAIN_STRIKES) });
  }
  if (random.chance(0.1)) {
    const at: Moment = { effect: random.between(1, 30), when: random.pick(['before', 'after', 'torn']) };
    strikes.push({ on: 'post', at, kind: random.pick(POST_STRIKES) });
  }
  return [...strikes, lastResort(random, pipelines)];
}

/** Somebody loses patience in the end: no life goes on for ever. */
export function lastResort(random: Random, pipelines: readonly PipelineSpec[]): Strike {
  const longest = Math.max(...pipelines.map(({ timeline }) => timeline.at(-1)?.[0] ?? 0));
  const endless = pipelines.some(({ timeline }) => !ENDS.includes(timeline.at(-1)?.[1] ?? ''));
  const patience = endless ? random.between(2 * MINUTE, 12 * MINUTE) : 3 * HOUR;
  return { on: 'main', at: { ms: longest + patience }, kind: 'cancel' };
}

function momentOf(random: Random, faults: readonly Fault[]): Moment {
  const hit = faults.findIndex(({ on }) => on === 'main');
  if (hit >= 0 && random.chance(0.5)) return momentNear(random, hit);
  if (random.chance(0.3)) return { ms: random.below(4 * MINUTE) };
  return { effect: random.between(1, 90), when: random.pick(['before', 'after', 'torn']) };
}

/** At the request that a fault strikes, at one of its events, or in the pause after it. */
export function momentNear(random: Random, fault: number): Moment {
  if (random.chance(0.3)) return { fault, plusMs: random.pick([1, 15, 300, 1_500, 8_000, 20_000]) };
  return { fault, plus: random.between(0, 6), when: random.pick(['before', 'after']) };
}
