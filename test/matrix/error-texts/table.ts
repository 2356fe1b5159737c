// Reads the tables of texts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Represents a line break in the message of an annotation. */
export const LINE_BREAK = ' ⏎ ';

const TABLES = ['entry-texts.txt', 'error-texts.txt', 'fault-texts.txt'] as const;

/** Returns the lines of a table that users see, without headings, levels, titles and log prefixes. */
function linesOf(table: (typeof TABLES)[number]): readonly string[] {
  const lines = readFileSync(join(import.meta.dirname, '..', table), 'utf8').split('\n');
  if (table === 'fault-texts.txt') return lines.map((line) => line.replace(/^.*\|/, '').trim());
  const prefix = table === 'entry-texts.txt' ? /^\w+: (?:::.*?::)?/ : /^(?:\[[^\]]*\]|>) /;
  const shown = lines.filter((line) => !line.startsWith('== ')).map((line) => line.replace(prefix, ''));
  return shown.flatMap((line) => line.split(LINE_BREAK));
}

/** The lines of all tables. */
export const ALL_LINES: readonly string[] = TABLES.flatMap(linesOf);
