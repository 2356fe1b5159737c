/** The version of this action. A test checks that package.json has the same version. */
export const VERSION = '0.1.0';

/** Advice for an internal error of this action. */
export const REPORT_IT = 'Please report this bug, and include a log with debug logging.';
