import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WireError, WireEvents } from './wire.ts';

/** Turns node's events into those of a wire, until one of them is the last. */
export class Line {
  readonly #events: WireEvents;
  readonly #clearances: (() => void)[] = [];
  #connected = false;
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

  fail(error: unknown): void {
    this.#last(() => this.#events.failed(wireError(error)));
  }

  listenTo(request: ClientRequest, secure: boolean): void {
    this.onHangUp(() => request.destroy());
    request.on('socket', (socket) => this.#watch(socket, secure));
    request.on('response', (message) => this.#receive(message));
    // After a head it is the message that tells how things end: its last bytes may still be on their way here.
    const failUnanswered = (error: unknown): void => {
      if (!this.#answered) this.fail(error);
    };
    request.on('error', failUnanswered);
    request.on('close', () => failUnanswered({ code: 'ECONNRESET', message: 'the connection closed' }));
  }

  #watch(socket: Socket, secure: boolean): void {
    const connected = (): void => {
      if (this.#connected || this.#over) return;
      this.#connected = true;
      this.#events.connected();
    };
    // The socket is always a new one. For https it is the one that encrypts, also on top of a proxy's tunnel;
    // a tunnel for http is handed over when it stands.
    if (secure) socket.once('secureConnect', connected);
    else if (socket.connecting) socket.once('connect', connected);
    else connected();
  }

  #receive(message: IncomingMessage): void {
    if (this.#over) return;
    this.#answered = true;
    this.#events.head(message.statusCode ?? 0, headersOf(message));
    message.on('data', (chunk: Uint8Array) => {
      if (!this.#over) this.#events.chunk(chunk);
    });
    message.on('end', () => this.#last(() => this.#events.end(message.complete)));
    message.on('aborted', () => this.#last(() => this.#events.end(false)));
    message.on('error', (error) => this.fail(error));
    message.on('close', () => this.#last(() => this.#events.end(false)));
  }

  #last(report: () => void): void {
    if (this.#over) return;
    this.hangUp();
    report();
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

/** Node tries several addresses of a host and then tells of all their errors in one that has no message. */
function wireError(error: unknown): WireError {
  if (error instanceof AggregateError && error.message === '') {
    const messages = error.errors.map((each) => wireError(each).message);
    return { ...wireError({ code: codeOf(error) }), message: messages.join('; ') };
  }
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return { ...(code !== undefined && { code }), message };
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
