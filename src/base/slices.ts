import { type Clock, pause } from './clock.ts';

/** How long the items may keep the event loop busy before everything else has its turn: a fifth of what is allowed. */
const SLICE_MS = 10;

/** Yields the items of a long list, with pauses in which the event loop can handle signals and responses. */
export async function* inSlices<T>(items: Iterable<T>, clock: Clock): AsyncGenerator<T> {
  let startedAt = clock.now();
  for (const item of items) {
    yield item;
    if (clock.now() - startedAt < SLICE_MS) continue;
    await pause(clock, 0);
    startedAt = clock.now();
  }
}
