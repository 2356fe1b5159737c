import { codes } from './codes.ts';
import type { Difference } from './difference.ts';
import { mistakes } from './mistakes.ts';
import { strict } from './strict.ts';

/** Where the two services differ, and why that may stay. One that is gone, or is not here, fails the tests. */
export const DIFFERENCES: readonly Difference[] = [...strict, ...codes, ...mistakes];
