// Plays steps in real processes of the bundles in dist/, each job against its own sandbox.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { type Job as Run, stateAt } from '../../sandbox/model/index.ts';
import * as runner from '../../sandbox/runner/index.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server/index.ts';

const repository = join(import.meta.dirname, '..', '..');

export type Texts = Readonly<Record<string, string>>;

export const POLL_INTERVAL = '20ms';

/** Runs reach their last status within a millisecond, so the first read of each shows it. */
const SPEED = 1_000_000;
/** Shorter than the poll interval, because a timer may fire a little early. */
const MIN_READ_INTERVAL_MS = 15;

/** A runner that cancels the workflow, but does not kill main after 10 s, because this machine may be busy. */
export const PATIENT: runner.Mode = {
  ...runner.MODES.cancel,
  signals: runner.MODES.cancel.signals.map(([name, ms]) => [name, name === 'SIGKILL' ? 60_000 : ms]),
};

/** The Node.js that runs the bundles, also under act, and its version. */
export const NODE = process.env['ACTION_NODE'] ?? process.execPath;
export const versionOfNode = (): string => execFileSync(NODE, ['--version'], { encoding: 'utf8' });

interface Folder {
  readonly folder: string;
}

/** Uncommitted changes in src that are newer than dist. The times of other files say only when git wrote them. */
function unbuilt(): readonly string[] {
  const modifiedAt = (path: string) => statSync(join(repository, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const { stdout } = spawnSync('git', ['diff', '--name-only', 'HEAD', 'src'], { cwd: repository, encoding: 'utf8' });
  // `git stash pop` may restore src a moment after dist.
  return stdout.match(/^src.+/gm)?.filter((path) => modifiedAt(path) > modifiedAt('dist/index.js') + 5_000) ?? [];
}

/** Installs the bundles for one test file in a folder outside the repository. @throws if they are out of date */
export function useAction(): Folder {
  let installed: runner.InstalledAction | undefined;
  beforeAll(() => {
    const changed = unbuilt();
    if (changed.length > 0) throw new Error(`dist is older than ${changed.join(', ')}. Run npm run build.`);
    installed = runner.installAction(repository);
  });
  afterAll(() => installed?.remove());
  return {
    get folder() {
      if (installed === undefined) throw new Error('The action is only installed while a test runs.');
      return installed.folder;
    },
  };
}

/** A service, and a job on its own machine. */
export interface Surroundings {
  readonly service?: Omit<SandboxOptions, 'faults'>;
  readonly faults?: SandboxOptions['faults'];
  /** A service with the sandbox's key that the steps use instead of the sandbox. */
  readonly other?: { readonly url: string; readonly tokens: readonly string[] };
  readonly job?: Omit<runner.JobOptions, 'action'>;
}

/** A step of the job, from the start of main to the end of post. */
export interface StepScene extends Omit<runner.RealStep, 'inputs' | 'faults'> {
  /** `cancel` runs the cancel action in a separate job. */
  readonly entry?: 'main' | 'cancel';
  /** Added to the defaults: key, address, poll interval and pipeline. */
  readonly inputs?: Texts | ((sandbox: Sandbox) => Texts);
}

/** A description of a step is a scene, too. */
export type Scene = Surroundings & StepScene;

export interface Played extends runner.StepResult {
  readonly sandbox: Sandbox;
  /** The calls that the service received, in order. */
  readonly calls: readonly string[];
  readonly runs: readonly Run[];
  readonly statuses: readonly string[];
  /** The names of the files in RUNNER_TEMP. */
  readonly files: readonly string[];
}

/** Runs one step from its start to the end of post. */
export async function play(action: Folder, scene: Scene = {}): Promise<Played> {
  const [played] = await playJob(action, scene, [() => scene]);
  if (played === undefined) throw new Error('The step was not played.');
  return played;
}

/**
 * Runs several steps of one job, each of which may depend on the results of the step before it.
 * @throws if a step violates a rule of the service, or writes a secret to its log or a file.
 */
export async function playJob(
  action: Folder,
  { service: { model, ...service } = {}, faults = [], other, job: options }: Surroundings,
  steps: readonly ((last: Played | undefined) => StepScene)[],
): Promise<readonly Played[]> {
  const settings = { speed: SPEED, minReadIntervalMs: MIN_READ_INTERVAL_MS, ...model };
  const sandbox = await startSandbox({ ...service, faults, model: settings });
  const job = new runner.Job({ ...options, action: action.folder });
  const played: Played[] = [];
  try {
    for (const step of steps) {
      const scene = step(played.at(-1));
      const result = await playStep(scene, { sandbox, job, url: (other ?? sandbox).url });
      const files = readdirSync(job.temp).filter((name) => name.startsWith('run-pipeline'));
      played.push({ ...result, sandbox, ...seenBy(sandbox), files });
    }
    const secrets = [sandbox.key, ...sandbox.world.tokens.map(({ value }) => value), ...(other?.tokens ?? [])];
    const mistakes = [
      ...played.flatMap((one) => shownSecrets(one, secrets)),
      ...leaks(job.temp, secrets),
      ...sandbox.world.violations.map(({ kind }) => `A step broke the service's rule ${kind}.`),
    ];
    if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
    return played;
  } finally {
    await job.close();
    await sandbox.close();
  }
}

interface Stage {
  readonly sandbox: Sandbox;
  readonly job: runner.Job;
  /** The address of the service that the step uses. */
  readonly url: string;
}

async function playStep({ entry, ...scene }: StepScene, { sandbox, job, url }: Stage): Promise<runner.StepResult> {
  const given = typeof scene.inputs === 'function' ? scene.inputs(sandbox) : (scene.inputs ?? {});
  const service = { 'api-key': sandbox.key, 'base-url': url };
  if (entry !== 'cancel') {
    const inputs = { ...service, 'poll-interval': POLL_INTERVAL, ...runner.inputsOf({ ...scene, inputs: given }) };
    return await runner.runStep(job, { ...scene, inputs }, sandbox);
  }
  const own = new runner.Job({ ...job.options, action: join(job.options.action, 'cancel') });
  try {
    return await runner.runStep(own, { inputs: { ...service, ...given } }, sandbox);
  } finally {
    await own.close();
  }
}

/** The current state of the service. */
function seenBy({ world, requests, now }: Sandbox): Pick<Played, 'calls' | 'runs' | 'statuses'> {
  const at = now();
  return {
    calls: requests.map(({ kind }) => kind),
    runs: world.jobs,
    statuses: world.jobs.map((run) => stateAt(run, at)?.status ?? ''),
  };
}

function includesInAnyCase(text: string, secret: string): boolean {
  return text.toLowerCase().includes(secret.toLowerCase());
}

/** The lines, other than mask commands, that contain a secret. */
function shownSecrets({ main, post }: Played, secrets: readonly string[]): readonly string[] {
  const lines = [main, post].flatMap((process) => process?.lines ?? []);
  return lines
    .filter((line) => !line.startsWith('::add-mask::') && secrets.some((secret) => includesInAnyCase(line, secret)))
    .map((line) => `The log shows a secret: ${line}`);
}

function leaks(folder: string, secrets: readonly string[]): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .filter((path) => secrets.some((secret) => includesInAnyCase(readFileSync(path, 'utf8'), secret)))
    .map((path) => `A secret is in ${path}.`);
}

/** The paths of the journals in a job's RUNNER_TEMP. */
export function journalsIn({ temp }: Pick<runner.Job, 'temp'>): readonly string[] {
  return readdirSync(temp).flatMap((name) =>
    /^run-pipeline-(?!.*(?:\.mark|-post)$)/.test(name) ? join(temp, name) : [],
  );
}

/** A test's own `onTestFinished`, because concurrent tests cannot share a global one. */
export type After = (cleanUp: () => void) => void;

/** Creates an empty folder, and deletes it when the test has finished. */
export function folderForTest(after: After): string {
  const folder = mkdtempSync(join(tmpdir(), 'e2e-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a program that starts Node.js from Bash. Other shells drop variables such as INPUT_API-KEY. */
export function nodeInBash(after: After, command: string): string {
  const path = join(folderForTest(after), 'node');
  writeFileSync(path, `#!/bin/bash\nset -o pipefail\nNODE='${NODE}'\n${command}\n`, { mode: 0o755 });
  return path;
}

const preloaded = pathToFileURL(join(import.meta.dirname, '..', 'e2e', 'preload.mjs'));

/** The environment of a job whose main process meets this fault from preload.mjs. */
export function withFault(fault: string, more: Texts = {}): Texts {
  return { NODE_OPTIONS: `--import=${preloaded.href}`, FAULT: fault, ...more };
}

export type Recording = ReturnType<typeof record>;

/** Records the actions of bundles. Names under example.test resolve to this machine, which `authority` certifies. */
export function record(after: After, authority?: string) {
  const folder = folderForTest(after);
  const [file, certificate] = [join(folder, 'record.txt'), join(folder, 'authority.pem')];
  if (authority !== undefined) writeFileSync(certificate, authority);
  return {
    /** The variables that the environment of a job must contain. */
    env: {
      NODE_OPTIONS: `--import=${preloaded.href}`,
      RECORD_TO: file,
      ...(authority !== undefined && { NODE_EXTRA_CA_CERTS: certificate }),
    },
    /** The sorted, unique records that begin with this word. */
    recorded(what: 'lookup' | 'connect' | 'start' | 'load' | 'env'): readonly string[] {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
      const start = `${what} `;
      return [...new Set(lines.flatMap((line) => (line.startsWith(start) ? line.slice(start.length) : [])))].sort();
    },
  };
}
