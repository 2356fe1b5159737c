// What the steps do with inputs that their action does not declare.
import { describe, expect, it } from 'vitest';
import { existingRun, killedAt, playMain, playPost, resultOf, shownBy } from '../../support/steps.ts';
import { type FakeOptions, type FakeWorld, fakeWorld } from '../../support/world.ts';

const VALUE = 'Value-123';

/** Plays the cancel action, by default with the id of an unfinished run. */
async function playCancel({ inputs, ...options }: FakeOptions): Promise<FakeWorld> {
  const { service, id } = existingRun('endless');
  const fake = fakeWorld({ service, inputs: { 'job-id': id, ...inputs }, ...options });
  fake.start('cancel');
  await fake.ended();
  return fake;
}

const errorsOf = ({ annotations }: FakeWorld): string[] => annotations.map(({ message }) => message);

describe('a misspelled input', () => {
  it.each([
    ['succed-on', 'succeed-on'],
    ['time-out', 'timeout'],
    ['TimeOut_', 'timeout'],
    ['tiemout', 'timeout'],
    ['time_out', 'timeout'],
    ['api_key', 'api-key'],
    ['job_ids', 'job-id'],
    ['max_atempt', 'max-attempts'],
    ['waits', 'wait'],
    ['ontimeout', 'on-timeout'],
    // Names of other actions.
    ['api-token', 'api-key'],
    ['retries', 'max-attempts'],
    ['timeout-minutes', 'timeout'],
    ['timeout-in-minutes', 'timeout'],
    ['full-reset', 'full-resync'],
    ['Validate-Only', 'dry-run'],
    ['fail-on-warning', 'succeed-on'],
    ['retry-count', 'max-attempts'],
    ['polling-interval', 'poll-interval'],
    ['max-concurrency', 'max-parallel'],
    ['wait-for-completion', 'wait'],
    ['sucess-on', 'succeed-on'],
    ['pipeline-ids', 'pipeline'],
    ['reset-tables', 'reset-target'],
    ['max-wait', 'timeout'],
    ['wait-timeout', 'timeout'],
  ])('%s fails the step before any request, and the error names %s but not the value', async (name, meant) => {
    const main = await playMain({ inputs: { [name]: VALUE } });
    expect(await resultOf(main)).toBe('exit 1: not_triggered (not_queued)');
    expect(main.requests).toEqual([]);
    expect(errorsOf(main)).toEqual([
      expect.stringContaining(`Input ${name.toLowerCase()} does not exist. Use ${meant} instead.`),
    ]);
    expect(`${shownBy(main)} ${JSON.stringify(main.outputs)} ${main.summary}`).not.toContain(VALUE);
  });

  it.each(['pipelines', 'job_ids'])('%s, without which the step has no target, causes only one error', async (name) => {
    const main = await playMain({ inputs: { pipeline: '', [name]: VALUE } });
    expect(errorsOf(main)).toEqual([expect.stringContaining(`Input ${name} does not exist.`)]);
  });

  it.each([
    ['three edits away', 'timeooooot'],
    ['two edits from a short name', 'await-a'],
    ['two edits from a short name', 'job-nr'],
    ['two edits from a short name, and longer', 'waited'],
    ['unlike any input', 'slack-channel'],
    // A workflow may set these environment variables for other programs.
    ['a name of other actions without its hyphen', 'retry_count'],
    ['a word of other actions', 'check'],
  ])('is not assumed for a name that is %s: %s', async (_, name) => {
    const main = await playMain({ inputs: { [name]: VALUE } });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(main.log).toContain(`Input ${name} has no effect because this action has no such input.`);
    expect(shownBy(main)).not.toContain(VALUE);
  });

  it.each(['', '  '])('has no effect if its value is %j', async (value) => {
    const main = await playMain({ inputs: { timeouts: value, 'slack-channel': value } });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(shownBy(main)).not.toContain('does not exist');
  });

  it.each([
    ['time-out', 'Use timeout instead.'],
    [
      'time_out',
      'Use timeout instead. If the step does not set this input, remove the environment variable INPUT_TIME_OUT.',
    ],
  ])(
    '%s causes the advice "%s", because the names of environment variables rarely contain hyphens',
    async (name, advice) => {
      const main = await playMain({ inputs: { [name]: VALUE } });
      expect(main.outputs['message']).toBe(`Nothing was triggered. Input ${name} does not exist. ${advice}`);
    },
  );

  it('comes first in the list of mistakes, and explains why the input that was meant is empty', async () => {
    const main = await playMain({ inputs: { 'base-url': '', pipeline: '', pipelins: 'orders' } });
    expect(errorsOf(main)).toEqual([
      expect.stringMatching(/^Input pipelins does not exist\. Use pipeline instead\./),
      expect.stringMatching(/^Input base-url is empty/),
    ]);
    expect(main.outputs['message']).toMatch(/^Nothing was triggered\. Input pipelins does not exist\./);
  });

  it.each([playMain, playCancel])('has its value masked before any output if the value is a key', async (play) => {
    const effects: string[] = [];
    const key = 'ak_0123456789abcdef';
    const { masked } = await play({
      inputs: { 'api-key': '', apikey: `${key}\n`, token: 'ak_fedcba9876543210\nordinary' },
      onEffect: (effect) => effects.push(effect),
    });
    expect(masked).toEqual([key, 'ak_fedcba9876543210']);
  });

  it.each(['ACT', 'GITEA_ACTIONS', 'FORGEJO_ACTIONS'])(
    'is only a line in the log if %s is set, because it may belong to a composite action',
    async (runner) => {
      const main = await playMain({ inputs: { 'time-out': VALUE, region: VALUE }, env: { [runner]: 'true' } });
      expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
      expect(main.annotations).toEqual([]);
      expect(main.log.slice(0, 2)).toEqual([
        expect.stringMatching(
          /^Input time-out has no effect because this action has no such input\. .* use timeout instead\.$/,
        ),
        'Input region has no effect because this action has no such input.',
      ]);
    },
  );

  it('does not fail the post step', async () => {
    const inputs = { pipeline: 'endless', 'internal-job-status': 'cancelled', 'time-out': VALUE };
    const post = await playPost(await killedAt(5_000), { inputs });
    expect(post.exitCode).toBe(0);
    expect(shownBy(post)).toMatch(/was cancelled/);
    expect(shownBy(post)).not.toMatch(/does not exist/);
  });
});

