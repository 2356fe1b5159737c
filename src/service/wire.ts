/** One HTTP request as data. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/**
 * What a connection reports, in this order: `connected` at most once, `head` at most once, `chunk` any number
 * of times, then exactly one of `end` and `failed`. Nothing is reported after `abort`.
 */
export interface WireEvents {
  /** The socket is connected and, for https, its handshake is finished: bytes of the request may leave. */
  connected(): void;
  head(status: number, headers: Readonly<Record<string, string | undefined>>): void;
  chunk(bytes: Uint8Array): void;
  /** The answer ended. `complete` is false when its length or its last chunk did not come. */
  end(complete: boolean): void;
  failed(error: WireError): void;
}

/** What is kept of an error of the connection: it words the message and decides nothing. */
export interface WireError {
  readonly code?: string;
  readonly message: string;
}

/**
 * Sends a request over a connection of its own and reports what happens to it; returns what ends it early.
 * The lowest border of the service: everything that decides what an event means lies above it.
 */
export type Wire = (request: WireRequest, events: WireEvents) => () => void;
