import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The table of texts: what people see, under what went wrong. Made to be read from top to bottom. */
const FILE = join(import.meta.dirname, '..', 'error-texts.txt');

/** Every text of the table, by its heading. */
export function readTexts(): ReadonlyMap<string, string> {
  const sections = readFileSync(FILE, 'utf8').split(/^== /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [when = '', ...lines] = section.split('\n');
      return [when, lines.join('\n').trim()];
    }),
  );
}
