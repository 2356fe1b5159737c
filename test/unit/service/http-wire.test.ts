import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import tls from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { selfSigned } from '../../../sandbox/server/certificate.ts';
import { createHttpWire } from '../../../src/service/http-wire.ts';
import type { WireError, WireRequest } from '../../../src/service/wire.ts';
import { closed, httpHost, httpsHost, proxyTo, rawHost } from '../../support/hosts.ts';

const wire = createHttpWire({ userAgent: 'run-pipeline/test' });
const identity = selfSigned();
const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1');

/** What a wire reported, in order, until its last event. */
interface Report {
  readonly events: readonly string[];
  readonly text: string;
  readonly error?: WireError;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

interface Sending {
  readonly over: Promise<Report>;
  readonly hangUp: () => void;
  readonly report: () => Report;
  /** Resolves with the first event of that name. */
  readonly saw: (event: string) => Promise<void>;
}

function send(url: string, request: Partial<WireRequest> = {}): Sending {
  const events: string[] = [];
  const waiting = new Map<string, () => void>();
  let text = '';
  let error: WireError | undefined;
  let headers: Report['headers'] = {};
  const report = (): Report => ({ events: [...events], text, headers, ...(error && { error }) });
  const { promise: over, resolve } = Promise.withResolvers<Report>();
  const note = (event: string): void => {
    events.push(event);
    waiting.get(event)?.();
  };
  const hangUp = wire(
    { method: 'GET', url: new URL(url), headers: {}, ...request },
    {
      connected: () => note('connected'),
      head(status, came) {
        headers = came;
        note(`head ${status}`);
      },
      chunk(bytes) {
        text += new TextDecoder().decode(bytes);
        if (events.at(-1) !== 'chunk') note('chunk');
      },
      end(complete) {
        note(complete ? 'complete' : 'cut off');
        resolve(report());
      },
      failed(cause) {
        error = cause;
        note('failed');
        resolve(report());
      },
    },
  );
  const saw = (event: string): Promise<void> =>
    new Promise((seen) => (events.includes(event) ? seen() : waiting.set(event, seen)));
  return { over, hangUp, report, saw };
}

/** Trusts the certificate of these tests, until the test is over. */
function trustIdentity(): void {
  const usual = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...usual, identity.cert]);
  onTestFinished(() => tls.setDefaultCACertificates(usual));
}

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
    expect(seen.map(({ method, url: target }) => `${method} ${target}`)).toEqual([
      `PATCH ${path}`,
      `GET ${path}`,
    ]);
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

describe('connected', () => {
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
    trustIdentity();
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
    [
      'with its last chunk',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
      ['chunk', 'complete'],
    ],
    [
      'without its last chunk',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`,
      ['chunk', 'cut off'],
    ],
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
});

describe('hanging up', () => {
  it('in the middle of a body closes the connection, and nothing is reported after it', async () => {
    const { port, sockets } = await httpHost((_request, response) => {
      response.write('half');
    });
    const sending = send(`http://127.0.0.1:${port}/`);
    await sending.saw('chunk');
    sending.hangUp();
    await closed(sockets[0]);
    expect(sending.report().events).toEqual(['connected', 'head 200', 'chunk']);
  });

  it('before an answer closes the connection', async () => {
    const { port, sockets } = await httpHost(() => {});
    const sending = send(`http://127.0.0.1:${port}/`);
    await sending.saw('connected');
    await vi.waitUntil(() => sockets.length === 1);
    sending.hangUp();
    await closed(sockets[0]);
    expect(sending.report().events).toEqual(['connected']);
  });

  it('in the middle of a handshake closes the connection', async () => {
    const { port, sockets } = await rawHost((socket) => socket.resume());
    const sending = send(`https://127.0.0.1:${port}/`);
    await vi.waitUntil(() => sockets.length === 1);
    sending.hangUp();
    await closed(sockets[0]);
    expect(sending.report().events).toEqual([]);
  });

  it('at once leaves nothing behind', async () => {
    const { port } = await rawHost(() => {});
    const sending = send(`http://127.0.0.1:${port}/`);
    sending.hangUp();
    sending.hangUp();
    const other = send(`http://127.0.0.1:${port}/`);
    await other.saw('connected');
    other.hangUp();
    expect(sending.report().events).toEqual([]);
  });
});

