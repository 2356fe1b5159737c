import { copyOf, shorten } from '../base/safe-text.ts';
import { asUuid } from '../base/uuid.ts';
import type { Answered } from './http/transport.ts';
import { type Redactor, USUAL_EFFORT } from './redact.ts';

/** A parsed JSON text whose shape is not known yet. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object whose members are not known yet. */
export interface JsonObject {
  readonly [name: string]: JsonValue | undefined;
}

/** Parses JSON; undefined, which no JSON text means, if the text is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An answer with its body parsed and its secrets redacted. Its `text` is empty if the body is JSON. */
export interface Reply extends Answered {
  /** Undefined if the body is not JSON. */
  readonly json: JsonValue | undefined;
}

/** Values of an answer that are looked at: 256 KiB contain 2,700 rows of the list at most, with four values each. */
const MOST_VALUES = 12_000;

/**
 * Redacts an answer. Everything that a message, an output or the summary quotes from an answer comes from here. Texts
 * are shortened only later, because a part of a secret could not be found.
 *
 * @param isLong whether the answer may take its time: the list that is read before the first trigger
 */
export function replyOf(answer: Answered, redactor: Redactor, isLong: boolean): Reply {
  const effort = { left: isLong ? Infinity : USUAL_EFFORT };
  const redact = (text: string): string => redactor.redact(text, effort);
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, redact(fromBytes(value))] as const);
  const redacted: Answered = { ...answer, headers: Object.fromEntries(headers) };
  const parsed = parseJson(answer.text);
  if (parsed === undefined) return { ...redacted, text: redact(answer.text), json: undefined };
  return { ...redacted, text: '', json: mapStrings(parsed, redact, isLong ? Infinity : MOST_VALUES) };
}

/** Node reads each byte of a header as a character. Services write UTF-8, or else what no reader understands. */
function fromBytes(value: string): string {
  const text = Buffer.from(value, 'latin1').toString();
  return text.includes('\uFFFD') || /[^\0-\xFF]/.test(value) ? value : text;
}

/** Names of members that the service uses, which are not secrets. */
const EXPECTED_NAMES = /^(?:id|job_status|status_message|pipeline_(?:id|name|api_name))$/;
/** Nothing that is read from an answer is nested deeper. */
const MOST_DEPTH = 8;

/**
 * Changes at most `most` strings and member names of a JSON value. Values beyond that, or nested too deeply, become
 * null: a hostile answer of many short strings must not keep the process busy or exhaust the stack.
 */
function mapStrings(value: JsonValue, change: (text: string) => string, most: number): JsonValue {
  let left = most;
  const map = (each: JsonValue, depth: number): JsonValue => {
    if (left <= 0 || depth < 0) return null;
    left -= 1;
    if (typeof each === 'string') {
      if (asUuid(each) === undefined) return change(each);
      return isSecretId(each, change) ? '***' : each;
    }
    if (typeof each === 'number') return change(String(each)) === String(each) ? each : '***';
    if (typeof each !== 'object' || each === null) return each;
    if (Array.isArray(each)) return each.slice(0, left).map((item: JsonValue) => map(item, depth - 1));
    const members: [string, JsonValue][] = [];
    for (const [name, member = null] of Object.entries(each as JsonObject)) {
      const isExpected = EXPECTED_NAMES.test(name);
      if (!isExpected) left -= 1;
      if (left <= 0) break;
      members.push([isExpected ? name : change(name), map(member, depth - 1)]);
    }
    return Object.fromEntries(members);
  };
  return map(value, MOST_DEPTH);
}

/**
 * Whether an id is a secret as a whole. An id of which only a part looks like a secret is shown, and is valid. Services
 * write ids in either case.
 */
export function isSecretId(id: string, redact: (text: string) => string): boolean {
  return [id, id.toLowerCase(), id.toUpperCase()].some((spelling) => redact(spelling) === '***');
}

/** The longest text, in characters, that any output, log line or summary shows. */
export const LONGEST_TEXT = 1_000;

/** The value as a string of at most `LONGEST_TEXT` characters, or null for anything else. */
export function briefOrNull(value: unknown): string | null {
  return typeof value === 'string' ? brief(value, LONGEST_TEXT) : null;
}

/** Shortens a text and copies it, so that hundreds of runs do not keep hundreds of long answers in memory. */
export function brief(text: string, longest: number): string {
  return text.length <= longest ? text : copyOf(shorten(text, longest));
}
