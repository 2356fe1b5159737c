import { type JsonValue, mapStrings, parseJson } from './json.ts';
import type { Redactor } from './redact.ts';
import type { Answered, Headers } from './transport.ts';

/** An answer as the calls see it: parsed, and without secrets. */
export interface Reply {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Headers;
  readonly body: Answered['body'];
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: JsonValue | undefined;
  /** The body if it is not JSON, else empty. */
  readonly text: string;
}

/** Values of an answer that are looked at: 256 KiB hold 2,700 rows of the list at most, with four values each. */
const MOST_VALUES = 12_000;
/** Only the list that is read before the first trigger is longer, in characters; it may take its time. */
const MANY_FROM = 262_144;

/**
 * Parses an answer and redacts it. This is the only place that does so: everything that a message, an output or the
 * summary quotes from an answer comes from here. Only later is anything shortened, because a part of a secret could
 * no longer be found.
 */
export function replyOf({ text, ...answer }: Answered, redactor: Redactor): Reply {
  const redact = (part: string): string => redactor.redact(part);
  const parsed = parseJson(text);
  const most = text.length > MANY_FROM ? Infinity : MOST_VALUES;
  const json = parsed === undefined ? undefined : mapStrings(parsed, redact, most);
  return {
    ...answer,
    headers: Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [
        name,
        value === undefined ? value : redact(value),
      ]),
    ),
    json,
    text: json === undefined ? redact(answer.body === 'complete' ? text : wholeWords(text)) : '',
  };
}

/** A text that broke off, up to its last whole word: the last one may be the beginning of a secret. */
function wholeWords(text: string): string {
  return text.slice(0, Math.max(0, ...[' ', '\n', '\t'].map((space) => text.lastIndexOf(space))));
}
