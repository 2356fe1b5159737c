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

/** A table, with cells that are Markdown already, of as many rows as fit into so many bytes. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  bytes = Number.POSITIVE_INFINITY,
): string {
  return [row(head), row(head.map(() => '---')), ...upTo(bytes, rows.map(row))].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/**
 * A text without marks of its own, such as an id, as code, and as a link where an address is known. The address
 * is a URL that was checked; what Markdown, a table or an entity would read into it is written in another way.
 */
export function codeLink(text: string, href: string | undefined): string {
  if (href === undefined) return `\`${text}\``;
  const address = href.replace(/[^A-Za-z0-9:/?#=.,;@%+~_-]/g, (mark) =>
    mark === '&' ? '&amp;' : encodeURIComponent(mark).replace(/^[!'()*]$/, hexOf),
  );
  return `[\`${text}\`](${address})`;
}

/** As encodeURIComponent writes other marks: it leaves these as they are. */
function hexOf(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** As many lines as fit into so many bytes, the first ones. */
export function upTo(bytes: number, lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let used = 0;
  for (const line of lines) {
    used += Buffer.byteLength(line) + 1;
    if (used > bytes) break;
    kept.push(line);
  }
  return kept;
}
