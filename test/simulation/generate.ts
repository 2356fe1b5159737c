/* Random scenarios. A number decides the whole scenario, so changing the order of the draws changes all of them. */
import {
  type CallKind,
  FAULTS,
  type Fault,
  type FaultName,
  type FileFault,
  HOSTILE,
  type RequestFault,
  type Role,
} from '../../sandbox/faults.ts';
import { createRandom, type Random } from './random.ts';
import {
  type ClockSpec,
  type Echo,
  type Fleet,
  type Incident,
  MAIN_INCIDENTS,
  type Moment,
  type PipelineSpec,
  POST_INCIDENTS,
  type RunnerSpec,
  type Scenario,
  type ServiceSpec,
  type Stage,
  type StepSpec,
  type Task,
} from './scenario.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export function randomScenario(number: number): Scenario {
  const random = createRandom(number, 35);
  const fleet = random.chance(0.06) ? fleetOf(random) : null;
  const steps = random.chance(0.12)
    ? severalSteps(random)
    : [stepOf(random, { job: 1, startMs: null, action: 'sync' })];
  // A service that shows a secret instead of each name has no namesakes.
  const service = { ...serviceOf(random), fleet, ...(fleet?.hasNamesake && { echo: null }) };
  return { seed: number, service, steps: fleet === null ? steps : steps.map((step) => ofFleet(random, step)) };
}

/** A list that the service truncates silently at fewer than 100 rows counts as complete. */
function fleetOf(random: Random): Fleet {
  const isShort = random.chance(0.5);
  return {
    pipelines: isShort ? random.below(30) : 50 + random.below(150),
    rows: random.pick([1, 1, 2, 3]),
    cap: {
      rows: isShort ? random.pick([5, 20]) : random.pick([100, 100, 150]),
      shownBy: isShort ? random.pick(['total', 'status']) : random.pick(['nothing', 'nothing', 'total', 'status']),
    },
    hasNamesake: random.chance(0.3),
  };
}

/** Most steps of a fleet identify their pipelines by name, and some meet a fault on a page. */
function ofFleet(random: Random, step: StepSpec): StepSpec {
  const names = FAULT_NAMES.filter((name) => canHave(name, 'list'));
  const what = random.pick(['wrong_page', 'http_503', 'http_429', random.pick(names)] as const);
  const fault = { ...faultOf(random, 'main', 'list', what), from: 2 + random.below(4) };
  return {
    ...step,
    by: random.pick(['name', 'name', 'api_name', 'api_name', 'uuid']),
    faults: random.chance(0.4) ? [fault, ...step.faults] : step.faults,
  };
}

function serviceOf(random: Random): Omit<ServiceSpec, 'fleet'> {
  const fromMs = random.pick([0, random.below(2 * MINUTE), random.below(10 * MINUTE)]);
  const what = random.pick([
    ...(['refused', 'http_503', 'no_database', 'reset', 'silent', 'page_200'] as const),
    ...(['http_401', 'http_403', 'token_code'] as const),
  ]);
  const forMs = random.pick([5 * SECOND, MINUTE, 5 * MINUTE, 20 * MINUTE]);
  return {
    latencyMs: random.pick([3, 20, 20, 200, 1_500]),
    ttlSeconds: random.pick([3_600, 3_600, 600, 120]),
    keyRevokedAtMs: random.chance(0.04) ? random.below(4 * MINUTE) : null,
    faults: random.chance(0.12) ? [{ fromMs, forMs, what, ...processedOf(random, what) }] : [],
    echo: random.chance(0.12) ? echoOf(random) : null,
  };
}

/** Cut-off points are near the lengths at which texts are shortened. */
function echoOf(random: Random): Echo {
  return {
    of: random.pick(['key', 'token']),
    where: random.pick(['message', 'message', 'name', 'region', 'error', 'location']),
    after: random.pick([0, 20, 50, 90, 150, 190, 290, 400, 490, 590, 990, 1_990]),
  };
}

/** Steps of one job, consecutive or concurrent, in the same composite or not, or steps of two jobs. */
function severalSteps(random: Random): StepSpec[] {
  const isComposite = random.chance(0.5);
  const isConcurrent = random.chance(0.5);
  const jobs = random.chance(0.3) ? [1, 2] : [1, 1];
  return jobs.map((job, index) =>
    stepOf(random, {
      job,
      startMs: isConcurrent ? random.pick([0, 0, 1, 50, 3 * SECOND]) : null,
      action: isComposite ? '__composite' : `step_${index}`,
    }),
  );
}

