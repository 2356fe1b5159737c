/** An HTTP request as plain data. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Response headers with lowercase names. */
export type Headers = Readonly<Record<string, string>>;

/**
 * The events of a connection, in this order: `connected` at most once, `head` at most once, `chunk` any number of
 * times, then exactly one of `end` and `failed`. No event follows after the caller aborts the request.
 */
export interface ConnectionListener {
  /** The socket is connected and, for HTTPS, the handshake is complete, so the client may now send the request. */
  connected(): void;
  head(status: number, headers: Headers): void;
  chunk(bytes: Uint8Array): void;
  /** The response ended. `complete` is false if the response is shorter than declared or lacks its last chunk. */
  end(complete: boolean): void;
  failed(error: ConnectionError): void;
}

/** A connection error. Its details affect only the wording and retries, not whether the request counts as processed. */
export interface ConnectionError {
  readonly code?: string;
  readonly message: string;
}

/** Sends a request over a dedicated connection, reports its events, and returns a function that aborts the request. */
export type HttpConnection = (request: HttpRequest, listener: ConnectionListener) => () => void;
