/** One HTTP request as data. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Headers of a response; their names are in lower case. */
export type Headers = Readonly<Record<string, string>>;

/**
 * What a connection reports, in this order: `connected` at most once, `head` at most once, `chunk` any number
 * of times, then exactly one of `end` and `failed`. Nothing is reported after the request was aborted.
 */
export interface ConnectionListener {
  /** The socket is connected and, for https, the handshake is finished: bytes of the request may be sent now. */
  connected(): void;
  head(status: number, headers: Headers): void;
  chunk(bytes: Uint8Array): void;
  /** The response ended. `complete` is false if its length or its last chunk is missing. */
  end(complete: boolean): void;
  failed(error: ConnectionError): void;
}

/** An error of the connection. Its code and message choose the words of a message, never the outcome. */
export interface ConnectionError {
  readonly code?: string;
  readonly message: string;
}

/** Sends a request over a connection of its own, reports what happens to it, and returns a function that aborts it. */
export type HttpConnection = (request: HttpRequest, listener: ConnectionListener) => () => void;
