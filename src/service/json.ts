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

/** Nothing that is read from an answer lies deeper; what does may be nested too deeply for a recursion. */
const MOST_DEPTH = 8;

/** Changes every string and member name of a JSON value except UUIDs, and replaces what is nested too deeply by null. */
export function mapStrings(
  value: JsonValue,
  change: (text: string) => string,
  depth = MOST_DEPTH,
): JsonValue {
  if (typeof value === 'string') return asUuid(value) === undefined ? change(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) {
    return value.map((item: JsonValue) => mapStrings(item, change, depth - 1));
  }
  const members = Object.entries(value as JsonObject).map(([name, member]) => [
    change(name),
    mapStrings(member ?? null, change, depth - 1),
  ]);
  return Object.fromEntries(members) as JsonObject;
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
