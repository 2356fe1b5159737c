// Tests that steps work on machines with unusual environments, folders and line endings.
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobOptions } from '../../sandbox/runner/index.ts';
import { expectSuccess, folderForTest, playProcess, useAction } from '../support/e2e.ts';

const action = useAction();

const MACHINES: readonly (readonly [string, Omit<JobOptions, 'action'>])[] = [
  ['without HOME', { env: { HOME: undefined, USERPROFILE: undefined } }],
  ['without RUNNER_TEMP', { temp: false }],
  ['without a folder for temporary files', { env: { TMPDIR: '/nowhere', TMP: '/nowhere', TEMP: '/nowhere' } }],
  ['with debug logging', { debug: true }],
  ['with a job name that is not a valid file name', { name: '../../a b"c:*?' }],
];

describe.concurrent('a step on a machine', () => {
  it.for(MACHINES)('%s can await its run', async ([, job]) => {
    expectSuccess(await playProcess(action, { job }));
  });

  it.for(MACHINES)('%s can cancel its run in the post step', async ([, job]) => {
    const { post, statuses } = await playProcess(action, { job, mode: 'act-host' });
    expect(statuses, post?.log.join('\n')).toEqual(['cancelled']);
  });
});

describe.concurrent('a folder with an unusual name', () => {
  it('can contain the action', async ({ onTestFinished: after }) => {
    const folder = join(folderForTest(after), "it's a #1 100%25 ✓ [folder]");
    cpSync(action.folder, folder, { recursive: true });
    expectSuccess(await playProcess({ folder }));
    const { statuses } = await playProcess({ folder }, { mode: 'act-host' });
    expect(statuses).toEqual(['cancelled']);
  });

  it.skipIf(process.platform === 'win32')('can contain temporary files', async ({ onTestFinished: after }) => {
    const temp = join(folderForTest(after), 'a b\\c #1 100%25 ✓');
    mkdirSync(temp);
    const job = { env: { RUNNER_TEMP: temp } };
    expectSuccess(await playProcess(action, { job }));
    const { statuses } = await playProcess(action, { job, mode: 'act-host' });
    expect(statuses).toEqual(['cancelled']);
    // The folder contains the two journals and the mark of a post step.
    expect(readdirSync(temp)).toHaveLength(3);
  });
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