describe('an undeclared input', () => {
  it('is listed in the log even if another input is wrong', async () => {
    const main = await playMain({ inputs: { wait: 'yes', channel: VALUE, region: VALUE } });
    expect(await resultOf(main)).toBe('exit 1: not_triggered (not_queued)');
    expect(main.log).toContain('Inputs channel and region have no effect because this action has no such inputs.');
  });

  it('has a name, unlike the environment variable INPUT_', async () => {
    const main = await playMain({ env: { INPUT_: VALUE } });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(shownBy(main)).not.toContain('does not exist');
  });

  it('cannot start a workflow command or flood the log with its name', async () => {
    const names = [
      '::error::x\u2028',
      `y${'z'.repeat(500)}`,
      ...Array.from({ length: 20 }, (_, nth) => `other ${nth}`),
    ];
    const main = await playMain({ inputs: Object.fromEntries(names.map((name) => [name, VALUE])) });
    const line = main.log.find((each) => each.includes('have no effect')) ?? '';
    expect(line).toMatch(/ and 17 more have no effect/);
    expect(line.length).toBeLessThan(300);
    expect(main.log.join('\n')).not.toMatch(/^\s*::/m);
  });
});

describe('the cancel action', () => {
  it.each([
    [{ 'job-ids': 'x' }, 'job-id'],
    [{ 'job-id': '', job_id: 'x' }, 'job-id'],
    [{ baseurl: 'x' }, 'base-url'],
  ])('cancels nothing if an input is misspelled: %j', async (inputs, meant) => {
    const cancel = await playCancel({ inputs });
    expect(await cancel.ended()).toBe(1);
    expect(cancel.requests).toEqual([]);
    expect(errorsOf(cancel)).toEqual([expect.stringContaining(` does not exist. Use ${meant} instead.`)]);
  });

  it('reports the misspelled inputs and does not blame the shell if all inputs are misspelled', async () => {
    const none = { 'api-key': '', 'base-url': '', 'job-id': '' };
    const cancel = await playCancel({ inputs: { ...none, api_key: 'x', base_url: 'x', job_id: 'x' } });
    expect(errorsOf(cancel).filter((text) => text.includes('does not exist'))).toHaveLength(3);
    expect(errorsOf(cancel).join()).not.toContain('dash');
  });

  it('has none of the other inputs of the main action', async () => {
    const cancel = await playCancel({
      inputs: { pipeline: 'orders', timeout: '5m', 'internal-job-status': 'success' },
    });
    expect(await cancel.ended()).toBe(0);
    expect(cancel.log[0]).toBe(
      'Inputs internal-job-status, pipeline and timeout have no effect because this action has no such inputs.',
    );
  });
});
