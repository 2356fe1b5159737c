// Writes every workflow in the documents into a folder for actionlint and zizmor.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shown } from './documents.ts';

const [folder = ''] = process.argv.slice(2);
if (folder === '' || folder.startsWith('-')) {
  console.error('Usage: npm run workflows -- FOLDER');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
for (const { name, text } of shown) {
  const file = `${name.replace(/\W+/g, '-')}.yml`;
  writeFileSync(join(folder, file), text.replaceAll('FULL_HASH', '0'.repeat(40)));
}
