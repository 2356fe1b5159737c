/** What is bundled: each `src/NAME.ts` becomes `dist/NAME/index.js`. The only place that lists them. */
export const entries: readonly string[] = ['main', 'post', 'cancel'];

/** What the entries share, each bundled once: all that runs, and what brings HTTP along, loaded when needed. */
export const shared: readonly string[] = ['start', 'http', 'no-extras'];

/**
 * What stands in for modules of @actions/core that nothing here uses, by the words with which the package imports
 * them. No file of our own may be called so: the build sees to that.
 */
export const standIns: Readonly<Record<string, string>> = {
  './oidc-utils.js': 'no-extras',
  './summary.js': 'no-extras',
  './path-utils.js': 'no-extras',
  './platform.js': 'no-extras',
};
