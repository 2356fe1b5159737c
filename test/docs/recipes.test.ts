// Tests that every recipe follows the rules for recipes.
import { describe, expect, it } from 'vitest';
import { anchorsOf, documentAt, tableIn, targetsOf } from './documents.ts';
import type { Job, Recipe, Step, Workflow } from './recipes.ts';
import { folderOf, index, pages, recipeOf, recipes, stepsOf, workflowOf } from './recipes.ts';

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
  'triggers runs only in concurrency groups, which set cancel-in-progress, or in called workflows': (_, workflow) =>
    jobsOf(workflow).filter((job) => {
      const groups = [workflow.concurrency, job.concurrency].filter((group) => group !== undefined);
      const isCalled = JSON.stringify(workflow.on).includes('workflow_call');
      const isFree = groups.length === 0 && !isCalled && (job.steps ?? []).some(triggers);
      return isFree || groups.some((group) => typeof group['cancel-in-progress'] !== 'boolean');
    }),
  'loads each pipeline in the concurrency group that all recipes use for this pipeline': (_, workflow) =>
    jobsOf(workflow).filter((job) => {
      const loads = JSON.stringify((job.steps ?? []).filter(triggers));
      const own = (job.concurrency ?? workflow.concurrency)?.group;
      const expected = /_daily|_report|history|needs\.plan/.test(loads) ? 'load-production' : 'load-test';
      return job.strategy === undefined && /_daily|_report|_test|history|needs\.plan/.test(loads) && own !== expected;
    }),
  'names each job, with a time limit at least five minutes longer than the sum of its timeouts': (_, workflow) =>
    jobsOf(workflow).filter(({ name, uses, steps = [], 'timeout-minutes': limit = 0 }) => {
      const waits = steps.map((step) => minutesIn(step.with?.['timeout'] ?? ''));
      return name === undefined || (uses === undefined && limit < 5 + waits.reduce((a, b) => a + b, 0));
    }),
  'cancels a detached run whose id a job outputs, in another job, if the workflow is cancelled': (_, { jobs }) =>
    Object.entries(jobs).filter(
      ([name, { steps = [], outputs = {} }]) =>
        JSON.stringify(outputs).includes('outputs.job-id') &&
        steps.some((step) => `${step.with?.['wait']}` === 'false') &&
        !Object.values(jobs).some(
          ({ needs = [], if: condition = '', steps: others = [] }) =>
            [needs].flat().includes(name) &&
            /always\(\)|^\$\{\{ cancelled\(\) \}\}$/.test(condition) &&
            others.some((step) => folderOf(step) === 'cancel'),
        ),
    ),
  'cancels a run that it awaits by job-id when the step is cancelled or times out': (_, workflow) =>
    stepsOf(workflow).filter(
      (step) =>
        folderOf(step) === '' &&
        step.with?.['job-id'] !== undefined &&
        step.with['pipeline'] === undefined &&
        (step.with['on-cancel'] !== 'cancel' || step.with['on-timeout'] !== 'cancel'),
    ),
  'awaits no run under the condition always(), because a cancellation would not stop the wait': (_, workflow) =>
    jobsOf(workflow).flatMap((job) =>
      (job.steps ?? []).filter(
        (step) => folderOf(step) === '' && `${job.if ?? ''}${step.if ?? ''}`.includes('always()'),
      ),
    ),
  'always sends its notification, with a default message and a link to the workflow run': (_, workflow) =>
    jobsOf(workflow).filter((job) => {
      const text = JSON.stringify(job);
      if (!text.includes('WEBHOOK')) return false;
      return job.if !== '${{ always() }}' || !/MESSAGE:-\w/.test(text) || !text.includes('github.run_id');
    }),
  'begins with its purpose, and ends with the effects of a cancellation and of a re-run': ({ text }) => {
    const paragraphs = text.trim().split(/\n{2,}/);
    const [first = '', last = ''] = [paragraphs[0], paragraphs.at(-1)];
    const holds = [/^Use it when [^.]*\./.test(first), /^\*\*If the .*workflow is cancelled/.test(last)];
    return [...holds, /\*\*If\s[^*]*re-run/.test(last)].filter((isKept) => !isKept);
  },
};

