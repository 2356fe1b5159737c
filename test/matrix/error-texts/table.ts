// Reads the tables of texts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Represents a line break in the message of an annotation. */
export const LINE_BREAK = ' ⏎ ';

/** Returns the lines of a table that users see, without headings, levels, titles and log prefixes. */
export function linesOf(table: 'entry-texts.txt' | 'error-texts.txt' | 'fault-texts.txt'): readonly string[] {
  const lines = readFileSync(join(import.meta.dirname, '..', table), 'utf8').split('\n');
  if (table === 'fault-texts.txt') return lines.map((line) => line.replace(/^.*\|/, '').trim());
  const prefix = table === 'entry-texts.txt' ? /^\w+: (?:::.*?::)?/ : /^(?:\[[^\]]*\]|>) /;
  const shown = lines.filter((line) => !line.startsWith('== ')).map((line) => line.replace(prefix, ''));
  return shown.flatMap((line) => line.split(LINE_BREAK));
}
