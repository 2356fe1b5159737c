// How far instants may be off because of late timers, blocking writes, and lookups that delay an exit.
import type { Facts, Instant } from '../model/facts.ts';
import type { ProcessName } from '../model/spec.ts';

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

const EARLY_MS = 1.5;

/**
 * When main can first notice something that is due at an instant. While a process is blocked, it runs no timers. A
 * write that begins at that instant, or a millisecond earlier if a timer fires early, is part of main's reaction.
 */
export function noticedAtMs(facts: Facts, atMs: number): number {
  return facts.stalls.reduce((noticed, { process, fromMs, untilMs }) => {
    const isBefore = fromMs < atMs - EARLY_MS || (noticed > atMs && fromMs === noticed);
    return process === 'main' && isBefore && noticed < untilMs ? untilMs : noticed;
  }, atMs);
}

/** When the writes that blocked main until an instant began, and when those that blocked it from then on ended. */
export function blockedAround({ stalls }: Facts, atMs: number): { readonly sinceMs: number; readonly untilMs: number } {
  const own = stalls.filter(({ process }) => process === 'main');
  return {
    sinceMs: own.reduceRight((since, { fromMs, untilMs }) => (since === untilMs ? fromMs : since), atMs),
    untilMs: own.reduce((until, { fromMs, untilMs }) => (until === fromMs ? untilMs : until), atMs),
  };
}

/** How long a failing process waits for its lookups before it kills itself, in milliseconds. */
const SELF_KILL_AFTER_MS = 300;

/**
 * How much later a process may exit because a lookup was in progress, in milliseconds. A failing process kills itself,
 * but a successful one waits for all of its lookups, which wait for one another.
 */
export function heldByLookupsMs(facts: Facts, on: ProcessName): number {
  const { requests, main, post } = facts;
  const end = (on === 'main' ? main : post)?.end;
  if (end === undefined) return 0;
  const lookups = requests
    .filter((one) => one.on === on)
    .map(({ atMs, connecting }) => ({ ms: connecting.lookup, endMs: atMs + connecting.lookup }));
  const lastMs = Math.max(...lookups.map(({ endMs }) => endMs));
  if (end.code === 0) {
    return Math.max(0, ...lookups.flatMap(({ ms, endMs }) => (Math.abs(endMs - end.atMs) <= 1 ? [ms] : [])));
  }
  // The last record may have blocked main after that.
  const blockedMs = stalledMs(facts, on, lastMs - SELF_KILL_AFTER_MS, end.atMs);
  return lastMs >= end.atMs - blockedMs - SELF_KILL_AFTER_MS ? SELF_KILL_AFTER_MS : 0;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** The duration that an input contains, in milliseconds, or Infinity if there is no limit. */
export function durationMs(text: string): number {
  const parts = [...text.matchAll(/(\d+)(ms|s|m|h)/g)];
  return parts.length === 0
    ? Infinity
    : parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ''] ?? 1), 0);
}
