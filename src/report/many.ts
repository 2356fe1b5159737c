/* The numbers of items above which a reader sees only a part, or a count. */

/**
 * The number of items that a reader takes in at a glance: the annotations of a step, the statuses in a line, and the
 * bars of a run. GitHub shows ten annotations per level and step, so eight leave room for two other warnings.
 */
export const MOST_AT_A_GLANCE = 8;

/** The number of runs that fit on a screen, one per line. The log and the chart of more runs are shorter. */
export const MOST_ON_A_SCREEN = 20;
