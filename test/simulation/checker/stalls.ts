import type { Facts } from '../model/facts.ts';

/** How long a process was blocked by writes between two instants, in milliseconds. */
export function stalledMs(facts: Facts, on: 'main' | 'post', fromMs: number, toMs: number): number {
  return facts.stalls
    .filter(({ process }) => process === on)
    .reduce((sum, stall) => sum + Math.max(0, Math.min(stall.untilMs, toMs) - Math.max(stall.fromMs, fromMs)), 0);
}

/** How much too early timers may be, in milliseconds. */
const EARLY_MS = 1.5;

/**
 * When main can first notice something that is due at an instant: a blocked process runs no timers. A write that begins
 * at that very instant, or a millisecond earlier with a timer that is early, belongs to what main does about it.
 */
export function noticedAtMs(facts: Facts, atMs: number): number {
  return facts.stalls.reduce((noticed, { process, fromMs, untilMs }) => {
    const isBefore = fromMs < atMs - EARLY_MS || (noticed > atMs && fromMs === noticed);
    return process === 'main' && isBefore && noticed < untilMs ? untilMs : noticed;
  }, atMs);
}

/** When the writes began that blocked main up to an instant, or up to a timer that was so much too late; that instant if none did. */
export function blockedSinceMs(facts: Facts, atMs: number, lateMs = 0): number {
  return facts.stalls.reduceRight(
    (since, { process, fromMs, untilMs }) =>
      process === 'main' && since >= untilMs && since - untilMs <= lateMs ? fromMs : since,
    atMs,
  );
}

/** Main was killed before a write that it had begun was done. */
export function isKilledInWrite({ main, stalls }: Facts): boolean {
  const { end } = main;
  return end?.how === 'killed' && stalls.some(({ process, untilMs }) => process === 'main' && untilMs >= end.atMs);
}
