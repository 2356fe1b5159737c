/** Time as the rest of the action sees it; tests replace it. */
export interface Clock {
  /** Monotonic time in milliseconds. The zero is arbitrary. */
  now(): number;
  /** Wall-clock time in milliseconds since 1970, only for display: a runner's clock may be wrong. */
  wall(): number;
  /** Calls `task` once after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, task: () => void): () => void;
}

/** `setTimeout` fires at once for delays that do not fit in 31 bits (Node's documentation of timers). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's own time. Its timers keep the process alive, so that a wait never ends in a drained loop. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Waits until `signal` is aborted. Keeps no process alive. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Waits `ms` milliseconds. Resolves early, never rejects, when `signal` is aborted. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      takeBack();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const takeBack = clock.after(Math.max(0, ms), done);
    signal?.addEventListener('abort', done);
  });
}
