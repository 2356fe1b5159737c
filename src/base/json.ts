/**
 * The maximum number of separators in a JSON text. The largest body may hold 30 times as many, and its parser would need
 * up to 50 ms for them. A row of the service has about ten.
 */
const MOST_SEPARATORS = 10_000;

/** Parses JSON. Returns undefined for invalid JSON, and for JSON with too many parts. */
export function parseJson(text: string): unknown {
  let count = 0;
  for (let at = separatorFrom(0, text); at < text.length; at = separatorFrom(at + 1, text)) {
    count += 1;
    if (count > MOST_SEPARATORS) return undefined;
  }
  return parsed(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The longest text that is parsed at once to see whether it is complete. */
const LONGEST_AT_ONCE = 262_144;

/**
 * Returns whether a text is complete JSON. JSON that is too long or has too many parts counts as complete if its last
 * bracket closes its first.
 */
export function isCompleteJson(text: string): boolean {
  const json = text.trim();
  let count = 0;
  let depth = 0;
  let end = '[{'.includes(json.charAt(0)) ? json.length : 0;
  for (let at = separatorFrom(0, json); at < end; at = separatorFrom(at + 1, json)) {
    count += 1;
    if ('[{'.includes(json.charAt(at))) depth += 1;
    else if (']}'.includes(json.charAt(at))) depth -= 1;
    if (depth === 0) end = at;
  }
  const isLarge = count > MOST_SEPARATORS || json.length > LONGEST_AT_ONCE;
  return isLarge ? end === json.length - 1 : parsed(json) !== undefined;
}

/** The size of a piece. A larger one would save no time. */
const PIECE_CHARACTERS = 65_536;

/**
 * Parses a JSON array of any size in pieces, each a shorter array, so that the caller can pause between them. If `text`
 * is not a complete array, the last piece is undefined.
 */
export function* piecesOf(text: string): Generator<unknown> {
  const array = text.trim();
  const last = array.startsWith('[') ? array.length - 1 : -1;
  let depth = 0;
  let count = 0;
  let start = 1;
  for (let at = separatorFrom(0, array); at < array.length; at = separatorFrom(at + 1, array)) {
    const separator = array.charAt(at);
    count += 1;
    if ('[{'.includes(separator)) depth += 1;
    if (']}'.includes(separator)) depth -= 1;
    if (depth === 0 || count > MOST_SEPARATORS) {
      yield at === last ? parsed(`[${array.slice(start)}`) : undefined;
      return;
    }
    const isFull = at - start > PIECE_CHARACTERS || count > MOST_SEPARATORS / 2;
    if (depth > 1 || separator !== ',' || !isFull) continue;
    yield parsed(`[${array.slice(start, at)}]`);
    count = 0;
    start = at + 1;
  }
  yield undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Returns the index of the next separator: a comma, colon, bracket or brace outside strings. If there is no separator,
 * returns the length of the text.
 */
function separatorFrom(start: number, text: string): number {
  let isInString = false;
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) at += code === BACKSLASH ? 1 : 0;
    // With or without this bit, the code is one of [ ] { }.
    else if (code === COMMA || code === COLON || (code | 0x20) === 0x7b || (code | 0x20) === 0x7d) return at;
  }
  return text.length;
}

/** Returns the value if it is an object, or an empty object otherwise. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
