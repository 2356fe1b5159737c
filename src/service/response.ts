import { asObject, parseJson } from '../base/json.ts';
import type { Subject } from './problem.ts';
import type { Answered } from './send.ts';

/* What a response contains. Its meaning for the request is in classification.ts. */

export function is2xx({ status }: Answered): boolean {
  return status >= 200 && status < 300;
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

/**
 * What an error is about. `not_now`: the request was not processed, but may be later. `unclear`: the response does not
 * show whether the request was processed.
 */
type Topic = 'not_now' | 'unclear' | 'request' | 'schema' | 'token';

const SCHEMA_STATUSES = [400, 404, 406];
/**
 * The codes that change what a response means, and the statuses with which they do so (by default, any). The action
 * also works if a response contains none of them: https://docs.postgrest.org/en/stable/references/errors.html
 */
const CODES: readonly (readonly [code: RegExp, topic: Topic, statuses?: readonly number[]])[] = [
  // There is no connection to the database yet, or the schema is not loaded yet. No SQL was executed.
  [/^PGRST00[023]$/, 'not_now'],
  // The connection to the database was lost, perhaps after a commit.
  [/^PGRST001$/, 'unclear'],
  [/^PGRST1\d\d$/, 'request', SCHEMA_STATUSES],
  // A table, a column or a function is unknown, for example during a migration.
  [/^(?:PGRST2\d\d|42P01|42703|42883)$/, 'schema', SCHEMA_STATUSES],
  [/^PGRST3\d\d$/, 'token', [400]],
];

/** A response with a status other than 2xx. Its JSON is parsed only once, because it may be long. */
export interface ErrorResponse extends Answered {
  /** Undefined if the body is not JSON, or if it is incomplete. */
  readonly json: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly topic: Topic | undefined;
  /** The service, or a gateway, rejected the credential. */
  readonly isUnauthorized: boolean;
}

/** Parses a response with a status other than 2xx. */
export function errorResponse(answer: Answered): ErrorResponse {
  const { body, status, text } = answer;
  const json = body === 'complete' ? parseJson(text) : undefined;
  const fields = asObject(json);
  const code = typeof fields['code'] === 'string' ? fields['code'] : '';
  return { ...answer, json, fields, topic: topicOf(status, code), isUnauthorized: status === 401 };
}

function topicOf(status: number, code: string): Topic | undefined {
  if (status === 429) return 'not_now';
  const row = CODES.find(([pattern, , statuses = [status]]) => pattern.test(code) && statuses.includes(status));
  if (row !== undefined) return row[1];
  // Gateways send 499 if the client disconnects.
  return status < 300 || status >= 500 || [408, 499].includes(status) ? 'unclear' : undefined;
}

/** Some gateways respond to too many requests with another 4xx and Retry-After. */
export function isRateLimit({ headers, status }: Answered): boolean {
  return status >= 400 && headers['retry-after'] !== undefined;
}

export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Returns whether a response is a web page (or XML), as from a proxy, a firewall, a login page or a wrong URL. */
export function isHtml({ headers, text }: Answered): boolean {
  if (/^(?:text\/html|application\/xhtml)/i.test(headers['content-type'] ?? '')) return true;
  return /^\s*<[!?a-z]/i.test(text);
}

/** The service reports errors as JSON. For a read, any other body of a 4xx means that a firewall or gateway responded. */
export function isFromGateway({ call }: Subject, error: ErrorResponse): boolean {
  return isHtml(error) || (call === 'read' && error.status >= 400 && error.json === undefined);
}

/** Returns the message in an error, which has several forms. */
export function messageIn({ fields, json }: ErrorResponse): string | undefined {
  const { message, msg, error, error_description: description } = fields;
  const candidates = [message, msg, description, asObject(error)['message'], error, json];
  return candidates.find((each): each is string => typeof each === 'string' && each.trim() !== '');
}
