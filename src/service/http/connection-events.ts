import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, ConnectionListener, Headers } from './connection.ts';

/** Maximum number of interim responses (such as 103). A service sends one or two. A flood would hog the process. */
const MOST_INFORMATION = 100;

/** Translates Node's events into those of a `ConnectionListener`, and reports nothing after the final one. */
export class ConnectionEvents {
  readonly #listener: ConnectionListener;
  readonly #cleanups: (() => void)[] = [];
  #hasHead = false;
  #ended = false;

  constructor(listener: ConnectionListener) {
    this.#listener = listener;
  }

  /** Calls `destroy` when the request ends or is aborted. */
  onHangUp(destroy: () => void): void {
    if (this.#ended) destroy();
    else this.#cleanups.push(destroy);
  }

  hangUp(): void {
    this.#ended = true;
    for (const destroy of this.#cleanups.splice(0)) destroy();
  }

  /** Reports that no response will arrive. Once a head has arrived, the message's events report failures. */
  fail(error: unknown): void {
    if (!this.#hasHead) this.#reportLast(() => this.#listener.failed(connectionError(error)));
  }

  listenTo(request: ClientRequest, secure: boolean): void {
    this.onHangUp(() => request.destroy());
    request.on('socket', (socket) => this.#watch(socket, secure));
    request.on('response', (message) => this.#receive(message));
    request.on('error', (error) => this.fail(error));
    let informed = 0;
    request.on('information', () => {
      informed += 1;
      if (informed > MOST_INFORMATION) this.fail(new Error('too many interim responses (HTTP 1xx)'));
    });
    // A response that switches to another protocol closes the request without an error.
    const closed = Object.assign(new Error('the connection closed'), { code: 'ECONNRESET' });
    request.on('close', () => this.fail(closed));
  }

  #watch(socket: Socket, secure: boolean): void {
    const connected = (): void => this.#report(() => this.#listener.connected());
    // For HTTPS, wait for the TLS socket, even over a proxy tunnel. A tunnel for HTTP is already established. Without a
    // route to the address, Node destroys the socket and then emits the error.
    if (secure) socket.once('secureConnect', connected);
    else if (socket.connecting) socket.once('connect', connected);
    else if (!socket.destroyed) connected();
  }

  #receive(message: IncomingMessage): void {
    this.#hasHead = true;
    this.#report(() => this.#listener.head(message.statusCode ?? 0, headersOf(message)));
    message.on('data', (chunk: Uint8Array) => this.#report(() => this.#listener.chunk(chunk)));
    // The `close` event reports the same failure, but an `error` event without a listener would crash the process.
    message.on('error', () => undefined);
    message.on('end', () => this.#reportLast(() => this.#listener.end(message.complete)));
    message.on('close', () => this.#reportLast(() => this.#listener.end(false)));
  }

  #report(report: () => void): void {
    if (!this.#ended) report();
  }

  #reportLast(report: () => void): void {
    this.#report(() => {
      this.hangUp();
      report();
    });
  }
}

function headersOf({ headers }: IncomingMessage): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]));
}

function connectionError(error: unknown): ConnectionError {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, message }: { readonly code?: unknown; readonly message: string } = error;
  // If Node tried several addresses of a host, the error contains one error per address and has no message.
  const isEach = error instanceof AggregateError && message === '';
  const messages = isEach ? error.errors.map((each) => connectionError(each).message) : [message];
  return { ...(typeof code === 'string' && { code }), message: messages.join('; ') };
}
