/* A service that repeats secrets in its responses, in one of several spellings. */
import type { Answered } from '../../src/service/send.ts';
import type { Call, Echo, Spelling } from './scenario.ts';

const WORDS = 'Some words to fill the line. ';

/** Returns the response with the secret, if it has the field of the echo. */
export function withEcho(right: Answered, echo: Echo, call: Call, key: string, bearer: string): Answered {
  const granted = /"token":"([^"]+)"/.exec(right.text)?.[1];
  const secret = echo.of === 'key' ? key : call === 'exchange' ? (granted ?? key) : bearer;
  const words = WORDS.repeat(Math.ceil(echo.after / WORDS.length)).slice(0, echo.after);
  const text = words + SPELLED[echo.as](secret);
  const isError = right.status >= 400;
  if (echo.where === 'location') {
    const { location } = right.headers;
    return location === undefined
      ? right
      : { ...right, headers: { ...right.headers, location: `${location}&x=${text}` } };
  }
  const body = parsed(right.text);
  if (echo.where === 'error' ? !isError : right.status !== 200) return right;
  const changed = (field: string): Answered => {
    const change = (row: unknown): unknown =>
      typeof row === 'object' && row !== null && field in row ? { ...row, [field]: text } : row;
    return { ...right, text: JSON.stringify(Array.isArray(body) ? body.map(change) : change(body ?? {})) };
  };
  const isList = Array.isArray(body);
  if (echo.where === 'message' && isList && (call === 'read' || call === 'cancel')) return changed('status_message');
  if (echo.where === 'name' && isList && call === 'list') return changed('pipeline_name');
  if (echo.where === 'region' && call === 'exchange') return changed('region');
  return echo.where === 'error' && body !== undefined ? changed('message') : right;
}

const SPELLED: Readonly<Record<Spelling, (secret: string) => string>> = {
  plain: (secret) => secret,
  percent: (secret) => encodeURIComponent(secret),
  percent_lower: (secret) => encodeURIComponent(secret).replace(/%../g, (each) => each.toLowerCase()),
  json: (secret) => JSON.stringify(secret).slice(1, -1),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  colored: (secret) => `${secret.slice(0, 7)}\u001b[1m${secret.slice(7)}`,
};

/** Returns every spelling of a secret that must not appear, with control characters already removed. */
export function spellingsOf(secret: string): string[] {
  return [...new Set(Object.entries(SPELLED).flatMap(([name, spell]) => (name === 'colored' ? [] : [spell(secret)])))];
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
