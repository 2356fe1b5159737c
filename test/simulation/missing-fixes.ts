/**
 * Fixes that `src` does not have yet. While one is false, scenarios do not contain, or invariants do not look for, what
 * would fail without it. When the fix is merged: set it to true, see that the scenarios pass, and inline it.
 */

/** A stop aborts a trigger whose connection is not established. */
export const TRIGGER_ABORT_IS_FIXED: boolean = process.env['FIX_ABORT'] === '1';

/** Rejected renewals count only while there is no valid token, and three over a minute are final for a run. */
export const RENEWAL_IS_FIXED: boolean = process.env['FIX_RENEWAL'] === '1';
