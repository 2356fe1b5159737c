// Tests that every recipe follows the rules for recipes.
import { describe, expect, it } from 'vitest';
import { anchorsOf, tableIn } from './documents.ts';
import type { Job, Recipe, Step, Workflow } from './recipes.ts';
import { folderOf, page, recipeOf, recipes, stepsOf, workflowOf } from './recipes.ts';

const jobsOf = ({ jobs }: Workflow): readonly Job[] => Object.values(jobs);
const minutesIn = (time: string): number => {
  const [, hours = '0', minutes = '0'] = /^(?:(\d+)h)?(?:(\d+)m)?$/.exec(time) ?? [];
  return Number(hours) * 60 + Number(minutes);
};

/** Whether a step triggers runs. */
const triggers = (step: Step): boolean =>
  folderOf(step) === '' && step.with?.['pipeline'] !== undefined && `${step.with['dry-run']}` !== 'true';

/** Each rule, with a function that returns the parts of a recipe that break the rule. */
const RULES: Readonly<Record<string, (recipe: Recipe, workflow: Workflow) => readonly unknown[]>> = {
  'triggers runs only in called workflows or in concurrency groups in which no waiting workflow is cancelled': (
    _,
    workflow,
  ) =>
    jobsOf(workflow).filter((job) => {
      const groups = [workflow.concurrency, job.concurrency].filter((group) => group !== undefined);
      const isCalled = JSON.stringify(workflow.on).includes('workflow_call');
      const isFree = groups.length === 0 && !isCalled && (job.steps ?? []).some(triggers);
      return isFree || groups.some((group) => group['cancel-in-progress'] !== false || group.queue !== 'max');
    }),
  'compares a list with an empty text wherever it compares it with an empty list': ({ text }) =>
    [...text.matchAll(/(\S+) != '\[\]'/g)].filter(([, list]) => !text.includes(`${list} != '' && ${list} != '[]'`)),
  'runs dbt or deploys only after loads without warnings': (_, workflow) =>
    /dbt build|deploy\.sh/.test(JSON.stringify(workflow))
      ? stepsOf(workflow).filter(
          (step) => folderOf(step) === '' && !/^completed(, skipped)?$/.test(step.with?.['succeed-on'] ?? ''),
        )
      : [],
  'loads each pipeline in the concurrency group that all recipes use for this pipeline': (_, workflow) =>
    jobsOf(workflow).filter((job) => {
      const loads = JSON.stringify((job.steps ?? []).filter(triggers));
      const own = (job.concurrency ?? workflow.concurrency)?.group;
      const expected = /_daily|_report|history|needs\./.test(loads) ? 'load-production' : 'load-test';
      return job.strategy === undefined && /_daily|_report|_test|history|needs\./.test(loads) && own !== expected;
    }),
  'gives each job a name and a time limit at least five minutes longer than the sum of its timeouts': (_, workflow) =>
    jobsOf(workflow).filter(({ name, uses, steps = [], 'timeout-minutes': limit = 0 }) => {
      const waits = steps.map((step) => minutesIn(step.with?.['timeout'] ?? ''));
      return name === undefined || (uses === undefined && limit < 5 + waits.reduce((a, b) => a + b, 0));
    }),
  'cancels a detached run in another job if the workflow is cancelled and the id is a job output': (_, { jobs }) =>
    Object.entries(jobs).filter(
      ([name, { steps = [], outputs = {} }]) =>
        JSON.stringify(outputs).includes('outputs.job-id') &&
        steps.some((step) => `${step.with?.['wait']}` === 'false') &&
        !Object.values(jobs).some(
          ({ needs = [], if: condition = '', steps: others = [] }) =>
            [needs].flat().includes(name) &&
            condition.includes('always()') &&
            others.some((step) => folderOf(step) === 'cancel'),
        ),
    ),
  'cancels a run that it waits for by job-id if the step is cancelled or the last wait times out': (_, workflow) => {
    const awaits = stepsOf(workflow).filter(
      (step) => folderOf(step) === '' && step.with?.['job-id'] !== undefined && step.with['pipeline'] === undefined,
    );
    const kept = awaits.filter((step) => step.with?.['on-cancel'] !== 'cancel');
    return [...kept, ...awaits.slice(-1).filter((step) => step.with?.['on-timeout'] !== 'cancel')];
  },
  'does not wait for a run under the condition always(), because a cancellation would not stop the wait': (
    _,
    workflow,
  ) =>
    jobsOf(workflow).flatMap((job) =>
      (job.steps ?? []).filter(
        (step) => folderOf(step) === '' && `${job.if ?? ''}${step.if ?? ''}`.includes('always()'),
      ),
    ),
  'notifies after every result but a success, with a default message and a link to the workflow run': (_, workflow) =>
    jobsOf(workflow).filter((job) => {
      const text = JSON.stringify(job);
      if (!text.includes('WEBHOOK')) return false;
      return !/^\$\{\{ always\(\) && \S+\.result != 'success' \}\}$/.test(job.if ?? '') || !/MESSAGE:-\w/.test(text);
    }),
  'begins by saying when to use it and what happens after a failure, a cancellation and a re-run': ({ text }) => {
    const [opening = ''] = text.trim().split('```');
    return [
      /^Use this recipe (?:when|to) /,
      /^- \*\*(?:A|The) load[\w ]* fails/m,
      /^- \*\*The (?:calling )?workflow is cancelled/m,
      /^- \*\*You re-run/m,
    ].filter((form) => !form.test(opening));
  },
};

it('there are at most eleven recipes, all in the table at the top of the page', () => {
  const links = recipes.map(({ heading }) => {
    const [anchor = ''] = anchorsOf({ ...page, prose: `## ${heading}` });
    return `[${heading}](#${anchor})`;
  });
  expect(recipes.length).toBeLessThanOrEqual(11);
  expect(tableIn(page.text).map(([, link]) => link)).toEqual(links);
});

describe.each(recipes)('the recipe $heading', (recipe) => {
  it.each(Object.entries(RULES))('%s', (_, faults) => {
    expect(recipe.workflows.flatMap((yaml) => faults(recipe, workflowOf(yaml)))).toEqual([]);
  });
});

describe('the recipe', () => {
  const jobsIn = (heading: string): Readonly<Record<string, Job>> => workflowOf(recipeOf(heading).workflows[0]).jobs;

  it('"Release gate" uses its key only in jobs with an environment', () => {
    const keyed = Object.values(jobsIn('Release gate')).filter((job) => JSON.stringify(job).includes('secrets.'));
    expect(keyed.map(({ environment = '' }) => environment)).not.toContain('');
  });

  it('"Reload behind an approval" shows approvers which tables it drops, and reloads the same pipeline', () => {
    const { plan, approve, reload } = jobsIn('Reload behind an approval');
    expect(recipeOf('Reload behind an approval').workflows[0]).toMatch(/^run-name: .*inputs\.pipeline.*inputs\.reset/m);
    expect(plan?.steps?.[0]?.with).toMatchObject({ 'dry-run': true, 'reset-target': '${{ inputs.reset }}' });
    expect(reload?.needs).toEqual(['plan', 'approve']);
    // A job waiting for approval would block or cancel other loads in its group.
    expect(approve?.concurrency).toBeUndefined();
    expect(reload?.steps?.[1]?.with?.['pipeline']).toBe('${{ needs.plan.outputs.pipeline-id }}');
  });
});
