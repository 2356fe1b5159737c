import { withoutEscapes } from '../base/safe-text.ts';

/** Removes secrets from texts: the API key, and the tokens it was exchanged for. */
export interface Redactor {
  /**
   * Adds a token, and returns whether it was unknown. Only the most recent tokens of each source are kept, so that texts
   * that merely look like tokens do not displace one in use.
   */
  learn(token: string, source?: 'granted' | 'seen'): boolean;
  /**
   * Replaces every secret by `***`: as it is, percent-encoded, JSON-escaped, in base64, or interrupted by invisible
   * characters. If a secret only appears once a text is decoded, the result is the decoded text.
   */
  redact(text: string): string;
}

/** A token is valid for an hour and renewed shortly before, so two may be valid at once. The others are a margin. */
const MOST_TOKENS = 4;

/** Creates the redactor of an API key. */
export function createRedactor(apiKey: string): Redactor {
  const tokens: Record<'granted' | 'seen', readonly string[]> = { granted: [], seen: [] };
  let replace = replacerOf([apiKey]);
  return {
    learn(token, source = 'granted') {
      const isKnown = tokens.granted.includes(token) || (source === 'seen' && tokens.seen.includes(token));
      if (token === '' || token === apiKey || isKnown) return false;
      tokens[source] = [...tokens[source], token].slice(-MOST_TOKENS);
      replace = replacerOf([apiKey, ...tokens.granted, ...tokens.seen]);
      return true;
    },
    redact(text) {
      let safe = replace.whole(text);
      for (const { applies, read } of READINGS) {
        if (!applies.test(safe)) continue;
        const reading = read(safe);
        const replaced = replace.whole(reading);
        if (replaced !== reading) safe = replaced;
      }
      return replace.beginnings(safe);
    },
  };
}

/** Control, format, private-use and unassigned characters, lone surrogates, and all others that show nothing. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

function visible(text: string): string {
  return withoutEscapes(text).replace(INVISIBLE, '');
}

/**
 * The ways in which a reader or a program may turn a text into a secret, and to which texts each applies. Invisible
 * characters are removed with and without the escape sequences they may begin, because a sequence may take a
 * character of the secret along.
 */
const READINGS = [
  { applies: /[^ -~]/, read: (text: string) => text.replace(INVISIBLE, '') },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with these
  { applies: /[\u001B\u009B]/, read: visible },
  { applies: /[%\\&]/, read: (text: string) => visible(decoded(text)) },
  // Encoded twice, as an address within an address is.
  { applies: /%25|\\\\|&amp;/, read: (text: string) => visible(decoded(decoded(text))) },
];

/** A regular expression looks for this many characters of each spelling: a pattern of whole tokens compiles slowly. */
const SEARCHED = 32;

/** So many places that begin like a secret and go on differently are compared in full; each costs a secret's length. */
const MOST_NEAR_MISSES = 500;

interface Replacer {
  /** Replaces each spelling of each secret. */
  whole(text: string): string;
  /** Replaces what begins like a spelling, as far as it is like it: a secret that breaks off or goes on differently. */
  beginnings(text: string): string;
}

/** Returns functions that take a time linear in the text, whatever secrets and text repeat. */
function replacerOf(secrets: readonly string[]): Replacer {
  // The longest first, because a secret may be a part of another one's spelling.
  const spellings = [...new Set(secrets.flatMap(spellingsOf))].sort((a, b) => b.length - a.length);
  const beginnings = new Set(spellings.map((spelling) => spelling.slice(0, SEARCHED)));
  const pattern = [...beginnings].map((text) => text.replace(/[^A-Za-z0-9]/g, '\\$&')).join('|');
  const search = new RegExp(pattern, 'g');
  const replaced = (text: string, mostMisses: number): string => {
    let safe = '';
    let done = 0;
    let misses = 0;
    search.lastIndex = 0;
    for (let found = search.exec(text); found !== null; found = search.exec(text)) {
      const { index } = found;
      const whole = misses < mostMisses ? spellings.find((each) => isAt(each, text, index)) : undefined;
      if (whole === undefined && misses < mostMisses) {
        misses += 1;
        search.lastIndex = index + 1;
        continue;
      }
      const length = whole?.length ?? Math.max(...spellings.map((each) => commonLength(each, text, index)));
      safe += `${text.slice(done, index)}***`;
      done = index + Math.max(length, found[0].length);
      search.lastIndex = done;
    }
    return done === 0 ? text : safe + text.slice(done);
  };
  return { whole: (text) => replaced(text, MOST_NEAR_MISSES), beginnings: (text) => replaced(text, 0) };
}

