// Stands in for those parts of @actions/core that this action has no use for: tokens of OpenID Connect, which would
// load HTTP and TLS at every start, the toolkit's own job summary, paths, and what it tells of a platform.

const WHY = 'run-pipeline is bundled without this part of @actions/core';

function missing(): never {
  throw new Error(WHY);
}

/** In the place of oidc-utils. Throws, as all of these do: whoever calls it needs the real package. */
export const OidcClient = { getIDToken: missing };

/** In the place of summary. */
export const summary: unknown = undefined;
export const markdownSummary: unknown = undefined;

/** In the place of path-utils. */
export { missing as toPlatformPath, missing as toPosixPath, missing as toWin32Path };
