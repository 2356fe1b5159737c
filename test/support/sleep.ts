/* A machine that sleeps for a while, as its processes see it. */
import type { Machine } from './machine.ts';

/** The machine sleeps. On Linux, the monotonic clock does not count this time. */
export interface Sleep {
  readonly atMs: number;
  readonly forMs: number;
  readonly isCounted: boolean;
}

/** The time of a process on a machine that may be asleep for a part of it. */
export class SleepyTime {
  readonly #machine: Machine;
  readonly #sleep: Sleep | null;

  constructor(machine: Machine, sleep: Sleep | null) {
    this.#machine = machine;
    // A process that starts later has not slept.
    this.#sleep = sleep !== null && machine.now < sleep.atMs ? sleep : null;
  }

  /** Returns how long something takes that starts now. */
  lasts(ms: number, isByProcessClock: boolean): number {
    const sleep = this.#sleep;
    if (sleep === null) return ms;
    const from = this.#machine.now;
    const awakeAt = sleep.atMs + sleep.forMs;
    const to = from + ms;
    if (isByProcessClock && !sleep.isCounted) return from < sleep.atMs && to >= sleep.atMs ? ms + sleep.forMs : ms;
    return to >= sleep.atMs && to < awakeAt ? awakeAt - from : ms;
  }

  /** Returns the process's monotonic time: the time since the machine started, minus any sleep that the clock does not count. */
  now(): number {
    const sleep = this.#sleep;
    const { now } = this.#machine;
    return sleep === null || sleep.isCounted ? now : now - Math.min(Math.max(now - sleep.atMs, 0), sleep.forMs);
  }
}
