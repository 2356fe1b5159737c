/**
 * Text that came from outside, made fit for a log line, an annotation or an output.
 *
 * A runner obeys a line that starts with `::` after white space of any kind, and `##[` anywhere in a line.
 * Terminals obey escapes, and bidirectional marks make a line read as another. None of that is obeyed here:
 * the text stays readable, and stays text.
 */
export function oneLine(text: string, longest = 500): string {
  return neutral(shorten(flat(text), longest));
}

/** As much of a text is looked at as any place may show, in characters, and far more: it may begin with blank lines. */
const LOOKED_AT = 65_536;

/** A text on one line, without escape sequences and invisible characters. To print it, use `oneLine`. */
export function flat(text: string): string {
  return withoutEscapes(text.slice(0, LOOKED_AT)).replace(INVISIBLE, ' ').replace(/\s+/gu, ' ').trim();
}

/** Removes the escape sequences that a terminal obeys. */
export function withoutEscapes(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, '');
}

/**
 * The last fence before stdout: a line of ours, spaces and all, in which nothing is a command. What oneLine made
 * goes through unchanged.
 */
export function neutral(line: string): string {
  return withoutEscapes(line)
    .replace(CONTROL, ' ')
    .replaceAll('##[', '#\u200B#[')
    .replace(/^(\s*):(?=:)/u, '$1:\u200B');
}

/** As `oneLine`, between quotation marks, for what is set into a sentence of our own. */
export function quoted(text: string, longest = 200): string {
  return `"${oneLine(text, longest).replaceAll('"', "'")}"`;
}

/**
 * As `quoted`, for a name that must be told from others that look alike: invisible characters and white space other
 * than single spaces are shown as escapes, such as \u200B.
 */
export function quotedName(name: string, longest = 200): string {
  return quoted(name.replace(HIDDEN, escaped), longest);
}

function escaped(character: string): string {
  const code = character.codePointAt(0)?.toString(16).toUpperCase() ?? '';
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}

/** What an error says of itself. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The same after the kind of error, for a bug report. */
export function namedMessageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Cuts a text at `longest` characters, never inside a surrogate pair, and says so with an ellipsis. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const kept = text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/u, '');
  return `${kept.trimEnd()}…`;
}

/**
 * Copies a text. V8 makes a part of a text a view that keeps all of the text in memory; a copy does not. Lone
 * surrogates are replaced.
 */
export function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

/** Terminals obey these control characters where they are within a sequence, and go on with it. */
const WITHIN = String.raw`\0-\x17\x19\x1C-\x1F\x7F`;

/**
 * ECMA-48 and ISO 2022: control sequences (CSI), strings (DCS, SOS, OSC, PM, APC) up to BEL, ST or a cancellation, and
 * all others that begin with ESC. A sequence that does not end is removed up to where it breaks off; a string that begins
 * with a single character only if it ends, because misread UTF-8 contains such characters.
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

/** Control characters, line and paragraph separators, bidirectional marks; not the zero-width space set in above. */
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Control, format (zero-width, bidirectional), private-use and unassigned characters, line and paragraph separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu;

/** What a name loses in `oneLine`, or what takes no space or looks like a space. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}]|[^\S ]|^ | $|(?<= ) /gu;
