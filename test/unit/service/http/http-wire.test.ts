import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../../../sandbox/server/certificate.ts';
import { closed, httpHost, httpsHost, rawHost } from '../../../support/hosts.ts';
import { send, trust } from '../../../support/sending.ts';

const identity = selfSigned();
const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1');

describe('a request', () => {
  it('is sent as it was made, over a connection that is closed after it', async () => {
    const seen: IncomingMessage[] = [];
    const { port, sockets } = await httpHost((request, response) => {
      seen.push(request);
      response.end('hello');
    });
    const path = '/rest/v1/jobs?id=eq.1&job_status=in.(queued,picked,running)&select=id,job_status';
    const url = `http://127.0.0.1:${port}${path}`;
    const first = await send(url, { method: 'PATCH', headers: { apikey: 'anon' }, body: '{"ä":1}' }).over;
    expect(first).toMatchObject({ events: ['connected', 'head 200', 'chunk', 'complete'], text: 'hello' });
    await send(url).over;
    expect(seen.map(({ method, url: target }) => `${method} ${target}`)).toEqual([`PATCH ${path}`, `GET ${path}`]);
    expect(seen[0]?.headers).toMatchObject({
      host: `127.0.0.1:${port}`,
      apikey: 'anon',
      'content-length': '8',
      'accept-encoding': 'identity',
      'user-agent': 'run-pipeline/test',
      connection: 'close',
    });
    expect(seen[1]?.headers).not.toHaveProperty('content-length');
    expect(sockets).toHaveLength(2);
    await Promise.all(sockets.map(closed));
  });

  it('without a body states a length of 0, if it is a POST', async () => {
    const { port } = await httpHost((request, response) => response.end(request.headers['content-length']));
    expect((await send(`http://127.0.0.1:${port}/`, { method: 'POST' }).over).text).toBe('0');
  });

  it.runIf(hasIpv6)('goes to an IPv6 address', async () => {
    const { port } = await httpHost((request, response) => response.end(request.headers.host), '::1');
    expect((await send(`http://[::1]:${port}/`).over).text).toBe(`[::1]:${port}`);
  });

  it.each([
    [100, 'complete'],
    [101, 'failed'],
  ])('ignores up to 100 interim responses: %i', async (count, last) => {
    const hint = 'HTTP/1.1 103 Early Hints\r\n\r\n';
    const { port } = await rawHost((socket) => {
      socket.once('data', () => socket.end(`${hint.repeat(count)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`));
    });
    const { events } = await send(`http://127.0.0.1:${port}/`).over;
    expect(events.at(-1)).toContain(last);
  });

  it('is not redirected', async () => {
    const { port, sockets } = await httpHost((_request, response) => {
      response.writeHead(302, { location: '/elsewhere', 'set-cookie': ['a=1', 'b=2'] }).end();
    });
    const { events, headers } = await send(`http://127.0.0.1:${port}/`).over;
    expect(events).toEqual(['connected', 'head 302', 'complete']);
    expect(headers).toMatchObject({ location: '/elsewhere', 'set-cookie': 'a=1, b=2' });
    expect(sockets).toHaveLength(1);
  });

  it('that cannot be made fails as any other, without a connection', async () => {
    const { events, error } = await send('http://127.0.0.1:1/', { headers: { apikey: 'a\nb' } }).over;
    expect(events).toEqual(['failed']);
    expect(error?.code).toBe('ERR_INVALID_CHAR');
  });
});

describe('a response', () => {
  it('with headers that are too large fails with a code of its own', async () => {
    const { port } = await httpHost((_request, response) => {
      response.writeHead(200, { 'x-large': 'x'.repeat(20_000) }).end();
    });
    const { events, error } = await send(`http://127.0.0.1:${port}/`).over;
    expect(events).toEqual(['connected', 'failed']);
    expect(error?.code).toBe('HPE_HEADER_OVERFLOW');
  });
});

