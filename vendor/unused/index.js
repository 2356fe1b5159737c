/**
 * Replaces packages that the toolkit imports for functions that this action never calls: for @actions/core,
 * @actions/http-client (OpenID Connect) and @actions/exec (the details of the platform); for @actions/http-client, undici
 * (`getAgentDispatcher`). Without these stand-ins, dist would be 1 MB larger, and every start would load Node's HTTP.
 */
class Unused {
  /** @throws always, so that a caller learns at once which package it needs */
  constructor() {
    throw new Error(`This action is built without ${new.target.name}. See vendor/unused.`);
  }
}

export class HttpClient extends Unused {}
export class BearerCredentialHandler extends Unused {}
export class ProxyAgent extends Unused {}

/** @throws always */
export function getExecOutput() {
  throw new Error('This action is built without @actions/exec. See vendor/unused.');
}
