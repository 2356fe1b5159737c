import { withoutEscapes } from '../base/safe-text.ts';

/**
 * Control, format, private-use and unassigned characters, lone surrogates, white space other than spaces, and all others
 * that show nothing, or (U+FFFD) only that bytes were no text.
 */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800\uFFFD]|[^\S ]/gu;
const ENCODED = new RegExp(`[%\\\\&]|${INVISIBLE.source}`, 'u');

/** Whether a text has more than one reading. */
export function isEncoded(text: string): boolean {
  return ENCODED.test(text);
}

/** The ESC of a sequence of a few characters, such as `ESC c`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with it
const SHORT_ESC = /\x1B(?![PX[\]^_])/g;

/**
 * An escape sequence may interrupt a secret. It may also swallow characters of the secret, which is then only found if
 * short sequences, or all of them, stay without their control characters.
 */
const STRIPS: readonly ((text: string) => string)[] = [
  (text) => withoutEscapes(text).replace(INVISIBLE, ''),
  (text) => withoutEscapes(text.replace(SHORT_ESC, '')).replace(INVISIBLE, ''),
  (text) => text.replace(INVISIBLE, ''),
];

/** An address within an address within JSON is encoded three times. */
const MOST_DECODINGS = 3;

/**
 * A text as it is, and as a reader or a program may decode it. Invisible characters may also be within an encoded
 * character. `others` matches what no secret contains, such as spaces.
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

/** Percent-encoding, JSON's escapes and HTML's entities, for which browsers do without the semicolon. */
const ENCODED_CHARACTER =
  /%[\da-f]{2}|\\(?:u[\da-f]{4}|x[\da-f]{2}|.)|&(?:#0*\d{1,7}|#x0*[\da-f]{1,6}|amp|quot|apos|lt|gt);?/gis;
/** What HTML writes differently in a token, or in the encoding of one. */
const NAMED: Readonly<Record<string, string>> = { '&amp': '&', '&quot': '"', '&apos': "'", '&lt': '<', '&gt': '>' };
const LAST_CODE_POINT = 0x10ffff;

/** A text without percent-encoding, JSON's escapes and HTML's entities. */
function decoded(text: string): string {
  if (!/[%\\&]/.test(text)) return text;
  // Percent-encoding stands for bytes of UTF-8. In latin1, each byte is a character.
  const bytes = Buffer.from(text).toString('latin1');
  return Buffer.from(bytes.replace(ENCODED_CHARACTER, decodedCharacter), 'latin1').toString();
}

/** The bytes of an encoded character. */
function decodedCharacter(encoded: string): string {
  if (encoded.startsWith('%')) return String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  const escaped = encoded.charAt(1);
  // A line break or another control character is invisible.
  if (encoded.length === 2) return 'bfnrt'.includes(escaped) ? '\0' : escaped;
  const named = NAMED[encoded.replace(';', '').toLowerCase()];
  if (named !== undefined) return named;
  const isDecimal = /^&#\d/.test(encoded);
  const code = Number.parseInt(encoded.replace(/^(?:\\[ux]|&#x?)/i, ''), isDecimal ? 10 : 16);
  return Buffer.from(String.fromCodePoint(Math.min(code, LAST_CODE_POINT))).toString('latin1');
}
