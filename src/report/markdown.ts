import { oneLine } from '../base/text.ts';

/**
 * Escapes external text so that Markdown shows it unchanged. Punctuation becomes entities. GitHub looks for mentions
 * and issue numbers in the rendered text, so a zero-width space follows @ and #.
 */
export function plain(text: string, longest = 300): string {
  return oneLine(text, longest).replace(/[!-+./:-@[-`{-~]/g, (mark) => {
    const separator = mark === '@' || mark === '#' ? '&#8203;' : '';
    return `&#${mark.charCodeAt(0)};${separator}`;
  });
}

/** Formats an id as code and, if `link` is not '', as a link. Encodes characters special to Markdown or HTML. */
export function codeLink(id: string, link: string): string {
  if (link === '') return `\`${id}\``;
  const encoded = link
    .replace(/[^A-Za-z0-9:/?#=.,;@%+~_&-]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('&', '&amp;');
  return `[\`${id}\`](${encoded})`;
}

/** Returns as many of the first lines as fit into `bytes` bytes. */
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

/** Truncates text to `columns` columns, each as wide as an average letter. */
export function cutToColumns(text: string, columns: number): string {
  let kept = '';
  let used = 0;
  for (const mark of text) {
    used += WIDE.test(mark) ? 2 : 1;
    if (used > columns) return `${kept.trimEnd()}…`;
    // The ellipsis needs a column.
    if (used < columns) kept += mark;
  }
  return text;
}

/** Shows lines verbatim. The fence is longer than any row of backticks in them. */
export function codeBlock(lines: readonly string[]): string {
  const text = lines.join('\n');
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}
