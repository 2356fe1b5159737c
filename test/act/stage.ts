// Describes how to play a recipe, and sets up the repository for it.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Sandbox } from '../../sandbox/server/index.ts';
import { read, root } from '../docs/documents.ts';
import { type Recipe, type Workflow, workflowOf } from '../docs/recipes.ts';
import type { Line } from './act.ts';
import { mapJobs, playedJob } from './jobs.ts';

const SCRIPTS = ['deploy.sh', 'test.sh', 'list-pipelines.sh', 'publish.sh'];
const PROGRAMS = ['dbt', 'pip', 'curl', 'cache-restore', 'cache-save'];

/** The differences from a play in which everything succeeds. */
export interface Case {
  /** The sandbox scenario for each pipeline, by name; `all` applies to the others. */
  readonly loads?: Readonly<Record<string, string>>;
  /** The call of a stand-in program that fails, such as `deploy.sh staging`. */
  readonly fails?: string;
  /** Cancels the workflow after this many reads from the sandbox. */
  readonly cancelAfterReads?: number;
  /** The inputs of the dispatch. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Replacements for texts in the recipe. */
  readonly instead?: Readonly<Record<string, string>>;
  /** The output of `list-pipelines.sh`. */
  readonly list?: string;
  /** Files in the repository, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly withoutKey?: boolean;
  /** The number of the recipe's workflow to play, from 0. The default is its last one. */
  readonly workflow?: number;
  /** Re-runs of the failed jobs, each with its differences from the preceding attempt. */
  readonly reruns?: readonly Case[];
}

/** Everything that an attempt needs. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly workflow: Workflow;
  readonly attempt: number;
  readonly scene: Case;
  readonly folder: string;
  /** The environment of the stand-in programs. */
  readonly env: Readonly<Record<string, string>>;
  readonly programs: string;
}

/** The results of an attempt: `ran` covers only its own jobs, and `results` also jobs kept from earlier attempts. */
export interface Attempt {
  readonly ran: Readonly<Record<string, string>>;
  readonly results: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The log lines of all attempts so far. */
  readonly lines: readonly Line[];
}

/** Sets up a repository with this action, the recipe's workflows and the scripts that they call. */
export function setStage(recipe: Recipe, scene: Case, sandbox: Sandbox, top: string, attempt: number): Stage {
  const [folder, standIns] = [join(top, 'repository'), join(top, 'stand-ins')];
  const programs = join(standIns, 'programs');
  if (attempt === 1) {
    for (const path of ['repository/.github/workflows', 'stand-ins/cache', 'stand-ins/programs']) {
      mkdirSync(join(top, path), { recursive: true });
    }
    for (const path of ['action.yml', 'cancel', 'dist'])
      cpSync(join(root, path), join(folder, path), { recursive: true });
    const standIn = read('test/act/stand-in.sh');
    for (const name of SCRIPTS) writeFileSync(join(folder, name), standIn, { mode: 0o755 });
    for (const name of PROGRAMS) writeFileSync(join(programs, name), standIn, { mode: 0o755 });
    writeFileSync(join(standIns, 'calls'), '');
    writeFileSync(join(standIns, 'list.json'), scene.list ?? '["orders_daily", "payments_daily"]');
    commit(folder, scene.files);
  }
  const workflows = recipe.workflows.map((yaml) =>
    workflowOf(replaced(yaml, scene.instead, sandbox, recipe.workflows.join())),
  );
  const workflow = workflows.at(scene.workflow ?? -1) ?? workflowOf('');
  for (const called of workflows.slice(0, -1)) {
    const text = stringify({ ...called, jobs: mapJobs(called.jobs, playedJob) });
    writeFileSync(join(folder, '.github', 'workflows', 'run-pipeline.yml'), text);
  }
  const ids = { GITHUB_RUN_ATTEMPT: String(attempt), GITHUB_RUN_ID: '77' };
  const env = { STAND_INS: standIns, FAILS: scene.fails ?? '', ...ids };
  return { sandbox, workflow, attempt, scene, folder, env, programs };
}

function commit(folder: string, files: Readonly<Record<string, string>> = {}): void {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  const identity = ['-c', 'user.name=recipe', '-c', 'user.email=recipe@example.com', '-c', 'init.defaultBranch=main'];
  for (const args of [['init'], ['add', '--all'], ['commit', '--message', 'Change']]) {
    execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'ignore' });
  }
}

/** @throws if a text to replace is in none of the recipe's workflows */
function replaced(yaml: string, instead: Case['instead'] = {}, { url }: Sandbox, all: string): string {
  return Object.entries(instead)
    .reduce((text, [from, to]) => {
      if (!all.includes(from)) throw new Error(`The recipe does not contain "${from}".`);
      return text.replaceAll(from, to);
    }, yaml)
    .replaceAll('https://app.example.com', url);
}
