import dns, { type LookupAddress } from 'node:dns';
import http from 'node:http';
import net, { isIP, type Socket } from 'node:net';
import tls from 'node:tls';
import { portOf, withoutBrackets } from './proxy.ts';
import { errorWith, PROXY_FAILED, unanswered } from './send.ts';

/* Opens connections. */

export interface Connecting {
  /** Opens a tunnel through this proxy. */
  readonly proxy: URL | undefined;
  /** The time until the signal aborts, in ms, of which each of a host's addresses gets a share. */
  readonly withinMs: number;
  /** Closes the connection, even an established one. */
  readonly signal: AbortSignal;
}

/**
 * Opens a connection to a URL's host. For https, it is established only after the TLS handshake, even in a tunnel.
 * @throws the signal's reason, or Node's error
 */
export function connect(url: URL, { proxy, ...limits }: Connecting): Promise<Socket> {
  const aborted = new Promise<never>((_, reject) => {
    limits.signal.addEventListener('abort', () => reject(limits.signal.reason));
  });
  // Nothing can end a name lookup.
  return Promise.race([open(url, proxy, limits), aborted]);
}

type Connections = Omit<Connecting, 'proxy'>;

async function open(url: URL, proxy: URL | undefined, limits: Connections): Promise<Socket> {
  const socket = await (proxy === undefined ? openTcp(url, limits) : openTunnel(proxy, url, limits));
  return url.protocol === 'https:' ? secure(socket, url, limits) : socket;
}

/** Connects to one of a host's addresses. By default, Node gives each but the last only 250 ms (nodejs/node#54359). */
async function openTcp(url: URL, { signal, withinMs }: Connections): Promise<Socket> {
  const host = withoutBrackets(url.hostname);
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [];
  signal.throwIfAborted();
  const socket = net.connect({
    host,
    port: Number(portOf(url)),
    noDelay: true,
    lookup: (_host, _options, done) => done(null, addresses),
    autoSelectFamily: true,
    // One share is left for TLS and the proxy. Node rejects 0 and waits at least 10 ms.
    autoSelectFamilyAttemptTimeout: Math.max(10, Math.floor(withinMs / (addresses.length + 1))),
  });
  return established(socket, 'connect', signal);
}

function addressesOf(host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    dns.lookup(host, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)));
  });
}

/** Starts TLS on a connection, and checks the certificate of the URL's host. */
function secure(socket: Socket, url: URL, { signal }: Connections): Promise<Socket> {
  const host = withoutBrackets(url.hostname);
  // SNI allows only host names. Without a name, the certificate is checked against the host.
  const servername = isIP(host) === 0 ? host : '';
  return established(tls.connect({ socket, host, servername, ALPNProtocols: ['http/1.1'] }), 'secureConnect', signal);
}

function established(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<Socket> {
  signal.addEventListener('abort', () => socket.destroy());
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve(socket));
    // The listener remains, because an error without a listener would end the process.
    socket.on('error', reject);
    socket.once('close', () => reject(errorWith('ECONNRESET', 'the connection closed')));
  });
}

/** Opens a tunnel to the URL's host. */
async function openTunnel(proxy: URL, url: URL, limits: Connections): Promise<Socket> {
  const [toProxy, status] = await askForTunnel(proxy, url, limits).catch((error: unknown) => {
    const { code, message } = unanswered(false, error);
    // Too many open files are not the proxy's fault.
    throw errorWith(/^E[MN]FILE$/.test(code) ? code : PROXY_FAILED + code, message);
  });
  if (status < 200 || status > 299) throw errorWith('PROXY_REFUSED', String(status));
  return toProxy;
}

/**
 * Sends a CONNECT request, and returns its connection and the status of the response. The HTTP client cannot do this,
 * because it does not listen to the event that such a response causes.
 */
async function askForTunnel(proxy: URL, url: URL, limits: Connections): Promise<readonly [Socket, number]> {
  const toProxy = await open(proxy, undefined, limits);
  const authority = `${url.hostname}:${portOf(url)}`;
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization = login !== ':' && { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
  return new Promise((resolve, reject) => {
    const asking = http.request({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...authorization },
      createConnection: () => toProxy,
    });
    asking.on('connect', ({ statusCode: status = 0 }) => resolve([toProxy, status]));
    asking.on('error', reject);
    asking.on('close', () => reject(errorWith('ECONNRESET', 'the connection closed')));
    asking.end();
  });
}
