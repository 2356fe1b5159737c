// Tests whole steps of the bundles, from main to post. Two snapshots show all that a user can see of a step; the texts are
// those of unit/report/texts.txt. If a change of them is intended: npx vitest run --project e2e -u
import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../sandbox/server/index.ts';
import { PATIENT, type Played, play, playJob, type Scene, useAction } from '../support/e2e.ts';
import { traceOf } from '../support/trace.ts';

const action = useAction();

describe.concurrent('a step', () => {
  it.for<readonly [string, Scene]>([
    [
      'fails if its run fails, and prints each request with debug logging',
      { inputs: { pipeline: 'broken' }, job: { debug: true } },
    ],
    [
      'that is killed and loses its state leaves its run to the post step',
      { incidents: [{ what: 'act_cancel' }], runner: { losesState: true } },
    ],
  ])('%s', async ([, scene], { expect }) => expect(traceOf(await play(action, scene))).toMatchSnapshot());
});

describe.concurrent('steps of one job', () => {
  it('leave a run unfinished, wait for it by its job-id, and cancel it with the cancel action', async () => {
    const service = { model: { pipelines: [{ name: 'Load', scenario: 'endless' }] } };
    const idOf = (last?: Played) => ({ 'job-id': last?.main.files.outputs['job-id'] ?? '' });
    const played = await playJob(action, { service }, [
      () => ({ inputs: { pipeline: 'Load', wait: 'false' } }),
      (last) => ({ inputs: { pipeline: 'Load', ...idOf(last), timeout: '2s', 'on-timeout': 'leave' } }),
      (last) => ({ entry: 'cancel', inputs: idOf(last) }),
    ]);
    expect(played.map(({ main }) => [main.exitCode, main.files.outputs['outcome']])).toEqual([
      [0, 'triggered'],
      [1, 'wait_timed_out'],
      [0, undefined],
    ]);
    expect(played.at(-1)?.statuses).toEqual(['cancelled']);
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
