// Checks that entry-texts.txt shows the messages of the entry points, which they print if they cannot run a step.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { folderForTest, otherCode } from '../support/e2e.ts';
import { intent, mainRecord, postEnv, queued } from '../support/post.ts';

const DIST = join(import.meta.dirname, '..', '..', 'dist');
/** The environment of a post step whose main process left a run in progress. */
const OPEN = postEnv([mainRecord(), intent(), queued]);

it('the entry points print these messages without the rest of the action, with other code and on an old Node', async () => {
  const dist = join(folderForTest(onTestFinished), 'dist');
  const start = join(dist, 'start');
  const print = (entry: string, env = {}): string => {
    const { stdout } = spawnSync(process.execPath, [join(dist, entry, 'index.js')], { encoding: 'utf8', env });
    return `${entry}: ${stdout.replaceAll(dist, 'FOLDER').trim()}\n`;
  };
  const printed = ['main', 'post', 'cancel'].flatMap((entry) => {
    cpSync(join(DIST, entry), join(dist, entry), { recursive: true });
    const more = entry === 'post' ? { ...OPEN, IN_POST: '1' } : {};
    const incomplete = print(entry);
    mkdirSync(start);
    // Other code ends the process while it is still loading this file.
    writeFileSync(join(start, 'index.js'), 'await new Promise((done) => setTimeout(done, 60_000))');
    const deeds = ['exits as soon as the bundle starts', 'says that Node is 16.20.2'];
    const disturbed = deeds.map((deed) => print(entry, { ...more, ...otherCode(deed) }));
    rmSync(start, { recursive: true });
    return [incomplete, ...disturbed];
  });
  await expect(printed.join('')).toMatchFileSnapshot('entry-texts.txt');
});
