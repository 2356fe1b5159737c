/** Time as the rest of the action sees it; handed in, so that a test can own it. */
export interface Clock {
  /** Milliseconds that only ever grow. The zero is arbitrary. */
  now(): number;
  /** Wall-clock time in milliseconds since 1970, for people to read. Runner clocks are wrong at times. */
  wall(): number;
  /** Calls `task` once after `ms` milliseconds; the returned function takes that back. */
  after(ms: number, task: () => void): () => void;
}

/** The machine's own time. Its timers keep the process alive, so that a wait never ends in a drained loop. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** `setTimeout` fires at once for delays that do not fit in 31 bits (Node's documentation of timers). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits until `signal` is aborted, and for nothing else: it keeps no process alive. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Waits `ms` milliseconds. Resolves early, never rejects, when `signal` is aborted. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      takeBack();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const takeBack = clock.after(Math.max(0, ms), done);
    signal?.addEventListener('abort', done);
  });
}
