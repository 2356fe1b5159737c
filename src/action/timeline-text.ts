import { oneLine } from '../base/safe-text.ts';

/**
 * Text from outside as Mermaid shows it: as just that text. Whatever may mean something to Mermaid, to the Markdown
 * around it or to the page is written as a code, and so is the first character: no word of Mermaid's begins so.
 */
export function chartText(text: string, columns: number): string {
  return Array.from(cut(oneLine(text), columns))
    .map((mark, index) => (index > 0 && PLAIN.test(mark) ? mark : `#${mark.codePointAt(0)};`))
    .join('');
}

const PLAIN = /^[\p{L}\p{N}\p{M}\p{Extended_Pictographic} ]$/u;

/** Cuts a text that is wider than so many columns of a chart, and says so with an ellipsis. */
function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  let used = 1;
  for (const { segment } of GRAPHEMES.segment(text)) {
    used += columnsOf(segment);
    if (used > columns) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Characters that take about two columns: East Asian scripts and emoji. Marks on top of others take none. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u;
const NO_WIDTH = /[\p{M}\p{Emoji_Modifier}]/u;

/** How wide a text is, in columns of the width of a usual letter; about, since fonts differ. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const mark of text) columns += NO_WIDTH.test(mark) ? 0 : WIDE.test(mark) ? 2 : 1;
  return columns;
}
