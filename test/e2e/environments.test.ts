// Runs steps in unusual environments: a main step that succeeds, and a post step that cancels the run because the job is
// cancelled later. Some environments need root.
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobOptions } from '../../sandbox/runner/index.ts';
import { type After, folderForTest, NODE, type Played, play, useAction } from '../support/e2e.ts';
import { expectFate } from '../support/trace.ts';

const action = useAction();

/** A folder with Node.js for users who lack access to the folder of this one. */
let base = '';
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'environments-'));
  for (const open of [base, action.folder]) chmodSync(open, 0o755);
  copyFileSync(NODE, join(base, 'node'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Runs a step with `wait: false`, and cancels its job before the post step. */
function playBoth(folder: string, job: Omit<JobOptions, 'action'>): Promise<Played> {
  return play(
    { folder },
    { job, inputs: { pipeline: 'endless', wait: 'false' }, runner: { statusAtEnd: 'cancelled' } },
  );
}

async function expectToWork(folder: string, job: Omit<JobOptions, 'action'>): Promise<void> {
  const played = await playBoth(folder, job);
  expectFate(played, 'main 0, post 0, cancelled');
  expect(played.main.files).toMatchObject({ outputs: { outcome: 'triggered' }, broken: [] });
  const isUsual = !('RUNNER_TEMP' in (job.env ?? {}));
  // The journal, and the time of the first post step.
  if (isUsual) expect(played.files).toHaveLength(2);
}

const WITHOUT_BUILTIN = '--import=data:text/javascript,process.getBuiltinModule=undefined';

describe.concurrent('a step works', () => {
  it.for<readonly [string, Omit<JobOptions, 'action'>]>([
    ['without HOME', { env: { HOME: undefined, USERPROFILE: undefined } }],
    ['without RUNNER_TEMP', { env: { RUNNER_TEMP: undefined } }],
    ['without a folder for temporary files', { env: { TMPDIR: '/nowhere', TMP: '/nowhere', TEMP: '/nowhere' } }],
    ['with a job name that is not a valid file name', { name: '../../a b"c:*?' }],
    [
      'with a Turkish locale and the easternmost time zone',
      { env: { LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' } },
    ],
    ['with an unknown locale and time zone', { env: { LC_ALL: 'xx_XX.nothing', TZ: 'No/Where' } }],
    ['without process.getBuiltinModule, like Node.js 21.7 and 22.2', { env: { NODE_OPTIONS: WITHOUT_BUILTIN } }],
  ])('%s', ([, job]) => expectToWork(action.folder, job));

  it('with the action in a folder that has an unusual name', async ({ onTestFinished: after }) => {
    const folder = join(folderForTest(after), "it's a #1 100%25 ✓ [folder]");
    cpSync(action.folder, folder, { recursive: true });
    await expectToWork(folder, {});
  });

  it.skipIf(process.platform === 'win32')(
    'with temporary files in a folder that has an unusual name',
    async ({ onTestFinished: after }) => {
      const temp = join(folderForTest(after), 'a b\\c #1 100%25 ✓');
      mkdirSync(temp);
      await expectToWork(action.folder, { env: { RUNNER_TEMP: temp } });
    },
  );
});

const UNPRIVILEGED = 'exec setpriv --reuid 65534 --regid 65534 --clear-groups "$NODE" "$@"';

/** Writes a program that starts Node.js with Bash commands. All users may access the job's files. */
function launcher(after: After, commands: string): string {
  const folder = folderForTest(after);
  chmodSync(folder, 0o755);
  const path = join(folder, 'launch');
  const open = 'chmod -R a+rwX "$GITHUB_WORKSPACE/../.."';
  writeFileSync(path, `#!/bin/bash\nNODE=${base}/node\n${open}\n${commands}\nexec "$NODE" "$@"\n`, { mode: 0o755 });
  return path;
}

const isRoot = process.getuid?.() === 0;

describe.skipIf(process.platform !== 'linux').concurrent('on Linux, a step works', () => {
  it.for([
    ['in a deleted folder', 'cd "$(mktemp -d)" && rmdir "$PWD"'],
    ['without stdout', 'exec "$NODE" "$@" >&-'],
    ['without any standard stream', 'exec "$NODE" "$@" <&- >&- 2>&-'],
    ['without root privileges', `umask 077; ${UNPRIVILEGED}`],
    ['without /proc', `exec unshare --mount bash -c 'mount -t tmpfs none /proc && exec "$@"' bash "$NODE" "$@"`],
  ] as const)('%s', async ([, commands], { skip, onTestFinished: after }) => {
    skip(/setpriv|unshare/.test(commands) && !isRoot, 'needs root');
    await expectToWork(action.folder, { node: launcher(after, commands) });
  });

  it('without /proc if the post step runs beside the main step', async ({ skip, onTestFinished: after }) => {
    skip(!isRoot, 'needs root');
    const node = launcher(
      after,
      `exec unshare --mount bash -c 'mount -t tmpfs none /proc && exec "$@"' bash "$NODE" "$@"`,
    );
    const played = await play(action, { job: { node }, incidents: [{ what: 'container_cancel' }] });
    expectFate(played, 'main 1, post 0, cancelled');
  });
});

describe.skipIf(process.platform !== 'linux').concurrent('a step triggers nothing', () => {
  it.for([
    ['if its log cannot be written', 'exec "$NODE" "$@" >/dev/full', /^/],
    [
      'and names its user if that user cannot write to RUNNER_TEMP',
      `chmod a-w "$RUNNER_TEMP" && ${UNPRIVILEGED}`,
      /EACCES: permission denied, open .* Give the user that runs this step \(id 65534\) .* In a job container, set the user with options: --user/,
    ],
  ] as const)('%s', async ([, commands, words], { skip, onTestFinished: after }) => {
    skip(commands.includes('setpriv') && !isRoot, 'needs root');
    const played = await playBoth(action.folder, { node: launcher(after, commands) });
    // A main process that is still loading code kills itself, because Node would wait for it.
    expectFate(played, `main ${played.main.signal ?? 1}, post 0, no run`);
    expect(played.main.log.join('\n')).toMatch(words);
  });
});
