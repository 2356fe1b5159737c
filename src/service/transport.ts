import type { Clock } from '../base/clock.ts';
import { oneLine } from '../base/safe-text.ts';
import type { RequestTrace } from './api.ts';
import { Body } from './body.ts';
import type { Wire, WireError, WireRequest } from './wire.ts';

/** Headers of an answer, names in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;

/** A head came. What it means is decided above; `text` is all that came of the body, whole or not. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: 'complete' | 'cut_off' | 'stalled' | 'too_large';
}

/** No head came. Whether the request may have been processed is `connected`, never the error's code. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly connected: boolean;
  /** Absent when the deadline ended the attempt. */
  readonly error?: WireError;
  /** The deadline in milliseconds that passed. */
  readonly deadlineMs?: number;
}

export type Answer = Answered | Unanswered | { readonly kind: 'aborted' };

/** Milliseconds: one deadline over connect, head and body, or one until connected and one from there to the end. */
export type Deadline = { readonly allMs: number } | { readonly connectMs: number; readonly answerMs: number };

export interface Limits {
  readonly deadline: Deadline;
  /** Bytes of body after which the rest is not waited for. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** The signal aborts nothing once connected: `aborted` then proves that the request was not processed. */
  readonly untilConnected?: boolean | undefined;
  /** Whether what has come so far is all that is wanted: the rest then has a moment left to come. */
  readonly isEnough?: ((soFar: Answered) => boolean) | undefined;
  /** Which try of its call this is, from 1; only told to the trace. */
  readonly attempt?: number;
}

/** How long the end of an answer is waited for that holds all that is wanted, in milliseconds: somebody may press. */
const END_WITHIN_MS = 100;
/** What is enough is short; in bytes. A long body is not looked at again with every chunk. */
const LONGEST_ENOUGH = 1_024;

/** Makes one attempt, and never rejects. */
export type Transport = (request: WireRequest, limits: Limits) => Promise<Answer>;

/** Binds attempts to a wire and a clock; `onTrace` hears of each one that has ended. */
export function createTransport(parts: {
  readonly wire: Wire;
  readonly clock: Clock;
  readonly onTrace?: ((trace: RequestTrace) => void) | undefined;
}): Transport {
  const { wire, clock, onTrace } = parts;
  return async (request, limits) => {
    if (limits.signal?.aborted) return { kind: 'aborted' };
    const startedMs = clock.now();
    const answer = await attempt(wire, clock, request, limits);
    onTrace?.({
      method: request.method,
      path: request.url.pathname + request.url.search,
      attempt: limits.attempt ?? 1,
      ms: Math.round(clock.now() - startedMs),
      ...outcomeWords(answer),
    });
    return answer;
  };
}

function attempt(wire: Wire, clock: Clock, request: WireRequest, limits: Limits): Promise<Answer> {
  const { deadline, signal } = limits;
  return new Promise((resolve) => {
    const body = new Body(limits.maxBytes);
    let head: { readonly status: number; readonly headers: Headers } | undefined;
    let connected = false;
    let enough = false;
    let over = false;
    // Until the wire has returned there is nothing to hang up.
    let hangUp = (): void => undefined;

    const finish = (answer: Answer): void => {
      over = true;
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
    const limit = (deadlineMs: number): (() => void) =>
      clock.after(deadlineMs, () =>
        stop(answered('stalled') ?? { kind: 'unanswered', connected, deadlineMs }),
      );
    const onConnected = (): void => {
      if (connected) return;
      connected = true;
      if (limits.untilConnected) signal?.removeEventListener('abort', onAbort);
      if (!('connectMs' in deadline)) return;
      stopTimer();
      stopTimer = limit(deadline.answerMs);
    };

    let stopTimer = limit('connectMs' in deadline ? deadline.connectMs : deadline.allMs);
    signal?.addEventListener('abort', onAbort);
    hangUp = wire(request, {
      connected: onConnected,
      head(status, headers) {
        onConnected();
        head ??= { status, headers };
      },
      chunk(bytes) {
        if (!body.add(bytes)) {
          const cut = answered('too_large');
          if (cut) stop(cut);
        } else if (!enough && limits.isEnough !== undefined && body.length <= LONGEST_ENOUGH) {
          const soFar = answered('complete');
          enough = soFar !== undefined && limits.isEnough(soFar);
          if (!enough) return;
          stopTimer();
          stopTimer = limit(END_WITHIN_MS);
        }
      },
      end(complete) {
        finish(answered(complete ? 'complete' : 'cut_off') ?? { kind: 'unanswered', connected });
      },
      failed(error) {
        finish(answered('cut_off') ?? { kind: 'unanswered', connected, error });
      },
    });
    // A wire may have reported too much before it returned.
    if (over) hangUp();
  });
}

function outcomeWords(answer: Answer): { status?: number; failure?: string } {
  if (answer.kind === 'aborted') return { failure: 'aborted' };
  if (answer.kind === 'answered') {
    return {
      status: answer.status,
      ...(answer.body !== 'complete' && { failure: `body ${answer.body.replace('_', ' ')}` }),
    };
  }
  const when = answer.connected ? 'connected' : 'not connected';
  const why = answer.error ? (answer.error.code ?? answer.error.message) : 'deadline';
  return { failure: oneLine(`${when}: ${why}`, 120) };
}
