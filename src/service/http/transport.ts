import type { Clock } from '../../base/clock.ts';
import { oneLine } from '../../base/safe-text.ts';
import type { RequestTrace } from '../api.ts';
import type { ConnectionError, Headers, HttpConnection, HttpRequest } from './connection.ts';

/** A head arrived. `text` is what was received of the body. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: 'complete' | 'cut_off' | 'stalled' | 'too_large';
}

/** No head arrived. `connected` decides whether the request may have been processed, never the error's code. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly connected: boolean;
  /** Absent if the deadline ended the attempt. */
  readonly error?: ConnectionError;
  /** The deadline that passed, in milliseconds. */
  readonly deadlineMs?: number;
}

export type Answer = Answered | Unanswered | { readonly kind: 'aborted' };

/** Milliseconds: one deadline for connecting, head and body, or one for connecting and one for the rest. */
export type Deadline = { readonly allMs: number } | { readonly connectMs: number; readonly answerMs: number };

export interface Limits {
  readonly deadline: Deadline;
  /** Longest body in bytes. The rest of a longer one is not awaited. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** The signal aborts nothing once connected, so `aborted` proves that the request was not processed. */
  readonly untilConnected?: boolean | undefined;
  /** Whether the part of an answer received so far is all that is needed. Its end is then awaited only briefly. */
  readonly isEnough?: ((soFar: Answered) => boolean) | undefined;
  /** The number of this attempt in its call, from 1. Only the trace uses it. */
  readonly attempt?: number;
}

/** 256 KiB are a thousand times a usual body, and are parsed within a few milliseconds. */
export const USUAL_LIMITS = { deadline: { allMs: 30_000 }, maxBytes: 262_144 } as const;

/** How long to await the end of an answer that is enough, in milliseconds. A user may be about to cancel. */
const END_WITHIN_MS = 100;
/** Longest body in bytes that can be enough, so that a long one is not checked again with every chunk. */
const LONGEST_ENOUGH = 1_024;

/** Each chunk is an event: 250 KB in chunks of a byte would block the process for 0.1 s. No server sends so many. */
const MANY_CHUNKS = 2_000;
const TINY_BYTES = 32;

/** Makes one attempt, and never rejects. */
export type Transport = (request: HttpRequest, limits: Limits) => Promise<Answer>;

export interface TransportParts {
  readonly connection: HttpConnection;
  readonly clock: Clock;
  /** Called after each attempt, for debug lines. */
  readonly onTrace?: (trace: RequestTrace) => void;
}

/** Creates the transport over a connection. */
export function createTransport(parts: TransportParts): Transport {
  const { clock } = parts;
  return async (request, limits) => {
    if (limits.signal?.aborted) return { kind: 'aborted' };
    const startedMs = clock.now();
    const answer = await attempt(parts, request, limits);
    parts.onTrace?.({
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
    // As UTF-8. Invalid bytes become U+FFFD, and a byte order mark is dropped.
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
    // The connection may have reported a body that is too large before it returned `hangUp`.
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
