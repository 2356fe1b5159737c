// Runs workflows under act on this machine, without containers.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { NODE } from '../support/e2e.ts';

/** The parts of a line in act's `--json` log that the tests read. */
export interface Line {
  readonly msg: string;
  /** Whether a step printed the line. */
  readonly raw_output?: boolean;
  readonly command?: string;
  readonly arg?: string;
  /** The step's name without `Post …`. */
  readonly step?: string;
  readonly stage?: 'Pre' | 'Main' | 'Post';
  readonly stepResult?: 'success' | 'failure' | 'skipped';
  readonly jobResult?: 'success' | 'failure';
  readonly jobID?: string;
  /** For the command `set-output`: the name of the output and the ids of the enclosing steps. */
  readonly name?: string;
  readonly stepID?: readonly string[];
}

export interface Act {
  readonly lines: readonly Line[];
  /** Resolves with act's exit code. */
  readonly ended: Promise<number | null>;
  /** Sends SIGINT to act alone, which then cancels the job. */
  cancel(): void;
}

export interface ActOptions {
  /** The job to run, together with the jobs that it needs. By default, act runs all jobs. */
  readonly job?: string;
  readonly vars?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** The environment of the steps, and a folder of programs that takes precedence on their PATH. */
  readonly env?: Readonly<Record<string, string>>;
  readonly programs?: string;
  /** The event and a file with its payload. The default is a dispatch without inputs. */
  readonly event?: readonly [name: string, file: string];
  /** The repository that act checks out, by default this one. */
  readonly folder?: string;
}

const ACT = process.env['ACT'] ?? 'act';

/** Why these tests are skipped, unless act is installed. */
export const MISSING =
  process.env['ACT'] === undefined && spawnSync(ACT, ['--version']).error !== undefined
    ? 'needs act on the PATH, or its path in the variable ACT: see act_on in .ci/tools.sh'
    : undefined;

/** Runs a workflow in this folder or at a full path, and ignores this machine's settings for act. */
export function startAct(workflow: string, options: ActOptions): Act {
  const home = mkdtempSync(join(tmpdir(), 'act-'));
  const [event, payload] = options.event ?? ['workflow_dispatch', undefined];
  const settings = (option: string, values: Readonly<Record<string, string>> = {}): string[] =>
    Object.entries(values).flatMap(([name, value]) => [option, `${name}=${value}`]);
  const child = spawn(
    ACT,
    [
      ...[event, '--workflows', resolve(import.meta.dirname, workflow), '--json'],
      ...['--platform', 'ubuntu-latest=-self-hosted', '--no-cache-server', '--action-cache-path', home],
      ...['--env-file', '', '--secret-file', '', '--var-file', '', '--input-file', ''],
      ...(payload === undefined ? [] : ['--eventpath', payload]),
      ...(options.job === undefined ? [] : ['--job', options.job]),
      ...settings('--var', options.vars),
      ...settings('--secret', options.secrets),
      ...settings('--env', options.env),
    ],
    {
      cwd: options.folder ?? join(import.meta.dirname, '..', '..'),
      env: {
        PATH: [options.programs ?? '', dirname(NODE), process.env['PATH'] ?? ''].join(delimiter),
        HOME: home,
        TMPDIR: home,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const lines: Line[] = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (text) => lines.push(lineOf(text)));
  }
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => {
      rmSync(home, { recursive: true, force: true });
      resolve(exitCode);
    });
  });
  return { lines, ended, cancel: () => void child.kill('SIGINT') };
}

/** The log as act would print it. */
export function textOf(lines: readonly Line[]): string {
  return lines.map(({ msg }) => msg.trimEnd()).join('\n');
}

function lineOf(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return { msg: text };
  }
}
