/** Makes text from outside fit for a log line, an annotation or an output: one line, without escapes and commands. */
export function oneLine(text: string, longest = 500): string {
  return neutral(shorten(flat(text), longest));
}

/** In characters. Far more than any place shows, because a text may begin with blank lines. */
const LOOKED_AT = 65_536;

/** A text on one line, without escape sequences and invisible characters. To print it, use `oneLine`. */
export function flat(text: string): string {
  return withoutEscapes(text.slice(0, LOOKED_AT)).replace(INVISIBLE, ' ').replace(/\s+/gu, ' ').trim();
}

/** Removes the escape sequences that a terminal obeys. */
export function withoutEscapes(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, '');
}

/** Disarms the commands in a line of ours and keeps its spaces. The last fence before stdout; `oneLine` includes it. */
export function neutral(line: string): string {
  const visible = withoutEscapes(line).replace(CONTROL, ' ');
  // The runner obeys `##[` anywhere in a line, and `::` at its start, also after white space.
  return visible.replaceAll('##[', '#\u200B#[').replace(/^(\s*):(?=:)/u, '$1:\u200B');
}

/** As `oneLine`, between quotation marks. */
export function quoted(text: string, longest = 200): string {
  return `"${oneLine(text, longest).replaceAll('"', "'")}"`;
}

/** As `quoted`, but shows invisible characters and all white space except single spaces as escapes, such as \u200B. */
export function quotedName(name: string, longest = 200): string {
  const escaped = (character: string): string => {
    const code = character.codePointAt(0)?.toString(16).toUpperCase() ?? '';
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  };
  return quoted(name.replace(HIDDEN, escaped), longest);
}

/** The message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The kind of an error and its message, for a bug report. */
export function namedMessageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Cuts a text at `longest` characters, never inside a surrogate pair, and marks the cut with an ellipsis. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const kept = text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/u, '');
  return `${kept.trimEnd()}…`;
}

/** Copies a text, because V8 keeps the whole text in memory for a part of it. Replaces lone surrogates. */
export function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

/** Control characters that do not end an escape sequence. */
const WITHIN = String.raw`\0-\x17\x19\x1C-\x1F\x7F`;
/**
 * ECMA-48 and ISO 2022: control sequences (CSI), strings (DCS, SOS, OSC, PM, APC) up to BEL, ST or a cancellation, and
 * all others that begin with ESC. An unfinished sequence is removed as far as it goes, but a string that begins with a
 * single character only if it ends, because misread UTF-8 contains such characters.
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
/** Control characters, separators of lines, bidirectional marks (they reorder a line); not the space set in by `neutral`. */
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
/** Control, format (zero-width, bidirectional), private-use and unassigned characters, separators of lines. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu;
/** All that `oneLine` removes from a name, and all that takes no space or looks like a space. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}]|[^\S ]|^ | $|(?<= ) /gu;
