// Loaded before the main bundle (`node --import`). Simulates a crash or a full disk at one write:
//   DISK_AT=3       counted from 1, over all files that are appended to
//   DISK_DOES=…     kill-before, kill-half, kill-after: the process is killed there
//                   full, full-half: the disk is full from there on, before or in the middle of that record
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { DISK_AT = '0', DISK_DOES = '' } = process.env;
const append = fs.appendFileSync;
let writes = 0;

function kill() {
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment, in which nothing else may happen.
  for (;;);
}

function half(path, text, ...rest) {
  append(path, text.slice(0, Math.ceil(text.length / 2)), ...rest);
}

function appendFileSync(path, text, ...rest) {
  writes += 1;
  const [does, how] = writes < Number(DISK_AT) ? [] : DISK_DOES.split('-');
  if (does === undefined) return append(path, text, ...rest);
  if (how === 'half' && writes === Number(DISK_AT)) half(path, text, ...rest);
  if (does === 'full') {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }
  if (how === 'after') append(path, text, ...rest);
  return kill();
}

if (/[\\/]main[\\/]index\.js$/.test(process.argv[1] ?? '')) {
  fs.appendFileSync = appendFileSync;
  syncBuiltinESMExports();
}
