/** How far timers and clocks may be off, in milliseconds. */
export const TOLERANCE_MS = 60;
