/** A run that ends at once is seen at once: the first read comes this soon after the trigger, in milliseconds. */
const FIRST_READ_MS = 2_000;

/** The same for many: so small a part of the interval that nearly all of it is left to spread the reads over. */
const FIRST_READ_PART = 15;

/** So many reads at one moment are no burst yet, and seeing an early end early is worth more. */
const FEW = 10;

/**
 * A few runs are read soon after their trigger. The first reads of many are spread over one interval, and with
 * them all the others, so that they do not come in bursts. None waits longer than an interval for its first read.
 */
export function createPace(atOnce: number, pollIntervalMs: number) {
  const isBurst = atOnce > FEW;
  const soon = Math.min(FIRST_READ_MS, isBurst ? pollIntervalMs / FIRST_READ_PART : pollIntervalMs);
  const apart = isBurst ? (pollIntervalMs - soon) / atOnce : 0;
  let next = -Infinity;
  let delayed = 0;
  return {
    /** When to read a run first that was queued `now`, by the monotonic clock in milliseconds. */
    firstReadAt(now: number): number {
      const at = next > now + pollIntervalMs ? now + soon : Math.max(now + soon, next);
      next = at + apart;
      return at;
    },
    /** How much longer to wait, once, after the first read of an existing run, in ms: those reads all come at once. */
    delayAfterFirst(): number {
      delayed += 1;
      return ((delayed - 1) % atOnce) * apart;
    },
  };
}

/** Decides when the runs of a step are read first; later reads follow at the poll interval. */
export type Pace = ReturnType<typeof createPace>;
