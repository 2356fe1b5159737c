/** A service that echoes secrets in its responses, in one of several spellings. */
import type { ModelResponse } from '../../../../sandbox/model/index.ts';
import { parsed } from '../facts.ts';
import type { Call, Echo } from '../spec.ts';

/** The context of an echo: the call, and the secrets that the service knows at that point. */
export interface Echoed {
  readonly call: Call | 'other';
  readonly key: string;
  /** The token in the request, if it has one. */
  readonly token: string | undefined;
}

/** A placeholder for the secret until the surrounding JSON is complete. */
const MARK = '\uE000';
/** An echo sends a longer field only a few times in a scenario, which keeps the simulation fast. */
export const LONG_ECHO = 50_000;
const LINE = 'Some words to fill the line. ';

/** The response with the echoed secret. A response without a suitable field stays unchanged. */
export function withEcho(response: ModelResponse, echo: Echo, about: Echoed): ModelResponse {
  // The response to an exchange contains the token that it grants; every other request contains one.
  const token = about.token ?? /"token":"([^"]+)"/.exec(response.body)?.[1];
  const secret = echo.of === 'key' ? about.key : (token ?? about.key);
  const text = LINE.repeat(Math.ceil(echo.after / LINE.length)).slice(0, echo.after) + MARK;
  const isError = response.status >= 300;
  if (echo.where === 'header') return isError ? inHeaders(response, echo, secret) : response;
  if (echo.where === 'error' ? !isError : response.status !== 200) return response;
  const isJson = /json/.test(response.headers['content-type'] ?? '');
  const changed = isJson ? changedJson(response.body, echo, about.call, text) : undefined;
  if (changed !== undefined) return { ...response, body: changed.replaceAll(MARK, () => inJson(secret, echo)) };
  if (!isError) return response;
  return { ...response, body: `${response.body}<p>${text.replace(MARK, () => SPELLED[echo.as](secret))}` };
}

function inJson(secret: string, { as }: Echo): string {
  return as === 'json_source' ? hexOf(secret, '\\u', 4) : JSON.stringify(SPELLED[as](secret)).slice(1, -1);
}

function inHeaders(response: ModelResponse, echo: Echo, secret: string): ModelResponse {
  const value = SPELLED[echo.as](secret);
  const headers = { ...response.headers, 'x-request': value };
  const location = `https://elsewhere.example.test/${'a/'.repeat(echo.after / 2)}?from=${value}`;
  return { ...response, headers: response.status < 400 ? { ...headers, location } : headers };
}

/** The body with the text in the field chosen for the echo; undefined if it has no such field. */
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

const SPELLED = {
  raw: (secret: string) => secret,
  /** Some systems show hexadecimal tokens in capital letters. */
  upper_case: (secret: string) => secret.toUpperCase(),
  percent: (secret: string) => encodeURIComponent(secret),
  percent_lower: (secret: string) => encodeURIComponent(secret).replace(/%../g, (escaped) => escaped.toLowerCase()),
  percent_all: (secret: string) => hexOf(secret, '%', 2),
  /** Writes each character as `\u0061` in the JSON of the body, so parsing the body restores it. */
  json_source: (secret: string) => secret,
  /** Writes the same escape sequences in the text itself. */
  json_text: (secret: string) => hexOf(secret, '\\u', 4),
  /** Encodes the secret as in a basic authentication header, where preceding bytes shift its offset. */
  base64_0: (secret: string) => btoa(secret),
  base64_1: (secret: string) => btoa(`x${secret}`),
  base64_2: (secret: string) => btoa(`xx${secret}`),
  control: (secret: string) => interrupted(secret, '\u0007'),
  escape: (secret: string) => interrupted(secret, '\u001b[1m'),
  /** Percent-encodes the secret and puts an escape sequence into each encoded character. */
  percent_escape: (secret: string) => hexOf(secret, '%\u001b[m', 2),
  zero_width: (secret: string) => interrupted(secret, '\u200b'),
  /** Interrupts the secret with the percent-encoded UTF-8 of an invisible character. */
  percent_zero_width: (secret: string) => interrupted(secret, '%E2%80%8B'),
  /** Interrupts the secret with an escape sequence that selects a character set. */
  charset: (secret: string) => interrupted(secret, '\u001b(B'),
  /** Writes each character as `\u0061` and percent-encodes the backslash. */
  percent_json: (secret: string) => hexOf(secret, '%5Cu', 4),
  /** Writes the secret twice, interrupted in different ways. */
  twice: (secret: string) => `${interrupted(secret, '\u200b')} ${interrupted(secret, '\u001b[1m')}`,
};

export type Spelling = keyof typeof SPELLED;

export const SPELLINGS = Object.keys(SPELLED) as readonly Spelling[];

export const NOT_IN_HEADERS: ReadonlySet<string> = new Set(
  SPELLINGS.filter((as) => Array.from(SPELLED[as]('a secret')).some((each) => each < ' ' || each === '\u200b')),
);

function hexOf(text: string, before: string, digits: number): string {
  return Array.from(text, (each) => before + (each.codePointAt(0) ?? 0).toString(16).padStart(digits, '0')).join('');
}

function interrupted(text: string, by: string): string {
  return text.replace(/.{5}(?=.)/g, `$&${by}`);
}
