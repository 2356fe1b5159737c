import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { environmentFor, type StepFiles } from './environment.ts';
import { holds } from './expressions.ts';
import type { Job } from './job.ts';
import { parseRecords } from './records.ts';
import { StepLog } from './step-log.ts';
import { type Ended, StepProcess } from './step-process.ts';

export interface StepOptions {
  /** The inputs that the workflow sets. */
  readonly with: Readonly<Record<string, string>>;
  /** Inputs that have a different value when the runner evaluates them for post. */
  readonly withInPost?: Readonly<Record<string, string>>;
  readonly id?: string;
  /** Files, such as /dev/full, that replace those that the runner creates. */
  readonly files?: Partial<StepFiles>;
  /** Called with each line of the log as soon as the process writes it. */
  readonly onLine?: (line: string) => void;
}

/** The contents of a process's files, as a runner reads it. */
export interface Collected {
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
  /** The runner's errors for files that it could not read to the end. */
  readonly broken: readonly string[];
}

/** One of the two processes of a step. */
export interface Running {
  readonly process: StepProcess;
  readonly log: StepLog;
  readonly files: StepFiles;
  readonly ended: Promise<Ended>;
  /** Reads the current contents of the files. */
  collect(): Collected;
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
    this.id = options.id ?? id;
  }

  startMain(): Running {
    return this.#start(this.#job.action.main, this.#options.with, {}, this.#options.files);
  }

  /** Starts post with the state that the runner kept. Returns undefined if no post exists or its condition is false. */
  startPost(state: Readonly<Record<string, string>>): Running | undefined {
    const { post, postIf } = this.#job.action;
    if (post === undefined || !holds(postIf, this.#job.status)) return undefined;
    return this.#start(post, { ...this.#options.with, ...this.#options.withInPost }, state);
  }

  /** Kills the processes that are still alive. */
  async end(): Promise<void> {
    for (const process of this.#processes) process.signal('SIGKILL');
    await Promise.allSettled(this.#processes.map(({ ended }) => ended));
  }

  #start(
    entry: string,
    inputs: Readonly<Record<string, string>>,
    state: Readonly<Record<string, string>>,
    given: Partial<StepFiles> = {},
  ): Running {
    const job = this.#job;
    const { node = process.env['ACTION_NODE'] ?? process.execPath, action, debug = false } = job.options;
    const suffix = randomUUID();
    const files: StepFiles = {
      state: given.state ?? job.newFile(`save_state_${suffix}`),
      output: given.output ?? job.newFile(`set_output_${suffix}`),
      summary: given.summary ?? job.newFile(`step_summary_${suffix}`),
    };
    const log = new StepLog(job.masks, debug);
    const env = environmentFor({ job, step: this.id, inputs, state, files });
    const command = [node, join(action, entry)] as const;
    const started = new StepProcess([...command], { cwd: job.workspace, env }, (line) => {
      for (const shown of log.take(line)) this.#options.onLine?.(shown);
    });
    this.#processes.push(started);
    return { process: started, log, files, ended: started.ended, collect: () => collect(job, files) };
  }
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
