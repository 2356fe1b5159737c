import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../sandbox/server/index.ts';
import { playStep, useAction } from '../support/e2e.ts';

const action = useAction();

/** Requests about runs that this action has under way at once, at most. */
const WIDTH = 50;
const MANY = 200;
const pipelines = Array.from({ length: MANY }, (_, index) => ({ name: `Pipeline ${index + 1}`, scenario: 'endless' }));

/** The most of these that were under way at one moment. */
function mostAtOnce(requests: readonly RequestRecord[]): number {
  return Math.max(
    ...requests.map(({ at }) => requests.filter((one) => one.at <= at && (one.endedAt ?? Infinity) > at).length),
  );
}

type Entry = Readonly<Record<string, string>>;

function entriesOf(outputs: Readonly<Record<string, string>>): readonly Entry[] {
  return JSON.parse(outputs['results'] ?? '[]') as readonly Entry[];
}

describe(`a step with ${MANY} runs in progress`, () => {
  it('cancels and confirms them all by a signal, in time, over so many connections and no more', async () => {
    const { main, post, statuses, runs, sandbox } = await playStep(action, {
      service: { model: { pipelines, speed: 1 } },
      with: { pipeline: pipelines.map(({ name }) => name).join('\n'), 'poll-interval': '1h' },
      interrupt: ({ sandbox: service }) => ({ mode: 'workflow', when: () => service.end('trigger', MANY) }),
    });
    // A runner kills after 10 s: it had no need to.
    expect(main).toMatchObject({ exitCode: 1, signal: null });
    expect(statuses).toHaveLength(MANY);
    expect(new Set(statuses)).toEqual(new Set(['cancelled']));
    expect(runs.every(({ patches }) => patches.length === 1)).toBe(true);
    expect(mostAtOnce(sandbox.requests)).toBeLessThanOrEqual(WIDTH + 1);
    const { outputs, summary } = main.files;
    expect(outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled' });
    expect(outputs['job-id']?.split('\n')).toEqual(runs.map(({ id }) => id));
    expect(entriesOf(outputs).every((entry) => entry['job-status'] === 'cancelled')).toBe(true);
    expect(summary).toContain(`0 of ${MANY} runs succeeded`);
    expect(main.annotations.length).toBeLessThanOrEqual(10);
    // Node's own, of so many listeners to one signal.
    expect(main.lines.filter((line) => line.includes('Warning:'))).toEqual([]);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it('leaves what a killed main could not cancel to post, all of it', async () => {
    const { post, statuses, calls } = await playStep(action, {
      service: { model: { pipelines, speed: 1 } },
      with: { pipeline: pipelines.map(({ name }) => name).join('\n'), 'poll-interval': '1h' },
      interrupt: ({ sandbox }) => ({ mode: 'act-host', when: () => sandbox.end('trigger', MANY) }),
    });
    expect(calls.filter((kind) => kind === 'trigger')).toHaveLength(MANY);
    expect(statuses.filter((status) => status === 'cancelled').length).toBeGreaterThanOrEqual(MANY - 1);
    expect(post?.exitCode).toBe(0);
    expect(post?.lines.filter((line) => line.includes('Warning:'))).toEqual([]);
  });
});

describe.concurrent('a step with several pipelines', () => {
  it('tells of every kind of end, and of what was never queued', async () => {
    const names = ['orders', 'customers', 'broken', 'overrun', 'idle', 'penniless', 'inactive'];
    const { main, post, runs, calls } = await playStep(action, { with: { pipeline: names.join('\n') } });
    expect(main.exitCode).toBe(1);
    const entries = entriesOf(main.files.outputs);
    expect(entries.map((entry) => [entry['pipeline'], entry['job-status'], entry['outcome']])).toEqual([
      ['orders', 'completed', 'succeeded'],
      ['customers', 'completed_with_warning', 'succeeded'],
      ['broken', 'failed', 'failed'],
      ['overrun', 'timed_out', 'failed'],
      ['idle', 'skipped', 'succeeded'],
      ['penniless', 'not_queued', 'not_triggered'],
      ['inactive', 'not_queued', 'not_triggered'],
    ]);
    expect(main.files.outputs).toMatchObject({ 'job-status': 'not_queued', outcome: 'not_triggered' });
    expect(main.files.outputs['job-id']).toBe(runs.map(({ id }) => id).join('\n'));
    expect(runs).toHaveLength(5);
    expect(calls.filter((kind) => kind === 'trigger')).toHaveLength(7);
    expect(entries[2]?.['status-message']).toContain('permission denied');
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it('triggers nothing for a typo in the last line', async () => {
    const { main, runs, calls } = await playStep(action, { with: { pipeline: 'orders\nidle\nordrs' } });
    expect(main.exitCode).toBe(1);
    expect([runs, calls]).toEqual([[], ['exchange', 'list']]);
    expect(main.files.outputs['message']).toContain('"orders"');
  });

  it('never has more of them in progress than max-parallel', async () => {
    const names = ['orders', 'customers', 'idle', 'broken', 'overrun'];
    const { main, runs } = await playStep(action, { with: { pipeline: names.join('\n'), 'max-parallel': '2' } });
    expect(main.files.outputs['outcome']).toBe('failed');
    const spans = runs.map(({ createdAt, timeline }) => [createdAt, createdAt + (timeline.at(-1)?.[0] ?? 0)]);
    const inProgress = spans.map(
      ([begun = 0]) => spans.filter(([from = 0, to = 0]) => from <= begun && to > begun).length,
    );
    expect(Math.max(...inProgress)).toBeLessThanOrEqual(2);
    expect(runs).toHaveLength(5);
  });

  it('stops all at the first failure with fail-fast', async () => {
    const { main, statuses } = await playStep(action, {
      with: { pipeline: 'endless\nbroken\nunpicked', 'fail-fast': 'true' },
    });
    expect(main.exitCode).toBe(1);
    expect(statuses).toEqual(['cancelled', 'failed', 'cancelled']);
    expect(main.files.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'failed' });
  });

  it('of which one has an unknown fate goes on with the others', async () => {
    const { main, runs, calls } = await playStep(action, {
      service: { rules: [{ kind: 'trigger', nth: 2, how: { do: 'reset', point: 'after-commit' } }] },
      with: { pipeline: 'orders\nendless\nidle' },
    });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'unknown' } } });
    expect(entriesOf(main.files.outputs).map((entry) => entry['outcome'])).toEqual([
      'succeeded',
      'unknown',
      'succeeded',
    ]);
    expect(runs).toHaveLength(3);
    expect(calls.filter((kind) => kind === 'trigger')).toHaveLength(3);
  });
});

describe.concurrent('a dry run', () => {
  it('makes no POST but the exchange, changes nothing, and says what would run', async () => {
    const { main, post, runs, sandbox } = await playStep(action, {
      with: { pipeline: 'orders\nendless', 'dry-run': 'true', 'full-resync': 'true' },
    });
    expect(main).toMatchObject({ exitCode: 0, files: { outputs: { outcome: 'dry_run' } } });
    expect(runs).toEqual([]);
    expect(sandbox.requests.filter(({ method }) => method !== 'GET').map(({ kind }) => kind)).toEqual(['exchange']);
    expect(main.annotations).toMatchObject([{ level: 'warning' }]);
    expect(main.log).toContainEqual(expect.stringMatching(/^Orders .*trigger a run, full resync +nothing$/));
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it('fails for a UUID that this workspace does not have', async () => {
    const { main, runs } = await playStep(action, {
      with: { pipeline: '74df2e10-97bb-4320-a7f4-6c66b34ea5aa', 'dry-run': 'true' },
    });
    expect([main.exitCode, runs]).toEqual([1, []]);
  });
});
