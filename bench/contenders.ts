import { join } from 'node:path';

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

/** The same requests with node:http alone. */
export const bare: Contender = {
  name: 'node:http alone',
  args: [join(import.meta.dirname, 'rivals', 'bare.mjs')],
  env: (task) => ({
    BASE_URL: task.url,
    API_KEY: task.key,
    PIPELINE: task.pipeline,
    POLL_MS: String(task.pollMs),
    ...files(task),
  }),
};

/** The same with node:https loaded, because a real service uses https. The sandbox does not, so nothing encrypts. */
export const bareWithTls: Contender = {
  name: 'the same, https loaded',
  args: ['--import', 'node:https', ...bare.args],
  env: bare.env,
};

/** The main step of the action, from this or another checkout. */
export function action(name = 'run-pipeline', checkout = root): Contender {
  return { name, args: [join(checkout, 'dist', 'main.js')], env: actionEnv };
}

/** The post step after a main step that left nothing to do. */
export const idlePost: Contender = {
  name: 'run-pipeline, post',
  args: [join(root, 'dist', 'post.js')],
  env: (task) => ({
    ...actionEnv(task),
    STATE_run_pipeline_end: JSON.stringify({ n: 9, idle: 'always', isReported: true }),
  }),
};

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
