/** The one event loop of a scenario, and the log of everything that happens in it. */

/** Something that will happen. A task that is taken back keeps its place and does nothing. */
export interface Scheduled {
  readonly atMs: number;
  readonly order: number;
  task: (() => void) | undefined;
}

/** Taken before a test can replace it. */
const { setImmediate: nextTurn } = globalThis;

/** Real microtasks run between two events: a turn of the real loop lets all of them run. */
const turn = (): Promise<void> => new Promise((resolve) => void nextTurn(resolve));

/** One event happens at a time, in the order of virtual time. Between two events, promises run as far as they can. */
export class Loop {
  /** Two scenarios are the same if these lines are. */
  readonly log: string[] = [];
  /** Virtual milliseconds since the scenario began. */
  nowMs = 0;
  /** How many events have happened: orders what happens at the same instant. */
  step = 0;
  #count = 0;
  readonly #queue: Scheduled[] = [];

  /** Adds a line to the log. `effect` is the effect's number in its process; 0 for what is done to the process. */
  note(who: string, effect: number, kind: string, what: string): void {
    const number = effect === 0 ? '' : ` #${effect}`;
    this.log.push(`${this.nowMs.toFixed(0).padStart(9)} ${who}${number} ${kind} ${what}`);
  }

  /** Has `task` happen at an instant, after everything that is scheduled for it already. */
  at(atMs: number, task: () => void): Scheduled {
    return this.#push(atMs, this.#count, task);
  }

  /** Has `task` happen at an instant, before everything else. */
  firstAt(atMs: number, task: () => void): Scheduled {
    return this.#push(atMs, -1_000_000_000 + this.#count, task);
  }

  /**
   * Runs until nothing is left to happen, or until a bound.
   * @param afterEach called when everything that an event led to has been done
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
