import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server on this machine that is gone, with all its connections, when its test is over. */
export interface Host {
  readonly port: number;
  /** Every connection it ever had. */
  readonly sockets: readonly Socket[];
}

/** Speaks bytes: `talk` gets each connection. */
export function rawHost(talk: (socket: Socket) => void, address = '127.0.0.1'): Promise<Host> {
  return host(net.createServer(talk), address);
}

/** Speaks HTTP. */
export function httpHost(listener: http.RequestListener, address = '127.0.0.1'): Promise<Host> {
  return host(http.createServer(listener), address);
}

/** Speaks HTTP over TLS. */
export function httpsHost(
  identity: { readonly key: string; readonly cert: string },
  listener: http.RequestListener,
): Promise<Host> {
  return host(https.createServer(identity, listener), '127.0.0.1');
}

async function host(server: net.Server, address: string): Promise<Host> {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => {
    sockets.push(socket);
    // Resets are what these tests are about.
    socket.on('error', () => undefined);
  });
  server.listen(0, address);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

interface ProxyOptions {
  readonly address?: string;
  /** Has the proxy speak TLS. */
  readonly identity?: { readonly key: string; readonly cert: string };
}

/** A proxy that connects every CONNECT to one port of this machine, or does what `answer` says instead. */
export async function proxyTo(
  port: number,
  answer?: (socket: Socket) => void,
  { address = '127.0.0.1', identity }: ProxyOptions = {},
): Promise<Host & { readonly connects: readonly string[] }> {
  const connects: string[] = [];
  const server = identity === undefined ? http.createServer() : https.createServer(identity);
  server.on('connect', (request, socket: Socket) => {
    connects.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    if (answer) {
      answer(socket);
      return;
    }
    const onward = net.connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  return { ...(await host(server, address)), connects };
}

/** Whether a connection is over, or will be: resolves when it is. */
export async function closed(socket: Socket | undefined): Promise<void> {
  if (socket && !socket.closed) await once(socket, 'close');
}
