// Runs the jobs of a recipe under act.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { folderOf, type Job, type Step, type Workflow } from '../docs/recipes.ts';
import { type Line, startAct } from './act.ts';
import { cancelAt } from './play.ts';
import type { Attempt, Case, Stage } from './stage.ts';

/** Runs some of a recipe's jobs under act, and cancels them when `when` settles. */
export async function playJobs(
  stage: Stage,
  names: readonly string[],
  known: Attempt = { ran: {}, results: {}, outputs: {}, lines: [] },
  when?: () => Promise<unknown>,
): Promise<Attempt> {
  const { workflow, sandbox, scene, env, programs, folder } = stage;
  const jobs = Object.fromEntries(names.map((name) => [name, workflow.jobs[name] ?? {}]));
  const file = join(folder, '.github', 'workflows', 'played.yml');
  const payload = join(folder, '.github', 'event.json');
  const filled = mapJobs(jobs, (job) => withNeeds(job, names, known, when === undefined ? scene : {}));
  writeFileSync(file, stringify({ ...workflow, concurrency: undefined, jobs: filled }));
  writeFileSync(payload, JSON.stringify({ inputs: scene.inputs ?? {}, ref: 'refs/heads/main' }));
  const key = scene.withoutKey === true ? {} : { PIPELINE_API_KEY: sandbox.key };
  const secrets = { ...key, CHAT_WEBHOOK: 'https://chat.example.com/', WAREHOUSE_PASSWORD: 'password' };
  const act = startAct(file, { secrets, env, programs, folder, event: [eventOf(workflow), payload] });
  await cancelAt(when, sandbox, act);
  await act.ended;
  const ran: Record<string, string> = Object.fromEntries(
    names.flatMap((name) => {
      const ended = act.lines.filter(({ jobID, jobResult }) => jobID === name && jobResult !== undefined);
      if (ended.length === 0) return [];
      return [[name, ended.some(({ jobResult }) => jobResult === 'failure') ? 'failure' : 'success']];
    }),
  );
  // act does not report which job it cancelled, but the cancelled job is always the last one that started.
  const [awaiting] = when === undefined ? [] : Object.keys(ran).slice(-1);
  if (awaiting !== undefined) ran[awaiting] = 'cancelled';
  const results = { ...known.results, ...ran };
  return {
    ran,
    results,
    outputs: { ...known.outputs, ...outputsOf(jobs, act.lines) },
    lines: [...known.lines, ...act.lines],
  };
}

/** Replaces the results and outputs of jobs that act does not run in the same play. */
function withNeeds(job: Job, names: readonly string[], known: Attempt, { cancelAfterReads }: Case): object {
  const text = (value: string): string =>
    value
      .replace(/needs\.([\w-]+)\.(?:result|outputs\.([\w-]+))/g, (expression, name: string, output?: string) => {
        if (names.includes(name)) return expression;
        const filled = output === undefined ? known.results[name] : known.outputs[name]?.[output];
        return `'${(filled ?? (output === undefined ? 'skipped' : '')).replaceAll("'", "''")}'`;
      })
      .replaceAll('cancelled()', cancelAfterReads === undefined ? 'cancelled()' : 'true');
  const filled = JSON.parse(JSON.stringify(playedJob(job)), (_, value: unknown) =>
    typeof value === 'string' ? text(value) : value,
  ) as object;
  return { ...filled, needs: [job.needs ?? []].flat().filter((name) => names.includes(name)) };
}

function outputsOf(jobs: Workflow['jobs'], lines: readonly Line[]): Attempt['outputs'] {
  const outputs = Object.entries(jobs).map(([job, { outputs = {} }]) => {
    const values = Object.entries(outputs).map(([name, expression]) => {
      const [, id = '', output] = /steps\.([\w-]+)\.(?:outcome|outputs\.([\w-]+))/.exec(expression) ?? [];
      const of = lines.filter(({ jobID, stepID }) => jobID === job && stepID?.includes(id));
      const set = of.find((line) => line.command === 'set-output' && line.name === output)?.arg;
      return [
        name,
        (output === undefined ? of.find(({ stepResult }) => stepResult !== undefined)?.stepResult : set) ?? '',
      ] as const;
    });
    return [job, Object.fromEntries(values)] as const;
  });
  return Object.fromEntries(outputs);
}

function eventOf({ on }: Workflow): string {
  const events = typeof on === 'string' ? [on] : Object.keys(on as object);
  return events.includes('workflow_dispatch') ? 'workflow_dispatch' : (events[0] ?? '');
}

export function mapJobs(jobs: Workflow['jobs'], change: (job: Job) => object): Record<string, object> {
  return Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, change(job)]));
}

/**
 * Adds a checkout step to a recipe's job, so that act finds this action in the repository. Removes concurrency groups,
 * because act 0.2.89 rejects the key `queue`.
 */
export function playedJob(job: Job): object {
  if (job.uses !== undefined) return { ...job, uses: './.github/workflows/run-pipeline.yml' };
  const steps = (job.steps ?? [])
    .filter(({ uses = '' }) => !/^actions\/(?:checkout|setup-python)@/.test(uses))
    .map(playedStep);
  return { ...job, concurrency: undefined, steps: [{ uses: 'actions/checkout@v7' }, ...steps] };
}

function playedStep(step: Step): object {
  const [, verb] = /^actions\/cache\/(\w+)@/.exec(step.uses ?? '') ?? [];
  if (verb !== undefined) {
    const { key = '', path = '', 'restore-keys': prefix = key } = step.with ?? {};
    return { name: step.name, id: step.id, run: `cache-${verb} '${prefix}' '${path}'` };
  }
  const folder = folderOf(step);
  if (folder === undefined) return step;
  const interval = folder === '' ? { 'poll-interval': '100ms' } : {};
  return { ...step, uses: `./${folder}`, with: { ...step.with, ...interval } };
}
