import type { IncomingHttpHeaders } from 'node:http';

/* The interface to the network: one function makes one request over a fresh connection. `http.ts` implements it. */

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** The limits of one request. Times are in milliseconds. */
export interface Limits {
  /** Time for the whole request or, if `answerMs` is set, for the connection alone. */
  readonly withinMs: number;
  /**
   * Time for the response, from the moment the connection is established. From then on, the signal is ignored, so
   * `aborted` proves that the service did not process the request.
   */
  readonly answerMs?: number;
  /** The maximum number of bytes to read from the body. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Returns true if the part of the body that has arrived is all that the caller needs. */
  readonly isEnough?: (text: string) => boolean;
}

/** The answer if the head of a response arrived. `text` is the received part of the body. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: 'complete' | 'cut off' | 'stalled' | 'too large';
}

/** Precedes Node's code if the error concerns the connection to the proxy. */
export const PROXY_FAILED = 'PROXY_FAILED ';

/** The answer if no head of a response arrived. */
export interface Unanswered {
  readonly kind: 'unanswered';
  /** False proves that the service did not process the request. For https, the TLS handshake was never completed. */
  readonly connected: boolean;
  /**
   * Node's error code, or `DEADLINE` (time ran out), `PROXY_ADDRESS` (a proxy variable is unusable), `PROXY_FAILED` with
   * Node's code (no tunnel) or `PROXY_REFUSED` (the proxy's response has the status in `message`).
   */
  readonly code: string;
  readonly message: string;
}

/** `aborted` means that the signal ended the request. */
export type Answer = Answered | Unanswered | { readonly kind: 'aborted' };

/** Makes one request. Never rejects, never retries and never follows a redirect. */
export type Send = (request: HttpRequest, limits: Limits) => Promise<Answer>;
