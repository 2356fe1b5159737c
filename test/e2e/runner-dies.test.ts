import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onStage, seenBy, useAction } from '../support/e2e.ts';

const action = useAction();

/** Starts main like a runner, and passes on what it prints. */
const RUNNER = `
  const main = require('node:child_process').spawn(process.execPath, [process.argv[1]]);
  main.stdout.pipe(process.stdout);
  console.log('main is ' + main.pid);
`;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

// Windows does not tell when a parent has ended.
describe.skipIf(process.platform === 'win32')('a step whose runner dies', () => {
  it('cancels its run without having heard of anything, and ends', { timeout: 60_000 }, async () => {
    await onStage(action, {}, async ({ sandbox, inputs }) => {
      const given = Object.entries(inputs({ pipeline: 'endless', 'poll-interval': '1h' }));
      const env = Object.fromEntries(given.map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]));
      const main = join(action.folder, 'dist', 'main', 'index.js');
      const runner = spawn(process.execPath, ['-e', RUNNER, main], { env });
      const pid = await new Promise<number>((resolve) => {
        let text = '';
        runner.stdout.on('data', (chunk: Buffer) => {
          text += String(chunk);
          const [, found] = /main is (\d+)/.exec(text) ?? [];
          if (found !== undefined && text.includes('is queued')) resolve(Number(found));
        });
      });
      // Main counts the parent that it has after ten seconds.
      await new Promise((resolve) => setTimeout(resolve, 10_500));
      runner.kill('SIGKILL');
      await expect.poll(() => isAlive(pid), { timeout: 30_000, interval: 100 }).toBe(false);
      expect(seenBy(sandbox).statuses).toEqual(['cancelled']);
    });
  });
});
