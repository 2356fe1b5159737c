import { oneLine } from '../base/safe-text.ts';

/**
 * Text from outside as Markdown that shows just that text: whatever could open a link, a tag, a table cell, a
 * code span, an emphasis or a mention is written as an entity.
 */
export function plainMarkdown(text: string, longest = 300): string {
  return oneLine(text, longest).replace(/[!-+./:-@[-`{-~]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** A table, with cells that are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
