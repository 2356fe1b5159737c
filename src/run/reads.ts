/** The service allows at most one status check of a run in this interval, apart from a few to confirm a cancellation. */
export const MIN_POLL_INTERVAL_MS = 30_000;
/** With more runs than this, requests about them are spread out, or sent one at a time. */
export const FEW_RUNS = 12;

/** The number of reads that can confirm a cancellation without waiting for the poll interval. */
const MOST_EARLY = 3;

/** When a run was read, which decides when it may be read again. Times are monotonic, in milliseconds. */
export class Reads {
  /** When the last read was sent or answered, whichever is later. */
  #lastAt = -Infinity;
  #early = 0;

  /** A read was sent, or answered. */
  note(now: number): void {
    this.#lastAt = now;
  }

  /** Returns the time until the run may be read again, or -Infinity if it has never been read. */
  untilDueMs(now: number, intervalMs: number): number {
    return this.#lastAt + intervalMs - now;
  }

  /**
   * Returns whether a cancellation may be confirmed by a read now. The first few reads do not wait for the interval, and
   * the others do not wait longer than the service demands.
   */
  mayConfirm(now: number, intervalMs: number): boolean {
    if (this.untilDueMs(now, Math.min(intervalMs, MIN_POLL_INTERVAL_MS)) <= 0) return true;
    if (this.#early >= MOST_EARLY) return false;
    this.#early += 1;
    return true;
  }
}
