import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { After } from './e2e-record.ts';

export interface ForwardProxy {
  /** `http://HOST:PORT`, with the credentials that it asks for. */
  readonly url: string;
  /** Hosts and ports that it made tunnels to. */
  readonly tunnels: readonly string[];
  /** Requests that came without a tunnel. */
  readonly requests: readonly string[];
  /** Tunnels that it refused. */
  readonly refusals: () => number;
}

/** A forward proxy on this machine that takes all hosts for this machine, until its test is over. */
export async function forwardProxy(after: After, user = '', password = ''): Promise<ForwardProxy> {
  const tunnels: string[] = [];
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let refusals = 0;
  const expected = user === '' ? undefined : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const server = http.createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    response.writeHead(501).end();
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    if (expected !== undefined && request.headers['proxy-authorization'] !== expected) {
      refusals += 1;
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
      return;
    }
    tunnels.push(request.url ?? '');
    const onward = net.connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const credentials = user === '' ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  return { url: `http://${credentials}127.0.0.1:${String(port)}`, tunnels, requests, refusals: () => refusals };
}
