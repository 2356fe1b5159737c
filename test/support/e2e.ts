// Starts the bundles in dist/ as a runner does, each against its own sandbox. Only test/act and the demo start them in
// other ways, because these tests are about act, background steps of a workflow, and the demo itself.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Job as Run, stateAt } from '../../sandbox/model/index.ts';
import * as runner from '../../sandbox/runner/index.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server/index.ts';

const repository = join(import.meta.dirname, '..', '..');

export type Texts = Readonly<Record<string, string>>;

/** The host names of a service that uses TLS. */
export const APP = 'app.example.test';
export const API = 'api.example.test';

/** Runs take milliseconds: `orders` finishes after 90 ms, and the action reads the status of a run every 20 ms. */
const SPEED = 1_000;
export const POLL_INTERVAL = '20ms';
/** Shorter than the poll interval, because a timer may fire a little early. */
const MIN_READ_INTERVAL_MS = 15;

/** A run that never finishes by itself, and whose status the action does not read during a test. */
const ENDLESS: Texts = { pipeline: 'endless', 'poll-interval': '1h' };

/** The id of a run that does not exist. */
export const UNKNOWN_ID = '3c4f7a52-90bb-4d6f-9b1b-5f0a43f1c3a9';

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
export function useAction(source = repository): Folder {
  let installed: runner.InstalledAction | undefined;
  beforeAll(() => {
    const changed = source === repository ? unbuilt() : [];
    if (changed.length > 0) throw new Error(`dist is older than ${changed.join(', ')}. Run npm run build.`);
    installed = runner.installAction(source);
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
  readonly rules?: SandboxOptions['rules'];
  readonly service?: Omit<SandboxOptions, 'rules'>;
  /** A service with the sandbox's key that the steps use instead of the sandbox. */
  readonly other?: { readonly url: string; readonly tokens: readonly string[] };
  readonly job?: Omit<runner.JobOptions, 'action'>;
}

type StepSettings = Omit<runner.RunOptions, 'with'>;

/** A step of the job, from the start of main to the end of post. */
export interface StepScene {
  /** `cancel` runs the cancel action in a separate job. */
  readonly entry?: 'main' | 'cancel';
  /** Added to the defaults: key, address, poll interval and pipeline (`orders`, or `endless` with `mode`). */
  readonly inputs?: Texts | ((sandbox: Sandbox) => Texts);
  readonly step?: StepSettings | ((job: runner.Job) => StepSettings);
  /** How the runner interrupts main. By default, main exits by itself. */
  readonly mode?: runner.ModeName | runner.Mode;
  /** Whether main may exit by itself before the runner interrupts it. By default, this is an error. */
  readonly mayExitFirst?: boolean;
  /** Settles at the moment of the interruption. By default, that is when a run is queued. */
  readonly when?: (main: runner.StepProcess, sandbox: Sandbox) => Promise<unknown>;
}

export interface Played extends runner.StepResult {
  readonly sandbox: Sandbox;
  /** The calls that the service received, in order. */
  readonly calls: readonly string[];
  readonly runs: readonly Run[];
  readonly statuses: readonly string[];
  /** The contents of the journals and of the state that the runner read. */
  readonly records: string;
}

export interface Stage {
  readonly sandbox: Sandbox;
  readonly job: runner.Job;
  /** All inputs of a step: these inputs, the key, the address, and a poll interval. */
  readonly inputs: (more?: Texts) => Texts;
  readonly play: (scene?: StepScene) => Promise<Played>;
}

/** Runs one step from its start to the end of post. */
export function playProcess(action: Folder, scene: Surroundings & StepScene = {}): Promise<Played> {
  return onStage(action, scene, (stage) => stage.play(scene));
}

/**
 * Runs several steps of one job.
 * @throws if a step violates a rule of the service, or writes a secret to its log or a file.
 */
export async function onStage<T>(
  action: Folder,
  { service: { model, ...service } = {}, other, rules = [], job: options }: Surroundings,
  play: (stage: Stage) => Promise<T>,
): Promise<T> {
  const settings = { speed: SPEED, minReadIntervalMs: MIN_READ_INTERVAL_MS, ...model };
  const sandbox = await startSandbox({ ...service, rules, model: settings });
  const job = new runner.Job({ action: action.folder, ...options });
  const address = { 'api-key': sandbox.key, 'base-url': (other ?? sandbox).url };
  const secrets = (): readonly string[] => {
    return [sandbox.key, ...sandbox.world.tokens.map(({ value }) => value), ...(other?.tokens ?? [])];
  };
  const inputs = (more: Texts = {}): Texts => ({ ...address, 'poll-interval': POLL_INTERVAL, ...more });
  const playScene = async (scene: StepScene = {}): Promise<Played> => {
    const { entry = 'main', mode, mayExitFirst, when = (main: runner.StepProcess) => main.line(/is queued/) } = scene;
    const given = typeof scene.inputs === 'function' ? scene.inputs(sandbox) : scene.inputs;
    const step = typeof scene.step === 'function' ? scene.step(job) : scene.step;
    let isAsPlanned = mode === undefined || mayExitFirst === true;
    const reached = async (main: runner.StepProcess): Promise<void> => {
      const moment = when(main, sandbox);
      await (mayExitFirst === true ? moment.catch(() => main.ended) : moment);
      isAsPlanned ||= main.alive;
    };
    const interrupt = mode === undefined ? undefined : { mode, when: reached };
    const usual = mode === undefined ? { pipeline: 'orders' } : ENDLESS;
    const cancel = { ...options, action: join(action.folder, 'cancel'), ...step, with: { ...address, ...given } };
    const result = await (entry === 'cancel'
      ? runner.runJob(cancel, interrupt)
      : runner.runStep(job, { ...step, with: inputs({ ...usual, ...given }) }, interrupt));
    checkLog(result, secrets());
    if (!isAsPlanned) throw new Error(`Main exited before the runner could interrupt it.\n${logOf(result)}`);
    const records = [...journalsIn(job).map((path) => job.textOf(path)), JSON.stringify(result.main.files.state)];
    return { ...result, sandbox, ...seenBy(sandbox), records: records.join('') };
  };
  try {
    const played = await play({ sandbox, job, inputs, play: playScene });
    const faults = [...leaks(job.temp, secrets()), ...sandbox.world.violations.map(({ kind }) => kind)];
    if (faults.length > 0) throw new Error(`A step broke a rule: ${faults.join('; ')}`);
    return played;
  } finally {
    await job.close();
    await sandbox.close();
  }
}

/** The current state of the service. */
export function seenBy({ world, requests, now }: Sandbox): Pick<Played, 'calls' | 'runs' | 'statuses'> {
  const at = now();
  return {
    calls: requests.map(({ kind }) => kind),
    runs: world.jobs,
    statuses: world.jobs.map((run) => stateAt(run, at)?.status ?? ''),
  };
}

/** The warnings and errors of a step that report a run that may be in progress. */
export function doubtsOf(
  { main, post }: Pick<Played, 'main' | 'post'>,
  pattern = /may (?:still )?be in/,
): readonly string[] {
  const notes = [main, post].flatMap((process) => process?.annotations ?? []);
  return notes.flatMap(({ level, message }) => (level !== 'notice' && pattern.test(message) ? message : []));
}

export function inProgress({ runs, statuses }: Pick<Played, 'runs' | 'statuses'>): readonly Run[] {
  return runs.filter((_, at) => ['queued', 'picked', 'running'].includes(statuses[at] ?? ''));
}

/** The runs in progress that no doubt names by its id or, if the step does not know the id, by its pipeline. */
export function unreported(played: Played, knows = (id: string) => played.records.includes(id)): readonly Run[] {
  return inProgress(played).filter(({ id, pipelineId }) => {
    const name = played.sandbox.world.pipelines.find((one) => one.id === pipelineId)?.name ?? id;
    const names = new RegExp(knows(id) ? id : `${id}|runs? of "?${name}\\b`, 'i');
    // Post may also warn that main left no record and may have left a run in progress.
    return !doubtsOf(played, /may (?:still be|be|have) /).some((doubt) => names.test(doubt));
  });
}

/** Promises, each with a remark for the case that it does not hold. */
export type Checks = readonly (readonly [holds: boolean, otherwise: string])[];

export function broken(checks: Checks): readonly string[] {
  return checks.flatMap(([holds, otherwise]) => (holds ? [] : otherwise));
}

/** The paths of the journals in a job's RUNNER_TEMP. */
export function journalsIn({ temp }: Pick<runner.Job, 'temp'>): readonly string[] {
  return readdirSync(temp).flatMap((name) =>
    /^run-pipeline-(?!.*(?:\.stop|-post)$)/.test(name) ? join(temp, name) : [],
  );
}

export function resultsOf({ files }: runner.ProcessResult): readonly Texts[] {
  return JSON.parse(files.outputs['results'] ?? '[]') as readonly Texts[];
}

/** Expects that both processes succeed and that post has nothing to do. */
export function expectSuccess({ main, post }: runner.StepResult): void {
  const files = { outputs: { outcome: 'succeeded' }, broken: [] };
  expect([main, post], main.log.join('\n')).toMatchObject([
    { exitCode: 0, files },
    { exitCode: 0, lines: [] },
  ]);
}

/** Both logs, for the message of a failed test. */
export function logOf({ main, post }: runner.StepResult): string {
  return ['main:', ...main.log, 'post:', ...(post?.log ?? [])].join('\n');
}

function includesInAnyCase(text: string, secret: string): boolean {
  return text.toLowerCase().includes(secret.toLowerCase());
}

/** @throws if any line other than a mask command contains a secret. */
function checkLog(result: runner.StepResult, secrets: readonly string[]): void {
  const lines = [result.main, result.post].flatMap((process) => process?.lines ?? []);
  const shown = lines.filter((line) => !line.startsWith('::add-mask::')).join('\n');
  if (secrets.some((secret) => includesInAnyCase(shown, secret))) throw new Error(`A secret was shown:\n${shown}`);
}

function leaks(folder: string, secrets: readonly string[]): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .filter((path) => secrets.some((secret) => includesInAnyCase(readFileSync(path, 'utf8'), secret)))
    .map((path) => `a secret is in ${path}`);
}

/** Gives a service these host names, and returns the inputs for it, with a poll interval of 30 s. */
export function named({ url, world }: Sandbox, api = API, apiPort = Number(new URL(url).port)): Texts {
  world.backendUrl = `https://${api}:${apiPort}`;
  return { 'base-url': `https://${APP}:${new URL(url).port}`, 'poll-interval': '30s' };
}

/** Longer than a runner's deadlines, so that a process on a busy machine is not killed too early. */
export const PATIENCE_MS = 60_000;

/** The delay that a busy machine may add to a deadline: a constant plus ten times the start-up time of a process. */
export function slackMs({ startUpMs }: Pick<runner.StepProcess, 'startUpMs'>): number {
  return 500 + 10 * startUpMs;
}

/** Kills a process that has not exited after `ms` milliseconds. */
export function killAfter(ms: number, process: runner.StepProcess): void {
  const timer = setTimeout(() => process.signal('SIGKILL'), ms);
  void process.ended.finally(() => clearTimeout(timer));
}

/** Acts once a process prints a matching line. The process may also exit without one. */
export function onLine(process: runner.StepProcess, pattern: RegExp, act: () => void): void {
  void process.line(pattern).then(act, () => undefined);
}

/** A test's own `onTestFinished`, because concurrent tests cannot share a global one. */
export type After = (cleanUp: () => void) => void;

/** An empty folder, which exists until its test has finished. */
export function folderForTest(after: After): string {
  const folder = mkdtempSync(join(tmpdir(), 'e2e-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Copies the action, and adds a function that damages its bundle or the chunk with HTTP. */
export function breakable(action: Folder, after: After, part: 'bundle' | 'http') {
  const folder = folderForTest(after);
  cpSync(action.folder, folder, { recursive: true });
  const isPart = part === 'bundle' ? /^index\.js$/ : /^\d+\.index\.js$/;
  const files = readdirSync(join(folder, 'dist')).filter((name) => isPart.test(name));
  if (files.length !== 1) throw new Error(`dist contains ${files.length} files of the part ${part}.`);
  const file = join(folder, 'dist', files[0] ?? '');
  return {
    folder,
    damage(how: 'missing' | 'truncated') {
      if (how === 'missing') rmSync(file);
      else writeFileSync(file, 'export const start = {');
    },
  };
}

/** The Node.js that runs the bundles, also under act, and its version. */
export const NODE = process.env['ACTION_NODE'] ?? process.execPath;
export const versionOfNode = (): string => execFileSync(NODE, ['--version'], { encoding: 'utf8' });

/** Writes a Bash program that starts Node.js in a command line. Other shells drop variables such as INPUT_API-KEY. */
export function nodeInBash(after: After, rest: string): string {
  const path = join(folderForTest(after), 'node');
  writeFileSync(path, `#!/bin/bash\nset -o pipefail\n'${NODE}' "$@" ${rest}\n`, { mode: 0o755 });
  return path;
}

/** The environment of a job whose processes load one of the scripts next to this file. */
export function preload(script: 'disk' | 'faults' | 'network', env: Texts): Texts {
  const { href } = pathToFileURL(join(import.meta.dirname, `e2e-${script}.mjs`));
  return { NODE_OPTIONS: `--import=${href}`, ...env };
}

/** The environment of a job whose main process meets this fault from e2e-faults.mjs. */
export function withFault(fault: string, more: Texts = {}): Texts {
  return preload('faults', { FAULT: fault, ...more });
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
      ...preload('network', { RECORD_TO: file }),
      ...(authority !== undefined && { NODE_EXTRA_CA_CERTS: certificate }),
    },
    /** The sorted, unique records that begin with this word. */
    recorded(what: 'lookup' | 'connect' | 'start' | 'env'): readonly string[] {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
      const start = `${what} `;
      return [...new Set(lines.flatMap((line) => (line.startsWith(start) ? line.slice(start.length) : [])))].sort();
    },
  };
}
