// Calls the service through the real HTTP client, with msw in place of the network.
import { syncBuiltinESMExports } from 'node:module';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { ModelResponse } from '../../sandbox/model/types.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Service } from '../../src/service/api.ts';
import { createService } from '../../src/service/client.ts';
import type { HttpConnection } from '../../src/service/http/connection.ts';
import { createHttpConnection } from '../../src/service/http/node-http.ts';

/** A request as it reached the network. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const connection = createHttpConnection({ userAgent: 'run-pipeline/test', env: process.env });

/** Replaces the network for all tests in a file. A request to any other host fails the test. */
export function network() {
  const unexpected: string[] = [];
  const server = setupServer();
  server.events.on('request:unhandled', ({ request }) => {
    unexpected.push(`${request.method} ${request.url}`);
  });
  beforeAll(() => {
    server.listen({ onUnhandledFrame: 'error' });
    // Without this, earlier imports of node:http would keep using the originals that msw has replaced.
    syncBuiltinESMExports();
  });
  afterEach(() => {
    server.resetHandlers();
    expect(unexpected.splice(0)).toEqual([]);
  });
  afterAll(() => {
    server.close();
    syncBuiltinESMExports();
  });
  return {
    /** Creates a service at app.example.test and api.example.test. */
    service(apiKey: string, answer: (received: Received) => ModelResponse, over: HttpConnection = connection): Service {
      for (const host of ['app', 'api']) {
        server.use(
          http.all(`https://${host}.example.test/*`, async ({ request }) => {
            const { method, url, headers } = request;
            const received = { method, url, headers: Object.fromEntries(headers), body: await request.text() };
            const { body, ...init } = answer(received);
            return new HttpResponse(body, init);
          }),
        );
      }
      const baseUrl = new URL('https://app.example.test');
      return createService({ connection: over, clock: systemClock, baseUrl, apiKey, onSecret: () => undefined });
    },
  };
}
