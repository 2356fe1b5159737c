// Tests the requests that Node.js sends, with msw in place of the network. calls.test.ts tests their content.
import { syncBuiltinESMExports } from 'node:module';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createService } from '../../src/service/client.ts';
import type { HttpRequest } from '../../src/service/http/connection.ts';
import { createHttpConnection } from '../../src/service/http/node-http.ts';
import { make } from '../matrix/call.ts';
import { CALLS } from '../support/fault-scripts.ts';
import { API_KEY, bootstrap } from '../support/service.ts';

const received: unknown[] = [];
const server = setupServer(
  http.all('https://*.example.test/*', async ({ request }) => {
    const { method, url, headers } = request;
    received.push({ method, url, headers: Object.fromEntries(headers), body: await request.text() });
    return HttpResponse.json(received.length === 1 ? bootstrap() : []);
  }),
);
const unexpected: string[] = [];
server.events.on('request:unhandled', ({ request }) => {
  unexpected.push(`${request.method} ${request.url}`);
});
beforeAll(() => {
  server.listen({ onUnhandledFrame: 'error' });
  // Without this call, earlier imports of node:http would keep using the originals that msw has replaced.
  syncBuiltinESMExports();
});
afterAll(() => {
  server.close();
  syncBuiltinESMExports();
});

it.each(CALLS)(
  'a request for the "%s" call reaches the network unchanged, with the standard HTTP headers',
  async (call) => {
    const made: HttpRequest[] = [];
    received.length = 0;
    const connection = createHttpConnection({ userAgent: 'run-pipeline/test', env: process.env });
    const service = createService({
      connection(request, listener) {
        made.push(request);
        return connection(request, listener);
      },
      clock: systemClock,
      baseUrl: new URL('https://app.example.test'),
      apiKey: API_KEY,
      onSecret: () => undefined,
      onTrace: () => undefined,
    });
    await make(call, service);
    expect(unexpected).toEqual([]);
    expect(received).toEqual(
      made.map(({ method, url, headers, body = '' }) => ({
        method,
        url: url.href,
        body,
        headers: {
          ...headers,
          'accept-encoding': 'identity',
          connection: 'close',
          host: url.host,
          'user-agent': 'run-pipeline/test',
          ...(method !== 'GET' && { 'content-length': String(Buffer.byteLength(body)) }),
        },
      })),
    );
    expect(received).toHaveLength(call === 'exchange' ? 1 : 2);
  },
);
