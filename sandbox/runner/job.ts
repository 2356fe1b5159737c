import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ActionFile, readActionFile } from './action-file.ts';
import type { JobStatus } from './expressions.ts';
import { Step, type StepOptions } from './step.ts';

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

/** A job on a machine of its own, with its folders, its status, and the secrets that its log hides. */
export class Job {
  readonly options: JobOptions;
  readonly action: ActionFile;
  readonly masks = new Set<string>();
  readonly workspace: string;
  /** The value of RUNNER_TEMP. */
  readonly temp: string;
  status: JobStatus = 'success';
  readonly #root: string;
  readonly #steps: Step[] = [];

  constructor(options: JobOptions) {
    this.options = options;
    this.action = readActionFile(options.action);
    this.#root = mkdtempSync(join(tmpdir(), 'runner-'));
    this.workspace = join(this.#root, 'work', 'repository');
    this.temp = join(this.#root, 'work', '_temp');
    for (const folder of [this.workspace, join(this.temp, '_runner_file_commands')]) {
      mkdirSync(folder, { recursive: true });
    }
  }

  /** Creates a step that uses the action. Its id in the workflow has a default. */
  step(options: StepOptions): Step {
    const step = new Step(this, options, `run_${String(this.#steps.length + 1)}`);
    this.#steps.push(step);
    return step;
  }

  /** Creates a new file for a step to write to, as a runner does before it starts anything. */
  newFile(name: string, text = ''): string {
    const path = join(this.temp, '_runner_file_commands', name);
    writeFileSync(path, text);
    return path;
  }

  /** Returns the contents of a file. Missing files and devices, such as the endless /dev/full, count as empty. */
  textOf(path: string): string {
    return isRegular(path) ? readFileSync(path, 'utf8') : '';
  }

  /** Kills the processes that are still alive, and removes all folders. */
  async close(): Promise<void> {
    await Promise.all(this.#steps.map((step) => step.end()));
    rmSync(this.#root, { recursive: true, force: true });
  }
}

/** Whether a path is a regular file. Returns false for invalid paths too, such as a loop of links. */
function isRegular(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
