/**
 * Text that came from outside, made fit for a log line, an annotation or an output.
 *
 * A runner obeys a line that starts with `::` after white space of any kind, and `##[` anywhere in a line.
 * Terminals obey escapes, and bidirectional marks make a line read as another. None of that is obeyed here:
 * the text stays readable, and stays text.
 */
export function oneLine(text: string, longest = 500): string {
  const flat = text
    .replace(ANSI_ESCAPE, '')
    .replace(INVISIBLE, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
    .replaceAll('##[', '#\u200B#[')
    .replace(/^(?:#\u200B)?::/u, ':\u200B:');
  return shorten(flat, longest);
}

/** As `oneLine`, for the parts of a text that is set into a line of our own: keeps an empty text empty. */
export function quoted(text: string, longest = 200): string {
  return `"${oneLine(text, longest).replaceAll('"', "'")}"`;
}

/** Cuts a text at `longest` characters, never inside a surrogate pair, and says so with an ellipsis. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const kept = text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/u, '');
  return `${kept.trimEnd()}…`;
}

/** ESC or CSI, then a control sequence, or an operating system command up to its end. */
const ANSI_ESCAPE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[@-Z\\^_]/gu;

/** Control, format (zero-width, bidirectional), private-use and unassigned characters, line and paragraph separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu;
