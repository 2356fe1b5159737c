import type { Facts } from '../model/facts.ts';

/** Nobody reads what a process says once its stdout is gone. */
export function isRead({ crashed }: Facts, on: 'main' | 'post'): boolean {
  return crashed.every((one) => one.on !== on || (one.kind !== 'stdout' && one.kind !== 'shutdown'));
}
