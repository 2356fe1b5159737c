// Tests whole steps of the bundles, from main to post, whose main process exits on its own. The snapshots show what a user
// can see. If a change of them is intended: npx vitest run --project e2e -u
import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../sandbox/server/index.ts';
import { PATIENT, type Played, play, playJob, type Scene, useAction } from '../support/e2e.ts';
import { expectTrace } from '../support/trace.ts';

const action = useAction();

describe.concurrent('a step', () => {
  it.for<readonly [string, Scene]>([
    ['waits for a run that completes', { inputs: { pipeline: 'orders' } }],
    [
      'fails if its run fails, and prints each request with debug logging',
      { inputs: { pipeline: 'broken' }, job: { debug: true } },
    ],
    [
      'waits for several pipelines with different results and Windows line endings',
      { inputs: { pipeline: 'orders\r\ncustomers\r\nidle\r\nbroken\r\n', 'max-parallel': '1\r\n' } },
    ],
    ['sends no requests if inputs are invalid', { inputs: { timeout: '45', wait: 'maybe' } }],
  ])('%s', async ([, scene], { expect }) => expectTrace(expect, await play(action, scene)));
});

describe.concurrent('steps of one job', () => {
  it('leave a run unfinished, wait for it by its job-id, and cancel it with the cancel action', async ({ expect }) => {
    const service = { model: { pipelines: [{ name: 'Load', scenario: 'endless' }] } };
    const idOf = (last?: Played) => ({ 'job-id': last?.main.files.outputs['job-id'] ?? '' });
    const traces = await playJob(action, { service }, [
      () => ({ inputs: { pipeline: 'Load', wait: 'false' } }),
      (last) => ({ inputs: { pipeline: 'Load', ...idOf(last), timeout: '2s', 'on-timeout': 'leave' } }),
      (last) => ({ entry: 'cancel', inputs: idOf(last) }),
    ]);
    expectTrace(expect, ...traces);
  });
});

/** The maximum number of requests about runs that this action sends concurrently. */
const WIDTH = 50;
const MANY = 120;
const pipelines = Array.from({ length: MANY }, (_, index) => ({ name: `Pipeline ${index + 1}`, scenario: 'endless' }));

/** The largest number of these requests that were in flight at the same time. */
function mostAtOnce(requests: readonly RequestRecord[]): number {
  const endOf = ({ endedAt }: RequestRecord): number => endedAt ?? Infinity;
  return Math.max(...requests.map(({ at }) => requests.filter((one) => one.at <= at && endOf(one) > at).length));
}

it(`a step cancels ${MANY} runs after a signal over a limited number of connections`, async () => {
  const { main, post, statuses, runs, sandbox } = await play(action, {
    service: { model: { pipelines } },
    inputs: { pipeline: pipelines.map(({ name }) => name).join('\n') },
    incidents: [{ what: PATIENT, at: { call: 'trigger', nth: MANY, phase: 'answered' } }],
  });
  expect(statuses).toEqual(Array.from({ length: MANY }, () => 'cancelled'));
  expect(mostAtOnce(sandbox.requests)).toBeLessThanOrEqual(WIDTH + 1);
  expect(main.exitCode).toBe(1);
  // Node.js would warn about too many listeners for one signal.
  expect(main.lines.filter((line) => line.includes('Warning:'))).toEqual([]);
  expect(main.annotations.length).toBeLessThanOrEqual(10);
  expect(main.files.outputs['job-id']?.split('\n')).toEqual(runs.map(({ id }) => id));
  expect(post).toMatchObject({ exitCode: 0, lines: [] });
});
