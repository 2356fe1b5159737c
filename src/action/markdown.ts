import { oneLine } from '../base/safe-text.ts';

/**
 * Text from outside as Markdown that shows just that text: whatever could open a link, a tag, a table cell, a
 * code span or an emphasis is written as an entity. Mentions and issue numbers are looked for in what was
 * rendered, so a space of no width follows their mark.
 */
export function plainMarkdown(text: string, longest = 300): string {
  return oneLine(text, longest).replace(/[!-+./:-@[-`{-~]/g, (mark) => {
    const apart = mark === '@' || mark === '#' ? '&#8203;' : '';
    return `&#${mark.charCodeAt(0)};${apart}`;
  });
}

/** A table, with cells that are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
