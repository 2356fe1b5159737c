// Tests that every recipe follows the rules for recipes.
import { describe, expect, it } from 'vitest';
import { anchorsOf, documentAt, tableIn, targetsOf } from './documents.ts';
import {
  folderOf,
  index,
  type Job,
  pages,
  type Recipe,
  recipeOf,
  recipes,
  type Step,
  type Workflow,
  workflowOf,
} from './recipes.ts';

const PAGE_LIMIT_BYTES = 16_000;

const paragraphsOf = (text: string): readonly string[] => text.trim().split(/\n{2,}|\n(?=- )/);
const jobsOf = ({ jobs }: Workflow): readonly Job[] => Object.values(jobs);
const stepsOf = (workflow: Workflow): readonly Step[] => jobsOf(workflow).flatMap(({ steps }) => steps ?? []);
const minutesIn = (time: string): number => {
  const [, hours = '0', minutes = '0'] = /^(?:(\d+)h)?(?:(\d+)m)?$/.exec(time) ?? [];
  return Number(hours) * 60 + Number(minutes);
};

/** Whether a step triggers a run. */
const triggers = (step: Step): boolean =>
  folderOf(step) === '' && step.with?.['pipeline'] !== undefined && `${step.with['dry-run']}` !== 'true';

/** The faults of a recipe, as one sentence each. */
const RULES: Readonly<Record<string, (recipe: Recipe, workflow: Workflow) => readonly unknown[]>> = {
  'sets concurrency wherever it triggers, and says whether it cancels what is in progress': (_, workflow) =>
    jobsOf(workflow).filter((job) => {
      const groups = [workflow.concurrency, job.concurrency].filter((group) => group !== undefined);
      const isCalled = JSON.stringify(workflow.on).includes('workflow_call');
      const isFree = groups.length === 0 && !isCalled && (job.steps ?? []).some(triggers);
      return isFree || groups.some((group) => typeof group['cancel-in-progress'] !== 'boolean');
    }),
  'loads a pipeline in one group only, whichever recipe loads it': (_, workflow) =>
    jobsOf(workflow).filter((job) => {
      const loads = JSON.stringify((job.steps ?? []).filter(triggers));
      const own = (job.concurrency ?? workflow.concurrency)?.group;
      const expected = /_daily|_report|history|needs\.plan/.test(loads) ? 'load-production' : 'load-test';
      return job.strategy === undefined && /_daily|_report|_test|history|needs\.plan/.test(loads) && own !== expected;
    }),
  'gives each job a name, a time limit, and time to react after the timeouts of its steps': (_, workflow) =>
    jobsOf(workflow).filter(({ name, uses, steps = [], 'timeout-minutes': limit = 0 }) => {
      const waits = steps.map((step) => minutesIn(step.with?.['timeout'] ?? ''));
      return name === undefined || (uses === undefined && limit < 5 + waits.reduce((a, b) => a + b, 0));
    }),
  'cancels a run that no job awaits any more': (_, { jobs }) =>
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
  'cancels what it awaits by job-id alone': (_, workflow) =>
    stepsOf(workflow).filter(
      (step) =>
        folderOf(step) === '' &&
        step.with?.['job-id'] !== undefined &&
        step.with['pipeline'] === undefined &&
        (step.with['on-cancel'] !== 'cancel' || step.with['on-timeout'] !== 'cancel'),
    ),
  'waits in no job or step that a cancel does not reach': (_, workflow) =>
    jobsOf(workflow).flatMap((job) =>
      (job.steps ?? []).filter(
        (step) => folderOf(step) === '' && `${job.if ?? ''}${step.if ?? ''}`.includes('always()'),
      ),
    ),
  'notifies in every case, even if the step left no message': (_, workflow) =>
    jobsOf(workflow).filter((job) => {
      const text = JSON.stringify(job);
      if (!text.includes('WEBHOOK')) return false;
      return job.if !== '${{ always() }}' || !/MESSAGE:-\w/.test(text) || !text.includes('github.run_id');
    }),
  'begins with when to use it, and ends with a cancel and a re-run': ({ text }) => {
    const paragraphs = text.trim().split(/\n{2,}/);
    const [first = '', last = ''] = [paragraphs[0], paragraphs.at(-1)];
    return [/^Use it when [^.]*\./.test(first), /^\*\*On cancel/.test(last), /\*\*[^*]*re-run/i.test(last)].filter(
      (holds) => !holds,
    );
  },
};

