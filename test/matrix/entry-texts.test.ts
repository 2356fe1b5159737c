// Checks that entry-texts.txt shows the messages of the entry points, which they print if they cannot run a step.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { intent, mainRecord, postEnv, queued } from '../support/post.ts';

/** The environment of a post step whose main process left a run in progress. */
const OPEN = postEnv([mainRecord(), intent(), queued]);
const DIST = join(import.meta.dirname, '..', '..', 'dist');
const EARLY = '(function end() { process.exitCode === undefined ? setImmediate(end) : process.exit(0) })()';
const OLD = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '16.20.2' } })";

it('each entry point without the rest of the action, with other code or with an old Node prints these messages', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'entries-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const printed = ['main', 'post', 'cancel'].flatMap((entry) => {
    cpSync(join(DIST, entry), join(folder, entry), { recursive: true });
    return ['', EARLY, OLD].map((code) => {
      const start = join(folder, 'start');
      if (code === '') rmSync(start, { recursive: true, force: true });
      else mkdirSync(start, { recursive: true });
      // Other code ends the process while it is still loading this file.
      if (code !== '') writeFileSync(join(start, 'index.js'), 'await new Promise((done) => setTimeout(done, 60_000))');
      const args = ['--import', `data:text/javascript,${encodeURIComponent(code)}`, join(folder, entry, 'index.js')];
      const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env: code === EARLY ? OPEN : {} });
      return `${entry}: ${stdout.replaceAll(folder, 'FOLDER').trim()}\n`;
    });
  });
  await expect(printed.join('')).toMatchFileSnapshot('entry-texts.txt');
});
