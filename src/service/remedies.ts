import { oneLine, quoted } from '../base/text.ts';
import { codingsOf } from './encoding.ts';
import {
  type CallName,
  KEY_REMEDY,
  type Problem,
  problemOf,
  proxyLoginRemedy,
  type Subject,
  USE_UUIDS,
} from './problem.ts';
import { type ErrorResponse, isFromGateway, isHtml, isRateLimit, isRedirect, messageIn } from './response.ts';
import type { Answered } from './send.ts';
import type { Credential } from './session.ts';

/* How a response is described in messages, and what the user can do about it. */

/** Says why the body of a response is not JSON. */
export function flawOf({ body, headers, text }: Answered, subject: Subject): string {
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
      return `with a body that could not be decoded (content-encoding: ${oneLine(subject.clean(codingsOf(headers), 60, cleaningFor(subject)))})`;
  }
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

/** Describes a response with a status other than 2xx, without secrets, and says what to do. */
export function errorProblem(subject: Subject, error: ErrorResponse, credential: Credential): Problem {
  const { headers, status } = error;
  const location = oneLine(
    subject.clean(headers.location ?? '', LONGEST_ADDRESS, {
      remove: (url) => withoutTokens(withoutQuery(url), subject),
    }),
  );
  const target = isRedirect(status) && location !== '' ? `, a redirect to ${location}` : '';
  const words = isHtml(error) ? ` ${WEB_PAGE}` : wordsOf(error, subject);
  return problemOf(subject.call, `HTTP ${status}${target}${words}`, remedyFor(subject, error, credential));
}

/** The maximum length of the target of a redirect. */
const LONGEST_ADDRESS = 200;

/** The query of a URL may contain a token that the action does not know. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*/, '');
}

/** The path of a URL in a response to the exchange may contain a token, too. */
function withoutTokens(url: string, { call }: Subject): string {
  return call === 'exchange' ? url.replace(/(?<=(?<![:/])\/)[^/]+/g, (segment) => withoutToken(segment, '')) : url;
}

/** The minimum length of a token in an error response. A shorter text may be an ordinary word. */
export const SHORTEST_IN_ERROR = 20;
const LONG_WORDS = new RegExp(String.raw`[\w.~+/=%\\-]{${SHORTEST_IN_ERROR},}`, 'g');

/** A long word that contains a digit may be a token. The path of the request, which the text may repeat, is not one. */
function withoutToken(word: string, path: string): string {
  const rest = word.replace(path, '');
  return rest.length >= SHORTEST_IN_ERROR && /\d/.test(rest) ? '***' : word;
}

/** The exchange may show a token that the action does not know, anywhere in its response. */
function cleaningFor({ call, path }: Subject): Parameters<Subject['clean']>[2] {
  const remove = (words: string): string => words.replace(LONG_WORDS, (word) => withoutToken(word, path));
  return call === 'exchange' ? { remove } : {};
}

/** Quotes from a body: an error's message, code and hint, or an excerpt from any other text. */
function wordsOf(error: ErrorResponse, subject: Subject): string {
  const { body, fields, json, text } = error;
  const { call, clean } = subject;
  if (body === 'undecodable') return ` ${flawOf(error, subject)}`;
  // An incomplete body may end with part of a secret, which redaction does not recognize.
  if (text.trim() === '' || body !== 'complete') return '';
  const isExchange = call === 'exchange';
  const show = (words: string, longest: number): string => quoted(clean(words, longest, cleaningFor(subject)), longest);
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
  "The service may be updating its database schema. If the error persists, contact the service's operators.";
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
  return `A proxy or a firewall may have responded instead of the service, for example with a login page. Allow connections to ${host}${check}.`;
}

function remedyFor(subject: Subject, error: ErrorResponse, credential: Credential): string | undefined {
  const { call, basePath, clean } = subject;
  const { fields, isUnauthorized, status, topic } = error;
  const isExchange = call === 'exchange';
  // The proxy itself has accepted the credentials for the tunnel.
  if (status === 407) return proxyLoginRemedy({ ...subject, hasProxyLogin: false });
  if (isRedirect(status))
    return `The action does not follow redirects, because they could send secrets to another host. Check ${isExchange ? 'base-url, and check ' : ''}whether a proxy requires a login.`;
  const isPathWrong = isExchange && status === 404 && basePath !== '';
  const path = isPathWrong ? `Remove the path ${clean(basePath, LONGEST_ADDRESS)} from base-url. ` : '';
  const allow = `${path}${allowIn(subject)}`;
  if (isHtml(error) && status < 500) return allow;
  if (isUnauthorized) return isExchange ? KEY_REMEDY : TOKEN_REMEDY;
  if (topic === 'not_now' || topic === 'unclear' || (call !== 'trigger' && isRateLimit(error))) return undefined;
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
