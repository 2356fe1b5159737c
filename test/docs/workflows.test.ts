// Tests that every workflow in the documents is valid and safe, and that the check finds mistakes.
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { shown } from './documents.ts';
import { folderOf, stepsOf, type Workflow } from './recipes.ts';
import { complaintsAbout, outputsMissed, SELF } from './workflow-check.ts';

it('the documents contain more than ten workflows', () => {
  expect(shown.length).toBeGreaterThan(10);
});

describe.each(shown)('the workflow at $name', ({ text, isWhole, neighbours }) => {
  const workflow = parse(text) as Workflow;

  it("passes the checks of GitHub's language service", async () => {
    expect(await complaintsAbout(text, neighbours)).toEqual([]);
  });

  it('reads only outputs that its steps set', () => {
    expect(outputsMissed(workflow)).toEqual([]);
  });

  it('revokes all default permissions and limits the time of each job', () => {
    expect(workflow.permissions).toEqual({});
    if (!isWhole) return;
    for (const [name, job] of Object.entries(workflow.jobs)) {
      if (job.uses === undefined) expect(job['timeout-minutes'], `timeout-minutes of ${name}`).toBeGreaterThan(0);
    }
  });

  it('inserts no expression into a script and takes each API key from a secret', () => {
    for (const step of stepsOf(workflow)) {
      expect(step.run ?? '').not.toContain('${{');
      if (folderOf(step) !== undefined) expect(step.with?.['api-key']).toMatch(/^\$\{\{ secrets\.\w+ \}\}$/);
    }
  });

  it('pins each action to a commit, or to a placeholder for a commit if it is this action', () => {
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
  const using = (action: string, inputs: object) => ({ uses: `${action}@a`, with: { ...key, ...inputs } });
  const expressions = [{ run: 'x', if: '${{ cancelled() && job.stat }}' }, { run: '${{ steps }} ${{ nothing.here }}' }];

  it.each([
    ['an unknown input', [using(SELF, { 'base-url': 'x', pipelin: 'x' })], 'pipelin'],
    ['a missing required input', [using(SELF, {})], 'base-url'],
    ['an unknown input of the cancel action', [using(`${SELF}/cancel`, { 'base-url': 'x', wait: 'true' })], 'wait'],
    ['an unknown context in an expression', expressions, 'nothing'],
  ])('reports %s', async (_, steps, word) => {
    expect((await complaintsAbout(workflow(steps), new Map())).join('\n')).toContain(word);
  });

  it('reports outputs that no step sets', () => {
    const read = ['steps.load.outputs.jobid', 'steps.lode.outputs.job-id'];
    const steps = [{ id: 'load', uses: `${SELF}@a` }, { run: `echo ${read.join(' ')}` }];
    expect(outputsMissed(parse(workflow(steps)) as Workflow)).toEqual(read);
  });

  it.each([
    ['the main action', `${SELF}@a`, ''],
    ['the cancel action', `${SELF}/cancel@a`, 'cancel'],
    ['no action of another repository', 'actions/checkout@a', undefined],
  ])('recognizes %s', (_, uses, folder) => {
    expect(folderOf({ uses })).toBe(folder);
  });
});
