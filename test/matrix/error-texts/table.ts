// Reads error-texts.txt and fault-texts.txt.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Stands for a line break in the message of an annotation. */
export const LINE_BREAK = ' ⏎ ';

/** The lines of a table that people see, without headings, levels, titles and the marks of the log. */
export function linesOf(table: 'error-texts.txt' | 'fault-texts.txt'): readonly string[] {
  const lines = readFileSync(join(import.meta.dirname, '..', table), 'utf8').split('\n');
  if (table === 'fault-texts.txt') return lines.map((line) => line.replace(/^.*\|/, '').trim());
  const shown = lines.filter((line) => !line.startsWith('== ')).map((line) => line.replace(/^(?:\[[^\]]*\]|>) /, ''));
  return shown.flatMap((line) => line.split(LINE_BREAK));
}
