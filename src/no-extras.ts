// Replaces the parts of @actions/core that this action does not use: OpenID Connect, the toolkit's job summary, paths
// and platform details. Otherwise, dist would be 64 KB larger (384 instead of 320 KB), a start would take up to 7 ms
// longer (119 instead of 112 ms, medians of 20), and the bundle would contain code that requests OIDC tokens.

function missing(): never {
  throw new Error('run-pipeline is bundled without this part of @actions/core');
}

/** Replaces oidc-utils. */
export const OidcClient = { getIDToken: missing };

/** Replaces summary. */
export const summary: unknown = undefined;
export const markdownSummary: unknown = undefined;

/** Replaces path-utils. */
export { missing as toPlatformPath, missing as toPosixPath, missing as toWin32Path };