/** As `startsWith`, which compares long texts character by character. */
function isAt(spelling: string, text: string, index: number): boolean {
  return text.slice(index, index + spelling.length) === spelling;
}

/** How many characters of a spelling a text repeats from an index on. */
function commonLength(spelling: string, text: string, index: number): number {
  let length = 0;
  while (length < spelling.length && spelling.charCodeAt(length) === text.charCodeAt(index + length))
    length += 1;
  return length;
}

/** Fewer characters of base64 than these are part of too many ordinary texts. */
const SHORTEST_BASE64 = 6;

/** A secret as it is, and what any base64 text that contains it has in common, for each place of its first byte. */
function spellingsOf(secret: string): string[] {
  const base64 = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const whole = text
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor((text.length * 8) / 6));
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [secret, ...base64.filter(({ length }) => length >= SHORTEST_BASE64)].filter((text) => text !== '');
}

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;

/** What HTML writes differently in a token, or in the encoding of one. */
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|(amp|quot|apos|lt|gt));/y;
const NAMED: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' };

/** The character that an entity at this place of a text stands for, and the entity's length. */
function entityAt(text: string, at: number): { readonly unit: number; readonly length: number } | undefined {
  ENTITY.lastIndex = at;
  const [whole, decimal, hexadecimal, name] = ENTITY.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const number = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
  const unit = name === undefined ? number : (NAMED[name] ?? '').charCodeAt(0);
  return { unit, length: whole.length };
}

/**
 * A text without percent-encoding, JSON's escapes and HTML's entities. A loop, because `replace` takes 30 ms for 256 KiB
 * of escapes.
 */
function decoded(text: string): string {
  const units = new Uint16Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    let unit = text.charCodeAt(at);
    const isUnicode = unit === BACKSLASH && text.charCodeAt(at + 1) === LOWER_U;
    const code = unit === PERCENT ? hex(text, at + 1, 2) : isUnicode ? hex(text, at + 2, 4) : undefined;
    const entity = unit === AMPERSAND ? entityAt(text, at) : undefined;
    if (code !== undefined) {
      unit = code;
      at += isUnicode ? 5 : 2;
    } else if (entity !== undefined) {
      unit = entity.unit;
      at += entity.length - 1;
    } else if (unit === BACKSLASH && at + 1 < text.length) {
      at += 1;
      // A line break or another control character, which is invisible.
      unit = 'bfnrt'.includes(text.charAt(at)) ? 0 : text.charCodeAt(at);
    }
    units[length] = unit;
    length += 1;
  }
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
}

/** The number that so many hexadecimal digits write; undefined if others are among them. */
function hex(text: string, from: number, digits: number): number | undefined {
  let value = 0;
  for (let at = from; at < from + digits; at += 1) {
    const digit = HEX_DIGITS.indexOf(text.charAt(at).toLowerCase());
    if (digit === -1 || at >= text.length) return undefined;
    value = value * 16 + digit;
  }
  return value;
}

const HEX_DIGITS = '0123456789abcdef';

/** More tokens than these in one body are not tokens. */
const MOST_FOUND = 2;

/**
 * Returns what stands in the place of a token in a text that is not the expected JSON, so that it can be redacted
 * from a message about that text.
 */
export function tokensIn(text: string): string[] {
  const found: string[] = [];
  for (const [, token] of text.matchAll(/"token"\s*:\s*"([!#-[\]-~]{4,})"/g)) {
    if (token !== undefined) found.push(token);
    if (found.length === MOST_FOUND) break;
  }
  return found;
}
