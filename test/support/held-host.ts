import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { After } from './e2e-record.ts';

/** A host that keeps every connection waiting until it is released. */
export interface HeldHost {
  readonly port: number;
  /** Resolves when something arrived from a client that now waits for an answer. */
  readonly arrival: Promise<unknown>;
  /** From now on, connects its clients to a port of this machine, also those that have been waiting. */
  release(port: number): void;
}

/** What a client has to be told before its bytes are passed on. */
type Greet = (socket: Socket) => void;

/** A relay that accepts connections, and answers nothing before it is released. */
export function heldRelay(after: After): Promise<HeldHost> {
  return held(after, () => undefined);
}

/** A proxy that answers no CONNECT before it is released. */
export function heldProxy(after: After): Promise<HeldHost> {
  return held(after, (socket) => {
    // The head of the CONNECT, which came in one piece.
    socket.read();
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
  });
}

async function held(after: After, greet: Greet): Promise<HeldHost> {
  const sockets: Socket[] = [];
  const { promise: arrival, resolve: arrived } = Promise.withResolvers<unknown>();
  const { promise: release, resolve } = Promise.withResolvers<number>();
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    const waits = new Promise<unknown>((resolve) => socket.once('readable', resolve));
    void waits.then(arrived);
    void Promise.all([release, waits]).then(([port]) => {
      greet(socket);
      const onward = net.connect(port, '127.0.0.1');
      sockets.push(onward);
      onward.on('error', () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, arrival, release: resolve };
}

/** A process that listens, and passes on what it accepts to the port that it reads from stdin. */
const LISTENER = `
const net = require('node:net');
const port = new Promise((resolve) => process.stdin.once('data', (text) => resolve(Number(text))));
const server = net.createServer((socket) => {
  socket.on('error', () => socket.destroy());
  void port.then((to) => socket.pipe(net.connect(to, '127.0.0.1')).on('error', () => socket.destroy()).pipe(socket));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));
`;
/** Linux queues one connection more than the backlog says; the others make sure. */
const FILLERS = 4;

/** A host whose queue of connections is full, so that connecting to it hangs. On Linux alone. */
export async function fullHost(after: After, arrival: (port: number) => Promise<unknown>): Promise<HeldHost> {
  const child = spawn(process.execPath, ['-e', LISTENER], { stdio: ['pipe', 'pipe', 'inherit'] });
  after(() => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(line);
  child.kill('SIGSTOP');
  const fillers = Array.from({ length: FILLERS }, () => net.connect(port, '127.0.0.1').on('error', () => undefined));
  after(() => fillers.forEach((filler) => void filler.destroy()));
  return {
    port,
    arrival: arrival(port),
    release(to) {
      for (const filler of fillers) filler.destroy();
      child.stdin.write(String(to));
      child.kill('SIGCONT');
    },
  };
}
