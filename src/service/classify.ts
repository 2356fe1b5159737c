import type { Clock } from '../base/clock.ts';
import type { Failure, Problem } from './api.ts';
import type { Headers } from './http/connection.ts';
import { connectionWords } from './http/connection-words.ts';
import type { Answer, Answered } from './http/transport.ts';
import { answerProblem, type Subject, statusProblem } from './problem.ts';
import type { Redactor } from './redact.ts';
import { type Reply, replyOf } from './reply.ts';

/** A 2xx response whose body is unusable because it is incomplete. */
export interface Incomplete {
  readonly kind: 'incomplete';
  readonly how: Exclude<Answered['body'], 'complete'>;
  readonly problem: Problem;
  /** The part of the body that arrived. It may contain secrets. */
  readonly received: string;
}

const INCOMPLETE: Readonly<Record<Incomplete['how'], string>> = {
  cut_off: 'the response was cut off',
  stalled: 'the rest of the response did not arrive',
  too_large: 'the response is too large',
};

/**
 * Determines the consequences of an attempt for its request. Returns a 2xx with a complete body as a reply, because
 * only the call knows whether the reply is valid.
 *
 * @param mayTakeLong true for the list, which the step reads before the first trigger
 */
export function classify(
  subject: Subject,
  answer: Answer,
  { redactor, clock }: { readonly redactor: Redactor; readonly clock: Clock },
  mayTakeLong = false,
): Reply | Incomplete | Failure {
  if (answer.kind === 'aborted') return answer;
  if (answer.kind === 'unanswered') {
    const { cause, remedy, retryable = true } = connectionWords(answer, subject.url.host, subject.isGiven);
    const problem = { attempted: subject.attempted, cause, remedy };
    return answer.connected ? { kind: 'maybe_processed', problem } : { kind: 'not_processed', problem, retryable };
  }
  const reply = replyOf(answer, redactor, mayTakeLong);
  if (!is2xx(answer)) return statusFailure(subject, reply, clock);
  if (answer.body === 'complete') return reply;
  // Leave out the text, because half a row does not help the reader.
  const problem = answerProblem(subject, reply, `, but ${INCOMPLETE[answer.body]}`);
  return { kind: 'incomplete', how: answer.body, problem, received: answer.text };
}

/** Returns true if the status of a response is 2xx. */
export function is2xx({ status }: Pick<Answered, 'status'>): boolean {
  return status >= 200 && status < 300;
}

function statusFailure(subject: Subject, reply: Reply, clock: Clock): Failure {
  const { status, headers } = reply;
  const problem = statusProblem(subject, reply);
  const retryAfterMs = parseRetryAfter(headers, clock.wall());
  const retry = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === 401) return { kind: 'unauthorized', problem };
  if (status === 429) return { kind: 'not_processed', problem, retryable: true, ...retry };
  // RFC 9110: 303 redirects to the result of a request. Other redirects, such as to a log-in page, precede the request.
  const isResult = status === 303 && subject.mayRedirectToResult === true;
  // A status below 200 is not a final response.
  if (isResult || status === 408 || status >= 500 || status < 300)
    return { kind: 'maybe_processed', problem, ...retry };
  return { kind: 'rejected', problem };
}

/** The longest pause that a service may request, in milliseconds. A longer pause would look like a hang. */
const LONGEST_MS = 60_000;

/**
 * Returns the `Retry-After` of a response in milliseconds, at most a minute, or undefined if it is missing or invalid.
 * Compares a date with the response's own `Date`, or else with `wallMs`, because runner clocks are sometimes wrong.
 */
export function parseRetryAfter(headers: Headers, wallMs: number): number | undefined {
  const asked = headers['retry-after']?.trim() ?? '';
  if (/^\d+$/.test(asked)) return Math.min(Number(asked) * 1_000, LONGEST_MS);
  const until = httpDate(asked);
  if (until === undefined) return undefined;
  const from = httpDate(headers['date'] ?? '') ?? wallMs;
  return Math.min(Math.max(0, until - from), LONGEST_MS);
}

/** Parses an HTTP date into milliseconds since 1970. `Date.parse` alone would accept `-5` or `soon 1`. */
function httpDate(text: string): number | undefined {
  if (!/^[A-Z][a-z]+,? .*\d{2}:\d{2}:\d{2}/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
