import { oneLine } from '../../../base/safe-text.ts';

/**
 * Converts external text to Markdown that shows exactly that text. Characters with a meaning in Markdown become
 * entities. GitHub finds mentions and issue numbers in the rendered text, so a zero-width space follows @ and #.
 */
export function plainMarkdown(text: string, maxLength = 300): string {
  return oneLine(text, maxLength).replace(/[!-+./:-@[-`{-~]/g, (mark) => {
    const separator = mark === '@' || mark === '#' ? '&#8203;' : '';
    return `&#${mark.charCodeAt(0)};${separator}`;
  });
}

/**
 * Formats an id as code, and also as a link if its URL is known. Encodes all characters of the URL (which is ASCII)
 * that have a meaning in Markdown or HTML.
 */
export function codeLink(id: string, href: string | undefined): string {
  if (href === undefined) return `\`${id}\``;
  const encoded = href
    .replace(/[^A-Za-z0-9:/?#=.,;@%+~_&-]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('&', '&amp;');
  return `[\`${id}\`](${encoded})`;
}

/** Returns the longest prefix of `lines` that fits into `bytes` bytes. */
export function upTo(bytes: number, lines: readonly string[]): readonly string[] {
  let used = 0;
  const end = lines.findIndex((line) => {
    used += Buffer.byteLength(line) + 1;
    return used > bytes;
  });
  return end === -1 ? lines : lines.slice(0, end);
}

/** Characters that are about two columns wide: East Asian scripts and emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u;
/** Characters that are drawn on top of the previous one. */
const NO_WIDTH = /[\p{M}\p{Emoji_Modifier}]/u;

/** Returns the approximate width of text, in columns of average letter width. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const mark of text) columns += NO_WIDTH.test(mark) ? 0 : WIDE.test(mark) ? 2 : 1;
  return columns;
}

/** Created on first use, because creating it takes longer than loading the rest of the action. */
let graphemes: Intl.Segmenter | undefined;

/** Shortens text that is wider than `columns` columns and appends an ellipsis. */
export function cutToColumns(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let kept = '';
  let used = 1;
  for (const { segment } of graphemes.segment(text)) {
    used += columnsOf(segment);
    if (used > columns) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
