import { asObject, parseJson } from '../base/json.ts';
import { oneLine, quoted } from '../base/text.ts';
import { codingsOf } from './encoding.ts';
import {
  type CallName,
  type Failure,
  KEY_REMEDY,
  PROXY_LOGIN,
  type Problem,
  problemOf,
  type Subject,
  USE_UUIDS,
} from './problem.ts';
import type { Answered } from './send.ts';
import type { Credential, Reply } from './session.ts';

export function is2xx({ status }: Answered): boolean {
  return status >= 200 && status < 300;
}

/** The subject of a PostgREST error code. */
type Topic = 'too_early' | 'connection_lost' | 'request' | 'schema' | 'token';

const SCHEMA_STATUSES = [400, 404, 406];
/**
 * The codes that change what a response means, and the statuses with which they do so (by default, any). The action
 * also works if a response contains none of them: https://docs.postgrest.org/en/stable/references/errors.html
 */
const CODES: readonly (readonly [code: RegExp, topic: Topic, statuses?: readonly number[]])[] = [
  // There is no connection to the database yet, or the schema is not loaded yet. No SQL was executed.
  [/^PGRST00[023]$/, 'too_early'],
  // The connection to the database was lost, perhaps after a commit.
  [/^PGRST001$/, 'connection_lost'],
  [/^PGRST1\d\d$/, 'request', SCHEMA_STATUSES],
  // A table, a column or a function is unknown, for example during a migration.
  [/^(?:PGRST2\d\d|42P01|42703|42883)$/, 'schema', SCHEMA_STATUSES],
  [/^PGRST3\d\d$/, 'token', [400]],
];

/** How long to repeat a trigger or a list that does not fit the service's schema. */
const SCHEMA_CHANGES_WITHIN_MS = 120_000;

/** A response with a status other than 2xx. Its JSON is parsed only once, because it may be long. */
interface ErrorResponse extends Answered {
  /** Undefined if the body is not JSON, or if it is incomplete. */
  readonly json: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly topic: Topic | undefined;
}

function errorResponse(answer: Answered): ErrorResponse {
  const { body, status, text } = answer;
  const json = body === 'complete' ? parseJson(text) : undefined;
  const fields = asObject(json);
  const code = typeof fields['code'] === 'string' ? fields['code'] : '';
  const row = CODES.find(([pattern, , statuses = [status]]) => pattern.test(code) && statuses.includes(status));
  return { ...answer, json, fields, topic: row?.[1] };
}

/**
 * Returns the JSON in a body, or undefined if the body is not JSON or is inconclusive. If the body has a length or
 * chunks and parses, it is complete, even if the connection broke right after it.
 */
export function jsonOf(answer: Answered): unknown {
  return isDelimited(answer) ? parseJson(answer.text) : undefined;
}

/**
 * Returns whether a body has a length or chunks, or is complete without them, so that complete JSON in it is
 * conclusive.
 */
export function isDelimited({ body }: Answered): boolean {
  return ['complete', 'cut off', 'stalled'].includes(body);
}

/** Says why the body of a response is not JSON. */
export function flawOf({ body, headers, text }: Answered, { clean }: Subject): string {
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
      return `with a body that could not be decoded (content-encoding: ${oneLine(clean(codingsOf(headers), 60))})`;
  }
}

/** Determines what a response with a status other than 2xx means for its request. `wallMs` is the wall-clock time. */
export function replyOfStatus(subject: Subject, answer: Answered, wallMs: number): Reply<never> {
  const error = errorResponse(answer);
  const credential = credentialOf(subject, error);
  return { result: failureOf(subject, error, credential, wallMs), credential };
}

/** A message such as "JWT expired", "JWSError JWSInvalidSignature" or "bad_jwt". */
const ABOUT_JWT = /(?<![a-z])jw[st]/i;

function credentialOf({ call }: Subject, error: ErrorResponse): Credential {
  const { json, status, topic } = error;
  const isOfService = json !== undefined && !isHtml(error) && !isRateLimit(error);
  // A web page with status 401 comes from a gateway and says nothing about the key.
  if (call === 'exchange')
    return (status === 401 && !isHtml(error)) || (status === 403 && isOfService) ? 'refused' : 'none';
  if (status === 401 || (topic === 'token' && call === 'trigger')) return 'refused';
  const mayBeToken =
    status === 403 || (status === 400 && (topic === 'token' || ABOUT_JWT.test(messageIn(error) ?? '')));
  // A doubted token is not a sufficient reason to repeat a trigger.
  return mayBeToken && isOfService && call !== 'trigger' ? 'doubted' : 'none';
}

