/** A sign of life while nothing changes: every three minutes at first, later a fifth of the time so far, in ms. */
const FIRST_SIGN_MS = 180_000;
const RAREST_SIGN_MS = 900_000;

/** Many runs change all the time: how far they are is told twice a minute at first, later a twentieth of the time. */
const FIRST_COUNT_MS = 30_000;

/** How long nothing may be said of what does not change, in milliseconds, `sinceMs` after it began. */
export function signAfterMs(sinceMs: number): number {
  return Math.min(RAREST_SIGN_MS, Math.max(FIRST_SIGN_MS, sinceMs / 5));
}

/** How long nothing may be said of how far many runs are, in milliseconds, `sinceMs` after they began. */
export function countAfterMs(sinceMs: number): number {
  return Math.min(RAREST_SIGN_MS, Math.max(FIRST_COUNT_MS, sinceMs / 20));
}
