import { copyOf, shorten } from '../base/safe-text.ts';
import { asUuid } from '../base/uuid.ts';
import type { Answered } from './http/transport.ts';
import { type Redactor, USUAL_EFFORT } from './redact.ts';

/** A parsed JSON value of unknown shape. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object with unknown members. */
export interface JsonObject {
  readonly [name: string]: JsonValue | undefined;
}

/** Parses JSON. Returns undefined, which JSON cannot represent, if the text is not JSON. */
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

/** A response with a parsed body and redacted secrets. `text` is empty if the body is JSON. */
export interface Reply extends Answered {
  /** Undefined if the body is not JSON. */
  readonly json: JsonValue | undefined;
}

/** Maximum number of values to inspect. 256 KiB contains at most 2,700 rows of the list, with four values each. */
const MOST_VALUES = 12_000;

/**
 * Redacts a response. Every quote from a response in a message, an output or the summary comes from here. Truncation
 * happens only later, because the redactor might not find a truncated secret.
 *
 * @param isLong true if processing may take long, as for the list, which the step reads before the first trigger
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

/** Decodes a header as UTF-8, because Node reads each byte as a character. Leaves any other encoding unchanged. */
function fromBytes(value: string): string {
  const text = Buffer.from(value, 'latin1').toString();
  return text.includes('\uFFFD') || /[^\0-\xFF]/.test(value) ? value : text;
}

/** Member names that the service uses, which are not secrets. */
const EXPECTED_NAMES = /^(?:id|job_status|status_message|pipeline_(?:id|name|api_name))$/;
/** Maximum nesting depth. The client reads no value that is nested deeper. */
const MOST_DEPTH = 8;

/**
 * Maps at most `most` strings and member names of a JSON value. Replaces values beyond the limit, or nested too deeply,
 * with null, because a hostile response of many short strings must not block the process or exhaust the stack.
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
 * Returns true if an id as a whole is a secret. An id that only resembles a secret in part is valid and displayed.
 * Ignores case, because services write ids in either case.
 */
export function isSecretId(id: string, redact: (text: string) => string): boolean {
  return [id, id.toLowerCase(), id.toUpperCase()].some((spelling) => redact(spelling) === '***');
}

/** Maximum length of a string from the service in any output, log line or summary, in characters. */
export const LONGEST_TEXT = 1_000;

/** Returns the value as a string of at most `LONGEST_TEXT` characters, or null if the value is not a string. */
export function briefOrNull(value: unknown): string | null {
  return typeof value === 'string' ? brief(value, LONGEST_TEXT) : null;
}

/** Truncates a long string and copies the result, so that hundreds of runs do not keep long responses in memory. */
export function brief(text: string, longest: number): string {
  return text.length <= longest ? text : copyOf(shorten(text, longest));
}
