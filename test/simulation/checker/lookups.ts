import type { Facts } from '../model/facts.ts';
import { stalledMs } from './stalls.ts';

/** A process that fails kills itself when it has waited so long for its lookups, in milliseconds. */
const SELF_KILL_AFTER_MS = 300;

/**
 * How much later a process may be gone because a lookup was under way: one that fails kills itself, one that succeeds
 * waits for all of its lookups, which wait for each other. In milliseconds.
 */
export function heldByLookupsMs(facts: Facts, on: 'main' | 'post'): number {
  const { requests, main, post } = facts;
  const end = (on === 'main' ? main : post)?.end;
  if (end === undefined) return 0;
  const lastMs = Math.max(
    ...requests.filter((one) => one.on === on).map(({ atMs, connecting }) => atMs + connecting.lookup),
  );
  if (end.code === 0) return Math.abs(lastMs - end.atMs) <= 1 ? Infinity : 0;
  // Its last record may have blocked it after that.
  const blockedMs = stalledMs(facts, on, lastMs - SELF_KILL_AFTER_MS, end.atMs);
  return lastMs >= end.atMs - blockedMs - SELF_KILL_AFTER_MS ? SELF_KILL_AFTER_MS : 0;
}
