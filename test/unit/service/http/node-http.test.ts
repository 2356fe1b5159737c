// Tests the events of requests and responses over real sockets without a proxy.
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../../../sandbox/server/certificate.ts';
import type { HttpRequest } from '../../../../src/service/http/connection.ts';
import { closed, hasIpv6, httpHost, httpsHost, rawHost } from '../../../support/hosts.ts';
import { send, trust } from '../../../support/sending.ts';

const identity = selfSigned();
const HEAD = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;

/** Sends a request to a server that responds with these bytes and closes the connection. */
async function answeredWith(bytes: string) {
  const { port } = await rawHost((socket) => socket.once('data', () => socket.end(bytes)));
  return send(`http://127.0.0.1:${port}/`).over;
}

describe('a request', () => {
  it.each<[string, Partial<HttpRequest>, object]>([
    ['a body', { method: 'PATCH', headers: { apikey: 'anon' }, body: '{"ä":1}' }, { 'content-length': '8' }],
    ['the method GET', { method: 'GET' }, {}],
    ['the method POST and no body', { method: 'POST' }, { 'content-length': '0' }],
  ])('with %s is sent unchanged over its own connection, which closes afterwards', async (_what, request, more) => {
    const received: IncomingMessage[] = [];
    const { port, sockets } = await httpHost((message, response) => {
      received.push(message);
      response.end('hello');
    });
    const path = '/rest/v1/jobs?id=eq.1&job_status=in.(queued,picked,running)&select=id,job_status';
    const { events, text } = await send(`http://127.0.0.1:${port}${path}`, request).over;
    expect([events, text]).toEqual([['connected', 'head 200', 'chunk', 'complete'], 'hello']);
    const standard = { 'accept-encoding': 'identity', 'user-agent': 'run-pipeline/test', connection: 'close' };
    const headers = { host: `127.0.0.1:${port}`, ...standard, ...request.headers, ...more };
    expect(received).toMatchObject([{ method: request.method, url: path }]);
    expect(received[0]?.headers).toEqual(headers);
    expect(sockets).toHaveLength(1);
    await Promise.all(sockets.map(closed));
  });

  it.runIf(hasIpv6)('can be sent to an IPv6 address', async () => {
    const { port } = await httpHost((request, response) => response.end(request.headers.host), '::1');
    expect((await send(`http://[::1]:${port}/`).over).text).toBe(`[::1]:${port}`);
  });

  it('does not follow a redirect', async () => {
    const { port, sockets } = await httpHost((_request, response) => {
      response.writeHead(302, { location: '/elsewhere', 'set-cookie': ['a=1', 'b=2'] }).end();
    });
    const { events, headers } = await send(`http://127.0.0.1:${port}/`).over;
    expect(events).toEqual(['connected', 'head 302', 'complete']);
    expect(headers).toMatchObject({ location: '/elsewhere', 'set-cookie': 'a=1, b=2' });
    expect(sockets).toHaveLength(1);
  });

  it('with an invalid header fails asynchronously before a connection is opened', async () => {
    const sending = send('http://127.0.0.1:1/', { headers: { apikey: 'a\nb' } });
    expect(sending.report().events).toEqual([]);
    expect(await sending.over).toMatchObject({ events: ['failed'], error: { code: 'ERR_INVALID_CHAR' } });
  });
});

describe('a connection', () => {
  it('is not reported if the address is unreachable', async () => {
    // TCP cannot connect to a broadcast address, so Node destroys the socket before it reports any event.
    const { events, error } = await send('http://255.255.255.255:9/', { method: 'POST' }).over;
    expect(events).toEqual(['failed']);
    expect(error?.code).toMatch(/^E(?:NETUNREACH|HOSTUNREACH|ADDRNOTAVAIL|ACCES|INVAL)$/);
  });

  it.each<[string, boolean, object]>([
    ['reported if Node accepts', true, { events: ['connected', 'head 200', 'chunk', 'complete'], text: 'secret' }],
    ['not reported if Node rejects', false, { events: ['failed'], error: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } }],
  ])('with TLS is %s the certificate', async (_, isTrusted, expected) => {
    const { port } = await httpsHost(identity, (_request, response) => response.end('secret'));
    if (isTrusted) trust(identity.cert);
    expect(await send(`https://127.0.0.1:${port}/`).over).toMatchObject(expected);
  });
});

describe('a response', () => {
  it.each([
    ['complete if it has the declared length', `${HEAD}Content-Length: 5\r\n\r\nhello`, ['chunk', 'complete']],
    ['cut off if it is shorter than declared', `${HEAD}Content-Length: 9\r\n\r\nhello`, ['chunk', 'cut off']],
    ['cut off if it has only a head', `${HEAD}Content-Length: 9\r\n\r\n`, ['cut off']],
    ['complete if it contains its last chunk', `${CHUNKED}5\r\nhello\r\n0\r\n\r\n`, ['chunk', 'complete']],
    ['cut off if its last chunk is missing', `${CHUNKED}5\r\nhello\r\n`, ['chunk', 'cut off']],
    ['cut off if it contains an invalid chunk', `${CHUNKED}5\r\nhello\r\nno length\r\n`, ['chunk', 'cut off']],
    ['complete if it ends when the connection closes', `${HEAD}Connection: close\r\n\r\nhello`, ['chunk', 'complete']],
  ])('is %s', async (_how, bytes, end) => {
    const { events, text } = await answeredWith(bytes);
    expect(events).toEqual(['connected', 'head 200', ...end]);
    expect(text).toBe(end.includes('chunk') ? 'hello' : '');
  });

  it.each([
    ['is empty', '', /^ECONNRESET$/],
    ["has headers that exceed Node's limit", `${HEAD}x: ${'x'.repeat(20_000)}\r\n\r\n`, /^HPE_HEADER_OVERFLOW$/],
    ['switches to another protocol', 'HTTP/1.1 101 OK\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', /^ECONNRESET$/],
  ])('counts as a failure of an established connection if it %s', async (_how, bytes, code) => {
    const { events, error } = await answeredWith(bytes);
    expect(events).toEqual(['connected', 'failed']);
    expect(error?.code).toMatch(code);
  });

  it.each([
    [100, 'complete', undefined],
    [101, 'failed', expect.stringContaining('interim') as string],
  ])('after %i interim responses is reported as %s', async (count, last, message) => {
    const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(count);
    const { events, error } = await answeredWith(`${interim}${HEAD}content-length: 2\r\n\r\nok`);
    expect([events.at(-1), error?.message]).toEqual([last, message]);
  });
});
