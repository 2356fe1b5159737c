import type { Facts } from '../model/facts.ts';

/** Crashes after which writing to stdout fails. */
const CLOSING: ReadonlySet<string> = new Set(['stdout', 'shutdown', 'worker_killed']);

/** Crashes after which writing to stdout works, and nobody reads it: the runner has given the step up. */
const UNREAD: ReadonlySet<string> = new Set(['beside', 'beside_lost', 'beside_frozen', 'background']);

/** Whether a process could write to stdout for as long as it ran. */
export function isOpen({ crashed }: Facts, on: 'main' | 'post'): boolean {
  return crashed.every((one) => one.on !== on || !CLOSING.has(one.kind));
}

/** Whether all that a process wrote to stdout was read. */
export function isRead(facts: Facts, on: 'main' | 'post'): boolean {
  return isOpen(facts, on) && facts.crashed.every((one) => one.on !== on || !UNREAD.has(one.kind));
}
