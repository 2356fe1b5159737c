/**
 * Stands in for undici in the bundle. @actions/http-client imports `ProxyAgent` for a single function,
 * `getAgentDispatcher`, which nothing here calls: it speaks through node:http and, with a proxy, through
 * `tunnel`. The real undici would be 95 % of the bundle.
 */
export class ProxyAgent {
  /** @throws always: a caller of `getAgentDispatcher` needs the real undici, and should learn it at once. */
  constructor() {
    throw new Error('This action is built without undici: HttpClient.getAgentDispatcher() cannot be used.');
  }
}
