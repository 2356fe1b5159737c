// How far instants may be off because of late timers, blocking writes, and lookups that delay an exit.
import type { Facts } from '../model/facts.ts';
import type { ProcessName } from '../model/spec.ts';

export interface Instant {
  readonly atMs: number;
  /** The event in which it happened; Infinity if the checker knows only the time. */
  readonly step: number;
}

export const NEVER: Instant = { atMs: Infinity, step: Infinity };

/** Whether `a` happened before `b`, compared by event if both events are known, and otherwise by time. */
export function isBefore(a: Instant, b: Instant): boolean {
  return a.step === Infinity || b.step === Infinity ? a.atMs < b.atMs : a.step < b.step;
}

export function inOrder<T extends Instant>(instants: readonly T[]): T[] {
  return instants.toSorted((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0));
}

/** How far timers and clocks may be off, in milliseconds. */
export const TOLERANCE_MS = 60;

/** How long a process was blocked by writes between two instants, in milliseconds. */
export function stalledMs(facts: Facts, on: ProcessName, fromMs: number, toMs: number): number {
  return facts.stalls
    .filter(({ process }) => process === on)
    .reduce((sum, stall) => sum + Math.max(0, Math.min(stall.untilMs, toMs) - Math.max(stall.fromMs, fromMs)), 0);
}

/** How early timers may fire, in milliseconds. */
const EARLY_MS = 1.5;

/**
 * When main can first notice something that is due at an instant: a blocked process runs no timers. A write that begins
 * at that very instant, or a millisecond earlier with a timer that is early, belongs to main's reaction.
 */
export function noticedAtMs(facts: Facts, atMs: number): number {
  return facts.stalls.reduce((noticed, { process, fromMs, untilMs }) => {
    const isBefore = fromMs < atMs - EARLY_MS || (noticed > atMs && fromMs === noticed);
    return process === 'main' && isBefore && noticed < untilMs ? untilMs : noticed;
  }, atMs);
}

/** When the writes that blocked main up to an instant began; that instant itself if none did. */
export function blockedSinceMs(facts: Facts, atMs: number): number {
  return facts.stalls.reduceRight(
    (since, { process, fromMs, untilMs }) => (process === 'main' && since === untilMs ? fromMs : since),
    atMs,
  );
}

/** How long a failing process waits for its lookups before it kills itself, in milliseconds. */
const SELF_KILL_AFTER_MS = 300;

/**
 * How much later a process may exit because a lookup was in progress: a process that fails kills itself, one that
 * succeeds waits for all of its lookups, which wait for each other. In milliseconds.
 */
export function heldByLookupsMs(facts: Facts, on: ProcessName): number {
  const { requests, main, post } = facts;
  const end = (on === 'main' ? main : post)?.end;
  if (end === undefined) return 0;
  const lastMs = Math.max(
    ...requests.filter((one) => one.on === on).map(({ atMs, connecting }) => atMs + connecting.lookup),
  );
  if (end.code === 0) return Math.abs(lastMs - end.atMs) <= 1 ? Infinity : 0;
  // The last record may have blocked main after that.
  const blockedMs = stalledMs(facts, on, lastMs - SELF_KILL_AFTER_MS, end.atMs);
  return lastMs >= end.atMs - blockedMs - SELF_KILL_AFTER_MS ? SELF_KILL_AFTER_MS : 0;
}
