// Virtual time, in which timers run when a test advances it.
import type { Clock } from '../../src/base/clock.ts';

/** The real setImmediate, saved before a test can replace it. */
const { setImmediate: nextTurn } = globalThis;

interface Timer {
  readonly dueMs: number;
  readonly task: () => void;
}

/**
 * Time under a test's control, which passes only on request. Timers run in the order in which they are due (or, if due
 * at the same time, in the order in which they were set), and all promises that can settle do so between two timers.
 */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #wallOffsetMs: number;
  readonly #timers: Timer[] = [];

  constructor(startsAt: number | string = '2026-01-05T12:00:00Z') {
    this.#wallOffsetMs = new Date(startsAt).getTime();
  }

  now(): number {
    return this.#nowMs;
  }

  wall(): number {
    return this.#nowMs + this.#wallOffsetMs;
  }

  after(ms: number, task: () => void): () => void {
    // As with setTimeout, a negative delay and NaN mean 0, and no timer fires before the code that set it returns.
    const timer = { dueMs: this.#nowMs + (ms > 0 ? ms : 0), task };
    const later = this.#timers.findIndex((other) => other.dueMs > timer.dueMs);
    this.#timers.splice(later === -1 ? this.#timers.length : later, 0, timer);
    return () => {
      const at = this.#timers.indexOf(timer);
      if (at !== -1) this.#timers.splice(at, 1);
    };
  }

  /** The number of active timers, which is 0 when nothing waits for time. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Moves the wall clock forward (or back, for a negative number) without letting time pass. */
  shiftWall(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  /** The machine sleeps: time passes, but no timer fires before it wakes up. */
  sleep(ms: number): void {
    this.#nowMs += ms;
  }

  /** Lets `ms` milliseconds pass. `advance(0)` runs what is due now, and settles the promises that can settle. */
  async advance(ms = 0): Promise<void> {
    const end = this.#nowMs + ms;
    await drain();
    for (let next = this.#takeDue(end); next !== undefined; next = this.#takeDue(end)) {
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.task();
      await drain();
    }
    this.#nowMs = Math.max(this.#nowMs, end);
  }

  /**
   * Lets time pass, timer by timer, until `promise` settles, and returns its value or throws its error.
   * @throws if no timer is left that could settle it, or after `longestMs` (an hour by default).
   */
  async until<P extends Promise<unknown>>(promise: P, longestMs = 3_600_000): Promise<Awaited<P>> {
    const end = this.#nowMs + longestMs;
    let settled = false;
    const mark = (): void => {
      settled = true;
    };
    promise.then(mark, mark);
    for (;;) {
      await drain();
      if (settled) return await promise;
      const next = this.#takeDue(end);
      if (next === undefined) {
        const why = this.#timers.length === 0 ? 'no timer is set' : `${longestMs} ms have passed`;
        throw new Error(`The promise is still pending, and ${why}.`);
      }
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.task();
    }
  }

  #takeDue(end: number): Timer | undefined {
    const first = this.#timers[0];
    if (first === undefined || first.dueMs > end) return undefined;
    return this.#timers.shift();
  }
}

/** Lets promises and process.nextTick callbacks run as far as they can without letting time pass. */
export function drain(): Promise<void> {
  return new Promise((resolve) => {
    nextTurn(resolve);
  });
}