function failureOf(subject: Subject, error: ErrorResponse, credential: Credential, wallMs: number): Failure {
  const { status, topic } = error;
  const { call } = subject;
  const problem = errorProblem(subject, error, credential);
  const isBusy = status === 408 || status === 429 || status >= 500;
  const details = { problem, isBusy, retryAfterMs: retryAfterOf(error, wallMs) };
  const isExchange = call === 'exchange';
  const isTrigger = call === 'trigger';
  const isRefused = credential === 'refused';
  if (status === 407 || (isRefused && !isExchange)) return { kind: 'not_processed', problem, isFinal: true };
  if (status === 429 || topic === 'too_early') return { kind: 'not_processed', ...details };
  // RFC 9110: 303 redirects to the result of a request that was processed. Gateways send 499 if the client disconnects.
  const isInconclusive = topic === 'connection_lost' || [408, 499].includes(status) || (status === 303 && isTrigger);
  if (isInconclusive || status >= 500 || status < 300) return { kind: 'maybe_processed', ...details };
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

/** Describes a 2xx that the action cannot use. `why` completes "HTTP 200 …", as in "with an empty body". */
export function answerProblem(subject: Subject, answer: Answered, why: string): Problem {
  const wrongHost = subject.call === 'exchange' ? WRONG_HOST : allowIn(subject);
  // Only a complete body shows that the problem is not temporary.
  const wrongShape = answer.body === 'complete' ? WHEN_UNUSABLE[subject.call] : undefined;
  // The body is not quoted, because it may contain part of a token or of a row.
  const [words, remedy] = isHtml(answer) ? [WEB_PAGE, wrongHost] : [why, wrongShape];
  return problemOf(subject.call, `HTTP ${answer.status} ${words}`, remedy);
}

const WEB_PAGE = 'with a web page';

function errorProblem(subject: Subject, error: ErrorResponse, credential: Credential): Problem {
  const { headers, status } = error;
  const location = oneLine(subject.clean(headers.location ?? '', LONGEST_ADDRESS, { remove: withoutQuery }));
  const target = isRedirect(status) && location !== '' ? `, a redirect to ${location}` : '';
  const words = isHtml(error) ? ` ${WEB_PAGE}` : wordsOf(error, subject);
  return problemOf(subject.call, `HTTP ${status}${target}${words}`, remedyFor(subject, error, credential));
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
function isFromGateway({ call }: Subject, error: ErrorResponse): boolean {
  return isHtml(error) || (call === 'read' && error.status >= 400 && error.json === undefined);
}

/** The maximum length of the target of a redirect. */
const LONGEST_ADDRESS = 200;

/** The query of a URL may contain a token that the action does not know. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*/, '');
}

/** The minimum length of a token in an error response. A shorter text may be an ordinary word. */
export const SHORTEST_IN_ERROR = 20;
const LONG_WORDS = new RegExp(String.raw`[\w.~+/=%\\-]{${SHORTEST_IN_ERROR},}`, 'g');

/** A long word that contains a digit may be a token. The path of the request, which the text may repeat, is not one. */
function withoutToken(word: string, path: string): string {
  const rest = word.replace(path, '');
  return rest.length >= SHORTEST_IN_ERROR && /\d/.test(rest) ? '***' : word;
}

/** Returns the message in an error, which has several forms. */
function messageIn({ fields, json }: ErrorResponse): string | undefined {
  const { message, msg, error, error_description: description } = fields;
  const candidates = [message, msg, description, asObject(error)['message'], error, json];
  return candidates.find((each): each is string => typeof each === 'string' && each.trim() !== '');
}

