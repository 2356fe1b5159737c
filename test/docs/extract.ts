// Writes every workflow in the documents into a folder for actionlint and zizmor. Workflows with background steps
// go into a separate folder, because actionlint does not support them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shown } from './documents.ts';

const [folder = ''] = process.argv.slice(2);
for (const { name, text } of shown) {
  const to = join(folder, /^ +background: true$/m.test(text) ? 'background' : 'all');
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, `${name.replace(/\W+/g, '-')}.yml`), text.replaceAll('FULL_HASH', '0'.repeat(40)));
}
