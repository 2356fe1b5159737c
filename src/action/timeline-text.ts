import { oneLine } from '../base/safe-text.ts';
import { cutToColumns } from './columns.ts';

/**
 * Text from outside as Mermaid shows it: as just that text. Whatever may mean something to Mermaid, to the Markdown
 * around it or to the page is written as a code, and so is the first character: no word of Mermaid's begins so.
 */
export function chartText(text: string, columns: number): string {
  return Array.from(cutToColumns(oneLine(text), columns))
    .map((mark, index) => (index > 0 && PLAIN.test(mark) ? mark : `#${mark.codePointAt(0)};`))
    .join('');
}

const PLAIN = /^[\p{L}\p{N}\p{M}\p{Extended_Pictographic} ]$/u;
