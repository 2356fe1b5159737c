// Tests how the real `send` connects: TLS, proxies and hosts with several addresses. A request that was sent must never
// count as not connected, and one that was not sent never as connected.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type http from 'node:http';
import net, { type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls, { type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { failureOfConnection } from '../../src/service/connection.ts';
import type { Answer } from '../../src/service/send.ts';
import { expired, selfSigned } from '../support/certificate.ts';
import { type Host, hasIpv6, httpsHost, proxyTo, rawHost } from '../support/hosts.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { at, close, reset, sendAndClose, sendTo, trust } from './network.ts';

const here = selfSigned();
const named = selfSigned('service.example.test');
const HTTPS = 'https://service.example.test/path';
const hello: http.RequestListener = (request, response) => response.end(`hello ${request.url}`);

const SUBJECT = {
  host: 'HOST',
  path: '/',
  basePath: '',
  hasExtraCas: false,
  hasProxyLogin: false,
  clean: (text: string) => text,
};

/** Describes an answer without a response in the words of the log. */
function causeOf(answer: Answer): string {
  if (answer.kind !== 'unanswered') return answer.kind;
  const failure = failureOfConnection({ ...SUBJECT, call: 'read' }, answer);
  const { problem, isFinal } = { isFinal: false, problem: undefined, ...failure };
  return `${answer.connected ? 'connected' : 'not connected'}${isFinal ? ', final' : ''}: ${problem?.cause}`;
}

describe('a TLS connection', () => {
  it('succeeds with a certificate that Node accepts', async () => {
    trust(here.cert);
    expect(await sendTo(at(await httpsHost(here, hello), 'https'))).toMatchObject({ status: 200, text: 'hello /' });
  });

  it('uses HTTP/1.1 even if the server prefers HTTP/2', async () => {
    trust(here.cert);
    const identity = { ...here, ALPNProtocols: ['h2', 'http/1.1'] };
    const host = await httpsHost(identity, ({ socket }, response) => response.end((socket as TLSSocket).alpnProtocol));
    expect(await sendTo(at(host, 'https'))).toMatchObject({ text: 'http/1.1' });
  });

  it.each<[string, (socket: Socket) => void, string]>([
    ['resets the connection', reset, 'not connected: the connection attempt to HOST failed'],
    ['closes the connection', close, 'not connected: the connection attempt to HOST failed'],
    ['speaks HTTP', sendAndClose('HTTP/1.1 400 Bad Request\r\n\r\n'), 'the server does not speak TLS on this port'],
  ])('proves that nothing was sent if the server %s during the handshake', async (_how, act, cause) => {
    const host = await rawHost((socket) => socket.once('data', () => act(socket)));
    const text = causeOf(await sendTo(at(host, 'https')));
    expect(text).toContain(cause);
    expect(text).toMatch(/^not connected/);
  });

  it.each([
    ['is unknown', here, false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['has expired', expired(), true, 'CERT_HAS_EXPIRED'],
  ])('ends the request immediately if the certificate %s', async (_how, identity, isTrusted, code) => {
    if (isTrusted) trust(identity.cert);
    const answer = await sendTo(at(await httpsHost(identity, hello), 'https'));
    expect(causeOf(answer)).toBe(`not connected, final: Node rejected the certificate of HOST (${code})`);
  });

  it('fails without a retry if the certificate belongs to another host', async () => {
    trust(here.cert);
    const { port } = await httpsHost(here, hello);
    expect(causeOf(await sendTo(`https://service.example.test:${port}/`))).toBe(
      'not connected, final: Node rejected the certificate of HOST (ERR_TLS_CERT_ALTNAME_INVALID)',
    );
  });

  it.skipIf(!hasOpenssl()).each([
    ['its key is too short', 'key too weak', () => issued('rsa:1024', '-sha256')],
    ['its signature uses SHA-1', 'signature too weak', () => issued(FAST, '-sha1')],
    [
      'it has an unknown extension',
      'unhandled critical extension',
      () => issued(FAST, '-sha256', '1.2.3=critical,DER:0500'),
    ],
  ])('ends the request immediately if the certificate is not acceptable because %s', async (_why, cause, issue) => {
    const { root, ...weak } = issue();
    trust(root);
    const host = await httpsHost({ ...weak, ...INSECURE }, hello);
    expect(causeOf(await sendTo(at(host, 'https')))).toBe(
      `not connected, final: Node rejected the certificate of HOST (${cause})`,
    );
  });

  it('fails without a retry if the server offers only TLS 1.1', async () => {
    trust(here.cert);
    const old = { ...here, ...INSECURE, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
    expect(causeOf(await sendTo(at(await httpsHost(old, hello), 'https')))).toBe(
      'not connected, final: the TLS handshake with HOST failed (the server supports only outdated versions of TLS)',
    );
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'ends the request immediately if the server requires a client certificate with %s',
    async (version) => {
      trust(here.cert);
      const server = tls.createServer({ ...here, requestCert: true, minVersion: version, maxVersion: version });
      server.on('tlsClientError', () => undefined);
      const raw = await rawHost((socket) => void server.emit('connection', socket));
      const answer = await sendTo(at(raw, 'https'), { request: { method: 'POST', body: '{}' } });
      expect(causeOf(answer)).toMatch(/, final: .*(?:requires a client certificate|handshake failure)/);
    },
  );

  it('counts as connected if it fails after the handshake', async () => {
    trust(here.cert);
    const host = await httpsHost(here, (request) => {
      // Written below TLS, these bytes cannot be decrypted.
      request.resume().once('end', () => host.sockets[0]?.write('HTTP/1.1 200 OK\r\n\r\n'));
    });
    expect(await sendTo(at(host, 'https'))).toMatchObject({ kind: 'unanswered', connected: true });
  });
});

describe('a proxy', () => {
  const through = (proxy: Pick<Host, 'port'>, credentials = '') => ({
    env: { https_proxy: `http://${credentials}127.0.0.1:${proxy.port}` },
  });

  /** Waits until the client has closed its connections. A tunnel that has lost its other end does not read. */
  async function left(proxy: Host): Promise<void> {
    await vi.waitUntil(() => proxy.sockets.every((socket) => socket.resume().readableEnded || socket.destroyed));
  }

  /** Sends nothing, and closes the connection when the client does. */
  const hold = (socket: Socket): void => void socket.resume().once('end', () => socket.end());

  it('opens a tunnel for TLS to the host and closes it after the request', async () => {
    trust(named.cert);
    const proxy = await proxyTo((await httpsHost(named, hello)).port);
    expect(await sendTo(HTTPS, through(proxy, 'us%40er:pass%40word@'))).toMatchObject({ text: 'hello /path' });
    const authorization = `Basic ${Buffer.from('us@er:pass@word').toString('base64')}`;
    expect(proxy.connects).toEqual([`service.example.test:443 ${authorization}`]);
    await left(proxy);
  });

  /** A server's identity, and the names that clients request of it. */
  function withNames() {
    const names: string[] = [];
    const SNICallback = (name: string, done: (error: null) => void): void => {
      names.push(name);
      done(null);
    };
    return { names, identity: { ...named, SNICallback } as typeof named };
  }

  it('can itself use TLS with a certificate for its own name', async () => {
    trust(named.cert);
    const { names, identity } = withNames();
    const proxy = await proxyTo((await httpsHost(named, hello)).port, undefined, { identity });
    const env = { HTTPS_PROXY: `https://localhost:${proxy.port}`, https_proxy: ' ' };
    expect(await sendTo(HTTPS, { env })).toMatchObject({ text: 'hello /path' });
    expect(names).toEqual(['localhost']);
  });

  it.runIf(hasIpv6)('can have an IPv6 address and lead to one', async () => {
    trust(named.cert);
    const { names, identity } = withNames();
    const proxy = await proxyTo((await httpsHost(identity, hello)).port, undefined, { address: '::1' });
    const answer = await sendTo('https://[2001:db8::1]/', { env: { https_proxy: `http://[::1]:${proxy.port}` } });
    expect(proxy.connects).toEqual(['[2001:db8::1]:443']);
    const message = expect.stringContaining('IP: 2001:db8::1 is not in') as string;
    expect(answer).toMatchObject({ connected: false, code: 'ERR_TLS_CERT_ALTNAME_INVALID', message });
    expect(names).toEqual([]);
  });

  it('is not used for hosts in no_proxy or for this machine', async () => {
    trust(named.cert);
    const host = await httpsHost(named, hello);
    const env = { https_proxy: 'http://127.0.0.1:1', no_proxy: 'a.test *.example.test' };
    expect(await sendTo(`https://service.example.test:${host.port}/`, { env })).toMatchObject({ status: 200 });
    expect(await sendTo(at(host, 'https'), { env })).toMatchObject({ status: 200 });
  });

  it('is used for a host whose name only begins like an address of this machine', async () => {
    const proxy = await proxyTo(0, close);
    await sendTo('https://127.example.test/', through(proxy));
    expect(proxy.connects).toEqual(['127.example.test:443']);
  });

  it('can accept a tunnel with any 2xx', async () => {
    trust(named.cert);
    const host = await httpsHost(named, hello);
    const proxy = await proxyTo(0, (socket) => {
      // A length means nothing here (RFC 9110, 9.3.6).
      socket.write('HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n');
      socket.pipe(net.connect(host.port, '127.0.0.1')).pipe(socket);
    });
    expect(await sendTo(HTTPS, through(proxy))).toMatchObject({ text: 'hello /path' });
  });

  it.each<[string, (socket: Socket) => void, object]>([
    ['asks for credentials', sendAndClose('HTTP/1.1 407 No\r\n\r\n'), { code: 'PROXY_REFUSED', message: '407' }],
    ['refuses', sendAndClose('HTTP/1.1 403 No\r\n\r\n'), { code: 'PROXY_REFUSED', message: '403' }],
    ['closes the connection', close, { code: 'PROXY_FAILED ECONNRESET' }],
    ['resets the connection', reset, { code: 'PROXY_FAILED ECONNRESET' }],
    ['does not speak HTTP', sendAndClose('SSH-2.0\r\n'), { code: 'PROXY_FAILED HPE_INVALID_CONSTANT' }],
    ['speaks before the client', sendAndClose('HTTP/1.1 200 OK\r\n\r\nhello'), { code: 'ECONNRESET' }],
    ['closes the tunnel', sendAndClose('HTTP/1.1 200 OK\r\n\r\n'), { code: 'ECONNRESET' }],
  ])('that %s proves that nothing was sent', async (_how, answer, expected) => {
    const proxy = await proxyTo(0, answer);
    expect(await sendTo(HTTPS, through(proxy))).toMatchObject({ kind: 'unanswered', connected: false, ...expected });
  });

  it('that refuses but keeps the connection open is disconnected', async () => {
    const proxy = await proxyTo(0, (socket) => void socket.write('HTTP/1.1 403 No\r\n\r\n'));
    expect(await sendTo(HTTPS, through(proxy))).toMatchObject({ code: 'PROXY_REFUSED' });
    await left(proxy);
  });

  it.each([
    ['one address', ['127.0.0.1'], 'connect ECONNREFUSED 127.0.0.1:1'],
    ['several addresses', ['127.0.0.1', '::1'], 'ECONNREFUSED'],
  ])('that cannot be reached at %s proves that nothing was sent', async (_where, all, why) => {
    const addresses = all.map((address) => ({ address, family: net.isIP(address) }));
    const answer = await sendTo(HTTPS, { env: { https_proxy: 'http://proxy.test:1' }, addresses });
    expect(causeOf(answer)).toBe(`not connected: the proxy could not be reached (${why})`);
  });

  it('with a certificate that is not trusted ends the request immediately', async () => {
    const proxy = await proxyTo(0, undefined, { identity: here });
    const answer = await sendTo(HTTPS, { env: { https_proxy: `https://localhost:${proxy.port}` } });
    expect(causeOf(answer)).toBe(
      'not connected, final: Node rejected the certificate of the proxy (DEPTH_ZERO_SELF_SIGNED_CERT)',
    );
  });

  it('that does not use TLS although its URL begins with https ends the request immediately', async () => {
    const proxy = await proxyTo(0);
    expect(causeOf(await sendTo(HTTPS, { env: { https_proxy: `https://localhost:${proxy.port}` } }))).toBe(
      'not connected, final: the TLS handshake with the proxy failed (the server does not speak TLS on this port)',
    );
  });

  it("whose headers exceed Node's limit ends the request immediately", async () => {
    const proxy = await proxyTo(0, sendAndClose(`HTTP/1.1 403 No\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`));
    expect(causeOf(await sendTo(HTTPS, through(proxy)))).toMatch(
      /^not connected, final: the response headers from the proxy/,
    );
  });

  it('is not blamed if this machine has too many open files', async () => {
    const error = Object.assign(new Error('connect EMFILE'), { code: 'EMFILE' });
    vi.spyOn(net, 'connect').mockImplementation(() => new net.Socket().destroy(error));
    const answer = await sendTo(HTTPS, { env: { https_proxy: 'http://proxy.test' } });
    expect(causeOf(answer)).toBe('not connected: the runner has too many open files');
  });

  it('counts as connected if the tunnel is reset after the request', async () => {
    trust(named.cert);
    const host = await httpsHost(named, (request) => {
      request.resume().once('end', () => proxy.sockets.forEach(reset));
    });
    const proxy = await proxyTo(host.port);
    expect(await sendTo(HTTPS, through(proxy))).toMatchObject({ kind: 'unanswered', connected: true });
  });

  it.each(['the CONNECT', 'the handshake'])('that stalls %s is abandoned in time', async (what) => {
    const clock = new VirtualClock();
    const silent = await rawHost(() => undefined);
    const proxy = await proxyTo(silent.port, what === 'the CONNECT' ? hold : undefined);
    const answer = sendTo(HTTPS, { ...through(proxy), clock, limits: { withinMs: 15_000, answerMs: 120_000 } });
    await vi.waitUntil(() =>
      what === 'the CONNECT' ? proxy.connects.length > 0 : (silent.sockets[0]?.bytesRead ?? 0) > 0,
    );
    await clock.advance(15_000);
    expect(await answer).toMatchObject({ connected: false, code: 'DEADLINE', message: 'within 15s' });
    await left(proxy);
  });

  it('can be abandoned while the CONNECT is pending', async () => {
    const proxy = await proxyTo(0, hold);
    const stop = new AbortController();
    const answer = sendTo(HTTPS, { ...through(proxy), limits: { signal: stop.signal, answerMs: 120_000 } });
    await vi.waitUntil(() => proxy.connects.length === 1);
    stop.abort();
    expect(await answer).toEqual({ kind: 'aborted' });
    await left(proxy);
  });

  it('with an unusable address ends the request without showing its password', async () => {
    const answer = await sendTo(HTTPS, { env: { https_proxy: 'http://user:secret@127.0.0.1:99999' } });
    expect(answer).toMatchObject({ connected: false, code: 'PROXY_ADDRESS' });
    expect(JSON.stringify(answer)).not.toMatch(/secret|99999/);
  });
});

describe('a host with several addresses', () => {
  afterEach(() => vi.restoreAllMocks());

  it.runIf(hasIpv6)('is reached at an address that responds later than Node would wait', async () => {
    const slow = await slowHost();
    const addresses = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    const answer = await sendTo(`http://service.example.test:${slow.port}/`, { addresses });
    expect(answer).toMatchObject({ kind: 'answered', status: 200 });
    expect(slow.waitedMs()).toBeGreaterThan(250);
  });

  it.each([
    ['one', 1, 7_500],
    ['two', 2, 5_000],
    ['six', 6, 2_142],
  ])('gives each of %s its share of the time to connect, and leaves one share', async (_what, count, shareMs) => {
    const connect = vi.spyOn(net, 'connect').mockImplementation(() => new net.Socket().destroy(new Error('not sent')));
    const addresses = Array.from({ length: count }, () => ({ address: '127.0.0.1', family: 4 }));
    for (const env of [{}, { https_proxy: 'http://proxy.test:3128' }])
      await sendTo(HTTPS, { env, addresses, limits: { withinMs: 15_000 } });
    expect(connect.mock.calls).toHaveLength(2);
    for (const [options] of connect.mock.calls)
      expect(options).toMatchObject({ autoSelectFamily: true, autoSelectFamilyAttemptTimeout: shareMs });
  });

  it('ends in time even if the name lookup hangs, and connects to nothing afterwards', async () => {
    const clock = new VirtualClock();
    const connect = vi.spyOn(net, 'connect');
    const { promise: lookup, resolve: looked } = Promise.withResolvers<() => void>();
    const answer = sendTo(HTTPS, { clock, onLookup: looked, limits: { withinMs: 15_000, answerMs: 120_000 } });
    const finishLookup = await lookup;
    await clock.advance(15_000);
    expect(await answer).toMatchObject({ connected: false, code: 'DEADLINE', message: 'within 15s' });
    finishLookup();
    await new Promise(setImmediate);
    expect(connect).not.toHaveBeenCalled();
    expect(clock.pending).toBe(0);
  });
});

/** Lets OpenSSL use algorithms that are insecure today. */
const INSECURE = { ciphers: 'DEFAULT@SECLEVEL=0' };

/** A strong key that takes no time to generate. */
const FAST = 'ec -pkeyopt ec_paramgen_curve:prime256v1';

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version']);
    return true;
  } catch {
    return false;
  }
}

/** Issues a certificate for this machine with this key, signature and extension. */
function issued(key: string, signature: string, extension = '') {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const openssl = (command: string): void =>
    void execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'pipe' });
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  writeFileSync(join(folder, 'names'), `subjectAltName=IP:127.0.0.1\n${extension}`);
  openssl(`req -x509 -newkey ${FAST} -sha256 -nodes -subj /CN=root -keyout root.key -out root.pem`);
  openssl(`req -newkey ${key} -nodes -subj /CN=host -keyout host.key -out host.csr`);
  const signer = '-CA root.pem -CAkey root.key -CAcreateserial';
  openssl(`x509 -req -in host.csr ${signer} ${signature} -extfile names -out host.pem`);
  return { key: read('host.key'), cert: read('host.pem'), root: read('root.pem') };
}

/**
 * A server whose queue of new connections is full, so that Linux ignores the first packet of another one. The client's
 * system sends it again after a second. Meanwhile, the server has made room.
 */
async function slowHost() {
  const program = `
    const net = require('node:net');
    const server = net.createServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n')));
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      process.send(server.address().port);
      process.once('message', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900));
    });
    server.on('error', () => undefined);`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill());
  const [port] = (await once(child, 'message')) as [number];
  child.send('block');
  const startedAt = performance.now();
  const fillers: Socket[] = [];
  onTestFinished(() => {
    for (const socket of fillers) socket.destroy();
  });
  // A full queue holds one connection more than its length.
  for (let nth = 0; nth < 2; nth += 1) {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    fillers.push(socket);
    await once(socket, 'connect');
  }
  return { port, waitedMs: () => performance.now() - startedAt };
}
