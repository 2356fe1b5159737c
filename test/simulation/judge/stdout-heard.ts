import type { Facts } from '../life/facts.ts';

/** Nobody reads what a process says once its stdout is gone. */
export function isHeard({ struck }: Facts, on: 'main' | 'post'): boolean {
  return struck.every((one) => one.on !== on || (one.kind !== 'stdout' && one.kind !== 'shutdown'));
}
