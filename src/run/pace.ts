/** A run that ends at once is seen at once: the first read comes this soon after the trigger, in milliseconds. */
const FIRST_READ_MS = 2_000;

/** So many reads at one moment are no burst yet, and seeing an early end early is worth more. */
const FEW = 10;

/** Gives each run of a step the moment of its first read; its later ones follow at the poll interval. */
export interface Pace {
  /** By the monotonic clock in milliseconds, for a run that was queued `now`. */
  firstReadAt(now: number): number;
}

/**
 * A few runs are read soon after their trigger. The first reads of many are spread over one interval, and with
 * them all the others, so that they do not come in bursts. None waits longer than an interval for its first read.
 */
export function createPace(atOnce: number, pollIntervalMs: number): Pace {
  const apart = atOnce > FEW ? pollIntervalMs / atOnce : 0;
  let next = -Infinity;
  return {
    firstReadAt(now) {
      const earliest = now + Math.min(FIRST_READ_MS, pollIntervalMs);
      const at = next > earliest + pollIntervalMs ? earliest : Math.max(earliest, next);
      next = at + apart;
      return at;
    },
  };
}
