import { isEncoded, readingsOf } from './readings.ts';
import { SecretSearch } from './secret-search.ts';

/** Removes secrets from texts: the API key, and the tokens it was exchanged for. */
export interface Redactor {
  /** Adds a token, and returns whether it was unknown. What merely looks like one (`seen`) displaces none in use. */
  learn(token: string, source?: 'granted' | 'seen'): boolean;
  /**
   * Replaces every secret, and every longer part of one, by `***`: as it is, percent-encoded, JSON-escaped, in base64, or
   * interrupted by invisible characters. If decoding a text shows more of a secret, the result is the decoded text.
   * Other texts are returned unchanged, up to `LONGEST_REDACTED` characters.
   */
  redact(text: string, effort?: Effort): string;
}

/** How many more characters may be decoded. A text for which this is too little becomes `***`. */
export interface Effort {
  left: number;
}

/** Far more characters than any place shows. The rest is cut off, because all that is returned has to be decoded. */
const LONGEST_REDACTED = 16_384;
/** For all texts of one response: enough to read the longest text three times, which takes some 10 ms. */
export const USUAL_EFFORT = 3 * LONGEST_REDACTED;
/** What a text costs in addition to its characters. */
const EFFORT_PER_TEXT = 64;
/** A text that still shows a secret after so many replacements was made to do so. */
const MOST_ROUNDS = 6;

/** A token is valid for an hour and renewed shortly before, so two may be valid at once. The others are a margin. */
const MOST_TOKENS = 4;

/** Creates the redactor of an API key. */
export function createRedactor(apiKey: string): Redactor {
  const tokens: Record<'granted' | 'seen', readonly string[]> = { granted: [], seen: [] };
  let search: SecretSearch | undefined;
  return {
    learn(token, source = 'granted') {
      const isKnown = tokens.granted.includes(token) || (source === 'seen' && tokens.seen.includes(token));
      if (token === '' || token === apiKey || isKnown) return false;
      tokens[source] = [...tokens[source], token].slice(-MOST_TOKENS);
      search = undefined;
      return true;
    },
    redact(text, effort = { left: USUAL_EFFORT }) {
      search ??= new SecretSearch([apiKey, ...tokens.granted, ...tokens.seen]);
      const seen = text.slice(0, LONGEST_REDACTED);
      return isEncoded(seen) ? redactReadings(seen, search, effort) : search.redact(seen).text;
    },
  };
}

/** Redacts the reading that shows most of the secrets, again and again, because others may show more. */
function redactReadings(text: string, search: SecretSearch, effort: Effort): string {
  let safe = text;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    effort.left -= safe.length + EFFORT_PER_TEXT;
    if (effort.left < 0) break;
    let most = { text: safe, found: 0 };
    for (const reading of readingsOf(safe, search.others)) {
      const redacted = search.redact(reading);
      if (redacted.found > most.found) most = redacted;
    }
    if (most.found === 0) return safe;
    safe = most.text;
  }
  return '***';
}

/** If a body seems to contain more tokens than this, they are not tokens. */
const MOST_FOUND = 2;

/** What is in the place of a token in any text, whole or not, so that it can be redacted from a message about it. */
export function tokensIn(text: string): string[] {
  const found: string[] = [];
  for (const [, token] of text.matchAll(/"token"\s*:\s*"((?:[!#-[\]-~]|\\["/\\]){4,})(?:"|\\?$)/g)) {
    if (token !== undefined) found.push(JSON.parse(`"${token}"`) as string);
    if (found.length === MOST_FOUND) break;
  }
  return found;
}
