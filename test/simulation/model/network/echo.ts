/** A service that repeats secrets in its answers, in one of several spellings. */
import type { ModelResponse } from '../../../../sandbox/model/index.ts';
import type { Call, Echo } from '../spec.ts';

/** What an echo is about: the call that is answered, and the secrets that the service knows by then. */
export interface Echoed {
  readonly call: Call | 'other';
  readonly key: string;
  /** The token that the request was sent with, if it was sent with one. */
  readonly token: string | undefined;
}

/** Stands for the secret until the JSON around it is written. */
const MARK = '\uE000';
/** More than this in one field is sent a few times in a scenario, so that it stays fast. */
export const LONG_ECHO = 50_000;
const LINE = 'Some words to fill the line. ';

/** An answer with the secret in it that the service repeats. Answers without the place for it stay as they are. */
export function withEcho(response: ModelResponse, echo: Echo, about: Echoed): ModelResponse {
  const secret = secretIn(response, echo, about);
  const text = LINE.repeat(Math.ceil(echo.after / LINE.length)).slice(0, echo.after) + MARK;
  const isError = response.status >= 300;
  if (echo.where === 'header') return isError ? inHeaders(response, echo, secret) : response;
  if (echo.where === 'error' ? !isError : response.status !== 200) return response;
  const isJson = /json/.test(response.headers['content-type'] ?? '');
  const changed = isJson ? changedJson(response.body, echo, about.call, text) : undefined;
  if (changed !== undefined) return { ...response, body: changed.replaceAll(MARK, () => inJson(secret, echo)) };
  if (!isError) return response;
  return { ...response, body: `${response.body}<p>${text.replace(MARK, () => spelled(secret, echo.as))}` };
}

/** The token that an exchange grants is in its answer; no other request is without one. */
function secretIn({ body }: ModelResponse, { of }: Echo, { key, token }: Echoed): string {
  if (of === 'key') return key;
  return token ?? /"token":"([^"]+)"/.exec(body)?.[1] ?? key;
}

function inJson(secret: string, { as }: Echo): string {
  return as === 'json_source' ? hexOf(secret, '\\u', 4) : JSON.stringify(spelled(secret, as)).slice(1, -1);
}

function inHeaders(response: ModelResponse, echo: Echo, secret: string): ModelResponse {
  const value = spelled(secret, echo.as);
  const headers = { ...response.headers, 'x-request': value };
  const location = `https://elsewhere.example.test/${'a/'.repeat(echo.after / 2)}?from=${value}`;
  return { ...response, headers: response.status < 400 ? { ...headers, location } : headers };
}

/** The body with the text in the field that the echo is in; undefined if it has no such field. */
function changedJson(body: string, { where }: Echo, call: Echoed['call'], text: string): string | undefined {
  const value = parsed(body);
  const rows = (field: string): string | undefined =>
    Array.isArray(value)
      ? JSON.stringify(
          value.map((row: object) => (field in row ? { ...row, [field]: textAfter(row, field, text) } : row)),
        )
      : undefined;
  if (where === 'message') return call === 'read' || call === 'cancel' ? rows('status_message') : undefined;
  if (where === 'name') return call === 'list' ? rows('pipeline_name') : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (where === 'region') return call === 'exchange' ? JSON.stringify({ ...value, region: text }) : undefined;
  return JSON.stringify({ ...value, message: text, hint: MARK, code: MARK });
}

function textAfter(row: object, field: string, text: string): string {
  const own: unknown = Object.entries(row).find(([name]) => name === field)?.[1];
  return typeof own === 'string' && field === 'pipeline_name' ? `${own} ${text}` : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The ways in which a service may write a secret that it was sent. */
const SPELLED = {
  raw: (secret: string) => secret,
  percent: (secret: string) => encodeURIComponent(secret),
  percent_lower: (secret: string) => encodeURIComponent(secret).replace(/%../g, (escaped) => escaped.toLowerCase()),
  percent_all: (secret: string) => hexOf(secret, '%', 2),
  /** Each character as `\u0061` in the JSON of the body, so that it is as it was once the body is parsed. */
  json_source: (secret: string) => secret,
  /** The same in the text itself. */
  json_text: (secret: string) => hexOf(secret, '\\u', 4),
  /** As in the header of basic authentication: bytes before the secret shift its place. */
  base64_0: (secret: string) => btoa(secret),
  base64_1: (secret: string) => btoa(`x${secret}`),
  base64_2: (secret: string) => btoa(`xx${secret}`),
  control: (secret: string) => interrupted(secret, '\u0007'),
  escape: (secret: string) => interrupted(secret, '\u001b[1m'),
  /** Percent-encoded, with an escape sequence in each encoded character. */
  percent_escape: (secret: string) => hexOf(secret, '%\u001b[m', 2),
  zero_width: (secret: string) => interrupted(secret, '\u200b'),
  /** Interrupted by the percent-encoded UTF-8 of an invisible character. */
  percent_zero_width: (secret: string) => interrupted(secret, '%E2%80%8B'),
  /** Interrupted by the choice of a character set. */
  charset: (secret: string) => interrupted(secret, '\u001b(B'),
  /** Each character as `\u0061`, of which the backslash is percent-encoded. */
  percent_json: (secret: string) => hexOf(secret, '%5Cu', 4),
  /** Two times, interrupted in different ways. */
  twice: (secret: string) => `${interrupted(secret, '\u200b')} ${interrupted(secret, '\u001b[1m')}`,
};

export type Spelling = keyof typeof SPELLED;

export const SPELLINGS = Object.keys(SPELLED) as readonly Spelling[];

/** Spellings that a header cannot contain. */
export const NOT_IN_HEADERS: ReadonlySet<string> = new Set(
  SPELLINGS.filter((as) => Array.from(spelled('a secret', as)).some((each) => each < ' ' || each === '\u200b')),
);

/** A secret in one of its spellings. `json_source` is left to the caller, who writes the JSON. */
export function spelled(secret: string, as: Spelling): string {
  return SPELLED[as](secret);
}

function hexOf(text: string, before: string, digits: number): string {
  return Array.from(text, (each) => before + (each.codePointAt(0) ?? 0).toString(16).padStart(digits, '0')).join('');
}

function interrupted(text: string, by: string): string {
  return text.replace(/.{5}(?=.)/g, `$&${by}`);
}
