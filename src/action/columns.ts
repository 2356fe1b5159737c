/** Made when it is first needed: it takes longer to make than all the rest that is loaded at the start. */
let graphemes: Intl.Segmenter | undefined;

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

/** Cuts a text that is wider than so many columns, and says so with an ellipsis. */
export function cutToColumns(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  let used = 1;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) {
    used += columnsOf(segment);
    if (used > columns) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
