/** Converts external text to one line without escapes or commands, for a log line, an annotation or an output. */
export function oneLine(text: string, longest = 500): string {
  return neutral(shorten(flat(text), longest));
}

/** Maximum number of characters to process. It exceeds any display limit, because text may begin with blank lines. */
const LOOKED_AT = 65_536;

/** Puts text on one line without escape sequences or invisible characters. For printing, use `oneLine` instead. */
export function flat(text: string): string {
  return withoutEscapes(text.slice(0, LOOKED_AT)).replace(INVISIBLE, ' ').replace(/\s+/gu, ' ').trim();
}

/** Removes the escape sequences that a terminal interprets. */
export function withoutEscapes(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, '');
}

/** Disarms workflow commands in a line without changing its spaces. Used for every printed line. */
export function neutral(line: string): string {
  const visible = withoutEscapes(line).replace(CONTROL, ' ');
  // The runner interprets `##[` anywhere in a line, and `::` at its start, even after white space.
  return visible.replaceAll('##[', '#\u200B#[').replace(/^(\s*):(?=:)/u, '$1:\u200B');
}

/** Like `oneLine`, but adds quotation marks. */
export function quoted(text: string, longest = 200): string {
  return `"${oneLine(text, longest).replaceAll('"', "'")}"`;
}

/** Like `quoted`, but shows invisible characters and all white space except single spaces as escapes such as \u200B. */
export function quotedName(name: string, longest = 200): string {
  const escaped = (character: string): string => {
    const code = character.codePointAt(0)?.toString(16).toUpperCase() ?? '';
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  };
  return quoted(name.replace(HIDDEN, escaped), longest);
}

/** Returns the message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the name and message of an error, for a bug report. */
export function namedMessageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Cuts text at `longest` characters, never inside a surrogate pair, and marks the cut with an ellipsis. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const kept = text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/u, '');
  return `${kept.trimEnd()}…`;
}

/** Copies a string, because V8 keeps the whole original of any slice in memory. Replaces lone surrogates. */
export function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

/** Control characters that cannot end an escape sequence. */
const WITHIN = String.raw`\0-\x17\x19\x1C-\x1F\x7F`;
/**
 * ECMA-48 and ISO 2022: control sequences (CSI), strings (DCS, SOS, OSC, PM, APC) up to BEL, ST or a cancellation, and
 * all others that begin with ESC. The pattern matches unfinished sequences too, except for strings that begin with a
 * single C1 character, because wrongly decoded UTF-8 contains such characters.
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
/** Control characters, line separators and bidirectional marks (which reorder lines), but not \u200B from `neutral`. */
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
/** Control, format (zero-width, bidirectional), private-use and unassigned characters, and line separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu;
/** The characters that `oneLine` removes from a name, and those that are invisible or look like a space. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}]|[^\S ]|^ | $|(?<= ) /gu;
