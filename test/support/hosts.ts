// Servers and proxies on this machine, which close with all their connections at the end of a test.
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { onTestFinished } from 'vitest';
import type { After } from './e2e.ts';

/** Whether this machine has the IPv6 loopback address. */
export const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

export interface Host {
  readonly port: number;
  /** Every connection that the server ever accepted. */
  readonly sockets: readonly Socket[];
}

interface Identity {
  readonly key: string;
  readonly cert: string;
}

/** A TCP server that passes each connection to `talk`. */
export function rawHost(talk: (socket: Socket) => void, address?: string): Promise<Host> {
  return host(net.createServer(talk), address);
}

export function httpHost(listener: http.RequestListener, address?: string): Promise<Host> {
  return host(http.createServer(listener), address);
}

export function httpsHost(identity: Identity, listener: http.RequestListener): Promise<Host> {
  return host(https.createServer(identity, listener));
}

/** Concurrent tests pass their own `onTestFinished`. */
async function host(server: net.Server, address = '127.0.0.1', after: After = onTestFinished): Promise<Host> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    sockets.push(socket);
    // Tests reset connections on purpose.
    socket.on('error', () => undefined);
  });
  server.listen(0, address);
  await once(server, 'listening');
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

/** Accepts a CONNECT request, and relays bytes to a port on this machine. */
function tunnel(socket: Socket, port: number): void {
  const onward = net.connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(onward).pipe(socket);
  });
  onward.on('error', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('close', () => onward.destroy());
}

/** A proxy that relays every CONNECT to a port on this machine unless `answer` handles it. `identity` enables TLS. */
export async function proxyTo(
  port: number,
  answer?: (socket: Socket) => void,
  { address, identity }: { readonly address?: string; readonly identity?: Identity } = {},
): Promise<Host & { readonly connects: readonly string[] }> {
  const connects: string[] = [];
  const server = identity === undefined ? http.createServer() : https.createServer(identity);
  server.on('connect', (request, socket: Socket) => {
    connects.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    if (answer === undefined) tunnel(socket, port);
    else answer(socket);
  });
  return { ...(await host(server, address)), connects };
}

/** A proxy that maps every host to this machine. Its `url` includes the credentials that it requires. */
export async function forwardProxy(after: After, user = '', password = '') {
  /** Hosts and ports of the tunnels that the proxy opened. */
  const tunnels: string[] = [];
  const expected = user === '' ? undefined : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  // A request outside a tunnel fails.
  const server = http.createServer((_, response) => response.writeHead(501).end());
  server.on('connect', ({ url = '', headers }, socket: Socket) => {
    if (expected === undefined || headers['proxy-authorization'] === expected) {
      tunnels.push(url);
      tunnel(socket, Number(url.split(':').at(-1)));
      return;
    }
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
  });
  const { port } = await host(server, undefined, after);
  const credentials = user === '' ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  return { url: `http://${credentials}127.0.0.1:${port}`, tunnels };
}

/** A server that accepts connections but sends nothing. `arrival` resolves once a client is waiting for a response. */
export async function heldHost(after: After) {
  const { promise: arrival, resolve: arrived } = Promise.withResolvers<void>();
  const server = net.createServer((socket) => void socket.once('readable', arrived));
  return { port: (await host(server, undefined, after)).port, arrival };
}

export async function closed(socket: Socket | undefined): Promise<void> {
  if (socket && !socket.closed) await once(socket, 'close');
}