/** Quotes from a body: an error's message, code and hint, or an excerpt from any other text. */
function wordsOf(error: ErrorResponse, subject: Subject): string {
  const { body, fields, json, text } = error;
  const { call, clean, path } = subject;
  if (body === 'undecodable') return ` ${flawOf(error, subject)}`;
  // An incomplete body may end with part of a secret, which redaction does not recognize.
  if (text.trim() === '' || body !== 'complete') return '';
  const isExchange = call === 'exchange';
  // The exchange may show a token that the action does not know, anywhere in its response.
  const remove = (words: string): string => words.replace(LONG_WORDS, (word) => withoutToken(word, path));
  const show = (words: string, longest: number): string =>
    quoted(clean(words, longest, isExchange ? { remove } : {}), longest);
  const { code, hint } = fields;
  const said = messageIn(error);
  if (said === undefined) return isExchange && json !== undefined ? '' : ` ${show(text, 160)}`;
  const isCode = typeof code === 'string' || typeof code === 'number';
  const details = [
    ...(isCode ? [`code ${show(String(code), 40).slice(1, -1)}`] : []),
    ...(typeof hint === 'string' && hint.trim() !== '' ? [`hint: ${show(hint, 300)}`] : []),
  ];
  return ` ${show(said, 300)}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
}

const CHECK_REVOKED = "Check whether the API key was revoked. If it was not, contact the service's operators.";
const TOKEN_REMEDY = `The service rejected a token that it had just issued. ${CHECK_REVOKED}`;
const CHECK_SCHEMA =
  "The service's database schema may be changing. If the error persists, contact the service's operators.";
const CHECK_REQUEST =
  "The service does not understand the action's request. Update the action, or contact the service's operators.";
const WRONG_HOST = "Check that base-url is the application's URL, and check whether a proxy requires a login.";
const MAY_BE_RUNNING =
  'Another run of the pipeline may be queued or running. If so, wait for that run to finish, or set job-id to its id.';
const CHECK_PIPELINE = "Check that the pipeline exists, is active, and belongs to the API key's workspace.";

/** The remedies for a 4xx, unless its status or code has a more specific one. */
const WHEN_REJECTED: Readonly<Record<CallName, string>> = {
  exchange:
    'Check that the API key is valid, that base-url is correct, and that no proxy or firewall rejects the request.',
  list: USE_UUIDS,
  trigger: 'Fix the problem that the service reports.',
  read: "Check that the API key belongs to the run's workspace.",
  cancel: "Check that the API key belongs to the run's workspace.",
};

/** The remedies for a 2xx whose body is not what the service sends. */
const WHEN_UNUSABLE: Readonly<Partial<Record<CallName, string>>> = {
  exchange: "Check that base-url is the application's URL. If it is, contact the service's operators.",
  list: `${USE_UUIDS} If that does not help, contact the service's operators.`,
};

/** The remedy if something else seems to have responded in place of the service. */
function allowIn({ call, host }: Subject): string {
  const check = call === 'exchange' ? ', and check base-url' : '';
  return `A proxy, a firewall or a login page may have responded instead of the service. Allow connections to ${host}${check}.`;
}

function remedyFor(subject: Subject, error: ErrorResponse, credential: Credential): string | undefined {
  const { call, basePath, clean } = subject;
  const { fields, status, topic } = error;
  const isExchange = call === 'exchange';
  if (status === 407) return PROXY_LOGIN;
  if (isRedirect(status))
    return `The action does not follow redirects, because they could send secrets to another host. Check ${isExchange ? 'base-url, and check ' : ''}whether a proxy requires a login.`;
  const isPathWrong = isExchange && status === 404 && basePath !== '';
  const path = isPathWrong ? `Remove the path ${clean(basePath, LONGEST_ADDRESS)} from base-url. ` : '';
  const allow = `${path}${allowIn(subject)}`;
  if (isHtml(error) && status < 500) return allow;
  if (status === 401) return isExchange ? KEY_REMEDY : TOKEN_REMEDY;
  const mayPass = topic === 'too_early' || topic === 'connection_lost' || (call !== 'trigger' && isRateLimit(error));
  if (mayPass || status < 400 || status >= 500 || [408, 429, 499].includes(status)) return undefined;
  if (isFromGateway(subject, error)) return allow;
  if (!isExchange && (topic === 'request' || topic === 'schema'))
    return `${topic === 'schema' ? CHECK_SCHEMA : CHECK_REQUEST}${call === 'list' ? ` ${WHEN_REJECTED.list}` : ''}`;
  if (status === 400 && credential !== 'none') return CHECK_REVOKED;
  // Conflict and Locked.
  if (call === 'trigger' && [409, 423].includes(status)) return MAY_BE_RUNNING;
  // PostgREST returns 400 for an exception that a function raises.
  const isUnknown = status === 404 || (status === 400 && fields['code'] === 'P0001');
  return call === 'trigger' && isUnknown ? CHECK_PIPELINE : `${path}${WHEN_REJECTED[call]}`;
}
