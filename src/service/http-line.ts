import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WireError, WireEvents } from './wire.ts';

/** Turns node's events into those of a wire, until one of them is the last. */
export class Line {
  readonly #events: WireEvents;
  readonly #clearances: (() => void)[] = [];
  #answered = false;
  #over = false;

  constructor(events: WireEvents) {
    this.#events = events;
  }

  /** Has `destroy` called when nothing more is to come. */
  onHangUp(destroy: () => void): void {
    if (this.#over) destroy();
    else this.#clearances.push(destroy);
  }

  hangUp(): void {
    this.#over = true;
    for (const destroy of this.#clearances.splice(0)) destroy();
  }

  /** Says that no answer will come. After a head it is the message that tells how things end: it may hold more. */
  fail(error: unknown): void {
    if (!this.#answered) this.#last(() => this.#events.failed(wireError(error)));
  }

  listenTo(request: ClientRequest, secure: boolean): void {
    this.onHangUp(() => request.destroy());
    request.on('socket', (socket) => this.#watch(socket, secure));
    request.on('response', (message) => this.#receive(message));
    request.on('error', (error) => this.fail(error));
    // Without an error it closes after an answer that switches to another protocol.
    const closed = Object.assign(new Error('the connection closed'), { code: 'ECONNRESET' });
    request.on('close', () => this.fail(closed));
  }

  #watch(socket: Socket, secure: boolean): void {
    const connected = (): void => this.#tell(() => this.#events.connected());
    // The socket is always a new one. For https it is the one that encrypts, also on top of a proxy's tunnel.
    // A tunnel for http is handed over when it is established. Where there is no route to an address, connecting
    // has failed by now, and the error follows.
    if (secure) socket.once('secureConnect', connected);
    else if (socket.connecting) socket.once('connect', connected);
    else if (!socket.destroyed) connected();
  }

  #receive(message: IncomingMessage): void {
    this.#answered = true;
    this.#tell(() => this.#events.head(message.statusCode ?? 0, headersOf(message)));
    message.on('data', (chunk: Uint8Array) => this.#tell(() => this.#events.chunk(chunk)));
    // It says no more than `close`, which follows; an error that nobody hears would end the process.
    message.on('error', () => undefined);
    message.on('end', () => this.#last(() => this.#events.end(message.complete)));
    message.on('close', () => this.#last(() => this.#events.end(false)));
  }

  /** Whatever node has to say after the end, nobody is told of it. */
  #tell(report: () => void): void {
    if (!this.#over) report();
  }

  #last(report: () => void): void {
    this.#tell(() => {
      this.hangUp();
      report();
    });
  }
}

function headersOf(message: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}

function wireError(error: unknown): WireError {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' && { code: error.code };
  return { ...code, message: messageOf(error) };
}

/** Node tries several addresses of a host and then tells of all their errors in one that has no message. */
function messageOf(error: Error): string {
  if (!(error instanceof AggregateError) || error.message !== '') return error.message;
  return error.errors.map((each) => wireError(each).message).join('; ');
}
