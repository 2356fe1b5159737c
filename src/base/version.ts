/** The version of this action. A test checks that package.json has the same version. */
export const VERSION = '0.1.0';

/** Advice for an internal error in this action. */
export const REPORT_IT = 'Please report this bug, and attach a log with debug logging enabled.';
