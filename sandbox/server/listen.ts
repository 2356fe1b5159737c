import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { occurs } from '../model/index.ts';
import type { Connections } from './connections.ts';
import type { ConnectionRule } from './rules.ts';

export interface Door {
  readonly port: number;
  readonly open: () => Promise<void>;
  /** Refuses new connections and drops the open ones. */
  readonly shut: () => Promise<void>;
}

interface DoorParts {
  readonly http: HttpServer;
  readonly connections: Connections;
  readonly rules: readonly ConnectionRule[];
  readonly port: number;
  readonly hosts: readonly string[];
}

/**
 * Listens in front of the HTTP server and passes connections on, so that rules can reset or ignore a connection before
 * HTTP or TLS begins.
 */
export async function openDoor({ http, connections, rules, port, hosts }: DoorParts): Promise<Door> {
  const accept = (socket: Socket) => greet(socket, http, connections, rules);
  // As in http.Server, a client that has closed its side of the connection still gets its response.
  const fronts = hosts.map((host) => ({ host, server: createServer({ allowHalfOpen: true, noDelay: true }, accept) }));
  let bound = port;
  const open = async () => {
    for (const { host, server } of fronts) bound = await listen(server, bound, host);
  };
  const shut = async () => {
    const closing = fronts.map(({ server }) => closed(server));
    connections.destroyAll();
    await Promise.all(closing);
  };
  await open();
  return { port: bound, open, shut };
}

function greet(socket: Socket, http: HttpServer, connections: Connections, rules: readonly ConnectionRule[]): void {
  // 'close' reports a broken connection, but without this listener an error would end the process.
  socket.on('error', () => undefined);
  const nth = connections.add(socket);
  const rule = rules.find((one) => occurs(one, { kind: 'connection', nth, subjects: {} }));
  const serve = () => http.emit('connection', socket);
  switch (rule?.how.do) {
    case undefined:
      serve();
      break;
    case 'mute':
      break;
    case 'reset':
      socket.resetAndDestroy();
      break;
    case 'delay': {
      const timer = setTimeout(serve, rule.how.ms);
      socket.once('close', () => clearTimeout(timer));
    }
  }
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closed(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => server.close(() => resolve()));
}
