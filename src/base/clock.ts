/** The source of time for the rest of the action. Tests replace it. */
export interface Clock {
  /** Monotonic time in milliseconds, from an arbitrary origin. */
  now(): number;
  /** Wall-clock time in milliseconds since 1970. Never use it for timeouts, because a runner's clock may be wrong. */
  wall(): number;
  /** Calls `task` once after `ms` milliseconds, unless the caller first calls the returned function. */
  after(ms: number, task: () => void): () => void;
}

/** `setTimeout` fires immediately if the delay does not fit in 31 bits (according to Node's timer documentation). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. Its timers keep the process alive, so that the event loop cannot drain during a wait. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Waits until `signal` is aborted. Does not keep the process alive. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}

/** Waits `ms` milliseconds. Resolves early when `signal` is aborted, and never rejects. */
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
