import dns from 'node:dns';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { expired, selfSigned } from '../../sandbox/server/certificate.ts';
import { closed, type Host, httpsHost, proxyTo, rawHost } from '../support/hosts.ts';
import { JOB } from '../support/service.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { make } from './call.ts';
import { CALLS, type CallName } from './fault.ts';
import { type Deed, onceWhole, serviceAt, talkingHost } from './sockets.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const sized = (length: number): string => `${HEAD}Content-Length: ${length}\r\n\r\n`;
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const ID = `"${JOB}"`;

const reset = (socket: net.Socket): void => void socket.resetAndDestroy();
const says = (bytes: string | Buffer): Deed => onceWhole((socket) => void socket.end(bytes));
const saysAndResets = (bytes: string): Deed =>
  onceWhole((socket) => void socket.write(bytes, () => setImmediate(() => reset(socket))));

const trusted = selfSigned();
const named = selfSigned('service.example.test');

/** Trusts a certificate until the test is over. */
function trust(cert: string): void {
  const usual = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...usual, cert]);
  onTestFinished(() => tls.setDefaultCACertificates(usual));
}

const http = ({ port }: Pick<Host, 'port'>): string => `http://127.0.0.1:${port}`;
const https = ({ port }: Pick<Host, 'port'>): string => `https://127.0.0.1:${port}`;

async function outcomeAt(address: string, call: CallName): Promise<string> {
  const { kind, retryable = true } = await make(call, await serviceAt(address, call));
  return retryable ? kind : `${kind} not retryable`;
}

/** How the call ends when nothing happens any more once `settled` says so, and time passes. */
async function outcomeOfSilence(address: string, call: CallName, settled: () => boolean): Promise<string> {
  const clock = new VirtualClock();
  const outcome = make(call, await serviceAt(address, call, clock));
  await vi.waitUntil(settled, { interval: 2 });
  await clock.advance(135_000);
  return (await outcome).kind;
}

