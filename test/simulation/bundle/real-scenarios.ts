import { canHappen, mayCommit } from '../model/fault-table.ts';
import { plainSingle } from '../model/plain.ts';
import { createRandom, type Random } from '../model/random.ts';
import type { Call, Crash, CrashKind, Fault, PipelineSpec, SingleSpec } from '../model/spec.ts';
import { REAL } from './rules.ts';

/** A scenario that a real process can go through as well, in little real time: what happens in it depends on no clock. */
export interface RealScenario {
  readonly spec: SingleSpec;
  /** The request during which it is crashed, when it has been committed and nothing of its answer has left. */
  readonly crashesAt: { readonly call: Call; readonly nth: number; readonly kind: CrashKind } | undefined;
}

const ONCE = { on: 'main', ms: 1, retryAfter: null } as const;

/** The real scenario of this number. */
export function realScenario(number: number): RealScenario {
  const random = createRandom(number);
  const crashed = random.chance(0.5);
  const pipeline = pipelineOf(random, crashed);
  // A look-up beside the trigger comes before or after it.
  const calls: readonly Call[] = ['exchange', 'trigger', 'read', 'read'];
  const call = random.pick<Call>(pipeline.given === 'uuid' ? calls : [...calls, 'list']);
  const kind = random.pick<CrashKind>(['cancel', 'kill']);
  const nth = call === 'read' ? random.between(1, 3) : 1;
  const crashesAt = crashed ? { call, nth, kind } : undefined;
  // Held by nothing else than the crash, and so without a fault of its own.
  const held: Fault[] = crashed ? [{ ...ONCE, call, from: nth, to: nth, what: 'none', commit: 'never' }] : [];
  const reads = random.between(0, 4);
  const faults = faultsOf(random).filter(
    // After a kill it is post that cancels, and the server counts its requests behind those of main.
    (fault) => !held.some((one) => overlaps(one, fault)) && (kind !== 'kill' || fault.call !== 'cancel'),
  );
  const crashes: Crash[] = crashed ? [{ on: 'main', at: { fault: 0, before: 'response' }, kind }] : [];
  const spec = plainSingle({
    seed: number,
    local: true,
    latencyMs: 3,
    pipelines: [pipeline],
    inputs: inputsOf(random, crashed),
    faults: [...held, ...faults, ...stillRunning(reads, crashed)],
    crashes,
  });
  return { spec, crashesAt };
}

/** Over from its first moment: how often it is read before that shows is what the scenario says. */
function pipelineOf(random: Random, crashed: boolean): PipelineSpec {
  const end = random.pick(['completed', 'completed_with_warning', 'failed', 'skipped', 'timed_out']);
  return {
    name: 'Simulated load',
    apiName: 'simulated_load',
    failsFirst: 0,
    earlierMs: null,
    given: random.pick(['api', 'uuid', 'name']),
    timeline: [[0, crashed ? 'running' : end, 'as observedRequests']],
  };
}

function stillRunning(reads: number, crashed: boolean): Fault[] {
  if (crashed || reads === 0) return [];
  return [{ ...ONCE, call: 'read', from: 1, to: reads, what: 'still_running', commit: 'never' }];
}

function inputsOf(random: Random, crashed: boolean): Record<string, string> {
  return {
    'poll-interval': '30ms',
    'on-cancel': random.pick(['cancel', 'cancel', 'leave']),
    'on-lost-response': random.pick(['fail', 'fail', 'retry']),
    wait: random.pick(crashed ? ['true'] : ['true', 'true', 'false']),
  };
}

/** Once each: a second pause of a real retry takes seconds. */
function faultsOf(random: Random): Fault[] {
  const calls: readonly Call[] = ['exchange', 'list', 'trigger', 'read', 'read', 'cancel'];
  const faults = Array.from({ length: random.pick([0, 1, 1, 2]) }, (): Fault => {
    const call = random.pick(calls);
    const what = random.pick(REAL.filter((one) => one !== 'still_running' && canHappen(one, call)));
    const from = call === 'read' ? random.between(1, 3) : 1;
    return { ...ONCE, call, from, to: from, what, commit: commitOf(random, what) };
  });
  // Two that meet in one request are another fault in a real server than here.
  return faults.filter((fault, index) => !faults.slice(0, index).some((before) => overlaps(before, fault)));
}

function commitOf(random: Random, what: Fault['what']): Fault['commit'] {
  if (/^cut|^not_http/.test(what)) return 'at_once';
  return mayCommit(what) ? random.pick(['never', 'at_once']) : 'never';
}

function overlaps(a: Fault, b: Fault): boolean {
  return a.call === b.call && a.from <= b.to && b.from <= a.to;
}
