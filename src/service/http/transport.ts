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

/** Makes one attempt, and never rejects. */
export type Transport = (request: HttpRequest, limits: Limits) => Promise<Answer>;

interface TransportParts {
  readonly connection: HttpConnection;
  readonly clock: Clock;
  /** Called after each attempt. */
  readonly onTrace?: ((trace: RequestTrace) => void) | undefined;
}

export function createTransport(parts: TransportParts): Transport {
  const { clock, onTrace } = parts;
  return async (request, limits) => {
    if (limits.signal?.aborted) return { kind: 'aborted' };
    const startedMs = clock.now();
    const answer = await attempt(parts, request, limits);
    onTrace?.({
      method: request.method,
      path: request.url.pathname + request.url.search,
      attempt: limits.attempt ?? 1,
      ms: Math.round(clock.now() - startedMs),
      ...traceOf(answer),
    });
    return answer;
  };
}

function attempt(parts: TransportParts, request: HttpRequest, limits: Limits): Promise<Answer> {
  const { connection, clock } = parts;
  const { deadline, signal } = limits;
  return new Promise((resolve) => {
    const body = new Body(limits.maxBytes);
    let head: { readonly status: number; readonly headers: Headers } | undefined;
    let connected = false;
    let enough = false;
    let finished = false;
    let hangUp = (): void => undefined;

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
    const answered = (how: Answered['body']): Answered | undefined =>
      head && { kind: 'answered', ...head, text: body.text(), body: how };
    const onAbort = (): void => stop({ kind: 'aborted' });
    const startTimer = (deadlineMs: number): (() => void) =>
      clock.after(deadlineMs, () => stop(answered('stalled') ?? { kind: 'unanswered', connected, deadlineMs }));
    const onConnected = (): void => {
      if (connected) return;
      connected = true;
      if (limits.untilConnected) signal?.removeEventListener('abort', onAbort);
      if (!('connectMs' in deadline)) return;
      stopTimer();
      stopTimer = startTimer(deadline.answerMs);
    };

    let stopTimer = startTimer('connectMs' in deadline ? deadline.connectMs : deadline.allMs);
    signal?.addEventListener('abort', onAbort);
    hangUp = connection(request, {
      connected: onConnected,
      head(status, headers) {
        onConnected();
        head ??= { status, headers };
      },
      chunk(bytes) {
        if (finished) return;
        if (!body.add(bytes)) {
          const cut = answered('too_large');
          if (cut) stop(cut);
        } else if (!enough && limits.isEnough !== undefined && body.length <= LONGEST_ENOUGH) {
          const soFar = answered('complete');
          enough = soFar !== undefined && limits.isEnough(soFar);
          if (!enough) return;
          stopTimer();
          stopTimer = startTimer(END_WITHIN_MS);
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

/** Each chunk is an event: 250 KB in chunks of a byte would block the process for 0.1 s. No server sends so many. */
const MANY_CHUNKS = 2_000;
const TINY_BYTES = 32;

/** The part of a body received so far, up to a number of bytes. */
class Body {
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  /** In bytes. */
  length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns false if the chunk does not fit, in which case its rest is dropped, or if there are too many tiny ones. */
  add(bytes: Uint8Array): boolean {
    const kept = bytes.subarray(0, this.#maxBytes - this.length);
    const count = this.#chunks.push(kept);
    this.length += kept.length;
    const areTiny = count > MANY_CHUNKS && this.length < count * TINY_BYTES;
    return kept.length === bytes.length && !areTiny;
  }

  /** As UTF-8. Invalid bytes become U+FFFD, and a byte order mark is dropped. */
  text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#chunks));
  }
}
