import type { Random } from '../model/random.ts';
import type { ClockSpec, DiskFault, DiskStall } from '../model/spec.ts';
import { HOUR, MINUTE, SECOND } from './durations.ts';

/** The clock of a process, which may be off, jump, and be late. */
export function clockOf(random: Random): ClockSpec {
  const off = random.pick([0, 0, 5 * HOUR, -7 * HOUR, 400 * 24 * HOUR]);
  return {
    zeroMs: random.pick([0, 37.25, 987_654_321]),
    wallOffMs: off,
    jumps: random.chance(0.2) ? [[random.below(3 * MINUTE), random.pick([-HOUR, HOUR, -25 * HOUR])]] : [],
    timerLateMs: random.pick([0, 0, 1, -1, 40]),
  };
}

/** A disk that takes no more, once or for good. */
export function diskFaultOf(random: Random): DiskFault {
  const from = random.between(1, 4);
  return {
    file: random.pick(['state', 'journal', 'output', 'summary', 'all'] as const),
    from,
    to: from + random.pick([0, 1, 1_000]),
    part: random.pick([0, 0, 0.3, 0.7, 1]),
  };
}

/** A disk that blocks, for once or several times in a row. */
export function diskStallOf(random: Random): DiskStall {
  const from = random.between(1, 5);
  return {
    file: random.pick(['state', 'journal', 'output', 'summary', 'all'] as const),
    from,
    to: from + random.pick([0, 0, 1, 4]),
    ms: random.pick([300, 2 * SECOND, 6 * SECOND, 15 * SECOND]),
  };
}
