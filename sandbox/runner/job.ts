/** A job on its own machine, with the environment and the files that a runner gives to each step's processes. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ActionFile, evaluate, type JobStatus, readActionFile } from './action.ts';
import { parseRecords, StepLog } from './output.ts';
import { StepProcess } from './process.ts';
import type { StepDescription } from './step.ts';

type Texts = Readonly<Record<string, string>>;

/** The folder in RUNNER_TEMP with the files that a process of a step can write. */
export const RUNNER_FILES = '_runner_file_commands';

export interface JobOptions {
  /** The folder with the action's `action.yml` and bundles. */
  readonly action: string;
  /** The program that runs the bundles. The default is ACTION_NODE, or else the current Node.js. */
  readonly node?: string;
  /** Additions to the environment of all steps, such as proxies. An undefined value removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether debug logging is on. */
  readonly debug?: boolean;
  /** The job's id in the workflow, by default `nightly`. */
  readonly name?: string;
}

/** A job, with its folders, its status, and the secrets that its log hides. */
export class Job {
  readonly options: JobOptions;
  readonly action: ActionFile;
  readonly masks = new Set<string>();
  readonly workspace: string;
  /** The value of RUNNER_TEMP, which some third-party runners do not set. */
  readonly temp: string;
  status: JobStatus = 'success';
  readonly #root = mkdtempSync(join(tmpdir(), 'runner-'));
  readonly #processes: StepProcess[] = [];
  #steps = 0;

  constructor(options: JobOptions) {
    this.options = options;
    this.action = readActionFile(options.action);
    this.workspace = join(this.#root, 'work', 'repository');
    this.temp = join(this.#root, 'work', '_temp');
    mkdirSync(this.workspace, { recursive: true });
    mkdirSync(join(this.temp, RUNNER_FILES), { recursive: true });
  }

  /** Returns the id of a new step in the workflow. */
  newStep(): string {
    this.#steps += 1;
    return `run_${this.#steps}`;
  }

  /** Starts a step's main process, or its post process with the state that the runner kept. */
  start(entry: string, step: string, options: StepOptions, state: Texts = {}): Running {
    const { node = process.env['ACTION_NODE'] ?? process.execPath, action, debug = false } = this.options;
    const suffix = randomUUID();
    const newFile = (name: string): string => {
      const path = join(this.temp, RUNNER_FILES, `${name}_${suffix}`);
      writeFileSync(path, '');
      return path;
    };
    const files: StepFiles = {
      state: options.files?.state ?? newFile('save_state'),
      output: options.files?.output ?? newFile('set_output'),
      summary: options.files?.summary ?? newFile('step_summary'),
    };
    const log = new StepLog(this.masks, debug);
    const env = environmentOf(this, step, options, state, files);
    const started = new StepProcess([node, join(action, entry)], { cwd: this.workspace, env }, (line) => {
      for (const shown of log.take(line)) options.onLine?.(shown);
    });
    this.#processes.push(started);
    return { process: started, log, collect: () => collect(files) };
  }

  /** Kills the processes that are still alive and removes all folders. */
  async close(): Promise<void> {
    for (const process of this.#processes) process.signal('SIGKILL');
    await Promise.allSettled(this.#processes.map(({ ended }) => ended));
    rmSync(this.#root, { recursive: true, force: true });
  }
}

export interface StepOptions extends Pick<StepDescription, 'inputs' | 'runner'> {
  /** Files, such as /dev/full, that replace those created by the runner for the main process. */
  readonly files?: Partial<StepFiles>;
  /** Called with each line of the log as soon as the process writes it. */
  readonly onLine?: (line: string) => void;
}

/** The paths of the files that a process of a step can write. */
interface StepFiles {
  readonly state: string;
  readonly output: string;
  readonly summary: string;
}

/** The contents of a process's files, as a runner reads them. */
export interface Collected {
  readonly outputs: Texts;
  readonly state: Texts;
  readonly summary: string;
  /** The runner's errors for files that it could not read to the end. */
  readonly broken: readonly string[];
}

/** One of the two processes of a step. */
export interface Running {
  readonly process: StepProcess;
  readonly log: StepLog;
  /** Reads the current contents of the files. */
  readonly collect: () => Collected;
}

/** Returns the whole environment of a step's process. It inherits only variables that a program needs to start. */
function environmentOf(
  job: Job,
  step: string,
  options: StepOptions,
  state: Texts,
  files: StepFiles,
): NodeJS.ProcessEnv {
  const { env = {}, debug = false, name = 'nightly' } = job.options;
  const { PATH, HOME, SystemRoot, TEMP, TMP } = process.env;
  const inherited = Object.entries({ PATH, HOME, SystemRoot, TEMP, TMP }).filter(([, value]) => value !== undefined);
  const defaults = [...job.action.inputs].map(([input, text = '']) => [input, evaluate(text, job.status)] as const);
  // A value in the workflow overrides the default, even if it is empty.
  const all = { ...Object.fromEntries(defaults), ...options.inputs };
  return {
    ...Object.fromEntries(inherited),
    // Arbitrary ids and numbers of a workflow run.
    GITHUB_RUN_ID: '7001',
    GITHUB_RUN_NUMBER: '12',
    GITHUB_RUN_ATTEMPT: '1',
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION: step,
    GITHUB_JOB: name,
    GITHUB_WORKSPACE: job.workspace,
    RUNNER_OS: { darwin: 'macOS', win32: 'Windows' }[process.platform as string] ?? 'Linux',
    ...(options.runner?.temp !== 'none' && { RUNNER_TEMP: job.temp }),
    ...(debug && { RUNNER_DEBUG: '1' }),
    ...env,
    GITHUB_STATE: files.state,
    GITHUB_OUTPUT: files.output,
    GITHUB_STEP_SUMMARY: files.summary,
    ...prefixed(all, (input) => `INPUT_${input.replaceAll(' ', '_').toUpperCase()}`),
    ...prefixed(state, (key) => `STATE_${key}`),
  };
}

function prefixed(values: Texts, nameOf: (name: string) => string): Texts {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [nameOf(name), value]));
}

/** Returns the contents of a file. Missing files and devices, such as the endless /dev/full, count as empty. */
function textOf(path: string): string {
  try {
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

function collect(files: StepFiles): Collected {
  const output = parseRecords(textOf(files.output));
  const state = parseRecords(textOf(files.state));
  return {
    outputs: output.values,
    state: state.values,
    summary: textOf(files.summary),
    broken: [output.broken, state.broken].filter((text) => text !== undefined),
  };
}
