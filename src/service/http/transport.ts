import type { Clock } from '../../base/clock.ts';
import { oneLine } from '../../base/safe-text.ts';
import type { RequestTrace } from '../api.ts';
import type { ConnectionError, Headers, HttpConnection, HttpRequest } from './connection.ts';

/** An attempt with a response head. `text` is the received part of the body. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: 'complete' | 'cut_off' | 'stalled' | 'too_large';
}

/** An attempt without a response head. Only `connected` decides whether the service may have processed the request. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly connected: boolean;
  /** Absent if the deadline ended the attempt. */
  readonly error?: ConnectionError;
  /** The deadline that expired, in milliseconds. */
  readonly deadlineMs?: number;
}

export type Answer = Answered | Unanswered | { readonly kind: 'aborted' };

/** Time limits in milliseconds: one for the whole attempt, or one for connecting and one for the head and body. */
export type Deadline = { readonly allMs: number } | { readonly connectMs: number; readonly answerMs: number };

export interface Limits {
  readonly deadline: Deadline;
  /** Maximum body length in bytes. The transport does not wait for the rest of a longer body. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Ignores the signal after connecting, so `aborted` proves that the service did not process the request. */
  readonly untilConnected?: boolean | undefined;
  /** Returns true if the received part of a response is enough. The transport then waits only briefly for the rest. */
  readonly isEnough?: ((soFar: Answered) => boolean) | undefined;
  /** The number of this attempt within its call, starting at 1. Only the trace uses this number. */
  readonly attempt?: number;
}

/** The default limits. 256 KiB is a thousand times the usual body size and takes a few milliseconds to parse. */
export const USUAL_LIMITS = { deadline: { allMs: 30_000 }, maxBytes: 262_144 } as const;

/** Time to wait for the rest of a sufficient response, in ms. It is short because a user may be about to cancel. */
const END_WITHIN_MS = 100;
/** Maximum length of a sufficient body in bytes, so that the transport does not recheck a long body on every chunk. */
const LONGEST_ENOUGH = 1_024;

/** Maximum number of tiny chunks. No server sends so many. 250 KB in one-byte chunks would block Node for 0.1 s. */
const MANY_CHUNKS = 2_000;
const TINY_BYTES = 32;

/** Makes one attempt and never rejects. */
export type Transport = (request: HttpRequest, limits: Limits) => Promise<Answer>;

export interface TransportParts {
  readonly connection: HttpConnection;
  readonly clock: Clock;
  /** Receives a trace after each attempt, for debug logging. */
  readonly onTrace: (trace: RequestTrace) => void;
}

/** Creates a transport that uses the given connection. */
export function createTransport(parts: TransportParts): Transport {
  const { clock } = parts;
  return async (request, limits) => {
    if (limits.signal?.aborted) return { kind: 'aborted' };
    const startedMs = clock.now();
    const answer = await attempt(parts, request, limits);
    parts.onTrace({
      method: request.method,
      path: request.url.pathname + request.url.search,
      attempt: limits.attempt ?? 1,
      ms: Math.round(clock.now() - startedMs),
      ...traceOf(answer),
    });
    return answer;
  };
}

function attempt({ connection, clock }: TransportParts, request: HttpRequest, limits: Limits): Promise<Answer> {
  const { deadline, signal } = limits;
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    let head: Pick<Answered, 'status' | 'headers'> | undefined;
    let connected = false;
    let enough = false;
    let finished = false;
    let hangUp = (): void => undefined;
    let stopTimer = (): void => undefined;

    const finish = (answer: Answer): void => {
      finished = true;
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
      resolve(answer);
    };
    const stop = (answer: Answer): void => {
      finish(answer);
      hangUp();
    };
    // Decode the body as UTF-8. Invalid bytes become U+FFFD, and the decoder drops a byte order mark.
    const answered = (body: Answered['body']): Answered | undefined =>
      head && { kind: 'answered', ...head, text: new TextDecoder().decode(Buffer.concat(chunks)), body };
    const onAbort = (): void => stop({ kind: 'aborted' });
    const setTimer = (deadlineMs: number): void => {
      stopTimer();
      stopTimer = clock.after(deadlineMs, () =>
        stop(answered('stalled') ?? { kind: 'unanswered', connected, deadlineMs }),
      );
    };
    const onConnected = (): void => {
      if (connected) return;
      connected = true;
      if (limits.untilConnected) signal?.removeEventListener('abort', onAbort);
      if ('answerMs' in deadline) setTimer(deadline.answerMs);
    };

    setTimer('connectMs' in deadline ? deadline.connectMs : deadline.allMs);
    signal?.addEventListener('abort', onAbort);
    hangUp = connection(request, {
      connected: onConnected,
      head(status, headers) {
        onConnected();
        head ??= { status, headers };
      },
      chunk(bytes) {
        if (finished) return;
        const kept = bytes.subarray(0, limits.maxBytes - length);
        const count = chunks.push(kept);
        length += kept.length;
        if (kept.length < bytes.length || (count > MANY_CHUNKS && length < count * TINY_BYTES)) {
          const cut = answered('too_large');
          if (cut) stop(cut);
        } else if (!enough && limits.isEnough !== undefined && length <= LONGEST_ENOUGH) {
          const soFar = answered('complete');
          enough = soFar !== undefined && limits.isEnough(soFar);
          if (enough) setTimer(END_WITHIN_MS);
        }
      },
      end(complete) {
        finish(answered(complete ? 'complete' : 'cut_off') ?? { kind: 'unanswered', connected });
      },
      failed(error) {
        finish(answered('cut_off') ?? { kind: 'unanswered', connected, error });
      },
    });
    // The connection may have reported an oversized body before it returned `hangUp`.
    if (finished) hangUp();
  });
}

function traceOf(answer: Answer): Pick<RequestTrace, 'status' | 'failure'> {
  if (answer.kind === 'aborted') return { failure: 'aborted' };
  if (answer.kind === 'answered') {
    const { status, body } = answer;
    return body === 'complete' ? { status } : { status, failure: `body ${body.replace('_', ' ')}` };
  }
  const when = answer.connected ? 'connected' : 'not connected';
  const why = answer.error ? (answer.error.code ?? answer.error.message) : 'deadline';
  return { failure: oneLine(`${when}: ${why}`, 120) };
}