function stepOf(random: Random, place: Pick<RunnerSpec, 'job' | 'startMs' | 'action'>): StepSpec {
  const task = random.pick<Task>(['trigger', 'trigger', 'trigger', 'trigger', 'trigger', 'await', 'resume', 'dry_run']);
  const several = task !== 'resume' && random.chance(0.3) ? random.pick([2, 2, 2, 3, 3, 3, 4, 4, 4, 12]) : 1;
  const hasRuns = task === 'await' || task === 'resume' || (task === 'dry_run' && random.chance(0.5));
  const pipelines = Array.from({ length: several }, (_, index) => pipelineOf(random, index, hasRuns));
  const inputs = inputsOf(random, task, several);
  const isLimited = inputs['timeout'] !== undefined || inputs['queue-timeout'] !== undefined;
  const faults = [
    ...faultsOf(random),
    ...(random.chance(0.12) ? [fileFaultOf(random)] : []),
    // A status check that gets no response when a time limit is reached.
    ...(isLimited && random.chance(0.2)
      ? [faultOf(random, 'main', 'read', random.pick(['silent', 'unreachable', 'stalled']))]
      : []),
  ];
  return {
    task: random.chance(0.01) ? 'invalid' : task,
    by: random.pick(['uuid', 'uuid', 'name', 'api_name']),
    pipelines,
    inputs,
    faults,
    incidents: incidentsOf(random, pipelines),
    clock: clockOf(random),
    runner: {
      ...place,
      statusAtStart: random.pick(['success', 'success', 'success', 'failure', 'cancelled']),
      statusAtEnd: random.pick(['success', 'success', 'failure', 'cancelled']),
      postAfterMs: random.pick([0, 0, 0, 20 * SECOND, 5 * MINUTE]),
      losesState: random.chance(0.12),
      temp: random.pick(['kept', 'kept', 'kept', 'kept', 'kept', 'kept', 'kept', 'vanishes', 'none']),
      post: random.pick(['complete', 'complete', 'complete', 'complete', 'without_inputs', 'without_key']),
      flushMs: random.pick([0, 0, 0, 0, 150, 20 * SECOND]),
      reusesPid: random.chance(0.05),
    },
  };
}

const ENDS = ['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped'];
const NAMES = ['Sales', 'Customers | <b>', 'Überweisungen ::x::', 'team billing'];

function pipelineOf(random: Random, index: number, hasRun: boolean): PipelineSpec {
  return {
    name: NAMES[index] ?? `Load ${index}`,
    stages: stagesOf(random),
    failsFirst: random.chance(0.2) ? 1 + random.below(2) : 0,
    existsSinceMs: hasRun ? random.below(3 * MINUTE) : null,
  };
}

function stagesOf(random: Random): Stage[] {
  const scale = random.pick([2 * SECOND, 20 * SECOND, MINUTE, 2 * MINUTE]);
  const stages: Stage[] = [[0, 'queued', null]];
  let at = 0;
  const add = (status: string): void => {
    at += random.below(scale);
    stages.push([at, status, random.pick([null, 'Loading: 3 of 5 objects', HOSTILE, 'first line\r\nsecond line'])]);
  };
  if (random.chance(0.1)) return stages;
  if (random.chance(0.7)) add('picked');
  add('running');
  if (random.chance(0.1)) add(random.pick(['paused', 'Running', '', 'queued']));
  if (random.chance(0.8)) add(random.pick([...ENDS, 'completed', 'completed']));
  return stages;
}

function inputsOf(random: Random, task: Task, several: number): Record<string, string> {
  const inputs: Record<string, string> = {};
  const set = (name: string, probability: number, values: readonly string[]): void => {
    if (random.chance(probability)) inputs[name] = random.pick(values);
  };
  set('poll-interval', 0.2, ['45s', '2m']);
  set('on-cancel', 0.35, ['cancel', 'leave']);
  set('on-timeout', 0.3, ['cancel', 'leave']);
  set('max-outage', 0.2, ['90s', '5m']);
  set('succeed-on', 0.2, ['completed', 'completed, failed', 'cancelled']);
  set('timeout', 0.2, ['1s', '20s', '1m30s', '5m']);
  set('queue-timeout', 0.15, ['1s', '10s', '40s', '2m']);
  set('summary', 0.2, ['false']);
  if (task === 'trigger' || task === 'resume') {
    set('on-lost-response', 0.25, ['fail', 'retry']);
    set('full-resync', 0.1, ['true']);
    set('max-attempts', 0.25, ['2', '3']);
    if (inputs['max-attempts'] !== undefined) {
      set('retry-delay', 0.6, ['1s', '5s', '2m']);
      set('retry-on', 0.3, ['failed', 'timed_out', 'failed, timed_out, skipped']);
      inputs['succeed-on'] = 'completed, completed_with_warning';
    }
  }
  if (task === 'trigger') set('wait', 0.2, ['false']);
  if (several > 1) {
    set('max-parallel', 0.4, ['1', '2']);
    set('fail-fast', 0.3, ['true']);
  }
  return inputs;
}

const CALLS = ['exchange', 'list', 'trigger', 'read', 'cancel'] as const;