describe('behind a proxy', () => {
  // Proxies are not asked about hosts of this machine: these names lead nowhere but through the proxy.
  const HTTP = 'http://service.example.test/path';
  const HTTPS = 'https://service.example.test/path';

  function through(port: number, credentials = ''): void {
    for (const name of ['http_proxy', 'https_proxy'])
      vi.stubEnv(name, `http://${credentials}127.0.0.1:${port}`);
    for (const name of ['no_proxy', 'NO_PROXY']) vi.stubEnv(name, '');
  }

  it('a request for http goes through a tunnel', async () => {
    const { port } = await httpHost((request, response) =>
      response.end(`${request.headers.host}${request.url}`),
    );
    const proxy = await proxyTo(port);
    through(proxy.port);
    const { events, text } = await send(HTTP).over;
    expect(events).toEqual(['connected', 'head 200', 'chunk', 'complete']);
    expect(text).toBe('service.example.test/path');
    expect(proxy.connects).toEqual(['service.example.test:80']);
    await Promise.all(proxy.sockets.map(closed));
  });

  it('is not connected before the handshake with the host itself is finished', async () => {
    const silent = await rawHost((socket) => socket.resume());
    const proxy = await proxyTo(silent.port);
    through(proxy.port);
    const sending = send(HTTPS);
    await vi.waitUntil(() => silent.sockets.length === 1 && silent.sockets[0]?.bytesRead);
    expect(sending.report().events).toEqual([]);
    sending.hangUp();
    await Promise.all([...proxy.sockets, ...silent.sockets].map(closed));
  });

  it("a host's certificate is looked at", async () => {
    trustIdentity();
    const { port } = await httpsHost(identity, (_request, response) => response.end());
    const proxy = await proxyTo(port);
    through(proxy.port);
    const { events, error } = await send(HTTPS).over;
    expect(events).toEqual(['failed']);
    expect(error?.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('a CONNECT that is never answered ends with the request', async () => {
    const proxy = await proxyTo(0, (socket) => socket.resume().once('end', () => socket.end()));
    through(proxy.port);
    const sending = send(HTTPS);
    await vi.waitUntil(() => proxy.connects.length === 1);
    sending.hangUp();
    await closed(proxy.sockets[0]);
    expect(sending.report().events).toEqual([]);
  });

  it.each([
    ['407', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'statusCode=407'],
    ['403 with a body', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno', 'statusCode=403'],
    ['nothing', '', 'cause='],
  ])('is not connected when it answers with %s', async (_what, bytes, words) => {
    const proxy = await proxyTo(0, (socket) => socket.end(bytes));
    through(proxy.port);
    const { events, error } = await send(HTTPS).over;
    expect(events).toEqual(['failed']);
    expect(error?.message).toContain(words);
  });

  it('is asked with the credentials of its address', async () => {
    const { port } = await httpHost((_request, response) => response.end());
    const proxy = await proxyTo(port);
    through(proxy.port, 'user:pass%40word@');
    await send(HTTP).over;
    expect(proxy.connects).toEqual([
      `service.example.test:80 Basic ${Buffer.from('user:pass@word').toString('base64')}`,
    ]);
  });

  it('with an address that is none fails as any other request', async () => {
    vi.stubEnv('https_proxy', 'user:%zz@proxy');
    const { events } = await send(HTTPS).over;
    expect(events).toEqual(['failed']);
  });

  it('whose connection is cut after the handshake may have passed the request on', async () => {
    let arrived = false;
    const { port } = await httpHost(() => {
      arrived = true;
    });
    const proxy = await proxyTo(port);
    through(proxy.port);
    const sending = send(HTTP);
    await vi.waitUntil(() => arrived);
    for (const socket of proxy.sockets) socket.resetAndDestroy();
    expect((await sending.over).events).toEqual(['connected', 'failed']);
  });
});
