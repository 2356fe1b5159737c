import type { Failure, Subject } from './problem.ts';
import { errorProblem } from './remedies.ts';
import { type ErrorResponse, errorResponse, isFromGateway, isHtml, isRateLimit, messageIn } from './response.ts';
import type { Answered } from './send.ts';
import type { Credential, Reply } from './session.ts';

/** Determines what a response with a status other than 2xx means for its request. `wallMs` is the wall-clock time. */
export function replyOfStatus(subject: Subject, answer: Answered, wallMs: number): Reply<never> {
  const error = errorResponse(answer);
  const credential = credentialOf(subject, error);
  return { result: failureOf(subject, error, credential, wallMs), credential };
}

/** How long to repeat a trigger or a list that does not fit the service's schema. */
const SCHEMA_CHANGES_WITHIN_MS = 120_000;

/** A message such as "JWT expired", "JWSError JWSInvalidSignature" or "bad_jwt". */
const ABOUT_JWT = /(?<![a-z])jw[st]/i;

function credentialOf({ call }: Subject, error: ErrorResponse): Credential {
  const { isUnauthorized, json, status, topic } = error;
  const isOfService = json !== undefined && !isHtml(error) && !isRateLimit(error);
  // A web page comes from a gateway and says nothing about the key.
  if (call === 'exchange')
    return (isUnauthorized && !isHtml(error)) || (status === 403 && isOfService) ? 'refused' : 'none';
  if (isUnauthorized || (topic === 'token' && call === 'trigger')) return 'refused';
  const mayBeToken =
    status === 403 || (status === 400 && (topic === 'token' || ABOUT_JWT.test(messageIn(error) ?? '')));
  // A doubted token is not a sufficient reason to repeat a trigger.
  return mayBeToken && isOfService && call !== 'trigger' ? 'doubted' : 'none';
}

function failureOf(subject: Subject, error: ErrorResponse, credential: Credential, wallMs: number): Failure {
  const { status, topic } = error;
  const { call } = subject;
  const problem = errorProblem(subject, error, credential);
  const isBusy = topic === 'not_now' || topic === 'unclear';
  const details = { problem, isBusy, retryAfterMs: retryAfterOf(error, wallMs) };
  const isExchange = call === 'exchange';
  const isTrigger = call === 'trigger';
  const isRefused = credential === 'refused';
  if (status === 407 || (isRefused && !isExchange)) return { kind: 'not_processed', problem, isFinal: true };
  if (topic === 'not_now') return { kind: 'not_processed', ...details };
  // RFC 9110: 303 redirects to the result of a request that was processed.
  if (topic === 'unclear' || (status === 303 && isTrigger)) return { kind: 'maybe_processed', ...details };
  // Such an error is about neither a run nor a pipeline.
  if ((call === 'read' || call === 'cancel') && (topic === 'request' || topic === 'schema'))
    return { kind: 'not_processed', ...details };
  if (!isExchange && topic === 'schema')
    return { kind: 'not_processed', ...details, longestMs: SCHEMA_CHANGES_WITHIN_MS };
  const mayPassLater = isRateLimit(error) || (status >= 400 && isFromGateway(subject, error));
  // Repeating a trigger by mistake would queue a second run.
  if (mayPassLater && !isTrigger && !isRefused) return { kind: 'not_processed', ...details };
  // Any other 4xx, such as 400, 403 or 404, and any redirect. A trigger has queued no run, and the key may be wrong.
  return { kind: 'rejected', problem: isExchange && status >= 400 ? { ...problem, isOfKey: true } : problem };
}

/** The longest pause that the action honors. A longer one would look like a hang. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Returns the pause in ms that a response asks for (in seconds or as a date), or undefined if it asks for none. */
function retryAfterOf({ headers }: Answered, wallMs: number): number | undefined {
  const asked = headers['retry-after'] ?? '';
  // A date is compared with the service's own clock, because runners' clocks may be wrong.
  const nowMs = httpDate(headers.date ?? '');
  const untilMs = httpDate(asked) - (Number.isNaN(nowMs) ? wallMs : nowMs);
  const ms = /^\d+$/.test(asked) ? Number(asked) * 1_000 : untilMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}

/** Parses a date from a header. Returns NaN for anything else. `Date.parse` alone would accept `-5` or `soon 1`. */
function httpDate(text: string): number {
  return /:\d\d:/.test(text) ? Date.parse(text) : Number.NaN;
}
