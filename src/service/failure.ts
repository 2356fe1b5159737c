import { flat } from '../base/text.ts';
import { connectionFault, isClientCertificateDemanded } from './connection.ts';
import { ATTEMPTED, answerProblem, isHtml, isRedirect, type Problem, type Subject } from './problem.ts';
import type { Answered, Unanswered } from './send.ts';

interface Transient {
  readonly problem: Problem;
  readonly retryAfterMs?: number | undefined;
  /** No retry can help. */
  readonly isFinal?: boolean;
}

/** Why a call has no result. The kind decides whether the call may be repeated. */
export type Failure =
  /** The service provably did not process the request. */
  | ({ readonly kind: 'not_processed' } & Transient)
  /** The service may have processed the request. */
  | ({ readonly kind: 'maybe_processed' } & Transient)
  /** The service rejected a token that it had just issued. */
  | { readonly kind: 'unauthorized'; readonly problem: Problem }
  /** The service refused the request. */
  | { readonly kind: 'rejected'; readonly problem: Problem }
  /** A web page refused the request: a firewall or gateway speaks, not the service. */
  | { readonly kind: 'page'; readonly problem: Problem }
  | { readonly kind: 'key_refused'; readonly problem: Problem }
  | { readonly kind: 'aborted' };

/** Determines what it means for a request that no response arrived. */
export function failureOfConnection(subject: Subject, answer: Unanswered): Failure {
  const message = subject.redact(flat(answer.message));
  const { isFinal = false, ...words } = connectionFault({ ...answer, message }, subject);
  const problem = { attempted: ATTEMPTED[subject.call], ...words };
  const isUnsent = !answer.connected || isClientCertificateDemanded(answer);
  // Only a trigger and a cancel have effects. For the other calls, a final failure ends the retries.
  const hasEffect = subject.call === 'trigger' || subject.call === 'cancel';
  if (isUnsent || (isFinal && !hasEffect)) return { kind: 'not_processed', problem, isFinal };
  return { kind: 'maybe_processed', problem, isFinal };
}

/** Determines what a response with a status other than 2xx means for its request. `wallMs` is the wall-clock time. */
export function failureOfStatus(subject: Subject, answer: Answered, wallMs: number): Failure {
  const { status } = answer;
  const problem = answerProblem(subject, answer);
  const retryAfterMs = retryAfterOf(answer, wallMs);
  if (status === 401) return { kind: 'unauthorized', problem };
  if (status === 429) return { kind: 'not_processed', problem, retryAfterMs };
  if (status === 407) return { kind: 'not_processed', problem, isFinal: true };
  // RFC 9110: 303 redirects to the result of a request that was processed. 499 is a gateway's word for a lost client.
  const isLost = status === 408 || status === 499 || (status === 303 && subject.call === 'trigger');
  if (isLost || status >= 500 || status < 300) return { kind: 'maybe_processed', problem, retryAfterMs };
  return { kind: isHtml(answer) && !isRedirect(status) ? 'page' : 'rejected', problem };
}

/** A longer pause would look like a hang. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Returns the pause that a response asks for, as seconds or as a date, or undefined if it asks for none. */
function retryAfterOf({ headers }: Answered, wallMs: number): number | undefined {
  const asked = headers['retry-after']?.trim() ?? '';
  if (/^\d+$/.test(asked)) return Math.min(Number(asked) * 1_000, LONGEST_RETRY_AFTER_MS);
  const until = httpDate(asked);
  if (until === undefined) return undefined;
  // A date refers to the service's own clock, because those of runners may be wrong.
  const ms = until - (httpDate(headers.date ?? '') ?? wallMs);
  return Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}

/** Parses the date of a header. `Date.parse` alone would accept `-5` or `soon 1`. */
function httpDate(text: string): number | undefined {
  const ms = /^[A-Z][a-z]+,? .*\d{2}:\d{2}:\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
