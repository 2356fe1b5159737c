import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Job as Run, stateAt } from '../../sandbox/model/index.ts';
import {
  type InstalledAction,
  type Interrupt,
  installAction,
  Job,
  type JobOptions,
  type RunOptions,
  runStep,
  type StepResult,
} from '../../sandbox/runner/index.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server/index.ts';

const repository = join(import.meta.dirname, '..', '..');

/** Runs take milliseconds: `orders` is over in 90 ms, with its status read every 20 ms. */
const SPEED = 1_000;
export const POLL_INTERVAL = '20ms';
/** A timer may fire a little early. */
const MIN_READ_INTERVAL_MS = 15;

/** The bundles, in a folder far from the repository, for the tests of a file. */
export function useAction(): { readonly folder: string } {
  let installed: InstalledAction | undefined;
  beforeAll(() => {
    installed = installAction(repository);
  });
  afterAll(() => installed?.remove());
  return {
    get folder() {
      if (installed === undefined) throw new Error('the action is installed in a test only');
      return installed.folder;
    },
  };
}

/** A service, and a job on a machine of its own that uses the action. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly job: Job;
  /** A step's `with:`, with address and key. */
  readonly inputs: (more?: Readonly<Record<string, string>>) => Record<string, string>;
}

export interface StageOptions {
  readonly service?: SandboxOptions;
  readonly job?: Omit<JobOptions, 'action'>;
}

/** Sets the stage, plays on it, and checks afterwards what must hold in every play: rules kept, no secret told. */
export async function onStage<T>(
  action: { readonly folder: string },
  options: StageOptions,
  play: (stage: Stage) => Promise<T>,
): Promise<T> {
  const { model, ...service } = options.service ?? {};
  const settings = { speed: SPEED, minReadIntervalMs: MIN_READ_INTERVAL_MS, ...model };
  const sandbox = await startSandbox({ ...service, model: settings });
  const job = new Job({ action: action.folder, ...options.job });
  const address = { 'api-key': sandbox.key, 'base-url': sandbox.url, 'poll-interval': POLL_INTERVAL };
  try {
    const played = await play({ sandbox, job, inputs: (more = {}) => ({ ...address, ...more }) });
    const told = [...leaks(job.temp, sandbox), ...sandbox.world.violations.map(({ kind }) => kind)];
    if (told.length > 0) throw new Error(`The service or the files complain: ${told.join('; ')}`);
    return played;
  } finally {
    await job.close();
    await sandbox.close();
  }
}

type StepSettings = Omit<RunOptions, 'with'>;
type Inputs = Readonly<Record<string, string>>;

export interface Scene extends StageOptions {
  readonly with?: Inputs | ((sandbox: Sandbox) => Inputs);
  readonly step?: StepSettings | ((job: Job) => StepSettings);
  readonly interrupt?: (stage: Stage) => Interrupt;
}

export interface Played extends StepResult {
  readonly sandbox: Sandbox;
  /** The calls that the service saw, in order. */
  readonly calls: readonly string[];
  readonly runs: readonly Run[];
  readonly statuses: readonly string[];
}

/** One step from its start to the end of its post. */
export function playStep(action: { readonly folder: string }, scene: Scene = {}): Promise<Played> {
  return onStage(action, scene, async (stage) => {
    const { sandbox, job } = stage;
    const given = typeof scene.with === 'function' ? scene.with(sandbox) : scene.with;
    const settings = typeof scene.step === 'function' ? scene.step(job) : scene.step;
    const step = { ...settings, with: stage.inputs({ pipeline: 'orders', ...given }) };
    const result = await runStep(job, step, scene.interrupt?.(stage));
    checkLines(result, sandbox);
    return { ...result, sandbox, ...seenBy(sandbox) };
  });
}

/** What the service knows at this moment. */
export function seenBy({ world, requests, now }: Sandbox): Pick<Played, 'calls' | 'runs' | 'statuses'> {
  const at = now();
  return {
    calls: requests.map(({ kind }) => kind),
    runs: world.jobs,
    statuses: world.jobs.map((run) => stateAt(run, at)?.status ?? ''),
  };
}

/** @throws when a line of a step shows a secret; the lines that have it masked are not shown to anybody. */
export function checkLines(result: StepResult, sandbox: Sandbox): void {
  const lines = [result.main, result.post].flatMap((process) => process?.lines ?? []);
  const shown = lines.filter((line) => !line.startsWith('::add-mask::')).join('\n');
  if (secretsOf(sandbox).some((secret) => shown.includes(secret))) {
    throw new Error(`A secret was shown:\n${shown}`);
  }
}

function secretsOf({ key, world }: Sandbox): readonly string[] {
  return [key, ...world.tokens.map(({ value }) => value)];
}

function leaks(folder: string, sandbox: Sandbox): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .filter((path) => secretsOf(sandbox).some((secret) => readFileSync(path, 'utf8').includes(secret)))
    .map((path) => `a secret is in ${path}`);
}
