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
export function* readingsOf(text: string, others: RegExp): Iterable<string> {
  yield text;
  const seen = new Set([text]);
  for (const strip of STRIPS) {
    let reading = strip(text);
    for (let times = 0; ; times += 1) {
      if (!seen.has(reading)) yield reading;
      seen.add(reading);
      const next = times < MOST_DECODINGS ? strip(decoded(reading)) : reading;
      if (next === reading) break;
      reading = next;
    }
    const squeezed = reading.replace(others, '');
    if (!seen.has(squeezed)) yield squeezed;
    seen.add(squeezed);
  }
}

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;

/** What HTML writes differently in a token, or in the encoding of one. Browsers do without the semicolon. */
const ENTITY = /&(?:#0*(\d{1,7})|#x0*([\da-f]{1,6})|(amp|quot|apos|lt|gt));?/iy;
const NAMED: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' };
const LAST_CODE_POINT = 0x10ffff;

/** A text without percent-encoding, JSON's escapes and HTML's entities. */
function decoded(text: string): string {
  if (!/[%\\&]/.test(text)) return text;
  // Percent-encoding stands for bytes of UTF-8. Nothing is shorter encoded than decoded, so there is room.
  const bytes = Buffer.from(text);
  const source = bytes.toString('latin1');
  let length = 0;
  for (let at = 0; at < source.length; ) {
    const { code, isByte, width } = characterAt(source, at);
    if (isByte) bytes[length] = code;
    length += isByte ? 1 : bytes.write(String.fromCodePoint(code), length);
    at += width;
  }
  return bytes.toString('utf8', 0, length);
}

interface Character {
  readonly code: number;
  /** Whether the code is a byte of UTF-8, or the whole character. */
  readonly isByte: boolean;
  /** How many bytes of the source stand for it. */
  readonly width: number;
}

/** The character at a place of a source of bytes, decoded if it is encoded. */
function characterAt(source: string, at: number): Character {
  const code = source.charCodeAt(at);
  const next = source.charAt(at + 1);
  if (code === PERCENT) {
    const byte = hex(source, at + 1, 2);
    if (byte !== undefined) return { code: byte, isByte: true, width: 3 };
  } else if (code === BACKSLASH && next !== '') {
    const digits = next === 'u' ? 4 : next === 'x' ? 2 : 0;
    const unit = digits === 0 ? undefined : hex(source, at + 2, digits);
    if (unit !== undefined) return { code: unit, isByte: unit < 0x80, width: 2 + digits };
    // A line break or another control character is invisible.
    return { code: 'bfnrt'.includes(next) ? 0 : next.charCodeAt(0), isByte: true, width: 2 };
  } else if (code === AMPERSAND) {
    return entityAt(source, at) ?? { code, isByte: true, width: 1 };
  }
  return { code, isByte: true, width: 1 };
}

function entityAt(source: string, at: number): Character | undefined {
  ENTITY.lastIndex = at;
  const [whole, decimal, hexadecimal, name = ''] = ENTITY.exec(source) ?? [];
  if (whole === undefined) return undefined;
  const number = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
  const code = NAMED[name.toLowerCase()]?.charCodeAt(0) ?? Math.min(number, LAST_CODE_POINT);
  return { code, isByte: code < 0x80, width: whole.length };
}

/** The number that so many hexadecimal digits write; undefined if others are among them. */
function hex(source: string, from: number, digits: number): number | undefined {
  let value = 0;
  for (let at = from; at < from + digits; at += 1) {
    const digit = at < source.length ? HEX_DIGITS.indexOf(source.charAt(at)) : -1;
    if (digit === -1) return undefined;
    value = value * 16 + (digit < 16 ? digit : digit - 6);
  }
  return value;
}

const HEX_DIGITS = '0123456789abcdefABCDEF';
