/** What is bundled: each `src/NAME.ts` becomes `dist/NAME/index.js`. The only place that lists them. */
export const entries: readonly string[] = ['main', 'post', 'cancel'];

/** What the entries share, each bundled once: all that runs, and what brings HTTP along, loaded when needed. */
export const shared: readonly string[] = ['start', 'http', 'no-oidc'];

/** What stands in for a package, in every part but the one that really needs it. */
export const standIns: Readonly<Record<string, { readonly part: string; readonly butIn: string }>> = {
  '@actions/http-client': { part: 'no-oidc', butIn: 'http' },
  '@actions/http-client/lib/auth': { part: 'no-oidc', butIn: 'http' },
};
