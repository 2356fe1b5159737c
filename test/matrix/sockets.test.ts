// Tests a trigger and a read with real sockets, TLS and proxies. A sent request must never count as not processed.
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { describe, expect, it, vi } from 'vitest';
import { expired, selfSigned } from '../../sandbox/server/certificate.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Service } from '../../src/service/api.ts';
import { createService } from '../../src/service/client.ts';
import { createHttpConnection } from '../../src/service/http/node-http.ts';
import { closed, type Host, httpsHost, proxyTo, rawHost } from '../support/hosts.ts';
import { trust } from '../support/sending.ts';
import { API_KEY, bootstrap, JOB } from '../support/service.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { make } from './call.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const sized = (length: number): string => `${HEAD}Content-Length: ${length}\r\n\r\n`;

const trusted = selfSigned();
const named = selfSigned('service.example.test');
const HTTPS = 'https://service.example.test';
const http = ({ port }: Pick<Host, 'port'>): string => `http://127.0.0.1:${port}`;
const https = ({ port }: Pick<Host, 'port'>): string => `https://127.0.0.1:${port}`;

const reset = (socket: Socket): void => void socket.resetAndDestroy();
const end = (socket: Socket): void => void socket.end();
const sendAndEnd = (bytes: string | Buffer) => (socket: Socket) => void socket.end(bytes);
const sendAndReset = (bytes: string) => (socket: Socket) =>
  void socket.write(bytes, () => setImmediate(() => reset(socket)));

/** Starts a server that acts on each connection once it has received a complete request. */
function hostThat(act: (socket: Socket) => void): Promise<Host> {
  return rawHost((socket) => {
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      const [head, body] = text.split('\r\n\r\n', 2);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head ?? '')?.[1] ?? 0);
      if (body !== undefined && body.length >= length) act(socket);
    });
  });
}

