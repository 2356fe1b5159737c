/** Something that will happen; a task that is taken back stays where it is and does nothing. */
export interface Scheduled {
  readonly atMs: number;
  readonly order: number;
  task: (() => void) | undefined;
}

/** Taken before anybody can fake it. */
const { setImmediate: nextTurn } = globalThis;

/** Real microtasks run between two events: a turn of the real loop lets all of them run. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    nextTurn(resolve);
  });
}

/**
 * The one event loop of a scenario: everything that happens anywhere happens here, one event at a time, in the order
 * of its virtual time. Between two events promises do all they can.
 */
export class Loop {
  #nowMs = 0;
  #count = 0;
  #steps = 0;
  readonly #heap: Scheduled[] = [];

  /** Virtual milliseconds since the scenario began. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** How many events have happened: tells apart what happens at the same instant. */
  get step(): number {
    return this.#steps;
  }

  /** Has `task` happen at an instant, after everything that is to happen then already. */
  at(atMs: number, task: () => void): Scheduled {
    return this.#push(atMs, this.#count, task);
  }

  /** Has `task` happen at an instant, before everything else that is to happen then. */
  firstAt(atMs: number, task: () => void): Scheduled {
    return this.#push(atMs, -1_000_000_000 + this.#count, task);
  }

  /** Has `task` happen now, before everything else that is to happen now. */
  soonest(task: () => void): Scheduled {
    return this.firstAt(this.#nowMs, task);
  }

  /**
   * Lives on until nothing is left to happen, or until a bound.
   * @param afterEach called when everything that an event led to has been done
   */
  async run(
    bounds: { readonly untilMs: number; readonly steps: number },
    afterEach: () => void,
  ): Promise<'over' | 'too_long'> {
    await turn();
    afterEach();
    for (let next = this.#pop(); next !== undefined; next = this.#pop()) {
      if (next.task === undefined) continue;
      if (next.atMs > bounds.untilMs || this.#steps >= bounds.steps) return 'too_long';
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      this.#steps += 1;
      next.task();
      await turn();
      afterEach();
    }
    return 'over';
  }

  #push(atMs: number, order: number, task: () => void): Scheduled {
    const scheduled: Scheduled = { atMs: Math.max(atMs, this.#nowMs), order, task };
    this.#count += 1;
    const heap = this.#heap;
    let at = heap.length;
    heap.push(scheduled);
    for (let up = (at - 1) >> 1; at > 0; up = (at - 1) >> 1) {
      const parent = heap[up];
      if (parent === undefined || !isBefore(scheduled, parent)) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = scheduled;
    return scheduled;
  }

  #pop(): Scheduled | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (child === undefined || !isBefore(child, last)) break;
      heap[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = last;
    return top;
  }
}

function isBefore(a: Scheduled, b: Scheduled): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
