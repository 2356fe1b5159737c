/** Delay between a trigger and the first read, in milliseconds. It is short because some runs finish at once. */
const FIRST_READ_MS = 2_000;

/** With many runs, the first delay is at most the poll interval divided by this, and the rest spreads their reads. */
const FIRST_READ_PART = 15;

/** Up to this many simultaneous reads are not a burst, so the step reads early to notice runs that finish quickly. */
const FEW = 10;

/**
 * Schedules the first reads. A few runs get their first read soon after their trigger. The first reads of many runs,
 * and therefore all later reads, are spread over one interval to avoid bursts. No first read waits longer.
 */
export function createPace(atOnce: number, pollIntervalMs: number) {
  const isBurst = atOnce > FEW;
  const soon = Math.min(FIRST_READ_MS, isBurst ? pollIntervalMs / FIRST_READ_PART : pollIntervalMs);
  const apart = isBurst ? (pollIntervalMs - soon) / atOnce : 0;
  let next = -Infinity;
  let delayed = 0;
  return {
    /** Returns when to first read a run that was queued at `now`, as a monotonic time in milliseconds. */
    firstReadAt(now: number): number {
      const at = next > now + pollIntervalMs ? now + soon : Math.max(now + soon, next);
      next = at + apart;
      return at;
    },
    /** Returns the extra delay of an existing run's second read, in ms, because all first reads happen at once. */
    delayAfterFirst(): number {
      delayed += 1;
      return ((delayed - 1) % atOnce) * apart;
    },
  };
}

/** Decides when a step first reads its runs. Later reads follow at the poll interval. */
export type Pace = ReturnType<typeof createPace>;
