// Tests that steps work on machines with unusual environments, folders and line endings.
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobOptions } from '../../sandbox/runner/index.ts';
import { expectSuccess, folderForTest, playProcess, useAction } from '../support/e2e.ts';

const action = useAction();

type Machine = Omit<JobOptions, 'action'>;

const MACHINES: readonly (readonly [string, Machine])[] = [
  ['without HOME', { env: { HOME: undefined, USERPROFILE: undefined } }],
  ['without RUNNER_TEMP', { temp: false }],
  ['without a folder for temporary files', { env: { TMPDIR: '/nowhere', TMP: '/nowhere', TEMP: '/nowhere' } }],
  ['with debug logging', { debug: true }],
  ['with a job name that is not a valid file name', { name: '../../a b"c:*?' }],
];

async function awaitsRun(folder: string, job: Machine = {}): Promise<void> {
  expectSuccess(await playProcess({ folder }, { job }));
}

async function cancelsRunInPost(folder: string, job: Machine = {}): Promise<void> {
  const { post, statuses } = await playProcess({ folder }, { job, mode: 'act-host' });
  expect(statuses, post?.log.join('\n')).toEqual(['cancelled']);
}

describe.concurrent.each([
  ['await its run', awaitsRun, 1],
  ['cancel its run in the post step', cancelsRunInPost, 3],
] as const)('a step can %s', (_what, play, leftFiles) => {
  it.for(MACHINES)('%s', ([, job]) => play(action.folder, job));

  it('with the action in a folder that has an unusual name', async ({ onTestFinished: after }) => {
    const folder = join(folderForTest(after), "it's a #1 100%25 ✓ [folder]");
    cpSync(action.folder, folder, { recursive: true });
    await play(folder);
  });

  it.skipIf(process.platform === 'win32')(
    'with temporary files in a folder that has an unusual name',
    async ({ onTestFinished: after }) => {
      const temp = join(folderForTest(after), 'a b\\c #1 100%25 ✓');
      mkdirSync(temp);
      await play(action.folder, { env: { RUNNER_TEMP: temp } });
      // The folder contains the journal and, of a post step that cancels the run, its mark and its time.
      expect(readdirSync(temp)).toHaveLength(leftFiles);
    },
  );
});

describe.concurrent('inputs with Windows line endings', () => {
  it('have the same effect as inputs with Unix line endings', async () => {
    const played = await playProcess(action, {
      inputs: ({ key, url }) => ({
        'api-key': `${key}\r\n`,
        'base-url': `\r\n${url}\r\n`,
        timeout: '5m\r\n',
        pipeline: 'orders\r\ncustomers\r\n',
        'succeed-on': 'completed\r\ncompleted_with_warning\r\n',
      }),
    });
    expectSuccess(played);
    expect(played.statuses).toEqual(['completed', 'completed_with_warning']);
  });
});