describe('the recipes', () => {
  it('are all listed in their index, each with its purpose', () => {
    const { text } = documentAt(index);
    const links = recipes.map(({ heading, page }) => {
      const [anchor = ''] = anchorsOf({ ...page, prose: `## ${heading}` });
      return `[${heading}](${page.path.replace('docs/recipes/', '')}#${anchor})`;
    });
    const listed = text.match(/(?<=^(?:- |\| [^|]+ \| ))\[[^\]]*\]\([^)]*\)/gm) ?? [];
    expect([...listed].sort()).toEqual(links.sort());
    expect(tableIn(text)).toHaveLength(recipes.length);
  });

  it.each(pages)('in $path take up fewer than 16,000 bytes', ({ text }) => {
    expect(Buffer.byteLength(text)).toBeLessThan(16_000);
  });

  it.each([documentAt(index), ...pages])(
    "in $path cite GitHub's documentation of Actions, by well-formed links, in every paragraph that mentions GitHub",
    ({ prose, ...page }) => {
      const paragraphs = prose.replace(/^[|#].*$/gm, '').split(/\n{2,}|\n(?=- )/);
      const claims = paragraphs.filter((text) => /\bGitHub\b/.test(text));
      expect(claims.filter((text) => !text.includes('](https://docs.github.com/'))).toEqual([]);
      const links = targetsOf({ ...page, prose }).filter((target) => target.includes('docs.github.com'));
      const form =
        /^https:\/\/docs\.github\.com\/en\/actions(?:\/[a-z0-9]+(?:-[a-z0-9]+)*)+(?:#[a-z0-9_]+(?:-[a-z0-9_]+)*)?$/;
      expect(links.filter((link) => !form.test(link))).toEqual([]);
    },
  );
});

describe.each(recipes)('the recipe $heading', (recipe) => {
  it.each(Object.entries(RULES))('%s', (_, faults) => {
    expect(recipe.workflows.flatMap((yaml) => faults(recipe, workflowOf(yaml)))).toEqual([]);
  });
});

describe('among the recipes,', () => {
  const jobsIn = (heading: string): Readonly<Record<string, Job>> => workflowOf(recipeOf(heading).workflows[0]).jobs;

  it.each(['Release gate', 'Development, staging, production'])('"%s" gives keys only to environments', (heading) => {
    const keyed = Object.values(jobsIn(heading)).filter((job) => JSON.stringify(job).includes('secrets.'));
    expect(keyed.map(({ environment = '' }) => environment)).not.toContain('');
  });

  it('"Release gate" mentions that a third tag cancels the workflow run that waits', () => {
    expect(recipeOf('Release gate').text).toMatch(/third tag[\s\S]*cancels the one that waits/);
  });

  it(`"Dry run on pull requests" checks the pipelines in the pull request's own pipelines.txt`, () => {
    const { check, names } = jobsIn('Dry run on pull requests');
    expect(check?.steps?.[0]?.with?.['pipeline']).toBe('${{ needs.names.outputs.pipelines }}');
    expect(names?.steps?.at(-1)?.run).toContain('pipelines.txt');
  });

  it('"Reload behind an approval" shows approvers the tables to drop, and reloads the same pipeline', () => {
    const { plan, reload } = jobsIn('Reload behind an approval');
    expect(recipeOf('Reload behind an approval').workflows[0]).toMatch(/^run-name: .*inputs\.pipeline.*inputs\.reset/m);
    expect(plan?.steps?.[0]?.with).toMatchObject({ 'dry-run': true, 'reset-target': '${{ inputs.reset }}' });
    expect(reload?.needs).toBe('plan');
    expect(reload?.steps?.[1]?.with?.['pipeline']).toBe('${{ needs.plan.outputs.pipeline-id }}');
  });

  it('"Resume" cancels its run only if the workflow is cancelled, so that a re-run can resume the run', () => {
    expect(jobsIn('Resume')['clean-up']?.if).toBe('${{ cancelled() }}');
  });

  it('"Reusable workflow" names the setting that shares it', () => {
    expect(recipeOf('Reusable workflow').text).toContain('Actions → General → Access');
  });

  it('"Reusable workflow" rejects timeouts longer than its time limit', () => {
    const [, most] = /-gt (\d+)/.exec(recipeOf('Reusable workflow').workflows[0]) ?? [];
    expect(Number(most)).toBeLessThan(jobsIn('Reusable workflow')['load']?.['timeout-minutes'] ?? 0);
  });
});
