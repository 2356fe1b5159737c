/** The single event loop of a scenario, and the log of everything that happens in it. */

/** A scheduled task. A cancelled task keeps its place and does nothing. */
export interface Scheduled {
  readonly atMs: number;
  readonly order: number;
  task: (() => void) | undefined;
}

/** The real setImmediate, saved before a test can replace it. */
const { setImmediate: nextTurn } = globalThis;

/** Real microtasks run between two events, because one turn of the real loop runs them all. */
const turn = (): Promise<void> => new Promise((resolve) => void nextTurn(resolve));

/** Events happen one at a time, in virtual time order. Between two events, promises settle as far as they can. */
export class Loop {
  /** Two scenarios are identical if they have the same lines. */
  readonly log: string[] = [];
  /** Virtual milliseconds since the scenario began. */
  nowMs = 0;
  /** The number of past events, which orders events at the same instant. */
  step = 0;
  #count = 0;
  readonly #queue: Scheduled[] = [];

  /** Adds a line to the log. `effect` is the effect's number in its process; 0 for an external event. */
  note(who: string, effect: number, kind: string, what: string): void {
    const number = effect === 0 ? '' : ` #${effect}`;
    this.log.push(`${this.nowMs.toFixed(0).padStart(9)} ${who}${number} ${kind} ${what}`);
  }

  /** Schedules `task` at an instant, after everything already scheduled for that instant. */
  at(atMs: number, task: () => void): Scheduled {
    return this.#push(atMs, this.#count, task);
  }

  /** Schedules `task` at an instant, before everything else at that instant. */
  firstAt(atMs: number, task: () => void): Scheduled {
    return this.#push(atMs, -1_000_000_000 + this.#count, task);
  }

  /**
   * Runs until nothing is left to happen or until a limit.
   * @param afterEach called after all consequences of an event
   */
  async run(untilMs: number, steps: number, afterEach: () => void): Promise<'over' | 'too_long'> {
    await turn();
    afterEach();
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (next.task === undefined) continue;
      if (next.atMs > untilMs || this.step >= steps) return 'too_long';
      this.nowMs = next.atMs;
      this.step += 1;
      next.task();
      await turn();
      afterEach();
    }
    return 'over';
  }

  #push(atMs: number, order: number, task: () => void): Scheduled {
    const scheduled: Scheduled = { atMs: Math.max(atMs, this.nowMs), order, task };
    this.#count += 1;
    const last = this.#queue.findLastIndex(
      (one) => one.atMs < scheduled.atMs || (one.atMs === scheduled.atMs && one.order < order),
    );
    this.#queue.splice(last + 1, 0, scheduled);
    return scheduled;
  }
}
