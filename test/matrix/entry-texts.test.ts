// Checks that entry-texts.txt shows the messages of the entry points, which they print if they cannot run a step.
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '../../sandbox/server/index.ts';
import { breakable, otherCode, playProcess, type StepScene, UNKNOWN_ID, useAction } from '../support/e2e.ts';
import { JOB } from '../support/service.ts';
import { LINE_BREAK, rewritten } from './error-texts/table.ts';

const action = useAction();

/** Kills main while its run is in progress, and then changes the surroundings of post. */
const killed = (change: (sandbox: Sandbox) => unknown = () => undefined): StepScene => ({
  mode: 'act-host',
  when: (main, sandbox) => main.line(/is queued/).then(() => change(sandbox)),
});

/** The messages of an entry point in a scene, in which other code may perform a deed. */
async function print(entry: 'main' | 'post' | 'cancel', deed: string, scene: StepScene, { folder } = action) {
  const env = deed === '' ? {} : otherCode(deed, entry === 'post' ? { IN_POST: '1' } : {});
  const { main, post, runs } = await playProcess({ folder }, { job: { env }, ...scene });
  const lines = (entry === 'post' ? post : main)?.lines ?? [];
  const shown = lines.filter((line) => /^::(?:error|warning) |^Uncaught/.test(line)).join('\n');
  const text = shown.replaceAll(join(folder, 'dist'), 'FOLDER').replaceAll(runs[0]?.id ?? JOB, JOB);
  return text.replaceAll('%0A', LINE_BREAK).replace(/^/gm, `${entry}: `);
}

it('the entry points print these messages without the rest of the action, with other code and on an old Node', async () => {
  const [start, http] = [breakable(action, onTestFinished, 'start'), breakable(action, onTestFinished, 'http')];
  start.damage('missing');
  const scenes = { main: {}, post: killed(), cancel: { entry: 'cancel', inputs: { 'job-id': UNKNOWN_ID } } } as const;
  const losesHttp = killed(() => http.damage('missing'));
  const losesService = killed((sandbox) => sandbox.away());
  const printed = [
    ...(['main', 'post', 'cancel'] as const).flatMap((entry) => [
      print(entry, '', entry === 'post' ? {} : scenes[entry], start),
      print(entry, 'exits as soon as the bundle starts', scenes[entry]),
      print(entry, 'says that Node is 16.20.2', scenes[entry]),
    ]),
    print('post', '', losesHttp, http),
    print('main', 'unrefs timers', { inputs: { 'base-url': 'http://127.0.0.1:1/', pipeline: 'orders' } }),
    print('post', 'unrefs timers and throws during every request', losesService),
  ];
  await expect(rewritten('entry-texts.txt', `${(await Promise.all(printed)).join('\n')}\n`)).toMatchFileSnapshot(
    'entry-texts.txt',
  );
}, 60_000);
