import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ncc from '@vercel/ncc';
import { encode } from '../src/action/state/records.ts';

/** A program to measure: its arguments and its environment for a task. */
export interface Contender {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: (task: Task) => Readonly<Record<string, string>>;
}

/** The task of a contender. With an empty key, the contender should fail at once. */
export interface Task {
  readonly url: string;
  readonly key: string;
  readonly pipeline: string;
  readonly pollMs: number;
  /** Contains the files that a runner would provide. */
  readonly folder: string;
}

const root = join(import.meta.dirname, '..');

/** `node -e 0`: the cost of Node itself. */
export const nothing: Contender = { name: 'node -e 0', args: ['-e', '0'], env: () => ({}) };

export const bare: Contender = {
  name: 'node:http alone',
  args: [join(import.meta.dirname, 'rivals', 'bare.mjs')],
  env: rivalEnv,
};

/** The main step of the action, from this or another checkout. */
export function action(name = 'run-pipeline', checkout = root): Contender {
  return { name, args: [join(checkout, 'dist', 'main', 'index.js')], env: actionEnv };
}

/** The post step after a main step that left no run in progress. */
export function post(name = 'run-pipeline, post', checkout = root): Contender {
  const main = {
    kind: 'main',
    pid: 1,
    startedAt: '',
    owner: {},
    asked: '',
    onCancel: 'cancel',
    pollIntervalMs: 30_000,
  } as const;
  const rest = { summary: true, jobStatus: '', given: {}, journal: '', seal: '', stateFile: '' };
  return {
    name,
    args: [join(checkout, 'dist', 'post', 'index.js')],
    env: (task) => ({
      ...actionEnv(task),
      STATE_run_pipeline_0001: encode({ ...main, ...rest, baseUrl: task.url }),
      STATE_run_pipeline_0002: encode({ kind: 'closed', left: 'nothing', isPrinted: true }),
    }),
  };
}

/** An action written with the toolkit as its READMEs suggest, bundled with all of its dependencies. */
export async function bundledToolkit(folder: string): Promise<Contender> {
  const { code } = await ncc(join(import.meta.dirname, 'rivals', 'toolkit.js'), {
    cache: false,
    quiet: true,
    externals: {},
  });
  const out = join(folder, 'toolkit');
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'index.js'), code);
  writeFileSync(join(out, 'package.json'), '{"type":"module"}');
  return { name: 'core + http-client', args: [join(out, 'index.js')], env: rivalEnv };
}

function rivalEnv(task: Task): Record<string, string> {
  return {
    BASE_URL: task.url,
    API_KEY: task.key,
    'INPUT_API-KEY': task.key,
    PIPELINE: task.pipeline,
    POLL_MS: String(task.pollMs),
    ...files(task),
  };
}

function actionEnv(task: Task): Record<string, string> {
  return {
    'INPUT_API-KEY': task.key,
    'INPUT_BASE-URL': task.url,
    INPUT_PIPELINE: task.pipeline,
    'INPUT_POLL-INTERVAL': `${task.pollMs}ms`,
    ...files(task),
  };
}

function files(task: Task): Record<string, string> {
  return {
    GITHUB_STATE: join(task.folder, 'state'),
    GITHUB_OUTPUT: join(task.folder, 'output'),
    GITHUB_STEP_SUMMARY: join(task.folder, 'summary'),
    RUNNER_TEMP: task.folder,
  };
}
