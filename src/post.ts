import { isAllSettled } from './action/leftovers.ts';

// Most posts find nothing to do, and end before anything else is loaded.
if (!isAllSettled(process.env)) {
  const { settleLeftovers } = await import('./settle-leftovers.ts');
  settleLeftovers();
}
