import { canHappen, FAULT_NAMES, type FaultName, mayCommit, PHASES, type Phase } from '../model/fault-table.ts';
import type { Random } from '../model/random.ts';
import type { Fault, Outage } from '../model/spec.ts';
import { MINUTE, SECOND } from './durations.ts';

/** What goes wrong with single requests of a scenario: often nothing, or one thing. */
export function faultsOf(random: Random): Fault[] {
  const count = random.pick([0, 0, 1, 1, 1, 2, 3]);
  return Array.from({ length: count }, () => {
    const phase = random.pick(PHASES);
    return faultIn(random, phase, random.pick(FAULT_NAMES.filter((what) => canHappen(what, phase.call))));
  });
}

/** A fault of this kind in this phase, early enough that most scenarios meet it. */
export function faultIn(random: Random, { on, call }: Phase, what: FaultName): Fault {
  const furthest = { exchange: 3, list: 1, trigger: 1, read: 4, cancel: 2 }[call];
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

/** A time in which everything that is sent meets the same end. */
export function outageOf(random: Random): Outage {
  const fromMs = random.pick([0, random.below(2 * MINUTE), random.below(10 * MINUTE)]);
  const lasts = random.pick([5 * SECOND, MINUTE, 5 * MINUTE, 20 * MINUTE]);
  const what = random.pick(['refused', 'unresolved', 's503', 'reset', 'mute', 'html_ok'] as const);
  return { fromMs, toMs: fromMs + lasts, what };
}
