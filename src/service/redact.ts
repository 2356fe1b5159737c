import { isEncoded, readingsOf } from './readings.ts';
import { SecretSearch } from './secret-search.ts';

/** Removes secrets from text. The secrets are the API key and the tokens from its exchanges. */
export interface Redactor {
  /** Adds a token and returns true if it is new. A mere lookalike (`seen`) never evicts a token that is in use. */
  learn(token: string, source?: 'granted' | 'seen'): boolean;
  /**
   * Replaces every secret, and every long part of one, with `***`. Finds secrets that are unencoded, percent-encoded,
   * JSON-escaped, in base64, or interrupted by invisible characters. If decoding reveals more of a secret, the result
   * is the decoded text. Returns any other text unchanged, up to `LONGEST_REDACTED` characters.
   */
  redact(text: string, effort?: Effort): string;
}

/** The number of characters that may still be decoded. Text that exceeds this budget becomes `***`. */
export interface Effort {
  left: number;
}

/** Maximum length, far more than any output displays. The rest is cut off to limit the amount of decoding. */
const LONGEST_REDACTED = 16_384;
/** Decoding budget for all strings of a response. It covers about three rounds on the longest (some 10 ms). */
export const USUAL_EFFORT = 3 * LONGEST_REDACTED;
/** The fixed cost of a string per round, in addition to its characters. */
const EFFORT_PER_TEXT = 64;
/** Maximum number of redaction rounds. Text that still reveals a secret after the last round was crafted to do so. */
const MOST_ROUNDS = 6;

/** Maximum number of tokens of each source. A token lasts an hour, so more exist only if the service rejects many. */
const MOST_TOKENS = 16;

/** Creates the redactor for an API key. */
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

/** Repeatedly redacts the reading that reveals the most, because another reading may then still reveal a secret. */
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

/** Maximum number of tokens in a body. If a body seems to contain more, the others are not tokens. */
const MOST_FOUND = 2;

/** Finds strings in the position of a token in any text, even truncated text, so that they can be redacted. */
export function tokensIn(text: string): string[] {
  const found: string[] = [];
  for (const [, token] of text.matchAll(/"token"\s*:\s*"((?:[!#-[\]-~]|\\["/\\]){4,})(?:"|\\?$)/g)) {
    if (token !== undefined) found.push(JSON.parse(`"${token}"`) as string);
    if (found.length === MOST_FOUND) break;
  }
  return found;
}
