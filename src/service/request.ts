import http, { type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { HttpClient } from '@actions/http-client';
import type { Clock } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';
import { readBody } from './body.ts';
import { connect } from './connect.ts';
import { type Aborted, type Answer, errorWith, type HttpRequest, type Limits, unanswered } from './send.ts';

/* One request and its response. This file is loaded on demand. */

export interface RequestParts {
  readonly userAgent: string;
  readonly clock: Clock;
}

const ABORTED: Aborted = { kind: 'aborted' };

/** Sends a request over a connection of its own, through a tunnel if a proxy is set. */
export async function makeRequest(
  { clock, userAgent }: RequestParts,
  request: HttpRequest,
  limits: Limits,
  proxy: URL | undefined,
): Promise<Answer> {
  const { answerMs, signal, withinMs } = limits;
  if (signal?.aborted) return ABORTED;
  /** Closes every connection. If left open, a stalled one would keep the process alive. */
  const over = new AbortController();
  const onAbort = (): void => over.abort(ABORTED);
  const endAfter = (ms: number) =>
    whenOver(clock, ms, () => over.abort(errorWith('DEADLINE', `within ${formatDuration(ms)}`)));
  signal?.addEventListener('abort', onAbort);
  let stopTimer = endAfter(withinMs);
  let connected = false;
  try {
    const socket = await connect(request.url, { proxy, withinMs, signal: over.signal });
    over.signal.throwIfAborted();
    // Nothing was written before this line.
    connected = true;
    if (answerMs !== undefined) {
      signal?.removeEventListener('abort', onAbort);
      stopTimer();
      stopTimer = endAfter(answerMs);
    }
    const message = await responseOn(socket, request, userAgent);
    const { statusCode: status = 0, headers } = message;
    const body = await readBody(message, { ...limits, signal: over.signal });
    return over.signal.reason === ABORTED ? ABORTED : { kind: 'answered', status, headers, ...body };
  } catch (error) {
    const reason: unknown = over.signal.aborted ? over.signal.reason : error;
    return reason === ABORTED ? ABORTED : unanswered(connected, reason);
  } finally {
    stopTimer();
    signal?.removeEventListener('abort', onAbort);
    over.abort();
  }
}

/** A deadline that is late by more than this is extended by this. */
const LATE_MS = 1_000;

/** Calls `end` after `ms`, unless the returned function is called before. */
function whenOver(clock: Clock, ms: number, end: () => void): () => void {
  const expiresAt = clock.now() + ms;
  let stop = clock.after(ms, () => {
    // While the process or the machine was suspended, a response may have arrived, which Node reads after the timers. A
    // moment is enough for that, so the deadline does not exclude the whole suspension, as `AwakeTime` would.
    if (clock.now() - expiresAt > LATE_MS) stop = whenOver(clock, LATE_MS, end);
    else end();
  });
  return () => stop();
}

/** The longest timeout of a socket, in ms. The client requires one, and its timeout error has no code. */
const LONGEST_MS = 2 ** 31 - 1;

/** Sends the request over an established connection, and resolves with the head of the response. */
function responseOn(
  socket: Socket,
  { body, headers, method, url }: HttpRequest,
  userAgent: string,
): Promise<IncomingMessage> {
  const options = {
    method,
    path: url.pathname + url.search,
    headers: {
      accept: 'application/json',
      // Without this header, a server can use any content coding (RFC 9110, 12.5.3).
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      ...headers,
      host: url.host,
    },
    createConnection: () => socket,
  };
  const client = new HttpClient(userAgent, [], { socketTimeout: LONGEST_MS });
  return new Promise((resolve, reject) => {
    // A response that switches to another protocol closes the connection without an error.
    socket.once('close', () => reject(errorWith('ECONNRESET', 'the connection closed')));
    // Over TLS, the connection is encrypted already, so node:https has nothing to add.
    client
      .requestRaw({ httpModule: http, parsedUrl: url, options }, body ?? null)
      .then(({ message }) => resolve(message), reject);
  });
}
