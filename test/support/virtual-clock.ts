import type { Clock } from '../../src/base/clock.ts';

// Virtual time: timers run when a test lets time pass.
/** Kept before a test can replace it. */
const { setImmediate: nextTurn } = globalThis;

interface Timer {
  readonly dueMs: number;
  readonly task: () => void;
}

/**
 * Time that a test controls. It only passes when the test says so. Timers then run in the order in which they are due
 * (those due at once in the order in which they were set), and between two of them, all promises settle that can.
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
    // As with setTimeout, a negative delay and NaN mean 0, and no timer fires before the code that set it has returned.
    const timer = { dueMs: this.#nowMs + (ms > 0 ? ms : 0), task };
    const later = this.#timers.findIndex((other) => other.dueMs > timer.dueMs);
    this.#timers.splice(later === -1 ? this.#timers.length : later, 0, timer);
    return () => {
      const at = this.#timers.indexOf(timer);
      if (at !== -1) this.#timers.splice(at, 1);
    };
  }

  /** How many timers are set: 0 when nothing waits for time any more. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Milliseconds until the next timer is due; undefined when none is set. */
  get nextInMs(): number | undefined {
    const next = this.#timers[0];
    return next === undefined ? undefined : next.dueMs - this.#nowMs;
  }

  /** Sets the wall clock forward (or back, for a negative number) without any time passing. */
  shiftWall(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  /** Lets `ms` milliseconds pass. `advance(0)` runs what is due now, and settles the promises that can settle. */
  async advance(ms = 0): Promise<void> {
    const end = this.#nowMs + ms;
    await drain();
    for (let next = this.#takeDue(end); next !== undefined; next = this.#takeDue(end)) {
      this.#nowMs = next.dueMs;
      next.task();
      await drain();
    }
    this.#nowMs = end;
  }

  /**
   * Lets time pass, timer by timer, until `promise` settles, and returns or throws what it does.
   * @throws when nothing is left that could settle it, or after `longestMs` (an hour).
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
      this.#nowMs = next.dueMs;
      next.task();
    }
  }

  #takeDue(end: number): Timer | undefined {
    const first = this.#timers[0];
    if (first === undefined || first.dueMs > end) return undefined;
    return this.#timers.shift();
  }
}

/** Lets promises, and callbacks of process.nextTick, do all they can without any time passing. */
export function drain(): Promise<void> {
  return new Promise((resolve) => {
    nextTurn(resolve);
  });
}
