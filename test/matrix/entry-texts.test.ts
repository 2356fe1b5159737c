// Checks that entry-texts.txt shows the messages of the entry points, which they print if they cannot run a step.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Environment } from '../../src/action/inputs/input-table.ts';
import { environment } from '../support/action.ts';
import { folderForTest, otherCode, useAction } from '../support/e2e.ts';
import { intent, mainRecord, postEnv, queued } from '../support/post.ts';
import { LINE_BREAK, rewritten } from './error-texts/table.ts';

const action = useAction();
/** An address that refuses every connection. */
const baseUrl = 'http://127.0.0.1:1/';

it('the entry points print these messages without the rest of the action, with other code and on an old Node', async () => {
  const dist = join(folderForTest(onTestFinished), 'dist');
  const copy = (part: string): void => cpSync(join(action.folder, 'dist', part), join(dist, part), { recursive: true });
  const start = join(dist, 'start');
  const inputs = environment({ 'base-url': baseUrl }, { GITHUB_STATE: join(dist, 'state') });
  /** The environment of a post step whose main process left a run in progress. */
  const open = { ...postEnv([mainRecord({ baseUrl }), intent(), queued], { GITHUB_STEP_SUMMARY: '' }), IN_POST: '1' };
  const print = (entry: string, env: Environment = {}): string => {
    const { stdout } = spawnSync(process.execPath, [join(dist, entry, 'index.js')], { encoding: 'utf8', env });
    const text = stdout.replaceAll(dist, 'FOLDER').replaceAll('%0A', LINE_BREAK);
    const shown = text.split('\n').filter((line) => /^::(?:error|warning) |^Uncaught/.test(line));
    return shown.join('\n').replace(/^/gm, `${entry}: `);
  };
  const printed = ['main', 'post', 'cancel'].flatMap((entry) => {
    copy(entry);
    const incomplete = print(entry);
    mkdirSync(start);
    // Other code ends the process while it is still loading this file.
    writeFileSync(join(start, 'index.js'), 'await new Promise((done) => setTimeout(done, 60_000))');
    const deeds = ['exits as soon as the bundle starts', 'says that Node is 16.20.2'];
    const disturbed = deeds.map((deed) => print(entry, { ...(entry === 'post' && open), ...otherCode(deed) }));
    rmSync(start, { recursive: true });
    return [incomplete, ...disturbed];
  });
  ['start', 'no-extras'].forEach(copy);
  printed.push(print('post', open));
  copy('http');
  printed.push(print('main', { ...inputs, ...otherCode('unrefs timers') }));
  printed.push(print('post', { ...open, ...otherCode('unrefs timers and throws during every request') }));
  await expect(rewritten('entry-texts.txt', `${printed.join('\n')}\n`)).toMatchFileSnapshot('entry-texts.txt');
}, 60_000);
