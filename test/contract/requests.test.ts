// Tests how Node sends the requests. test/unit/service/calls.test.ts tests their content.
import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../src/service/http/connection.ts';
import { make } from '../matrix/call.ts';
import { CALLS } from '../matrix/fault.ts';
import { API_KEY, bootstrap } from '../support/service.ts';
import { connection, network, type Received } from './network.ts';

const net = network();

describe('a request', () => {
  it.each(CALLS)('of the call "%s" reaches the network unchanged, with the standard HTTP headers', async (call) => {
    const made: HttpRequest[] = [];
    const received: Received[] = [];
    const service = net.service(
      API_KEY,
      (request) => {
        received.push(request);
        return { status: 200, headers: {}, body: JSON.stringify(received.length === 1 ? bootstrap() : []) };
      },
      (request, listener) => {
        made.push(request);
        return connection(request, listener);
      },
    );
    await make(call, service);
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
  });
});
