/** Lets so many through at once; the others wait their turn, first come, first served. */
export class Gate {
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(width: number) {
    this.#free = width;
  }

  /** Resolves with what gives the place back, to be called once. */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((next) => this.#queue.push(next));
    return () => {
      const next = this.#queue.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }

  /** Does `task` in a place of its own. */
  async through<Result>(task: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter();
    try {
      return await task();
    } finally {
      leave();
    }
  }
}