const PLACES: readonly { readonly on: Role; readonly call: (typeof CALLS)[number] }[] = [
  ...CALLS.map((call) => ({ on: 'main', call }) as const),
  ...(['exchange', 'read', 'cancel'] as const).map((call) => ({ on: 'post', call }) as const),
];

/** An error in the action's own code is an incident. */
const FAULT_NAMES = (Object.keys(FAULTS) as FaultName[]).filter((name) => name !== 'none' && name !== 'bug');

function faultsOf(random: Random): Fault[] {
  return Array.from({ length: random.pick([0, 0, 1, 1, 1, 2, 3]) }, () => {
    const { on, call } = random.pick(PLACES);
    const names = FAULT_NAMES.filter((name) => canHave(name, call));
    return faultOf(random, on, call, random.pick(names));
  });
}

function canHave(name: FaultName, call: CallKind): boolean {
  return FAULTS[name].calls?.includes(call) !== false;
}

/** Some faults affect a number of requests, and some last for a time. */
function faultOf(random: Random, on: Role, call: (typeof CALLS)[number], what: FaultName): RequestFault {
  const from = 1 + random.below({ exchange: 3, list: 1, trigger: 2, read: 4, cancel: 2 }[call]);
  return {
    on,
    call,
    from,
    what,
    ...(random.chance(0.15)
      ? { forMs: random.pick([SECOND, 40 * SECOND, 3 * MINUTE, 20 * MINUTE]) }
      : { times: random.pick([1, 1, 1, 1, 2, 2, 3, 5, 9, 999]) }),
    ...processedOf(random, what),
    ...(isLong(what) && { ms: random.pick([1, 400, 3 * SECOND, 8 * SECOND, 12 * SECOND, 31 * SECOND, 70 * SECOND]) }),
  };
}

/** Whether the service still processes the requests, if the fault allows both. */
function processedOf(random: Random, what: FaultName): Pick<RequestFault, 'processed'> {
  return FAULTS[what].isOpen === true ? { processed: random.pick(['no', 'yes', 'late']) } : {};
}

/** Whether a fault needs a duration. */
function isLong(name: FaultName): boolean {
  const { connect, response, service = [] } = FAULTS[name];
  return connect === 'slow' || response === 'slow' || service.some((each) => each.do === 'lag');
}

function fileFaultOf(random: Random): FileFault {
  return {
    on: random.pick(['main', 'main', 'main', 'post']),
    file: random.pick(['state', 'state', 'journal', 'journal', 'output', 'summary', 'mark', 'all']),
    from: 1 + random.below(5),
    // Post tries to write its mark ten times a second, so the last number lasts for its whole time.
    times: random.pick([1, 1, 2, 9_999]),
    what: 'full_disk',
    part: random.pick([0, 0, 0.3, 0.7]),
  };
}

/** A scenario that would otherwise never end is always cancelled. */
function incidentsOf(random: Random, pipelines: readonly PipelineSpec[]): Incident[] {
  const incidents: Incident[] = [];
  if (random.chance(0.65))
    incidents.push({ on: 'main', what: random.pick(MAIN_INCIDENTS), at: momentOf(random, 'main') });
  if (random.chance(0.1))
    incidents.push({ on: 'main', what: random.pick(MAIN_INCIDENTS), at: momentOf(random, 'main') });
  if (random.chance(0.1))
    incidents.push({ on: 'post', what: random.pick(POST_INCIDENTS), at: momentOf(random, 'post') });
  const isEndless = pipelines.some(({ stages }) => !ENDS.includes(stages.at(-1)?.[1] ?? ''));
  if (isEndless) incidents.push({ on: 'main', what: 'cancel', at: { ms: 2 * MINUTE + random.below(8 * MINUTE) } });
  return incidents;
}

function momentOf(random: Random, on: Role): Moment {
  const kind = random.next();
  if (kind < 0.25) return { ms: random.below(random.pick([100, 3 * SECOND, 3 * MINUTE])) };
  if (kind < 0.6)
    return { effect: 1 + random.below(on === 'main' ? 70 : 30), when: random.pick(['before', 'after', 'torn']) };
  return {
    call: random.pick(
      on === 'main' ? ['exchange', 'trigger', 'trigger', 'trigger', 'read', 'cancel'] : ['exchange', 'read', 'cancel'],
    ),
    nth: random.pick([1, 1, 1, 2, 3]),
    phase: random.pick(['sent', 'connected', 'processed', 'answered']),
    plusMs: random.pick([0, 0, 0, 1, 15, 300, 1_500, 8_000]),
  };
}

function clockOf(random: Random): ClockSpec {
  const atMs = random.below(3 * MINUTE);
  const forMs = random.pick([40 * SECOND, 10 * MINUTE, 2 * HOUR]);
  return {
    wallOffMs: random.pick([0, 0, 5 * HOUR, -7 * HOUR, 400 * 24 * HOUR]),
    sleep: random.chance(0.04) ? { atMs, forMs, isCounted: random.chance(0.5) } : null,
  };
}
