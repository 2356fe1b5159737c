// Loaded before the main bundle (`node --import`). Simulates a crash or a full disk at one write:
//   DISK_AT=3       the number of the write, counted from 1 across all files
//   DISK_DOES=…     kill: kills the process after half of that record; full: makes that write and all later ones fail
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { DISK_AT = '0', DISK_DOES = '' } = process.env;
const { writeFileSync: write } = fs;
let writes = 0;

/** Node's own appendFileSync calls this function, too. */
function writeFileSync(file, text, ...rest) {
  writes += 1;
  if (writes < Number(DISK_AT)) return write(file, text, ...rest);
  if (DISK_DOES === 'full') {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }
  write(file, text.slice(0, Math.ceil(text.length / 2)), ...rest);
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment to arrive, and the process must not do anything else until then.
  for (;;);
}

if (/[\\/]dist[\\/]main\.js$/.test(process.argv[1] ?? '')) {
  fs.writeFileSync = writeFileSync;
  syncBuiltinESMExports();
}
