import { copyOf, oneLine, quoted } from '../base/safe-text.ts';
import type { Problem } from './api.ts';
import { isJsonObject, type JsonObject, type Reply } from './reply.ts';

/** The request that caused a problem. */
export interface Subject {
  /** Completes "could not …". */
  readonly attempted: string;
  readonly url: URL;
  /** True if the user provided the host and can correct it, false if the service named the host. */
  readonly isGiven: boolean;
  /** The remedy for any 4xx that has no specific remedy. */
  readonly whenRejected?: string | undefined;
  /** True if the service may have processed a request that it answers with 303, a redirect to the result. */
  readonly mayRedirectToResult?: boolean | undefined;
}

/** Describes a problem with a response. `says` follows the status, such as "HTTP 200". */
export function answerProblem(subject: Subject, reply: Reply, says: string, remedy?: string): Problem {
  return { attempted: subject.attempted, cause: copyOf(`HTTP ${reply.status}${says}`), remedy };
}

/** Describes a response whose status is not 2xx. */
export function statusProblem(subject: Subject, reply: Reply): Problem {
  const words = bodyWords(reply);
  const target = isRedirect(reply) ? reply.headers['location'] : undefined;
  const where = target === undefined ? '' : `, a redirect to ${oneLine(target, 200)}`;
  const says = words === '' ? where : `${where} ${words}`;
  return answerProblem(subject, reply, says, statusRemedy(subject, reply));
}

/** Describes an invalid 2xx. `why` follows "HTTP 200, but ". */
export function nonsenseProblem(subject: Subject, reply: Reply, why: string, remedy?: string): Problem {
  const words = bodyWords(reply);
  if (isHtml(reply)) {
    const inBetween = `A proxy or a login page may have answered instead of the service. Allow connections to ${subject.url.host}.`;
    return answerProblem(subject, reply, `, but ${words}`, remedy ?? inBetween);
  }
  return answerProblem(subject, reply, `, but ${why}${words === '' ? '' : `: ${words}`}`, remedy);
}

/** Explains why a body that is not JSON is unusable. */
export function notJson(text: string): string {
  return text.trim() === '' ? 'with an empty body' : 'with a body that is not JSON';
}

function isRedirect({ status }: Reply): boolean {
  return status >= 300 && status < 400;
}

function statusRemedy({ url, isGiven, whenRejected }: Subject, reply: Reply): string | undefined {
  const { status } = reply;
  if (status === 407) return 'A proxy asks for credentials. Check https_proxy and no_proxy on the runner.';
  if (isRedirect(reply)) {
    return isGiven
      ? 'The action does not follow redirects, because the API key must not reach another host. Check base-url.'
      : 'The action does not follow redirects, because the token must not reach another host. Check whether a proxy asks for a login.';
  }
  if (status === 403 && isHtml(reply)) {
    return `A proxy or firewall may have blocked the request. Allow connections to ${url.host}.`;
  }
  // At this point, the call has already used a new token. The exchange replaces this remedy with its own.
  if (status === 401) {
    return (
      'The service rejected a token that it had just issued. Check that the API key has not been revoked. If it has not, ' +
      "contact the service's operators."
    );
  }
  const isRejected = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return isRejected ? whenRejected : undefined;
}

const LONGEST_MESSAGE = 300;
const LONGEST_EXCERPT = 160;

/** Describes a body as a suffix of "HTTP 503", or returns an empty string for an empty body. */
export function bodyWords(reply: Pick<Reply, 'json' | 'text' | 'headers'>): string {
  const { json, text } = reply;
  if (json === undefined && text.trim() === '') return '';
  if (typeof json === 'string') return quoted(json, LONGEST_MESSAGE);
  const error = isJsonObject(json) ? errorWords(json) : undefined;
  if (error !== undefined) return error;
  if (isHtml(reply)) {
    // Without `<` in the class, the search would scan from each `<title` to the end of the page.
    const title = /<title[^<>]*>([^<]*)/i.exec(text)?.[1] ?? '';
    return title.trim() === '' ? 'with a web page' : `with a web page titled ${quoted(title, LONGEST_EXCERPT)}`;
  }
  return quoted(json === undefined ? text : JSON.stringify(json), LONGEST_EXCERPT);
}

/** Returns true if a body is a web page, which usually comes from a proxy, a login page or a wrong address. */
export function isHtml({ text, headers }: Pick<Reply, 'text' | 'headers'>): boolean {
  if (/^(?:text\/html|application\/xhtml)/i.test(headers['content-type'] ?? '')) return true;
  return /^\s*<(?:!doctype\s+html|html|head|body)\b/i.test(text);
}

/**
 * Returns an error message: PostgREST's `message` with its `code` and `hint`, or another member that gateways and login
 * services use for messages. Returns undefined if the body contains no message.
 */
function errorWords({
  message,
  msg,
  error_description: description,
  error,
  code,
  hint,
}: JsonObject): string | undefined {
  const candidates = [message, msg, description, isJsonObject(error) ? error['message'] : error];
  const said = candidates.find(isText);
  if (said === undefined) return undefined;
  const details: string[] = [];
  if (typeof code === 'string' || typeof code === 'number') {
    details.push(`code ${quoted(String(code), 40).slice(1, -1)}`);
  }
  if (isText(hint)) details.push(`hint: ${quoted(hint, LONGEST_MESSAGE)}`);
  return quoted(said, LONGEST_MESSAGE) + (details.length === 0 ? '' : ` (${details.join(', ')})`);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
