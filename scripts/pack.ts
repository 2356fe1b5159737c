import { writeFileSync } from 'node:fs';
import { archive } from './archive.ts';

/** `node scripts/pack.ts FILE`: writes the archive that runners download for the current commit. */
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node scripts/pack.ts FILE');
writeFileSync(file, archive());
