/*
 * Text from outside is untrusted: it could rewrite a terminal or start a workflow command. Texts from the network lose
 * their control characters and secrets when they arrive (`Secrets.clean`), and every printed line goes through
 * `withoutCommands`.
 */

/** Line breaks of every kind. Together with tabs and spaces, they separate words. */
const LINE_BREAK = /\r\n?|[\n\x85\u2028\u2029]/g;
/**
 * Characters that are invisible or that reorder a line. They are removed, not replaced with spaces, so that a secret
 * that contains one is still recognized.
 */
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;

/** Control characters that cannot end an escape sequence. */
const WITHIN = String.raw`\0-\x17\x19\x1C-\x1F\x7F`;
/**
 * The sequences of ECMA-48 and ISO 2022: control sequences (CSI), strings (DCS, SOS, OSC, PM, APC) up to BEL, ST or a
 * cancellation, and all others that begin with ESC. Unterminated sequences match too, except strings that begin with a
 * single C1 character, because incorrectly decoded UTF-8 contains such characters.
 */
const ESCAPE_SEQUENCE = new RegExp(
  [
    String.raw`(?:\x1B[${WITHIN}]*\[|\x9B)[${WITHIN} -?]*[@-~]?`,
    String.raw`\x1B[${WITHIN}]*[PX\]^_][^\x07\x18\x1A\x1B\x9C]*(?:[\x07\x18\x1A\x9C]|\x1B\\)?`,
    String.raw`[\x90\x98\x9D-\x9F][^\x07\x18\x1A\x1B\x80-\x9F]*(?:[\x07\x18\x1A\x9C]|\x1B\\)`,
    String.raw`\x1B[${WITHIN} -/]*[0-~]?`,
  ].join('|'),
  'g',
);

/** The minimum length of a secret to look for. Other texts, even a status, may contain a shorter one by chance. */
export const SHORTEST_SECRET = 8;

/** Puts text on one line, without control characters or escape sequences. */
export function flat(text: string): string {
  return untrimmed(text).trim();
}

/** Like `flat`, but keeps a space at each end, for text within quotation marks. */
export function untrimmed(text: string): string {
  return visible(text).replace(/\s+/gu, ' ');
}

/** The maximum length of a name that can be looked up. */
export const LONGEST_NAME = 1_000;

/**
 * Returns a name as people see it: in Unicode NFC, with single spaces, and without invisible characters. Returns '' for
 * a name that is too long, because `normalize` takes quadratic time for combining marks: 40 s for 240,000 of them.
 */
export function asSeen(name: string): string {
  return name.length > LONGEST_NAME ? '' : flat(name).normalize('NFC');
}

/** Makes text safe to show: one line, at most `longest` characters, and no workflow command. */
export function oneLine(text: string, longest = 500): string {
  return withoutCommands(shorten(flat(text), longest));
}

/** Like `flat`, but keeps the line breaks. */
export function unescaped(text: string): string {
  return visible(text).replaceAll('\t', ' ').trim();
}

/** Removes escape sequences and invisible characters, except tabs and line breaks. */
function visible(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, '').replace(LINE_BREAK, '\n').replace(INVISIBLE, '');
}

/** Defuses workflow commands: runners obey `::` at the start of a line, even after white space, and `##[` anywhere. */
export function withoutCommands(line: string): string {
  return line.replaceAll('##[', '#\u200B#[').replace(/^(\s*):(?=:)/u, '$1:\u200B');
}

/** Quotes a text, in single quotation marks if it contains only double ones. Apostrophes stay as they are. */
export function quoted(text: string, longest = 200): string {
  const line = oneLine(text, longest);
  if (line.includes('"') && !line.includes("'")) return `'${line}'`;
  return `"${line.replaceAll('"', "'")}"`;
}

/** The fraction of a shortened text that comes from the beginning. The rest is the end, which often has the cause. */
const FROM_BEGINNING = 0.6;

/** The rest of a character that a cut has split: half a surrogate pair, or combining marks. */
const REST = /^[\uDC00-\uDFFF\p{M}]+/u;

/** Cuts the middle out of a text that has more than `longest` characters. Never splits a surrogate pair. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const kept = Math.max(longest - 1, 0);
  const first = Math.ceil(kept * FROM_BEGINNING);
  const beginning = text.slice(0, first).replace(/[\uD800-\uDBFF]$/, '');
  const end = kept === first ? '' : text.slice(first - kept).replace(REST, '');
  return `${beginning.trimEnd()}…${end.trimStart()}`;
}

/** Capitalizes the beginning of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Adds a full stop, unless the text already ends with punctuation. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** The number of items that `listed` shows, because readers skip long lists. */
export const MOST_LISTED = 5;

/** Lists the first few items, and says how many more there are. */
export function listed(items: readonly string[], word = 'and'): string {
  const few = items.slice(0, MOST_LISTED);
  const last = items.length > MOST_LISTED ? `${items.length - MOST_LISTED} more` : (few.pop() ?? '');
  return few.length > 0 ? `${few.join(', ')} ${word} ${last}` : last;
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export const REPORT_BUG = 'Please report this bug.';

/** Reports an error that only a bug in this action can cause. */
export function internalError(why: string): string {
  return `Internal error in this action: ${oneLine(why)}. ${REPORT_BUG}`;
}

/** Describes an error that only a bug in this action can cause: its message, and the place in the bundle. */
export function bugOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [place] = /(?:\d{1,5}\.)?index\.js:\d+/.exec(stack) ?? [];
  return place === undefined ? messageOf(error) : `${messageOf(error)}, ${place}`;
}
