/** How far timers and clocks may be off, in milliseconds. */
export const GRAIN_MS = 60;
