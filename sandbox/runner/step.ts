import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { environmentFor, type StepFiles } from './environment.ts';
import { holds } from './expressions.ts';
import type { Job } from './job.ts';
import { parseRecords } from './records.ts';
import { StepLog } from './step-log.ts';
import { type Ended, StepProcess } from './step-process.ts';

export interface StepOptions {
  /** The inputs that the workflow gives. */
  readonly with: Readonly<Record<string, string>>;
  /** Inputs with another value when post evaluates them. */
  readonly withInPost?: Readonly<Record<string, string>>;
  readonly id?: string;
  /** Files of the machine in the place of those that the runner makes, such as /dev/full. */
  readonly files?: Partial<StepFiles>;
  /** Called with each line of the log as soon as the process writes it. */
  readonly onLine?: (line: string) => void;
}

/** What a runner reads from the files of a process. */
export interface Collected {
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Its errors for files that it could not read to the end. */
  readonly broken: readonly string[];
}

/** One of the two processes of a step. */
export interface Running {
  readonly process: StepProcess;
  readonly log: StepLog;
  readonly files: StepFiles;
  readonly ended: Promise<Ended>;
  /** Reads the files as they are now. */
  collect(): Collected;
}

/** A step of a job that uses the action: main, and later post with what main left. */
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

  /** Undefined when there is no post, or its condition does not hold. `state` is what the runner kept. */
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
