/** Scenarios that a real process can also run: their faults take no time, and nothing depends on a clock. */
import { canHappen, FAULTS, type SimulatedFault } from '../../support/faults.ts';
import { PLAIN_PIPELINE, plainCrash, plainFault, plainSingle } from '../model/plain.ts';
import { createRandom, type Random } from '../model/random.ts';
import type { Call, CrashKind, Fault, PipelineSpec } from '../model/spec.ts';
import { REAL_FAULTS } from './rules.ts';

export type RealScenario = ReturnType<typeof realScenario>;

/** The real scenario with this number. Main crashes after the service commits a request but before it responds. */
export function realScenario(number: number) {
  const random = createRandom(number);
  const crashed = random.chance(0.5);
  const pipeline = pipelineOf(random, crashed);
  // A lookup runs in parallel with the trigger and may finish before or after it.
  const calls: readonly Call[] = ['exchange', 'trigger', 'read', 'read'];
  const call = random.pick<Call>(pipeline.given === 'uuid' ? calls : [...calls, 'list']);
  const kind = random.pick<CrashKind>(['cancel', 'kill']);
  const nth = call === 'read' ? random.between(1, 3) : 1;
  // The crash itself holds this request, so the request has no other fault.
  const held = crashed ? [plainFault(call, 'none', { from: nth, to: nth })] : [];
  const reads = random.between(0, 4);
  const faults = faultsOf(random).filter(
    // After a kill, post sends the cancel, and the server numbers post's requests after main's.
    (fault) => !held.some((one) => overlaps(one, fault)) && (kind !== 'kill' || fault.call !== 'cancel'),
  );
  const running = crashed || reads === 0 ? [] : [plainFault('read', 'still_running', { to: reads })];
  const spec = plainSingle({
    seed: number,
    local: true,
    latencyMs: 3,
    pipelines: [pipeline],
    inputs: {
      'poll-interval': '30ms',
      'on-cancel': random.pick(['cancel', 'cancel', 'leave']),
      'on-lost-response': random.pick(['fail', 'fail', 'retry']),
      wait: random.pick(crashed ? ['true'] : ['true', 'true', 'false']),
    },
    faults: [...held, ...faults, ...running],
    crashes: crashed ? [plainCrash({ fault: 0, before: 'response' }, kind)] : [],
  });
  return { spec, crashesAt: crashed ? { call, nth, kind } : undefined };
}

/** The run has its final status from the start, but the scenario decides how many reads still show another status. */
function pipelineOf(random: Random, crashed: boolean): PipelineSpec {
  const end = random.pick(['completed', 'completed_with_warning', 'failed', 'skipped', 'timed_out']);
  const given = random.pick(['api', 'uuid', 'name'] as const);
  // The sandbox has its own pipelines, so these need different names.
  return {
    ...PLAIN_PIPELINE,
    name: 'Simulated load',
    apiName: 'simulated_load',
    given,
    timeline: [[0, crashed ? 'running' : end, 'as simulated']],
  };
}

/** Applies each fault only once, because the second pause of a real retry takes seconds. */
function faultsOf(random: Random): Fault[] {
  const calls: readonly Call[] = ['exchange', 'list', 'trigger', 'read', 'read', 'cancel'];
  const faults = Array.from({ length: random.pick([0, 1, 1, 2]) }, (): Fault => {
    const call = random.pick(calls);
    const what = random.pick(REAL_FAULTS.filter((one) => one !== 'still_running' && canHappen(one, call)));
    const from = call === 'read' ? random.between(1, 3) : 1;
    return plainFault(call, what, { from, to: from, commit: commitOf(random, what) });
  });
  // Two faults that hit the same request behave differently in a real server and in the simulation.
  return faults.filter((fault, index) => !faults.slice(0, index).some((before) => overlaps(before, fault)));
}

function commitOf(random: Random, what: SimulatedFault): Fault['commit'] {
  const { commits } = FAULTS[what];
  if (commits === 'yes' || what === 'not_http') return 'at_once';
  return commits === 'maybe' ? random.pick(['never', 'at_once']) : 'never';
}

function overlaps(a: Fault, b: Fault): boolean {
  return a.call === b.call && a.from <= b.to && b.from <= a.to;
}
