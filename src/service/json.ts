import { copyOf, shorten } from '../base/safe-text.ts';
import { asUuid } from '../base/uuid.ts';

/** A parsed JSON text whose shape is not known yet. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object whose members are not known yet. */
export interface JsonObject {
  readonly [name: string]: JsonValue | undefined;
}

/** Reads a text as JSON; undefined (which JSON cannot say) when it is none. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Whether a secret is only a part of a UUID: the id of a run stays as it is. */
function isPartOfId(text: string, change: (text: string) => string): boolean {
  return asUuid(text) !== undefined && change(text) !== '***';
}

/** Names of members that the service uses, which are no secrets. */
const EXPECTED_NAMES: ReadonlySet<string> = new Set([
  'id',
  'job_status',
  'status_message',
  'pipeline_id',
  'pipeline_name',
  'pipeline_api_name',
]);

/** Nothing that is read from an answer lies deeper; what does may be nested too deeply for a recursion. */
const MOST_DEPTH = 8;

/**
 * Changes the strings and member names of a JSON value, at most `most` of them. What is nested too deeply or comes later
 * becomes null: a hostile answer of many short strings must not keep the process busy.
 */
export function mapStrings(value: JsonValue, change: (text: string) => string, most: number): JsonValue {
  let left = most;
  const map = (each: JsonValue, depth: number): JsonValue => {
    if (left <= 0 || depth < 0) return null;
    left -= 1;
    if (typeof each === 'string') return isPartOfId(each, change) ? each : change(each);
    if (typeof each !== 'object' || each === null) return each;
    if (Array.isArray(each)) return each.map((item: JsonValue) => map(item, depth - 1));
    const members = Object.entries(each as JsonObject).flatMap(([name, member]) => {
      if (!EXPECTED_NAMES.has(name)) left -= 1;
      if (left <= 0) return [];
      return [[EXPECTED_NAMES.has(name) ? name : change(name), map(member ?? null, depth - 1)]];
    });
    return Object.fromEntries(members) as JsonObject;
  };
  return map(value, MOST_DEPTH);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The longest text, in characters, that any output, log line or summary shows. */
export const LONGEST_TEXT = 1_000;

/** The value as a string of at most `LONGEST_TEXT` characters, or null for anything else. */
export function briefOrNull(value: unknown): string | null {
  return typeof value === 'string' ? brief(value, LONGEST_TEXT) : null;
}

/** Shortens a text, and copies it: hundreds of runs must not keep hundreds of long answers in memory. */
export function brief(text: string, longest: number): string {
  return text.length <= longest ? text : copyOf(shorten(text, longest));
}
