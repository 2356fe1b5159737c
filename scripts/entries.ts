/** What is bundled: each `src/NAME.ts` becomes `dist/NAME/index.js`. The only place that lists them. */
export const entries: readonly string[] = ['main', 'post', 'cancel'];

/** What the entries share, each bundled once: the action itself, HTTP, and the stand-in. */
export const shared: readonly string[] = ['start', 'http', 'no-extras'];

/**
 * Stand-ins for modules of @actions/core that this action does not use, by the specifiers with which the package
 * imports them. The build checks that no file of our own has the same name.
 */
export const standIns: Readonly<Record<string, string>> = {
  './oidc-utils.js': 'no-extras',
  './summary.js': 'no-extras',
  './path-utils.js': 'no-extras',
  './platform.js': 'no-extras',
};
