/** The first read follows the trigger after this time, in milliseconds, because some runs finish at once. */
const FIRST_READ_MS = 2_000;

/** The same for many runs, as a fraction of the interval: small, so that their reads can be spread over the rest. */
const FIRST_READ_PART = 15;

/** This many simultaneous reads are not a burst yet, and noticing an early end matters more. */
const FEW = 10;

/**
 * A few runs are read soon after their trigger. The first reads of many runs, and so all later ones, are spread over one
 * interval to avoid bursts. No run waits longer than an interval for its first read.
 */
export function createPace(atOnce: number, pollIntervalMs: number) {
  const isBurst = atOnce > FEW;
  const soon = Math.min(FIRST_READ_MS, isBurst ? pollIntervalMs / FIRST_READ_PART : pollIntervalMs);
  const apart = isBurst ? (pollIntervalMs - soon) / atOnce : 0;
  let next = -Infinity;
  let delayed = 0;
  return {
    /** When to first read a run that was queued `now`, by the monotonic clock in milliseconds. */
    firstReadAt(now: number): number {
      const at = next > now + pollIntervalMs ? now + soon : Math.max(now + soon, next);
      next = at + apart;
      return at;
    },
    /** How long to delay the second read of an existing run, in ms, because the first reads of all are simultaneous. */
    delayAfterFirst(): number {
      delayed += 1;
      return ((delayed - 1) % atOnce) * apart;
    },
  };
}

/** Decides when the runs of a step are read first; later reads follow at the poll interval. */
export type Pace = ReturnType<typeof createPace>;
