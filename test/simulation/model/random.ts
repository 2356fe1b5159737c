/** Random numbers that are reproducible from a seed. */

export type Random = ReturnType<typeof createRandom>;

/** Each key has an independent stream of random numbers. */
export function createStream(...key: readonly (string | number)[]): Random {
  return createRandom(hashOf(key.join(' ')));
}

/** The streams of one execution, which add its seed and number to each key. */
export type StreamOf = typeof createStream;

/** FNV-1a, 32 bits. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** sfc32 (Chris Doty-Humphrey, PractRand), seeded by splitmix32. */
export function createRandom(seed: number) {
  let mixed = seed | 0;
  const split = (): number => {
    mixed = (mixed + 0x9e3779b9) | 0;
    let z = mixed ^ (mixed >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) | 0;
  };
  let [a, b, c, d] = [split(), split(), split(), split()];
  const next = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 4_294_967_296;
  };
  const below = (n: number): number => Math.floor(next() * n);
  return {
    /** A uniform number in [0, 1). */
    next,
    /** An integer in [0, n). */
    below,
    /** An integer in [from, to]. */
    between: (from: number, to: number): number => from + below(to - from + 1),
    chance: (probability: number): boolean => next() < probability,
    pick: <T>(list: readonly T[]): T => list[below(list.length)] as T,
  };
}
