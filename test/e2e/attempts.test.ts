import { describe, expect, it } from 'vitest';
import { playStep, useAction } from '../support/e2e.ts';

const action = useAction();

const AGAIN = { 'max-attempts': '3', 'retry-delay': '20ms' };

describe.concurrent('a step with max-attempts', () => {
  it.each([
    ['flaky', 0, ['failed', 'completed']],
    ['flakier', 0, ['failed', 'failed', 'completed']],
    ['broken', 1, ['failed', 'failed', 'failed']],
  ])('triggers %s until it ends well, and no more than three times', async (pipeline, exitCode, ended) => {
    const { main, post, runs, statuses } = await playStep(action, { with: { ...AGAIN, pipeline } });
    expect(main).toMatchObject({ exitCode, files: { outputs: { 'job-id': runs.at(-1)?.id }, broken: [] } });
    expect(statuses).toEqual(ended);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
    const results = JSON.parse(main.files.outputs['results'] ?? '[]') as { attempts: { id: string }[] }[];
    expect(results[0]?.attempts.map(({ id }) => id)).toEqual(runs.map(({ id }) => id));
  });

  it.each([
    ['cancelled', 'workflow'],
    ['killed', 'act-host'],
  ] as const)('triggers nothing more when it is %s between two attempts', async (_, mode) => {
    const { main, post, statuses } = await playStep(action, {
      with: { ...AGAIN, pipeline: 'flaky', 'retry-delay': '1h' },
      interrupt: () => ({ mode, when: (process) => process.line(/attempt 2 of 3 follows/) }),
    });
    expect(main.exitCode).not.toBe(0);
    expect(statuses).toEqual(['failed']);
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
  });

  it.each([
    ['cancelled', 'workflow'],
    ['killed', 'act-host'],
  ] as const)('has its open attempt cancelled, and no other, when it is %s', async (_, mode) => {
    const { calls, runs, statuses } = await playStep(action, {
      // The second run takes 4.5 s, far longer than post needs to begin.
      service: { model: { speed: 20 } },
      with: { ...AGAIN, pipeline: 'flaky', 'poll-interval': '200ms' },
      interrupt: () => ({ mode, when: (process) => process.line(/attempt 2 of 3\)/) }),
    });
    expect(statuses).toEqual(['failed', 'cancelled']);
    expect(runs[0]?.patches).toEqual([]);
    expect(calls.filter((call) => call === 'trigger')).toHaveLength(2);
  });
});
