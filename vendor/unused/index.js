/**
 * Replaces the packages that @actions/core imports for functions that this action never calls: @actions/http-client (OpenID
 * Connect) and @actions/exec (details of the platform). They would add a megabyte to dist, and Node's HTTP to each start.
 */
class Unused {
  /** @throws always, so that a caller learns at once which package it needs */
  constructor() {
    throw new Error(`This action is built without ${new.target.name}. See vendor/unused.`);
  }
}

export class HttpClient extends Unused {}
export class BearerCredentialHandler extends Unused {}

/** @throws always */
export function getExecOutput() {
  throw new Error('This action is built without @actions/exec. See vendor/unused.');
}
