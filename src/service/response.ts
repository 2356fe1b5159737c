import { asObject, parseJson } from '../base/json.ts';
import { flat, oneLine, quoted } from '../base/text.ts';
import { codingsOf } from './encoding.ts';
import {
  ATTEMPTED,
  type CallName,
  type Failure,
  KEY_REMEDY,
  PROXY_LOGIN,
  type Problem,
  type Subject,
} from './problem.ts';
import type { Answered } from './send.ts';

export function isSuccess({ status }: Answered): boolean {
  return status >= 200 && status < 300;
}

/**
 * Returns the JSON in a body, or undefined if the body is not JSON or proves nothing. If the body has a length or chunks
 * and parses, it is whole, even if the connection broke right after it.
 */
export function jsonOf({ body, text }: Answered): unknown {
  return ['complete', 'cut off', 'stalled'].includes(body) ? parseJson(text) : undefined;
}

/** Says why the body of a response is not JSON. */
export function flawOf({ body, headers, text }: Answered, { redact }: Subject): string {
  switch (body) {
    case 'complete':
      return text.trim() === '' ? 'with an empty body' : 'with a body that is not JSON';
    case 'cut off':
      return 'with a truncated response';
    case 'stalled':
      return 'with a stalled response';
    case 'too large':
      return 'with an oversized response';
    case 'unframed':
      return 'with a response that declares no length and may be incomplete';
    case 'undecodable':
      return `with a body that could not be decoded (content-encoding: ${oneLine(redact(flat(codingsOf(headers))), 60)})`;
  }
}

/** Determines what a response with a status other than 2xx means for its request. `wallMs` is the wall-clock time. */
export function failureOfStatus(subject: Subject, answer: Answered, wallMs: number): Failure {
  const { status } = answer;
  const { call } = subject;
  const problem = answerProblem(subject, answer);
  const isBusy = status === 408 || status === 429 || status >= 500;
  const details = { problem, call, isBusy, retryAfterMs: retryAfterOf(answer, wallMs) };
  const isExchange = call === 'exchange';
  // A web page with status 401 comes from a gateway and says nothing about the key.
  if (isExchange && status === 401 && !isHtml(answer)) return { kind: 'key_refused', problem };
  if (status === 429) return { kind: 'not_processed', ...details };
  // For a call with a token, any 401 proves that the request was not processed.
  if (status === 407 || (status === 401 && !isExchange)) return { kind: 'not_processed', problem, call, isFinal: true };
  // RFC 9110: 303 redirects to the result of a request that was processed. Gateways send 499 if the client disconnects.
  const isInconclusive = status === 408 || status === 499 || (status === 303 && call === 'trigger');
  if (isInconclusive || status >= 500 || status < 300) return { kind: 'maybe_processed', ...details };
  const mayPassLater = isRateLimit(answer) || (status >= 400 && isFromGateway(subject, answer));
  // Repeating a trigger by mistake would queue a second run.
  if (mayPassLater && call !== 'trigger') return { kind: 'not_processed', ...details };
  // Any other 4xx, such as 400, 403 or 404, and any redirect. A trigger has queued no run.
  return { kind: 'rejected', problem };
}

