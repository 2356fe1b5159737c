/**
 * Replaces undici in the bundle. @actions/http-client imports `ProxyAgent` only for `getAgentDispatcher`, which this
 * action never calls: its requests use node:http and, with a proxy, `tunnel`. With the real undici, dist would be 936 KB
 * larger (1,256 instead of 320 KB), and a start would take 45 ms longer (157 instead of 112 ms, medians of 20).
 */
export class ProxyAgent {
  /** @throws always, so that a caller of `getAgentDispatcher` learns at once that it needs the real undici */
  constructor() {
    throw new Error('This action is built without undici: HttpClient.getAgentDispatcher() cannot be used.');
  }
}
