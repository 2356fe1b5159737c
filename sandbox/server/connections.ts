import type { Socket } from 'node:net';

interface Connection {
  readonly number: number;
  /** The TCP socket, which may carry TLS. */
  readonly raw: Socket;
  requests: number;
}

/** The open connections by the client's address, which a TLS socket shares with its TCP socket. */
export class Connections {
  accepted = 0;
  readonly #open = new Map<string, Connection>();

  /** Records a new connection and numbers it. */
  add(raw: Socket): number {
    this.accepted += 1;
    const name = nameOf(raw);
    this.#open.set(name, { number: this.accepted, raw, requests: 0 });
    raw.once('close', () => this.#open.delete(name));
    return this.accepted;
  }

  /** Counts a request on its connection. */
  use(socket: Socket): { readonly number: number; readonly reused: boolean } {
    const connection = this.#open.get(nameOf(socket));
    if (connection === undefined) return { number: 0, reused: false };
    connection.requests += 1;
    return { number: connection.number, reused: connection.requests > 1 };
  }

  /** Resets the TCP connection, even if it carries TLS. */
  reset(socket: Socket): void {
    this.#open.get(nameOf(socket))?.raw.resetAndDestroy();
    socket.destroy();
  }

  destroyAll(): void {
    for (const { raw } of this.#open.values()) raw.destroy();
  }
}

function nameOf(socket: Socket): string {
  return `${socket.remoteAddress ?? ''} ${String(socket.remotePort ?? 0)}`;
}