/** Some gateways respond to too many requests with another 4xx and Retry-After. */
function isRateLimit({ headers, status }: Answered): boolean {
  return status >= 400 && headers['retry-after'] !== undefined;
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

/** Describes a response that the action cannot use. `why` is what is wrong with a 2xx: "with …" or "without …". */
export function answerProblem(subject: Subject, answer: Answered, why = ''): Problem {
  const { status, headers } = answer;
  // The query may contain a token that the action does not know.
  const location = subject.redact(flat(headers.location ?? '')).replace(/[?#].*/, '');
  const target = isRedirect(status) && location !== '' ? `, a redirect to ${oneLine(location, 200)}` : '';
  const error = jsonOf(answer);
  // The body of an unusable 2xx is not quoted, because it may contain part of a token or of a row.
  const words = isHtml(answer) ? ' with a web page' : why === '' ? wordsOf(answer, error, subject) : ` ${why}`;
  const cause = `HTTP ${status}${target}${words}`;
  return { attempted: ATTEMPTED[subject.call], cause, remedy: remedyFor(subject, answer, asObject(error)['code']) };
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Returns whether a response is a web page (or XML), as from a proxy, a firewall, a login page or a wrong URL. */
export function isHtml({ headers, text }: Answered): boolean {
  if (/^(?:text\/html|application\/xhtml)/i.test(headers['content-type'] ?? '')) return true;
  return /^\s*<[!?a-z]/i.test(text);
}

/** The service reports errors as JSON. For a read, any other body of a 4xx means that a firewall or gateway responded. */
function isFromGateway({ call }: Subject, answer: Answered): boolean {
  return isHtml(answer) || (call === 'read' && answer.status >= 400 && jsonOf(answer) === undefined);
}

const LONG_WORDS = /[\w.~+/=%\\-]{20,}/g;

/** A long word that contains a digit may be a token. */
function withoutToken(word: string): string {
  return /\d/.test(word) ? '***' : word;
}

/** Quotes from a body: an error's message, code and hint, or an excerpt from any other text. */
function wordsOf(answer: Answered, json: unknown, subject: Subject): string {
  const { body, text } = answer;
  const { call, redact } = subject;
  if (body === 'undecodable') return ` ${flawOf(answer, subject)}`;
  // An incomplete body may end with part of a secret, and redaction would not recognize it.
  if (text.trim() === '' || body !== 'complete') return '';
  // The exchange may show a token that the action does not know, anywhere in its response.
  const safe = (words: string): string => (call === 'exchange' ? words.replace(LONG_WORDS, withoutToken) : words);
  const show = (words: string, longest: number): string => quoted(safe(redact(flat(words))), longest);
  const { message, msg, error, error_description: description, code, hint } = asObject(json);
  const candidates = [message, msg, description, asObject(error)['message'], error, json];
  const said = candidates.find((each) => typeof each === 'string' && each.trim() !== '');
  if (typeof said !== 'string') return call === 'exchange' && json !== undefined ? '' : ` ${show(text, 160)}`;
  const isCode = typeof code === 'string' || typeof code === 'number';
  const details = [
    ...(isCode ? [`code ${show(String(code), 40).slice(1, -1)}`] : []),
    ...(typeof hint === 'string' && hint.trim() !== '' ? [`hint: ${show(hint, 300)}`] : []),
  ];
  return ` ${show(said, 300)}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
}

const TOKEN_REMEDY =
  "The service rejected a token that it had just issued. Check whether the API key was revoked. If not, contact the service's operators.";
const WRONG_HOST =
  "base-url seems to lead to a web page. Set it to the application's URL, and check whether a proxy requires a login.";
const CHECK_PIPELINE = "Check that the pipeline exists, is active, and belongs to the API key's workspace.";

/** The remedies for a 4xx, unless its status or code has a more specific one. */
const WHEN_REJECTED: Readonly<Record<CallName, string | undefined>> = {
  exchange:
    'Check that the API key is valid, that base-url is right, and that no proxy or firewall rejects the request.',
  list: "Use UUIDs instead of names. The URL of a pipeline's page contains its UUID.",
  trigger: 'Fix the problem that the service reports.',
  read: "Check that the API key belongs to the run's workspace.",
  cancel: "Check that the API key belongs to the run's workspace.",
};

function remedyFor(subject: Subject, answer: Answered, code: unknown): string | undefined {
  const { call, host } = subject;
  const { status } = answer;
  const isExchange = call === 'exchange';
  if (status === 407) return PROXY_LOGIN;
  if (isRedirect(status))
    return `The action does not follow redirects, so that secrets cannot reach another host. Check ${isExchange ? 'base-url, and check ' : ''}whether a proxy requires a login.`;
  const check = isExchange ? ', and check base-url' : '';
  const allow = `A proxy, a firewall or a login page may have responded instead of the service. Allow connections to ${host}${check}.`;
  if (isHtml(answer) && status < 500) return isExchange && status < 300 ? WRONG_HOST : allow;
  if (status === 401) return isExchange ? KEY_REMEDY : TOKEN_REMEDY;
  if (status < 400 || status >= 500 || [408, 429, 499].includes(status)) return undefined;
  if (call !== 'trigger' && isRateLimit(answer)) return undefined;
  if (isFromGateway(subject, answer)) return allow;
  // PostgREST returns 400 for an exception that a function raises.
  const isUnknown = status === 404 || (status === 400 && code === 'P0001');
  return call === 'trigger' && isUnknown ? CHECK_PIPELINE : WHEN_REJECTED[call];
}
