/** The version of this action, as in package.json; a test holds the two together. */
export const VERSION = '0.1.0';

/** What to do about an error of this action. */
export const REPORT_IT = 'Please report this bug, and include a log with debug logging.';
