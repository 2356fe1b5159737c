import type { Socket } from 'node:net';
import { systemClock } from '../../src/base/clock.ts';
import type { Service } from '../../src/service/api.ts';
import { createService } from '../../src/service/client.ts';
import { createHttpConnection } from '../../src/service/http/node-http.ts';
import { type Host, rawHost } from '../support/hosts.ts';
import { API_KEY, bootstrap } from '../support/service.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';
import type { CallName } from './fault.ts';

/** The text of a request as far as it has come; `whole` when nothing of it is missing. */
export interface Came {
  readonly text: string;
  readonly whole: boolean;
}

/** What a server does to a connection each time that more of a request has come. */
export type Deed = (socket: Socket, cause: Came) => void;

/** A server that does `deed` to every connection. */
export function talkingHost(deed: Deed): Promise<Host> {
  return rawHost((socket) => {
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      deed(socket, { text, whole: isWhole(text) });
    });
  });
}

/** Does it once the request has come as a whole. */
export function onceWhole(act: (socket: Socket) => void): Deed {
  return (socket, { whole }) => {
    if (whole) act(socket);
  };
}

function isWhole(text: string): boolean {
  const headEnds = text.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? '0';
  return headEnds >= 0 && text.length >= headEnds + 4 + Number(length);
}

/** A token exchange that works, and sends people on to `backendUrl`. */
export async function exchangeFor(backendUrl: string): Promise<string> {
  const body = JSON.stringify(bootstrap({ backend_url: backendUrl }));
  const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const { port } = await talkingHost(onceWhole((socket) => socket.end(answer)));
  return `http://127.0.0.1:${port}`;
}

/** A service whose `call` meets whatever answers at `address`, over real sockets; with time that stands still, or runs. */
export async function serviceAt(
  address: string,
  call: CallName,
  clock: VirtualClock | typeof systemClock = systemClock,
): Promise<Service> {
  const base = call === 'exchange' ? address : await exchangeFor(address);
  return createService({
    connection: createHttpConnection({ userAgent: 'run-pipeline/test', env: process.env }),
    clock,
    baseUrl: new URL(base),
    apiKey: API_KEY,
    onSecret: () => undefined,
  });
}
