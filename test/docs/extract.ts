import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shown } from './shown.ts';

/*
 * Writes every workflow of the documents into the folder that is named, for actionlint and zizmor. actionlint does not
 * know steps in the background: workflows with one go into a folder of their own.
 */
const [folder = ''] = process.argv.slice(2);
for (const { name, text } of shown) {
  const to = join(folder, /^ +background: true$/m.test(text) ? 'background' : 'all');
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, `${name.replace(/\W+/g, '-')}.yml`), text.replaceAll('FULL_HASH', '0'.repeat(40)));
}
