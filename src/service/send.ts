import type { IncomingHttpHeaders } from 'node:http';
import { messageOf } from '../base/text.ts';

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
  /** The maximum number of bytes to read from the body, both before and after decoding. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Returns true if the part of the body that has arrived is all that the caller needs. Called only for short texts. */
  readonly isEnough?: (text: string) => boolean;
}

/**
 * How a body ended. Only a `complete` body may be quoted, because redaction does not recognize a secret whose end is
 * missing.
 *
 * - `complete`: it has its declared length or its last chunk, or the caller needs no more. A body without a length is
 *   complete if it is complete JSON and the connection was closed without an error.
 * - `cut off`: it has a length or chunks, but ended too early.
 * - `stalled`: its end did not arrive in time.
 * - `too large`: it exceeds the limit before or after decoding.
 * - `unframed`: it has neither a length nor chunks, so only the end of the connection delimits it, and it is not complete.
 * - `undecodable`: its content coding is unknown or wrong.
 */
export type BodyEnd = 'complete' | 'cut off' | 'stalled' | 'too large' | 'unframed' | 'undecodable';

/** The answer if the head of a response arrived. `text` is the received part of the body, decoded. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: BodyEnd;
}

/** Precedes Node's code if the error concerns the connection to the proxy. */
export const PROXY_FAILED = 'PROXY_FAILED ';

/** The answer if no head of a response arrived. */
export interface Unanswered {
  readonly kind: 'unanswered';
  /** False proves that no byte of the request was sent: the connection (for https, with TLS) was never established. */
  readonly connected: boolean;
  /**
   * Node's error code, or `DEADLINE` (time ran out), `PROXY_ADDRESS` (a proxy variable is unusable), `PROXY_FAILED` with
   * Node's code (no tunnel) or `PROXY_REFUSED` (the proxy's response has the status in `message`).
   */
  readonly code: string;
  readonly message: string;
}

/** The answer if the signal ended the request. */
export interface Aborted {
  readonly kind: 'aborted';
}

export type Answer = Answered | Unanswered | Aborted;

/** Makes one request. Never rejects, never retries and never follows a redirect. */
export type Send = (request: HttpRequest, limits: Limits) => Promise<Answer>;

/** Returns an error with a code. */
export function errorWith(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Returns the answer for an error that occurred before the head of a response arrived. */
export function unanswered(connected: boolean, error: unknown): Unanswered {
  const { code = '' }: NodeJS.ErrnoException = error instanceof Error ? error : new Error();
  // If Node tried several addresses, its error has no message.
  return { kind: 'unanswered', connected, code, message: messageOf(error) || code };
}
