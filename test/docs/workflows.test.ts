// Tests that every workflow in the documents is valid and safe, and that the check finds mistakes.
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { shown } from './documents.ts';
import { folderOf, stepsOf, type Workflow } from './recipes.ts';
import { complaintsAbout, outputsMissed, SELF } from './workflow-check.ts';

/** In the documents, OWNER and FULL_HASH stand for the owner of a repository and for a commit. */
const PINNED = /^OWNER\/.*@FULL_HASH$|^(?!OWNER\/).*@[0-9a-f]{40}$/;

it('the documents contain more than ten workflows', () => {
  expect(shown.length).toBeGreaterThan(10);
});

describe.each(shown)('the workflow at $name', ({ text }) => {
  const workflow = parse(text) as Workflow;

  it("passes the checks of GitHub's language service", async () => {
    expect(await complaintsAbout(text)).toEqual([]);
  });

  it('reads only outputs that its steps set', () => {
    expect(outputsMissed(workflow)).toEqual([]);
  });

  it('does not insert expressions into a script and takes API keys and passed secrets from the secrets context', () => {
    const steps = stepsOf(workflow);
    const keys = Object.values(workflow.jobs).flatMap(({ env = {}, steps: own = [] }) =>
      own
        .filter((step) => folderOf(step) !== undefined)
        .map((step) =>
          (step.with?.['api-key'] ?? '').replace(/^\$\{\{ env\.(\w+) \}\}$/, (_, name: string) => env[name] ?? ''),
        ),
    );
    const passed = Object.values(workflow.jobs).flatMap(({ secrets = {} }) => Object.values(secrets));
    expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
    expect([...keys, ...passed].filter((secret) => !/^\$\{\{ secrets\.\w+ \}\}$/.test(secret))).toEqual([]);
  });

  it('pins everything that it uses to a commit', () => {
    const used = [...stepsOf(workflow), ...Object.values(workflow.jobs)].flatMap(({ uses }) => uses ?? []);
    expect(used.filter((one) => !PINNED.test(one))).toEqual([]);
  });
});

it.each(shown.filter(({ isWhole }) => isWhole))('the workflow at $name limits permissions and time', ({ text }) => {
  const { permissions, jobs } = parse(text) as Workflow;
  expect(permissions).toEqual({});
  for (const [name, job] of Object.entries(jobs)) {
    if (job.uses === undefined) expect(job['timeout-minutes'], `timeout-minutes of ${name}`).toBeGreaterThan(0);
  }
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
    expect((await complaintsAbout(workflow(steps))).join('\n')).toContain(word);
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
