/** A job on a machine of its own, and its steps, each with the environment and the files that a runner gives it. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ActionFile, evaluate, holds, type JobStatus, readActionFile } from './action.ts';
import { parseRecords, StepLog } from './output.ts';
import { StepProcess } from './process.ts';

type Texts = Readonly<Record<string, string>>;

export interface JobOptions {
  /** The folder with the action's `action.yml` and bundles. */
  readonly action: string;
  /** The program that runs the bundles. The default is ACTION_NODE, or else the current Node.js. */
  readonly node?: string;
  /** Additions to the environment of all steps, such as proxies. An undefined value removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether debug logging is on. */
  readonly debug?: boolean;
  /** Whether RUNNER_TEMP is set. Some runners other than GitHub's do not set it. */
  readonly temp?: boolean;
  /** The job's id in the workflow, by default `nightly`. */
  readonly name?: string;
}

/** A job, with its folders, its status, and the secrets that its log hides. */
export class Job {
  readonly options: JobOptions;
  readonly action: ActionFile;
  readonly masks = new Set<string>();
  readonly workspace: string;
  /** The value of RUNNER_TEMP. */
  readonly temp: string;
  status: JobStatus = 'success';
  readonly #root = mkdtempSync(join(tmpdir(), 'runner-'));
  readonly #steps: Step[] = [];

  constructor(options: JobOptions) {
    this.options = options;
    this.action = readActionFile(options.action);
    this.workspace = join(this.#root, 'work', 'repository');
    this.temp = join(this.#root, 'work', '_temp');
    mkdirSync(this.workspace, { recursive: true });
    mkdirSync(join(this.temp, '_runner_file_commands'), { recursive: true });
  }

  /** Creates a step that uses the action. */
  step(options: StepOptions): Step {
    const step = new Step(this, options, options.id ?? `run_${this.#steps.length + 1}`);
    this.#steps.push(step);
    return step;
  }

  /** Returns the contents of a file. Missing files and devices, such as the endless /dev/full, count as empty. */
  textOf(path: string): string {
    try {
      return statSync(path).isFile() ? readFileSync(path, 'utf8') : '';
    } catch {
      return '';
    }
  }

  /** Kills the processes that are still alive, and removes all folders. */
  async close(): Promise<void> {
    await Promise.all(this.#steps.map((step) => step.end()));
    rmSync(this.#root, { recursive: true, force: true });
  }
}

export interface StepOptions {
  /** The inputs that the workflow sets. */
  readonly with: Texts;
  /** Inputs that have a different value when the runner evaluates them for post. */
  readonly withInPost?: Texts;
  /** The step's id in the workflow. */
  readonly id?: string;
  /** Files, such as /dev/full, that replace those that the runner creates for main. */
  readonly files?: Partial<StepFiles>;
  /** Called with each line of the log as soon as the process writes it. */
  readonly onLine?: (line: string) => void;
}

/** Paths that a process of a step may write to. */
interface StepFiles {
  readonly state: string;
  readonly output: string;
  readonly summary: string;
}

/** The contents of a process's files, as a runner reads it. */
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

/** A step of a job that uses the action: its main process, and later its post process with the state of main. */
export class Step {
  readonly id: string;
  readonly #job: Job;
  readonly #options: StepOptions;
  readonly #processes: StepProcess[] = [];

  constructor(job: Job, options: StepOptions, id: string) {
    this.#job = job;
    this.#options = options;
    this.id = id;
  }

  startMain(): Running {
    return this.#start(this.#job.action.main, this.#options.with, {}, this.#options.files);
  }

  /** Starts post with the state that the runner kept. Returns undefined if no post exists or its condition is false. */
  startPost(state: Texts): Running | undefined {
    const { post, postIf } = this.#job.action;
    if (post === undefined || !holds(postIf, this.#job.status)) return undefined;
    return this.#start(post, { ...this.#options.with, ...this.#options.withInPost }, state);
  }

  /** Kills the processes that are still alive. */
  async end(): Promise<void> {
    for (const process of this.#processes) process.signal('SIGKILL');
    await Promise.allSettled(this.#processes.map(({ ended }) => ended));
  }

  #start(entry: string, inputs: Texts, state: Texts, given: Partial<StepFiles> = {}): Running {
    const job = this.#job;
    const { node = process.env['ACTION_NODE'] ?? process.execPath, action, debug = false } = job.options;
    const suffix = randomUUID();
    const newFile = (name: string): string => {
      const path = join(job.temp, '_runner_file_commands', `${name}_${suffix}`);
      writeFileSync(path, '');
      return path;
    };
    const files: StepFiles = {
      state: given.state ?? newFile('save_state'),
      output: given.output ?? newFile('set_output'),
      summary: given.summary ?? newFile('step_summary'),
    };
    const log = new StepLog(job.masks, debug);
    const env = environmentOf(job, this.id, inputs, state, files);
    const started = new StepProcess([node, join(action, entry)], { cwd: job.workspace, env }, (line) => {
      for (const shown of log.take(line)) this.#options.onLine?.(shown);
    });
    this.#processes.push(started);
    return { process: started, log, collect: () => collect(job, files) };
  }
}

/** Returns the whole environment of a step's process. It inherits only variables that a program needs to start. */
function environmentOf(job: Job, step: string, inputs: Texts, state: Texts, files: StepFiles): NodeJS.ProcessEnv {
  const { env = {}, debug = false, temp = true, name = 'nightly' } = job.options;
  const { PATH, HOME, SystemRoot, TEMP, TMP } = process.env;
  const inherited = Object.entries({ PATH, HOME, SystemRoot, TEMP, TMP }).filter(([, value]) => value !== undefined);
  const defaults = [...job.action.inputs].map(([input, text = '']) => [input, evaluate(text, job.status)] as const);
  // A value in the workflow overrides the default, even if it is empty.
  const all = { ...Object.fromEntries(defaults), ...inputs };
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
    ...(temp && { RUNNER_TEMP: job.temp }),
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

function collect(job: Job, files: StepFiles): Collected {
  const output = parseRecords(job.textOf(files.output));
  const state = parseRecords(job.textOf(files.state));
  return {
    outputs: output.values,
    state: state.values,
    summary: job.textOf(files.summary),
    broken: [output.broken, state.broken].filter((text) => text !== undefined),
  };
}
