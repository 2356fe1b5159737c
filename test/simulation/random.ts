/** A stream of random numbers. The same keys always give the same stream. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  readonly next: () => number;
  /** Returns a whole number from 0 up to, but not including, `end`. */
  below(end: number): number;
  pick<T>(choices: readonly T[]): T;
  chance(probability: number): boolean;
}

export function createRandom(...keys: readonly number[]): Random {
  let state = keys.reduce((sum, key) => Math.imul(sum ^ key, 0x9e3779b1) + 0x85ebca6b, 1);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick<T>(choices: readonly T[]): T {
      const choice = choices[below(choices.length)];
      if (choice === undefined) throw new Error('There is nothing to pick from.');
      return choice;
    },
  };
}
