import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Interrupt, type Job, MODES, type RunOptions, runJob } from '../../sandbox/runner/index.ts';
import { onStage, type Played, playStep, type Scene, useAction } from '../support/e2e.ts';
import { FIFO, nameOf, ODD_PATHS, type OddPath } from '../support/kinds-of-files.ts';

const action = useAction();

vi.setConfig({ maxConcurrency: 6, testTimeout: 180_000 });

/** A step that takes this long is blocked. It is killed, which the exit code shows. */
const BLOCKED: Interrupt = { mode: 'act-host', when: () => sleep(60_000, undefined, { ref: false }) };

/** Windows has neither FIFOs nor devices with paths. */
const describePosix = process.platform === 'win32' ? describe.skip : describe.concurrent;

const NOBODY = '3c4f7a52-90bb-4d6f-9b1b-5f0a43f1c3a9';

const ENDLESS = { pipeline: 'endless', 'poll-interval': '1h' };

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'kinds-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function newFolder(): string {
  return mkdtempSync(join(root, 'of-'));
}

type Variable = keyof NonNullable<RunOptions['files']>;

function withPath(variable: Variable, odd: OddPath): NonNullable<RunOptions['files']> {
  return { [variable]: odd.make(newFolder()) };
}

function play(variable: Variable, odd: OddPath, scene: Scene = {}): Promise<Played> {
  return playStep(action, { step: { files: withPath(variable, odd) }, interrupt: () => BLOCKED, ...scene });
}

function loopIn(folder: string): string {
  const path = join(folder, 'loop');
  symlinkSync(path, path);
  return path;
}

const cases = ODD_PATHS.map((odd) => [odd.kind, odd] as const);

describePosix('a step with GITHUB_OUTPUT set to', () => {
  it.each(cases)('%s fails before its first request', async (_, odd) => {
    const { main, sandbox } = await play('output', odd);
    expect(main).toMatchObject({ exitCode: 1, signal: null });
    expect(sandbox.connections()).toBe(0);
    expect(main.annotations.map(({ level }) => level)).toEqual(['error']);
    expect(main.annotations[0]?.message).toMatch(/^GITHUB_OUTPUT is "\/.*", which is /);
    expect(main.annotations[0]?.message).toContain(`which is ${nameOf(odd)}. Outputs can only`);
  });

  it.each([
    ['a path in a missing folder', (folder: string) => join(folder, 'missing', 'output'), 'Create the folder'],
    ['a path below a file', () => '/dev/null/file', 'one of its parents is not a folder'],
    ['a loop of links', loopIn, 'links form a loop'],
  ])('%s fails before its first request', async (_, pathIn, remedy) => {
    const { main, sandbox } = await playStep(action, { step: { files: { output: pathIn(newFolder()) } } });
    expect(main.exitCode).toBe(1);
    expect(sandbox.connections()).toBe(0);
    expect(main.annotations).toHaveLength(1);
    expect(main.annotations[0]?.message).toContain(remedy);
  });

  it('a FIFO fails in cancel/ too before the first request', async () => {
    await onStage(action, {}, async ({ sandbox }) => {
      const inputs = { 'api-key': sandbox.key, 'base-url': sandbox.url, 'job-id': NOBODY };
      const options = { action: join(action.folder, 'cancel'), with: inputs, files: withPath('output', FIFO) };
      const { main } = await runJob(options, BLOCKED);
      expect(main).toMatchObject({ exitCode: 1, signal: null });
      expect(sandbox.connections()).toBe(0);
      expect(main.annotations[0]?.message).toContain(`which is ${FIFO.kind}`);
    });
  });

  it('a missing file creates it', async () => {
    const path = join(newFolder(), 'output');
    const { main } = await playStep(action, { step: { files: { output: path } } });
    expect(main).toMatchObject({ exitCode: 0, files: { outputs: { outcome: 'succeeded' } } });
  });
});

describePosix('a step with GITHUB_STATE set to', () => {
  it.each(cases)('%s keeps its state in the journal', async (_, odd) => {
    const { main, post } = await play('state', odd);
    expect(main).toMatchObject({ exitCode: 0, annotations: [] });
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
  });

  it.each(cases)('%s and without a journal fails before its first request', async (_, odd) => {
    const { main, sandbox } = await play('state', odd, { job: { temp: false } });
    expect(main).toMatchObject({ exitCode: 1, signal: null });
    expect(sandbox.connections()).toBe(0);
    expect(main.annotations[0]?.message).toContain(`is ${nameOf(odd)}`);
    expect(main.annotations[0]?.message).toContain('Use the path of a regular file instead.');
  });

  it('a FIFO still cancels its run when it is interrupted', async () => {
    const { main, statuses } = await play('state', FIFO, {
      with: ENDLESS,
      interrupt: () => ({ mode: 'workflow', when: (process) => process.line(/is queued/) }),
    });
    expect(main).toMatchObject({ exitCode: 1, signal: null });
    expect(statuses).toEqual(['cancelled']);
  });

  it('a FIFO has its run cancelled by post if it was killed', async () => {
    const { post, statuses } = await playStep(action, {
      with: ENDLESS,
      interrupt: () => ({ mode: 'act-host', when: (process) => process.line(/is queued/) }),
      step: { files: withPath('state', FIFO), onPostStart: endIfBlocked },
    });
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(statuses).toEqual(['cancelled']);
  });
});

