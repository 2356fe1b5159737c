import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Job, JobOptions } from '../../sandbox/runner/index.ts';
import { type Played, playStep, type Scene, useAction } from '../support/e2e.ts';
import { folderForTest } from '../support/e2e-record.ts';

const action = useAction();

function expectSuccess({ main, post }: Pick<Played, 'main' | 'post'>): void {
  expect(main, main.log.join('\n')).toMatchObject({
    exitCode: 0,
    files: { outputs: { outcome: 'succeeded' }, broken: [] },
  });
  expect(post).toMatchObject({ exitCode: 0, lines: [] });
}

/** Main is killed, so that post has to do everything by itself. */
const KILLED: Scene = {
  with: { pipeline: 'endless' },
  interrupt: ({ sandbox }) => ({ mode: 'act-host', when: () => sandbox.end('read', 1) }),
};

const MACHINES: readonly (readonly [string, Omit<JobOptions, 'action'>])[] = [
  ['without HOME', { env: { HOME: undefined, USERPROFILE: undefined } }],
  ['with a HOME that is no folder', { env: { HOME: '/dev/null', USERPROFILE: '/dev/null' } }],
  ['without RUNNER_TEMP', { temp: false }],
  ['without a folder for temporary files', { env: { TMPDIR: '/nowhere', TMP: '/nowhere', TEMP: '/nowhere' } }],
  ['in Turkish', { env: { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' } }],
  ['far in the east', { env: { TZ: 'Pacific/Kiritimati' } }],
  ['with debug logging', { debug: true }],
  ['with a job name that no file could have', { name: '../../a b"c:*?' }],
];

describe.concurrent('a machine', () => {
  it.for(MACHINES)('%s is good enough for a run', async ([, job]) => {
    expectSuccess(await playStep(action, { job }));
  });

  it.for(MACHINES)('%s is good enough for a cancel by post', async ([, job]) => {
    const { post, statuses } = await playStep(action, { ...KILLED, job });
    expect(statuses, post?.log.join('\n')).toEqual(['cancelled']);
  });

  it('with a HOME that cannot be written to is good enough, and nothing is tried there', async ({
    onTestFinished: after,
  }) => {
    const home = folderForTest(after);
    chmodSync(home, 0o555);
    const played = await playStep(action, { job: { env: { HOME: home, USERPROFILE: home } } });
    chmodSync(home, 0o755);
    expectSuccess(played);
    expect(readdirSync(home)).toEqual([]);
  });
});

describe.concurrent('a folder', () => {
  it('for the action may have any name', async ({ onTestFinished: after }) => {
    const folder = join(folderForTest(after), "it's a #1 100%25 ✓ [folder]");
    cpSync(action.folder, folder, { recursive: true });
    expectSuccess(await playStep({ folder }));
    const { statuses } = await playStep({ folder }, KILLED);
    expect(statuses).toEqual(['cancelled']);
  });

  it.skipIf(process.platform === 'win32')(
    'for temporary files may have any name',
    async ({ onTestFinished: after }) => {
      const temp = join(folderForTest(after), 'a b\\c #1 100%25 ✓');
      mkdirSync(temp);
      const job = { env: { RUNNER_TEMP: temp } };
      expectSuccess(await playStep(action, { job }));
      const { statuses } = await playStep(action, { ...KILLED, job });
      expect(statuses).toEqual(['cancelled']);
      // The journals of the two, the mark of a post step, and nothing else.
      expect(readdirSync(temp)).toHaveLength(3);
    },
  );

  it('that the job works in is none of the action’s business', async () => {
    const { main, left } = await playIn((workspace) => {
      const modules = join(workspace, 'node_modules', '@actions', 'core');
      mkdirSync(modules, { recursive: true });
      writeFileSync(join(modules, 'package.json'), '{ "main": "index.js" }');
      writeFileSync(join(modules, 'index.js'), 'throw new Error("not mine")');
      for (const name of ['.env', '.npmrc', 'package.json', 'tsconfig.json']) {
        writeFileSync(join(workspace, name), '!');
      }
    });
    expect(main.log.join('\n')).toContain('completed');
    expect(left).toEqual(['.env', '.npmrc', 'node_modules', 'package.json', 'tsconfig.json']);
  });
});

/** A step in a workspace that somebody has prepared, and what lies there afterwards. */
async function playIn(prepare: (workspace: string) => void): Promise<Played & { left: readonly string[] }> {
  let left: readonly string[] = [];
  const played = await playStep(action, {
    step: (job: Job) => {
      prepare(job.workspace);
      return {
        onMainEnd: () => {
          left = readdirSync(job.workspace).sort();
        },
      };
    },
  });
  return { ...played, left };
}

describe.concurrent('inputs with the line ends of Windows', () => {
  it('mean the same', async () => {
    const { main, runs } = await playStep(action, {
      with: { pipeline: 'orders\r\ncustomers\r\n', 'succeed-on': 'completed\r\ncompleted_with_warning\r\n' },
    });
    expect(main).toMatchObject({ exitCode: 0, files: { outputs: { outcome: 'succeeded' }, broken: [] } });
    expect(runs).toHaveLength(2);
    const { results = '' } = main.files.outputs;
    expect(JSON.parse(results)).toMatchObject([{ pipeline: 'orders' }, { pipeline: 'customers' }]);
  });

  it('around a key and an address mean the same', async () => {
    const played = await playStep(action, {
      with: ({ key, url }) => ({ 'api-key': `${key}\r\n`, 'base-url': `\r\n${url}\r\n`, timeout: '5m\r\n' }),
    });
    expectSuccess(played);
  });
});