describe('the recipes', () => {
  it('appear in their index with their purposes', () => {
    const links = recipes.map(({ heading, page }) => {
      const [anchor] = anchorsOf({ ...page, prose: `## ${heading}` });
      return [heading, `docs/recipes/${page.path.split('/').at(-1) ?? ''}#${anchor ?? ''}`];
    });
    const listed = (text: string): string[][] =>
      [...text.matchAll(/^(?:- |\| [^|]+ \| )\[([^\]]*)\]\(([^)]*)\)/gm)].map(([, name = '', to = '']) => [name, to]);
    const inIndex = listed(documentAt(index).text).map(([name = '', to = '']) => [name, `docs/recipes/${to}`]);
    const sorted = (all: string[][]): string[][] => [...all].sort(([a = ''], [b = '']) => a.localeCompare(b));
    expect(sorted(inIndex)).toEqual(sorted(links));
    expect(tableIn(documentAt(index).text)).toHaveLength(recipes.length);
  });

  it.each(pages)('fit on a short page: $path', ({ text }) => {
    expect(Buffer.byteLength(text)).toBeLessThan(PAGE_LIMIT_BYTES);
  });

  it.each([documentAt(index), ...pages])(
    "cite GitHub's documentation for what GitHub does: $path",
    ({ prose, ...page }) => {
      const claims = paragraphsOf(prose.replace(/^[|#].*$/gm, '')).filter((text) => /\bGitHub\b/.test(text));
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

describe('a recipe with a past mistake', () => {
  const jobsIn = (heading: string): Readonly<Record<string, Job>> => workflowOf(recipeOf(heading).workflows[0]).jobs;

  it('keeps every key of the release gate and of the promotion in an environment', () => {
    for (const heading of ['Release gate', 'Development, staging, production']) {
      const keyed = Object.values(jobsIn(heading)).filter((job) => JSON.stringify(job).includes('secrets.'));
      expect(keyed.map(({ environment = '' }) => environment)).not.toContain('');
    }
    expect(recipeOf('Release gate').text).toMatch(/third tag[\s\S]*cancels the one that waits/);
  });

  it('checks the changes of a pull request on that pull request', () => {
    const { check, names } = jobsIn('Dry run on pull requests');
    expect(check?.steps?.[0]?.with?.['pipeline']).toBe('${{ needs.names.outputs.pipelines }}');
    expect(names?.steps?.at(-1)?.run).toContain('pipelines.txt');
  });

  it('shows approvers the tables that a reload drops, and reloads those', () => {
    const { plan, reload } = jobsIn('Reload behind an approval');
    expect(recipeOf('Reload behind an approval').workflows[0]).toMatch(/^run-name: .*inputs\.pipeline.*inputs\.reset/m);
    expect(plan?.steps?.[0]?.with).toMatchObject({ 'dry-run': true, 'reset-target': '${{ inputs.reset }}' });
    expect(reload?.needs).toBe('plan');
    expect(reload?.steps?.[1]?.with?.['pipeline']).toBe('${{ needs.plan.outputs.pipeline-id }}');
  });

  it('keeps the clean-up job of Resume from cancelling a run that a re-run could resume', () => {
    expect(jobsIn('Resume')['clean-up']?.if).toBe('${{ cancelled() }}');
  });

  it('names the setting that shares the reusable workflow, and lets no caller wait longer than its job', () => {
    const { text, workflows } = recipeOf('Reusable workflow');
    expect(text).toContain('Actions → General → Access');
    const [, most] = /-gt (\d+)/.exec(workflows[0]) ?? [];
    expect(Number(most)).toBeLessThan(jobsIn('Reusable workflow')['load']?.['timeout-minutes'] ?? 0);
  });
});
