// Every workflow in the documents is valid and safe.
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { folderOf, type Step, type Workflow } from './recipes.ts';
import { shown } from './shown.ts';
import { ACTIONS, complaintsAbout, outputsMissed, SELF } from './workflow-check.ts';

const stepsOf = (workflow: Workflow): readonly Step[] =>
  Object.values(workflow.jobs).flatMap(({ steps }) => steps ?? []);

describe('the documents', () => {
  it('contain workflows', () => {
    expect(shown.length).toBeGreaterThan(10);
  });
});

describe.each(shown)('the workflow at $name', ({ text, isWhole, neighbours }) => {
  const workflow = parse(text) as Workflow;

  it('is valid to GitHub and uses only existing inputs', async () => {
    expect(await complaintsAbout(text, neighbours)).toEqual([]);
  });

  it('uses only existing outputs of its steps', () => {
    expect(outputsMissed(workflow)).toEqual([]);
  });

  it('removes all default permissions and sets a time limit for each job', () => {
    expect(workflow.permissions).toEqual({});
    if (!isWhole) return;
    for (const [name, job] of Object.entries(workflow.jobs)) {
      if (job.uses === undefined) expect(job['timeout-minutes'], `timeout-minutes of ${name}`).toBeGreaterThan(0);
    }
  });

  it('inserts no step output into a script and contains no plain-text key', () => {
    for (const step of stepsOf(workflow)) {
      expect(step.run ?? '').not.toContain('${{');
      if (folderOf(step) !== undefined) expect(step.with?.['api-key']).toMatch(/^\$\{\{ secrets\.\w+ \}\}$/);
    }
  });

  it('pins every action to a commit, and this action to a placeholder', () => {
    for (const { uses } of stepsOf(workflow)) {
      if (uses === undefined) continue;
      expect(uses).toMatch(uses.startsWith(SELF) ? /@FULL_HASH$/ : /@[0-9a-f]{40}$/);
    }
  });
});

describe('the workflow check', () => {
  const workflow = (steps: readonly unknown[]): string =>
    stringify({ on: 'push', jobs: { a: { 'runs-on': 'ubuntu-latest', steps } } });
  const key = { 'api-key': '${{ secrets.KEY }}' };

  it.each([
    ['an unknown input', workflow([{ uses: `${SELF}@a`, with: { ...key, 'base-url': 'x', pipelin: 'x' } }]), 'pipelin'],
    ['a required input that is missing', workflow([{ uses: `${SELF}@a`, with: key }]), 'base-url'],
    [
      'the same of the other action',
      workflow([{ uses: `${SELF}/cancel@a`, with: { ...key, 'base-url': 'x', wait: 'true' } }]),
      'wait',
    ],
    [
      'a name that no expression has',
      workflow([{ run: 'x', if: '${{ cancelled() && job.stat }}' }, { run: '${{ steps }} ${{ nothing.here }}' }]),
      'nothing',
    ],
    ['a wait for a step that there is not', workflow([{ wait: 'load' }]), 'load'],
    ['a key that no workflow has', 'on: push\njobs: {a: {runs-on: x, stepps: []}}', 'stepps'],
    ['a job that there is not', 'on: push\njobs: {a: {runs-on: x, needs: b, steps: [{run: x}]}}', "'b'"],
  ])('finds %s', async (_, text, word) => {
    expect((await complaintsAbout(text, new Map())).join('\n')).toContain(word);
  });

  it('reports an output that the action lacks', () => {
    const asks = { run: 'x', env: { A: '${{ steps.load.outputs.jobid }}', B: '${{ steps.lode.outputs.job-id }}' } };
    const steps = [{ id: 'load', uses: `${SELF}@a` }, asks];
    expect(outputsMissed(parse(workflow(steps)) as Workflow)).toEqual([
      'steps.load.outputs.jobid',
      'steps.lode.outputs.job-id',
    ]);
  });

  it('supports both actions', () => {
    expect([folderOf({ uses: `${SELF}@a` }), folderOf({ uses: `${SELF}/cancel@a` })]).toEqual(Object.keys(ACTIONS));
    expect(folderOf({ uses: 'actions/checkout@a' })).toBeUndefined();
  });
});
