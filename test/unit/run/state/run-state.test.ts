// Tests the state of a run after each fact: its status history, its final status and its attempts.
import { describe, expect, it } from 'vitest';
import type { Entry, Fact } from '../../../../src/run/state/facts.ts';
import { attemptsOf, newRun, type RunState, reduce } from '../../../../src/run/state/run-state.ts';
import { isTerminal } from '../../../../src/service/statuses.ts';
import { JOB, PIPELINE } from '../../../support/service.ts';

const fresh = (): RunState => newRun(1, { kind: 'job', jobId: JOB });

function applied(run: RunState, fact: Fact, at: number, more: Partial<Entry> = {}): RunState {
  return reduce(run, { run: 1, attempt: 1, fact, at, ...more });
}

function readAs(run: RunState, status: string, at: number, statusMessage: string | null = null): RunState {
  return applied(run, { kind: isTerminal(status) ? 'finished' : 'seen', job: { id: JOB, status, statusMessage } }, at);
}

/** Returns a run after reads with these statuses, one second apart. */
function read(...statuses: readonly string[]): RunState {
  return statuses.reduce((run, status, nth) => readAs(run, status, nth * 1_000), fresh());
}

describe('the history of a run', () => {
  it('contains each status change with the time at which it was first seen', () => {
    const { history } = read('queued', 'queued', 'running', 'running', 'running', 'queued', 'completed');
    expect(history).toEqual([
      { status: 'queued', at: 0 },
      { status: 'running', at: 2_000 },
      { status: 'queued', at: 5_000 },
      { status: 'completed', at: 6_000 },
    ]);
  });

  it('starts with the status after the trigger', () => {
    const run = applied(fresh(), { kind: 'queued', jobId: JOB }, 500);
    expect(readAs(run, 'queued', 2_500).history).toEqual([{ status: 'queued', at: 500 }]);
  });

  it('keeps its first entries and its last status regardless of the number of changes', () => {
    const often = Array.from({ length: 5_000 }, (_, nth) => (nth % 2 === 0 ? 'running' : 'paused'));
    const { history, status } = read('queued', ...often, 'completed');
    expect(history.length).toBeLessThanOrEqual(200);
    expect(history.slice(0, 3)).toEqual([
      { status: 'queued', at: 0 },
      { status: 'running', at: 1_000 },
      { status: 'paused', at: 2_000 },
    ]);
    expect(history.at(-1)).toEqual({ status: 'completed', at: 5_001_000 });
    expect(status).toBe('completed');
  });
});

it('a final status is distinguished from an unknown status, which does not finish the run', () => {
  const paused = readAs(fresh(), 'paused', 0, 'by hand');
  expect(paused).toMatchObject({ status: 'paused', statusMessage: 'by hand', endedAt: undefined });
  expect(readAs(paused, 'skipped', 1)).toMatchObject({ status: 'skipped', statusMessage: null, endedAt: 1 });
});

describe('a run', () => {
  const leave: Fact = { kind: 'stopped', stop: { reason: { kind: 'timeout', afterMs: 1 }, policy: 'leave', at: 0 } };
  const other: Fact = { kind: 'finished', job: { id: PIPELINE, status: 'completed', statusMessage: null } };
  const success: Fact = { kind: 'finished', job: { ...other.job, id: JOB } };
  const running = applied(read('running'), { kind: 'queued', jobId: JOB }, 500);

  it.each<[phase: string, then: string, RunState, Fact]>([
    ['has failed', 'is read as completed', read('failed'), success],
    ['has failed', 'is detached', read('failed'), { kind: 'detached' }],
    ['is lost', 'is detached', applied(running, { kind: 'lost' }, 1_000), { kind: 'detached' }],
    ['is left', 'is detached', applied(running, leave, 1_000), { kind: 'detached' }],
    ['is in progress', 'reads another row', running, other],
  ])('that %s does not change when it %s', (_, __, run, fact) => {
    expect(applied(run, fact, 2_000)).toBe(run);
  });
});

it('a fact about an earlier attempt does not change the run', () => {
  const second = applied(fresh(), { kind: 'queued', jobId: JOB }, 5, { attempt: 2 });
  expect(second).toMatchObject({ attempt: 2, phase: { at: 'in_progress' } });
  expect(applied(second, { kind: 'detached' }, 6)).toBe(second);
});

it.each(['waiting', 'not_queued'] as const)('a new attempt does not count while its phase is %s', (at) => {
  const first = read('failed');
  expect(attemptsOf({ ...fresh(), attempt: 2, earlier: [first], phase: { at } })).toEqual([first]);
});

describe('a run with a failed read', () => {
  const failed: Fact = { kind: 'read_failed', problem: { attempted: 'read', cause: 'HTTP 503' }, sinceMs: 5 };
  const job = { id: JOB, status: 'running', statusMessage: null };
  const seen: Fact = { kind: 'seen', job };

  it.each<[string, Fact, object]>([
    ['keeps the times of that read and of the outage after a confirming read', { ...seen, confirming: true }, [20, 15]],
    ['has the time of the next regular read and no outage after that read', seen, [30, undefined]],
    ['has the time at which it is lost, and keeps the time of the outage', { kind: 'lost' }, [30, 15]],
  ])('%s', (_what, fact, expected) => {
    const { lastReadAt, outageSince } = applied(applied(fresh(), failed, 20), fact, 30);
    expect([lastReadAt, outageSince]).toEqual(expected);
  });

  it('has no outage yet if the read is to be repeated', () => {
    expect(applied(fresh(), { ...failed, retryInMs: 1 }, 20).outageSince).toBeUndefined();
  });
});