/** Creates a service whose exchange succeeds and returns `address`. */
async function serviceAt(address: string, clock: VirtualClock | typeof systemClock = systemClock): Promise<Service> {
  const body = JSON.stringify(bootstrap({ backend_url: address }));
  const exchange = await hostThat(sendAndEnd(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`));
  const connection = createHttpConnection({ userAgent: 'run-pipeline/test', env: process.env });
  const ignore = (): void => undefined;
  const parts = { connection, clock, baseUrl: new URL(http(exchange)), apiKey: API_KEY };
  return createService({ ...parts, onSecret: ignore, onTrace: ignore });
}

describe.each(['trigger', 'read'] as const)('a %s', (call) => {
  const outcomeAt = async (address: string): Promise<string> => {
    const { kind, retryable = true } = await make(call, await serviceAt(address));
    return retryable ? kind : `${kind} not retryable`;
  };

  /** Returns the outcome if time passes after `isSilent` becomes true but nothing else happens. */
  const outcomeOfSilence = async (address: string, isSilent: () => boolean): Promise<string> => {
    const clock = new VirtualClock();
    const outcome = make(call, await serviceAt(address, clock));
    await vi.waitUntil(isSilent, { interval: 2 });
    await clock.advance(135_000);
    return (await outcome).kind;
  };

  it.each<[string, (socket: Socket) => void]>([
    ['a reset', reset],
    ['a connection close', end],
    ['text that is not HTTP', sendAndEnd('SSH-2.0-OpenSSH_9.6\r\n')],
    ['a cut-off head', sendAndEnd('HTTP/1.1 200 OK\r\nContent-')],
    ['only an interim response', sendAndEnd('HTTP/1.1 103 Early Hints\r\n\r\n')],
    ['a cut-off body', sendAndEnd(`${sized(99)}[{"id`)],
    ['a body interrupted by a reset', sendAndReset(`${sized(99)}[{"id`)],
    ['chunks without a last chunk', sendAndEnd(`${CHUNKED}2\r\n[{\r\n`)],
    ['an invalid chunk', sendAndEnd(`${CHUNKED}2\r\n[{\r\nnonsense\r\n`)],
    ['bytes that are not UTF-8', sendAndEnd(Buffer.concat([Buffer.from(sized(3)), Buffer.of(0xff, 0xfe, 0x28)]))],
    ['a body of 17 MiB', sendAndEnd(`${CHUNKED}1100000\r\n${'['.repeat(0x1100000)}\r\n0\r\n\r\n`)],
  ])('may have been processed if the server responds with %s', async (_what, act) => {
    expect(await outcomeAt(http(await hostThat(act)))).toBe('maybe_processed');
  });

  it('may have been processed if its first bytes cause a reset', async () => {
    const host = await rawHost((socket) => socket.on('data', () => reset(socket)));
    expect(await outcomeAt(http(host))).toBe('maybe_processed');
  });

  it.each([
    ['before the head', ''],
    ['within the head', HEAD],
    ['before the body', sized(99)],
    ['within the body', `${sized(99)}[{"id`],
    ['within a chunk', `${CHUNKED}9\r\n[{"id`],
  ])('may have been processed if it times out because the response stalls %s', async (_what, bytes) => {
    let isSent = false;
    const host = await hostThat((socket) => socket.write(bytes, () => (isSent = true)));
    expect(await outcomeOfSilence(http(host), () => isSent)).toBe('maybe_processed');
    await Promise.all(host.sockets.map(closed));
  });

  it.each([
    ['is cut off', `${sized(99)}"${JOB}"`],
    ['has no last chunk', `${CHUNKED}26\r\n"${JOB}"\r\n`],
    ['has an invalid chunk', `${CHUNKED}26\r\n"${JOB}"\r\nnonsense\r\n`],
  ])(
    `${call === 'trigger' ? 'counts as queued' : 'may have been processed'} if the response contains an id but %s`,
    async (_what, bytes) => {
      expect(await outcomeAt(http(await hostThat(sendAndEnd(bytes))))).toBe(
        call === 'trigger' ? 'queued' : 'maybe_processed',
      );
    },
  );

  it('is not processed if the connection is refused', async () => {
    expect(await outcomeAt('http://127.0.0.1:1')).toBe('not_processed');
  });

  it.each<[string, (socket: Socket) => void]>([
    ['resets the connection', reset],
    ['closes the connection', end],
    ['responds in plain text', sendAndEnd('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('is not processed if the server %s during the TLS handshake', async (_how, act) => {
    const host = await rawHost((socket) => socket.once('data', () => act(socket)));
    expect(await outcomeAt(https(host))).toBe('not_processed');
  });

  it.each([
    ['is unknown', trusted, false],
    ['has expired', expired(), true],
  ])('is neither processed nor retryable if the certificate %s', async (_how, identity, isTrusted) => {
    if (isTrusted) trust(identity.cert);
    const host = await httpsHost(identity, (_request, response) => response.end());
    expect(await outcomeAt(https(host))).toBe('not_processed not retryable');
  });

  it('may have been processed if TLS fails after the request', async () => {
    trust(trusted.cert);
    const host = await httpsHost(trusted, (request) => {
      // Writes below TLS, so that the client receives bytes that it cannot decrypt.
      const [below] = host.sockets;
      request.resume().once('end', () => below?.write('HTTP/1.1 200 OK\r\n\r\n'));
    });
    expect(await outcomeAt(https(host))).toBe('maybe_processed');
  });

  it('may have been processed if the server requires a client certificate, which TLS 1.3 reports late', async () => {
    trust(trusted.cert);
    const server = tls.createServer({ ...trusted, requestCert: true, minVersion: 'TLSv1.3' });
    server.on('tlsClientError', () => undefined);
    const raw = await rawHost((socket) => void server.emit('connection', socket));
    expect(await outcomeAt(https(raw))).toBe('maybe_processed');
  });

  describe('through a proxy', () => {
    const use = (proxy: Pick<Host, 'port'>): void => {
      for (const name of ['http_proxy', 'https_proxy']) vi.stubEnv(name, http(proxy));
      for (const name of ['no_proxy', 'NO_PROXY']) vi.stubEnv(name, '');
    };

    it('is not processed if the proxy refuses the connection', async () => {
      use({ port: 1 });
      expect(await outcomeAt(HTTPS)).toBe('not_processed');
    });

    it.each([
      ['HTTP 502', 'HTTP/1.1 502 Bad Gateway\r\n\r\n'],
      ['text that is not HTTP', 'SSH-2.0\r\n'],
    ])('is not processed if the proxy responds with %s', async (_what, bytes) => {
      use(await proxyTo(0, sendAndEnd(bytes)));
      expect(await outcomeAt(HTTPS)).toBe('not_processed');
    });

    it('may have been processed if the tunnel is reset after the request', async () => {
      trust(named.cert);
      const host = await httpsHost(named, (request) => {
        request.resume().once('end', () => proxy.sockets.forEach(reset));
      });
      const proxy = await proxyTo(host.port);
      use(proxy);
      expect(await outcomeAt(HTTPS)).toBe('maybe_processed');
    });
  });
});
