// Copies its stdin to its stdout at 64 KB/s, like a runner that is busy with the logs of other jobs.
import { readSync, writeSync } from 'node:fs';

const EVERY_MS = 50;
const chunk = Buffer.alloc(3_277);
const idle = new Int32Array(new SharedArrayBuffer(4));

for (let bytes = readSync(0, chunk); bytes > 0; bytes = readSync(0, chunk)) {
  writeSync(1, chunk, 0, bytes);
  Atomics.wait(idle, 0, 0, EVERY_MS);
}
