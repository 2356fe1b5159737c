// Tests runner variables that contain paths of FIFOs, devices, folders and links instead of regular files.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { type Job, MODES, type StepProcess } from '../../sandbox/runner/index.ts';
import {
  type After,
  folderForTest,
  journalsIn,
  killAfter,
  playProcess,
  type StepScene,
  UNKNOWN_ID,
  useAction,
} from '../support/e2e.ts';
import { FIFO, nameOf, ODD_PATHS } from '../support/kinds-of-files.ts';

const action = useAction();

vi.setConfig({ maxConcurrency: 6 });

/** The runner kills the step after a minute, because the step is then blocked. Its exit code shows whether it was killed. */
const KILLED_IF_BLOCKED = {
  inputs: { pipeline: 'orders', 'poll-interval': '20ms' },
  mode: 'act-host',
  when: () => sleep(60_000, undefined, { ref: false }),
  mayExitFirst: true,
} as const satisfies StepScene;

/** Windows has no FIFOs and no devices with paths. */
const describePosix = process.platform === 'win32' ? describe.skip : describe.concurrent;

const cases = ODD_PATHS.map((odd) => [odd.kind, odd] as const);

type Variable = 'output' | 'state' | 'summary';
const files = (variable: Variable, odd: typeof FIFO, after: After) => ({
  files: { [variable]: odd.make(folderForTest(after)) },
});

describePosix('a step with GITHUB_OUTPUT set to', () => {
  it.for(cases)('%s fails before its first request', async ([, odd], { onTestFinished: after }) => {
    const { main, sandbox } = await playProcess(action, { ...KILLED_IF_BLOCKED, step: files('output', odd, after) });
    expect(main).toMatchObject({ exitCode: 1, signal: null, annotations: [{ level: 'error' }] });
    expect(sandbox.connections()).toBe(0);
    expect(main.annotations[0]?.message).toMatch(/^GITHUB_OUTPUT is "\/.*", which is /);
    expect(main.annotations[0]?.message).toContain(`which is ${nameOf(odd)}.`);
  });

  it.for([
    ['a path in a missing folder', (folder: string) => join(folder, 'missing', 'output'), 'the parent directory'],
    ['a path under a file', () => '/dev/null/file', 'is not a directory'],
    ['a link to itself', loopIn, 'links form a loop'],
  ] as const)('%s fails before its first request', async ([, pathIn, remedy], { onTestFinished: after }) => {
    const output = pathIn(folderForTest(after));
    const { main, sandbox } = await playProcess(action, { step: { files: { output } } });
    expect(main).toMatchObject({ exitCode: 1, annotations: [{ level: 'error' }] });
    expect(main.annotations[0]?.message).toContain(remedy);
    expect(sandbox.connections()).toBe(0);
  });

  it('a FIFO fails before its first request if the step uses the cancel action', async ({ onTestFinished: after }) => {
    const inputs = { 'job-id': UNKNOWN_ID };
    const scene = { ...KILLED_IF_BLOCKED, entry: 'cancel', inputs, step: files('output', FIFO, after) } as const;
    const { main, sandbox } = await playProcess(action, scene);
    expect(main).toMatchObject({ exitCode: 1, signal: null });
    expect(main.annotations[0]?.message).toContain(`which is ${FIFO.kind}`);
    expect(sandbox.connections()).toBe(0);
  });
});

function loopIn(folder: string): string {
  const path = join(folder, 'loop');
  symlinkSync(path, path);
  return path;
}

describePosix('a step with GITHUB_STATE set to', () => {
  it.for(cases)('%s keeps its state in the journal', async ([, odd], { onTestFinished: after }) => {
    const { main, post, runs, records } = await playProcess(action, {
      ...KILLED_IF_BLOCKED,
      step: files('state', odd, after),
    });
    expect(main.files.state).toEqual({});
    expect(records).toContain(runs[0]?.id ?? 'no run');
    expect(main).toMatchObject({ exitCode: 0, annotations: [] });
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
  });

  it.for(cases)('%s fails before its first request without a journal', async ([, odd], { onTestFinished: after }) => {
    const scene = { ...KILLED_IF_BLOCKED, step: files('state', odd, after), job: { temp: false } };
    const { main, sandbox } = await playProcess(action, scene);
    expect(main).toMatchObject({ exitCode: 1, signal: null });
    expect(main.annotations[0]?.message).toContain(`is ${nameOf(odd)}`);
    expect(sandbox.connections()).toBe(0);
  });

  it('a FIFO has its run cancelled by post after main is killed', async ({ onTestFinished: after }) => {
    const step = { ...files('state', FIFO, after), onPostStart: endIfBlocked };
    const { post, statuses } = await playProcess(action, { step, mode: 'act-host' });
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(statuses).toEqual(['cancelled']);
  });
});

describePosix('a step with GITHUB_STEP_SUMMARY set to', () => {
  it.for(cases)('%s succeeds', async ([kind, odd], { onTestFinished: after }) => {
    const { main } = await playProcess(action, { ...KILLED_IF_BLOCKED, step: files('summary', odd, after) });
    expect(main).toMatchObject({ exitCode: 0, signal: null });
    // A write to /dev/null succeeds.
    const why = kind.includes('full') ? 'ENOSPC' : `is ${nameOf(odd)}.`;
    const warning = { level: 'warning', message: expect.stringContaining(why) as string };
    expect(main.annotations).toMatchObject(kind === 'a character device' ? [] : [warning]);
  });
});

/** Creates special files in RUNNER_TEMP with the names of journals of this job. */
function layTraps({ temp }: Job): void {
  const path = (name: string): string => join(temp, `run-pipeline-7001-1-nightly-${name}.journal`);
  execFileSync('mkfifo', [path('fifo'), join(temp, 'fifo')]);
  symlinkSync(join(temp, 'fifo'), path('link'));
  symlinkSync('/dev/zero', path('device'));
  mkdirSync(path('directory'));
}

const endIfBlocked = (post: StepProcess): void => killAfter(60_000, post);

describePosix('a post step without state', () => {
  const killed = { ...MODES['act-host'], post: 'state lost' } as const;

  it('finds the journal among FIFOs, devices and folders', async () => {
    const { post, statuses } = await playProcess(action, {
      mode: killed,
      step: (job) => ({ onMainEnd: () => layTraps(job), onPostStart: endIfBlocked }),
    });
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(statuses).toEqual(['cancelled']);
  });

  it('warns if the only files with journal names are FIFOs, devices and folders', async () => {
    const { post } = await playProcess(action, {
      mode: killed,
      step: (job) => ({
        onMainEnd() {
          for (const path of journalsIn(job)) rmSync(path);
          layTraps(job);
        },
        onPostStart: endIfBlocked,
      }),
    });
    expect(post).toMatchObject({ exitCode: 0, annotations: [{ level: 'warning' }] });
  });
});

describePosix('a step', () => {
  it.each([
    ['does not exist', '/nowhere'],
    ['is not a folder', '/dev/null'],
  ])('succeeds if the path in RUNNER_TEMP %s', async (_, temp) => {
    const { main, post } = await playProcess(action, { job: { env: { RUNNER_TEMP: temp } } });
    expect(main).toMatchObject({ exitCode: 0, annotations: [] });
    expect(post).toMatchObject({ exitCode: 0, log: [] });
  });
});