async function portOfNobody(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe.each(CALLS)('%s over a real socket', (call) => {
  const unusable = call === 'cancel' ? 'accepted' : 'maybe_processed';

  it.each<[string, Deed]>([
    ['reset as soon as something came', reset],
    ['reset after the request', onceWhole(reset)],
    ['closed after the request', onceWhole((socket) => void socket.end())],
    ['something that is not HTTP', says('SSH-2.0-OpenSSH_9.6\r\n')],
    ['a head that breaks off', says('HTTP/1.1 200 OK\r\nContent-')],
    ['an informational answer and no more', says('HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('may have been processed: %s', async (_what, deed) => {
    expect(await outcomeAt(http(await talkingHost(deed)), call)).toBe('maybe_processed');
  });

  it.each<[string, Deed]>([
    ['a body cut off', says(`${sized(99)}[{"id`)],
    ['a body reset', saysAndResets(`${sized(99)}[{"id`)],
    ['chunked, without an end', says(`${CHUNKED}2\r\n[{\r\n`)],
    ['chunked and broken', says(`${CHUNKED}2\r\n[{\r\nnonsense\r\n`)],
    ['not UTF-8', says(Buffer.concat([Buffer.from(sized(3)), Buffer.of(0xff, 0xfe, 0x28)]))],
    ['far too large', says(`${CHUNKED}1100000\r\n${'['.repeat(0x1100000)}\r\n0\r\n\r\n`)],
  ])('succeeded with an unusable body: %s', async (_what, deed) => {
    expect(await outcomeAt(http(await talkingHost(deed)), call)).toBe(unusable);
  });

  it.each([
    ['no head', ''],
    ['half a head', HEAD],
    ['no body', sized(99)],
    ['half a body', `${sized(99)}[{"id`],
    ['half a chunk', `${CHUNKED}9\r\n[{"id`],
  ])('may have been processed, and does not hang: %s comes, and no more', async (_what, bytes) => {
    let answered = false;
    const host = await talkingHost(
      onceWhole((socket) => {
        socket.write(bytes, () => {
          answered = true;
        });
      }),
    );
    const outcome = await outcomeOfSilence(http(host), call, () => answered);
    expect(outcome).toBe(bytes.includes('\r\n\r\n') ? unusable : 'maybe_processed');
    await Promise.all(host.sockets.map(closed));
  });

  it.each<[string, Deed]>([
    ['cut off', says(`${sized(99)}${ID}`)],
    ['chunked, without an end', says(`${CHUNKED}26\r\n${ID}\r\n`)],
    ['chunked and broken', says(`${CHUNKED}26\r\n${ID}\r\nnonsense\r\n`)],
  ])('with an id whose answer is %s is what the id makes of it', async (_what, deed) => {
    const outcome = await outcomeAt(http(await talkingHost(deed)), call);
    expect(outcome).toBe(call === 'trigger' ? 'queued' : unusable);
  });

  it('was surely not processed when the connection is refused', async () => {
    expect(await outcomeAt(`http://127.0.0.1:${await portOfNobody()}`, call)).toBe('not_processed');
  });

  it.each(['ENOTFOUND', 'EAI_AGAIN'])('was surely not processed when no address is found: %s', async (code) => {
    const usual = dns.lookup;
    const lookup = (host: string, ...rest: readonly unknown[]): void => {
      const tell = rest.at(-1);
      const error = Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code });
      if (host !== 'service.example.test') Reflect.apply(usual, dns, [host, ...rest]);
      else if (typeof tell === 'function') queueMicrotask(() => void Reflect.apply(tell, undefined, [error]));
    };
    vi.spyOn(dns, 'lookup').mockImplementation(lookup);
    expect(await outcomeAt('https://service.example.test', call)).toBe('not_processed');
  });

  it.each<[string, (socket: net.Socket) => void]>([
    ['reset', reset],
    ['closed', (socket) => void socket.end()],
    ['answered in plain text', (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('was surely not processed when its handshake is %s', async (_how, act) => {
    expect(await outcomeAt(https(await talkingHost(act)), call)).toBe('not_processed');
  });

  it('was surely not processed when its handshake never ends', async () => {
    const silent = await rawHost((socket) => socket.resume());
    const heard = (): boolean => (silent.sockets[0]?.bytesRead ?? 0) > 0;
    expect(await outcomeOfSilence(https(silent), call, heard)).toBe('not_processed');
    await Promise.all(silent.sockets.map(closed));
  });

  it.each([
    ['unknown', trusted, false],
    ['expired', expired(), true],
  ])(
    'was surely not processed, and is not retryable, when the certificate is %s',
    async (_how, identity, isTrusted) => {
      if (isTrusted) trust(identity.cert);
      const host = await httpsHost(identity, (_request, response) => response.end());
      expect(await outcomeAt(https(host), call)).toBe('not_processed not retryable');
    },
  );

  it('may have been processed when TLS fails after the request', async () => {
    trust(trusted.cert);
    const host = await httpsHost(trusted, (request) => {
      // Below TLS: what the client reads next is no record that it could decrypt.
      const [below] = host.sockets;
      request.resume().once('end', () => below?.write('HTTP/1.1 200 OK\r\n\r\n'));
    });
    expect(await outcomeAt(https(host), call)).toBe('maybe_processed');
  });

  it('may have been processed when a certificate of ours is wanted, which shows only after the request', async () => {
    trust(trusted.cert);
    const server = tls.createServer({ ...trusted, requestCert: true, minVersion: 'TLSv1.3' });
    server.on('tlsClientError', () => undefined);
    const raw = await rawHost((socket) => void server.emit('connection', socket));
    expect(await outcomeAt(https(raw), call)).toBe('maybe_processed');
  });
});

describe.each(CALLS)('%s through a proxy', (call) => {
  const HOST = 'https://service.example.test';

  function through(proxy: Pick<Host, 'port'>): void {
    for (const name of ['http_proxy', 'https_proxy']) vi.stubEnv(name, http(proxy));
    for (const name of ['no_proxy', 'NO_PROXY']) vi.stubEnv(name, '');
  }

  it('was surely not processed when the proxy is away', async () => {
    through({ port: await portOfNobody() });
    expect(await outcomeAt(HOST, call)).toBe('not_processed');
  });

  it.each([
    ['407', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'],
    ['403', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno'],
    ['502', 'HTTP/1.1 502 Bad Gateway\r\n\r\n'],
    ['nothing', ''],
    ['nonsense', 'SSH-2.0\r\n'],
  ])('was surely not processed when the proxy answers with %s', async (_what, bytes) => {
    through(await proxyTo(0, (socket) => void socket.end(bytes)));
    expect(await outcomeAt(HOST, call)).toBe('not_processed');
  });

  it('was surely not processed when the proxy never answers', async () => {
    const proxy = await proxyTo(0, (socket) => void socket.resume().once('end', () => socket.end()));
    through(proxy);
    expect(await outcomeOfSilence(HOST, call, () => proxy.connects.length === 1)).toBe('not_processed');
    await Promise.all(proxy.sockets.map(closed));
  });

  it('was surely not processed when the tunnel breaks before the handshake', async () => {
    through(await proxyTo((await rawHost((socket) => void socket.once('data', () => reset(socket)))).port));
    expect(await outcomeAt(HOST, call)).toBe('not_processed');
  });

  it("was surely not processed, and is not retryable, when the certificate is another host's", async () => {
    trust(trusted.cert);
    through(await proxyTo((await httpsHost(trusted, (_request, response) => response.end())).port));
    expect(await outcomeAt(HOST, call)).toBe('not_processed not retryable');
  });

  it('may have been processed when the tunnel breaks after the request', async () => {
    trust(named.cert);
    const host = await httpsHost(named, (request) => {
      request.resume().once('end', () => proxy.sockets.forEach(reset));
    });
    const proxy = await proxyTo(host.port);
    through(proxy);
    expect(await outcomeAt(HOST, call)).toBe('maybe_processed');
  });
});

describe('an idle connection', () => {
  it('is there for nobody to drop: every call has one of its own, closed after it', async () => {
    const host = await talkingHost(says(`${sized(2)}[]`));
    const service = await serviceAt(http(host), 'read');
    for (const call of [...CALLS.slice(1), ...CALLS.slice(1)]) await make(call, service);
    expect(host.sockets).toHaveLength(8);
    await Promise.all(host.sockets.map(closed));
  });
});
