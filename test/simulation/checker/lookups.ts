import type { Facts } from '../model/facts.ts';

/** A process that fails kills itself when it has waited so long for its lookups, in milliseconds. */
const SELF_KILL_AFTER_MS = 300;

/**
 * How much later a process may be gone because a lookup was under way: one that fails kills itself, one that succeeds
 * waits for all of its lookups, which wait for each other. In milliseconds.
 */
export function heldByLookupsMs({ requests, main, post }: Facts, on: 'main' | 'post'): number {
  const end = (on === 'main' ? main : post)?.end;
  if (end === undefined) return 0;
  const lastMs = Math.max(
    ...requests.filter((one) => one.on === on).map(({ atMs, connecting }) => atMs + connecting.lookup),
  );
  if (end.code === 0) return Math.abs(lastMs - end.atMs) <= 1 ? Infinity : 0;
  return lastMs >= end.atMs - SELF_KILL_AFTER_MS ? SELF_KILL_AFTER_MS : 0;
}
