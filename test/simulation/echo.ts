/* A service that repeats a secret in its responses. Unit tests of `src/service/secrets.ts` try other spellings of it. */
import type { CallKind } from '../../sandbox/faults.ts';
import type { Answered } from '../../src/service/send.ts';
import type { Echo } from './scenario.ts';

const WORDS = 'Some words to fill the line. ';

/** Returns the response with the secret, if it has the field of the echo. */
export function withEcho(
  right: Answered,
  { after, of, where }: Echo,
  call: CallKind,
  key: string,
  bearer: string,
): Answered {
  const granted = /"token":"([^"]+)"/.exec(right.text)?.[1];
  const secret = of === 'key' ? key : call === 'exchange' ? (granted ?? key) : bearer;
  const text = WORDS.repeat(Math.ceil(after / WORDS.length)).slice(0, after) + secret;
  const { location } = right.headers;
  if (where === 'location')
    return location === undefined
      ? right
      : { ...right, headers: { ...right.headers, location: `${location}&x=${text}` } };
  const field = FIELDS[where](call, right.status);
  return field === undefined || !right.text.includes(`"${field}"`)
    ? right
    : { ...right, text: replaced(right.text, field, text) };
}

/** The field that a response may have, by the place of the echo. */
const FIELDS: Readonly<
  Record<Exclude<Echo['where'], 'location'>, (call: CallKind, status: number) => string | undefined>
> = {
  message: (call) => (call === 'read' || call === 'cancel' ? 'status_message' : undefined),
  name: (call) => (call === 'list' ? 'pipeline_name' : undefined),
  region: (call) => (call === 'exchange' ? 'region' : undefined),
  error: (_call, status) => (status >= 400 ? 'message' : undefined),
};

function replaced(json: string, field: string, text: string): string {
  try {
    return JSON.stringify(JSON.parse(json), (name, value: unknown) => (name === field ? text : value));
  } catch {
    // A part of a response stays as it is.
    return json;
  }
}
