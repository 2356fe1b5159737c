import { withoutEscapes } from '../base/safe-text.ts';

/**
 * Matches control, format, private-use and unassigned characters, lone surrogates, white space other than spaces, all
 * other invisible characters, and U+FFFD, which only replaces bytes that are not text.
 */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800\uFFFD]|[^\S ]/gu;
const ENCODED = new RegExp(`[%\\\\&]|${INVISIBLE.source}`, 'u');

/** Returns true if text may have more than one reading. */
export function isEncoded(text: string): boolean {
  return ENCODED.test(text);
}

/** Matches the ESC of a short escape sequence, such as `ESC c`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with ESC
const SHORT_ESC = /\x1B(?![PX[\]^_])/g;

/**
 * Functions that strip escape sequences in different ways. A sequence may interrupt a secret or swallow some of its
 * characters. In the latter case, only stripping just the ESC of short or of all sequences reveals the secret.
 */
const STRIPS: readonly ((text: string) => string)[] = [
  (text) => withoutEscapes(text).replace(INVISIBLE, ''),
  (text) => withoutEscapes(text.replace(SHORT_ESC, '')).replace(INVISIBLE, ''),
  (text) => text.replace(INVISIBLE, ''),
];

/** Maximum decoding depth. An address within an address within JSON is encoded three times. */
const MOST_DECODINGS = 3;

/**
 * Returns the text as is, and in the forms that a reader or a program may decode it to. Invisible characters may also
 * interrupt an encoded character. `others` matches characters that no secret contains, such as spaces.
 */
export function readingsOf(text: string, others: RegExp): ReadonlySet<string> {
  const readings = new Set([text]);
  for (const strip of STRIPS) {
    let reading = strip(text);
    for (let times = 0; ; times += 1) {
      readings.add(reading);
      const next = times < MOST_DECODINGS ? strip(decoded(reading)) : reading;
      if (next === reading) break;
      reading = next;
    }
    readings.add(reading.replace(others, ''));
  }
  return readings;
}

/** Matches percent-encoding, JSON escapes and HTML entities, whose semicolon is optional in browsers. */
const ENCODED_CHARACTER =
  /%[\da-f]{2}|\\(?:u[\da-f]{4}|x[\da-f]{2}|.)|&(?:#0*\d{1,7}|#x0*[\da-f]{1,6}|amp|quot|apos|lt|gt);?/gis;
/** The characters of a token, or of an encoded token, that HTML writes as named entities. */
const NAMED: Readonly<Record<string, string>> = { '&amp': '&', '&quot': '"', '&apos': "'", '&lt': '<', '&gt': '>' };
const LAST_CODE_POINT = 0x10ffff;

/** Decodes percent-encoding, JSON escapes and HTML entities in text. */
function decoded(text: string): string {
  // Percent-encoding represents UTF-8 bytes. In latin1, each byte is one character.
  const bytes = Buffer.from(text).toString('latin1');
  return Buffer.from(bytes.replace(ENCODED_CHARACTER, decodedCharacter), 'latin1').toString();
}

/** Returns the bytes that an encoded character represents. */
function decodedCharacter(encoded: string): string {
  if (encoded.startsWith('%')) return String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  const escaped = encoded.charAt(1);
  // Replace escaped control characters, such as line breaks, with NUL, because they are all invisible.
  if (encoded.length === 2) return 'bfnrt'.includes(escaped) ? '\0' : escaped;
  const named = NAMED[encoded.replace(';', '').toLowerCase()];
  if (named !== undefined) return named;
  const isDecimal = /&#\d/.test(encoded);
  const code = Number.parseInt(encoded.replace(/\\[ux]|&#x?/i, ''), isDecimal ? 10 : 16);
  return Buffer.from(String.fromCodePoint(Math.min(code, LAST_CODE_POINT))).toString('latin1');
}
