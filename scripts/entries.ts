/** The entry points. The build bundles each `src/NAME.ts` as `dist/NAME/index.js`. */
export const entries: readonly string[] = ['main', 'post', 'cancel'];

/** Code that the entries share, bundled once each: the action itself, HTTP, and the stand-in. */
export const shared: readonly string[] = ['start', 'http', 'no-extras'];

/**
 * Stand-ins for modules of @actions/core that this action does not use, by the specifiers in that package's imports. The
 * build fails if a file in src has the same name.
 */
export const standIns: Readonly<Record<string, string>> = {
  './oidc-utils.js': 'no-extras',
  './summary.js': 'no-extras',
  './path-utils.js': 'no-extras',
  './platform.js': 'no-extras',
};