describePosix('a step with GITHUB_STEP_SUMMARY set to', () => {
  it.each(cases)('%s succeeds', async (kind, odd) => {
    const { main } = await play('summary', odd);
    expect(main).toMatchObject({ exitCode: 0, signal: null });
    const warnings = main.annotations.map(({ level, message }) => `${level}: ${message}`);
    if (kind === 'a character device') {
      expect(warnings).toEqual([]);
      return;
    }
    const why = kind.includes('full') ? /ENOSPC.*Free disk space/ : `is ${nameOf(odd)}. The log`;
    expect(warnings).toEqual([expect.stringMatching(/^warning: Could not write the job summary: /)]);
    expect(warnings[0]).toMatch(why);
  });

  it('a FIFO still cancels its run when it is interrupted', async () => {
    const { main, statuses } = await play('summary', FIFO, {
      with: ENDLESS,
      interrupt: () => ({ mode: 'workflow', when: (process) => process.line(/is queued/) }),
    });
    expect(main).toMatchObject({ exitCode: 1, signal: null });
    expect(statuses).toEqual(['cancelled']);
  });
});

/** Puts things into RUNNER_TEMP that have the names of journals of this job, and are none. */
function layTraps({ temp }: Job): void {
  const path = (name: string): string => join(temp, `run-pipeline-7001-1-nightly-${name}.journal`);
  execFileSync('mkfifo', [path('fifo'), join(temp, 'fifo')]);
  symlinkSync(join(temp, 'fifo'), path('link'));
  symlinkSync('/dev/zero', path('device'));
  mkdirSync(path('directory'));
}

describePosix('a post step without state', () => {
  const killed = { ...MODES['act-host'], post: 'state lost' } as const;

  it('finds the journal among FIFOs, devices and folders', async () => {
    const { main, post, statuses } = await playStep(action, {
      with: ENDLESS,
      interrupt: () => ({ mode: killed, when: (process) => process.line(/is queued/) }),
      step: (job) => ({ onMainEnd: () => layTraps(job), onPostStart: endIfBlocked }),
    });
    expect(main.exitCode).toBeNull();
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(statuses).toEqual(['cancelled']);
  });

  it('says that it knows nothing if there is no journal among them', async () => {
    const { post } = await playStep(action, {
      interrupt: () => ({ mode: killed, when: (process) => process.line(/completed/) }),
      step: (job) => ({
        onMainEnd() {
          for (const name of readdirSync(job.temp)) if (name.endsWith('.journal')) rmSync(join(job.temp, name));
          layTraps(job);
        },
        onPostStart: endIfBlocked,
      }),
    });
    expect(post).toMatchObject({ exitCode: 0, annotations: [{ level: 'warning' }] });
  });

  it.each([
    ['missing', '/nowhere'],
    ['not a folder', '/dev/null'],
  ])('succeeds, as main does, if RUNNER_TEMP is %s', async (_, temp) => {
    const { main, post } = await playStep(action, { job: { env: { RUNNER_TEMP: temp } } });
    expect(main).toMatchObject({ exitCode: 0, annotations: [] });
    expect(post).toMatchObject({ exitCode: 0, log: [] });
  });
});

function endIfBlocked(post: { signal(name: 'SIGKILL'): void; readonly ended: Promise<unknown> }): void {
  const timer = setTimeout(() => post.signal('SIGKILL'), 60_000);
  void post.ended.finally(() => clearTimeout(timer));
}

describePosix('a write that fails', () => {
  it.each([
    ['a folder that is missing', '/nowhere/file', 'Create the folder'],
    ['a path below a file', '/dev/null/file', 'one of its parents is not a folder'],
  ])('to %s is reported with its own remedy', async (_, path, remedy) => {
    const { main, statuses } = await playStep(action, { step: { files: { summary: path } } });
    expect(statuses).toEqual(['completed']);
    expect(main.exitCode).toBe(0);
    const messages = main.annotations.map(({ level, message }) => `${level}: ${message}`);
    expect(messages).toEqual([expect.stringMatching(`^warning: Could not write the job summary.*${remedy}`)]);
  });
});
