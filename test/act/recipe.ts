// Runs a recipe from the documents against its own service.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scenario } from '../../sandbox/model/index.ts';
import { recipeOf, type Workflow } from '../docs/recipes.ts';
import { textOf } from './act.ts';
import { playJobs } from './jobs.ts';
import { check, startService, statusesIn } from './play.ts';
import { type Attempt, type Case, type Stage, setStage } from './stage.ts';

const PIPELINES = 'orders_daily customers_daily payments_daily revenue_report orders_staging orders_test history';
/** Scenarios in addition to the sandbox's. The service runs them 1,000 times as fast. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  long: {
    does: 'completes after 3 s',
    timeline: [
      [0, 'running'],
      [3_000_000, 'completed'],
    ],
  },
  relapse: {
    does: 'fails at first, and then runs until it is cancelled',
    timeline: [[0, 'running']],
    first: [[[0, 'failed']]],
  },
};

/** Runs the recipe under a heading. `did` lists the jobs that started, the commands that they called, and the runs. */
export async function playRecipe(heading: string, scene: Case): Promise<{ did: string; log: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'recipe-'));
  const names = PIPELINES.split(' ');
  const pipelines = names.map((name) => {
    const scenario = scene.loads?.[name] ?? scene.loads?.['all'] ?? 'orders';
    return { name, apiName: name, scenario };
  });
  const sandbox = await startService({ pipelines, scenarios: SCENARIOS });
  try {
    const attempts: Attempt[] = [];
    for (const one of [scene, ...(scene.reruns ?? [])]) {
      const stage = setStage(recipeOf(heading), one, sandbox, folder, attempts.length + 1);
      attempts.push(await playAttempt(stage, attempts.at(-1)));
    }
    const lines = attempts.at(-1)?.lines ?? [];
    check(sandbox, lines);
    const jobs = attempts.map(({ ran }) =>
      String(Object.entries(ran).map((job) => job.join(' '))).replaceAll(',', ', '),
    );
    const called = readFileSync(join(folder, 'stand-ins', 'calls'), 'utf8')
      .trim()
      .split('\n')
      .map((call) => call.replace(/ after [\dms ]+(?=:)| https:\S+$/g, '').replace(/[0-9a-f]{8}-[-0-9a-f]{27}/g, 'ID'));
    // The jobs of a matrix start in any order.
    const calls = called.some((call) => call.startsWith('publish.sh')) ? called.sort() : called;
    const runs = [...statusesIn(sandbox)].sort();
    return { did: [jobs.join('; '), calls.join(', '), runs.join(', ')].join(' | '), log: textOf(lines) };
  } finally {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs all jobs in the first attempt, and later only those that failed and those that need them. */
async function playAttempt(stage: Stage, last: Attempt | undefined): Promise<Attempt> {
  const { workflow, scene, sandbox } = stage;
  const names = repeatedIn(workflow, last);
  // act starts no step after a cancellation, so jobs that run after a cancellation need a separate play.
  const isLate = (name: string): boolean => (workflow.jobs[name]?.if ?? '').includes('always()');
  const late = scene.cancelAfterReads === undefined ? [] : names.filter(isLate);
  const reads = sandbox.requests.filter(({ kind }) => kind === 'read').length + (scene.cancelAfterReads ?? 0);
  const when = scene.cancelAfterReads === undefined ? undefined : () => sandbox.end('read', reads);
  const early = names.filter((name) => !late.includes(name));
  const played = await playJobs(stage, early, last, when);
  if (late.length === 0) return played;
  const rest = await playJobs(stage, late, played);
  return { ...rest, ran: { ...played.ran, ...rest.ran } };
}

/** Returns the unsuccessful jobs and those that need them. In every recipe, jobs follow the jobs that they need. */
function repeatedIn({ jobs }: Workflow, last: Attempt | undefined): readonly string[] {
  const repeated: string[] = [];
  for (const [name, { needs = [] }] of Object.entries(jobs)) {
    const needsRepeated = [needs].flat().some((one) => repeated.includes(one));
    if (last?.results[name] !== 'success' || needsRepeated) repeated.push(name);
  }
  return repeated;
}
