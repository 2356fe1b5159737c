/**
 * Fixes that `src` does not have yet. While one is false, what it would let the checker find is not looked for. When
 * the fix is there: set it to true, see that the scenarios pass, and remove it.
 */

/** A stop aborts a trigger whose connection is not established. */
export const TRIGGER_ABORT_IS_FIXED: boolean = process.env['FIX_ABORT'] === '1';