describe('connected', () => {
  it('is not reported when there is no route to the address', async () => {
    // No TCP connection leads to a broadcast address: connecting fails before anything is reported.
    const { events, error } = await send('http://255.255.255.255:9/', { method: 'POST' }).over;
    expect(events).toEqual(['failed']);
    expect(error?.code).toMatch(/^E(?:NETUNREACH|HOSTUNREACH|ADDRNOTAVAIL|ACCES|INVAL)$/);
  });

  it('is not reported when the connection is refused', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const { events, error } = await send(`http://127.0.0.1:${port}/`).over;
    expect(events).toEqual(['failed']);
    expect(error?.code).toBe('ECONNREFUSED');
    expect(error?.message).toContain('127.0.0.1');
  });

  it('is reported for http as soon as the socket stands, whatever follows', async () => {
    const { port } = await rawHost((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const { events, error } = await send(`http://127.0.0.1:${port}/`).over;
    expect(events).toEqual(['connected', 'failed']);
    expect(error?.code).toBe('ECONNRESET');
  });

  it('is not reported for https while the handshake is not finished: reset', async () => {
    const { port } = await rawHost((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect((await send(`https://127.0.0.1:${port}/`).over).events).toEqual(['failed']);
  });

  it('is not reported for https while the handshake is not finished: closed', async () => {
    const { port } = await rawHost((socket) => socket.once('data', () => socket.end()));
    expect((await send(`https://127.0.0.1:${port}/`).over).events).toEqual(['failed']);
  });

  it('is not reported for https when the other side speaks something else', async () => {
    const { port } = await httpHost((_request, response) => response.end());
    const { events, error } = await send(`https://127.0.0.1:${port}/`).over;
    expect(events).toEqual(['failed']);
    expect(error?.code).toMatch(/EPROTO|ERR_SSL/);
  });

  it('is not reported for a certificate that is not accepted', async () => {
    const { port } = await httpsHost(identity, (_request, response) => response.end());
    const { events, error } = await send(`https://127.0.0.1:${port}/`).over;
    expect(events).toEqual(['failed']);
    expect(error?.code).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  });

  it('is reported for https after the handshake', async () => {
    trust(identity.cert);
    const { port } = await httpsHost(identity, (_request, response) => response.end('secret'));
    const { events, text } = await send(`https://127.0.0.1:${port}/`).over;
    expect(events).toEqual(['connected', 'head 200', 'chunk', 'complete']);
    expect(text).toBe('secret');
  });
});

describe('an answer', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\n';

  it.each([
    ['with its whole length', `${HEAD}Content-Length: 5\r\n\r\nhello`, ['chunk', 'complete']],
    ['short of its length', `${HEAD}Content-Length: 9\r\n\r\nhello`, ['chunk', 'cut off']],
    ['of which nothing but the head came', `${HEAD}Content-Length: 9\r\n\r\n`, ['cut off']],
    ['with its last chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`, ['chunk', 'complete']],
    ['without its last chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`, ['chunk', 'cut off']],
    ['that ends with the connection', `${HEAD}Connection: close\r\n\r\nhello`, ['chunk', 'complete']],
  ])('%s', async (_how, bytes, ending) => {
    const { port } = await rawHost((socket) => socket.once('data', () => socket.end(bytes)));
    const { events, text } = await send(`http://127.0.0.1:${port}/`).over;
    expect(events).toEqual(['connected', 'head 200', ...ending]);
    expect(text).toBe(ending.includes('chunk') ? 'hello' : '');
  });

  it('that is reset keeps what came of it', async () => {
    const { port, sockets } = await rawHost((socket) => {
      socket.once('data', () => socket.write(`${HEAD}Content-Length: 9\r\n\r\nhello`));
    });
    const sending = send(`http://127.0.0.1:${port}/`);
    await sending.saw('chunk');
    sockets[0]?.resetAndDestroy();
    const { events, text } = await sending.over;
    expect(text).toBe('hello');
    expect(events.slice(0, 3)).toEqual(['connected', 'head 200', 'chunk']);
    expect(events.slice(3).join()).toMatch(/^(?:failed|cut off)$/);
  });

  it.each([
    ['that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['that is nothing', ''],
    ['whose head breaks off', 'HTTP/1.1 200 OK\r\nContent-'],
  ])('%s is a failure after the connection stood', async (_what, bytes) => {
    const { port } = await rawHost((socket) => socket.once('data', () => socket.end(bytes)));
    expect((await send(`http://127.0.0.1:${port}/`).over).events).toEqual(['connected', 'failed']);
  });

  it.each([
    ['without any answer is a failure in the words of Node', '', 'socket hang up'],
    [
      'to a request that nobody made, to speak another protocol, is a failure too',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n',
      'the connection closed',
    ],
  ])('%s', async (_what, bytes, message) => {
    const { port } = await rawHost((socket) => socket.once('data', () => socket.end(bytes)));
    const { events, error } = await send(`http://127.0.0.1:${port}/`).over;
    expect(events).toEqual(['connected', 'failed']);
    expect(error).toEqual({ code: 'ECONNRESET', message });
  });

  it('that goes wrong in the middle keeps what came before, in the same packet', async () => {
    const bytes = `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nno length\r\n`;
    const { port } = await rawHost((socket) => socket.once('data', () => socket.write(bytes)));
    const { events, text } = await send(`http://127.0.0.1:${port}/`).over;
    expect(events).toEqual(['connected', 'head 200', 'chunk', 'cut off']);
    expect(text).toBe('hello');
  });

  it('is followed by nothing, even when its connection closes', async () => {
    const { port, sockets } = await httpHost((_request, response) => response.end('hello'));
    const sending = send(`http://127.0.0.1:${port}/`);
    const { events } = await sending.over;
    await closed(sockets[0]);
    expect(sending.report().events).toEqual(events);
  });
});
