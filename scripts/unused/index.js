/**
 * Replaces packages that the toolkit imports for functions that this action never calls: @actions/core imports
 * @actions/http-client (OpenID Connect) and @actions/exec (platform details), and @actions/http-client imports undici
 * (fetch through a proxy), which would add a megabyte to dist. The version in package.json is one that it accepts.
 */
class Unused {
  /** @throws always, so that a caller learns immediately which package it needs */
  constructor() {
    throw new Error(`This action is built without ${new.target.name}. See scripts/unused.`);
  }
}

export class HttpClient extends Unused {}
export class BearerCredentialHandler extends Unused {}
export class ProxyAgent extends Unused {}

/** @throws always */
export function getExecOutput() {
  throw new Error('This action is built without @actions/exec. See scripts/unused.');
}
