import { describe, expect, it } from 'vitest';
import { newRun, noteStatus, type RunState, takeOver } from '../../../src/run/run-state.ts';
import { JOB } from '../../support/service.ts';

const fresh = (): RunState => newRun(1, { kind: 'job', jobId: JOB });

/** A run of which the service said this, one after the other, a second apart. */
function told(...statuses: readonly string[]): RunState {
  const run = fresh();
  for (const [nth, status] of statuses.entries()) {
    takeOver(run, { id: JOB, status, statusMessage: null }, nth * 1_000);
  }
  return run;
}

describe('the history of a run', () => {
  it('is empty before anything was said', () => {
    expect(fresh().history).toEqual([]);
  });

  it('has every status that is another than the one before, since it was first seen', () => {
    const { history } = told('queued', 'queued', 'running', 'running', 'running', 'queued', 'completed');
    expect(history).toEqual([
      { status: 'queued', at: 0 },
      { status: 'running', at: 2_000 },
      { status: 'queued', at: 5_000 },
      { status: 'completed', at: 6_000 },
    ]);
  });

  it('goes on from the status that the trigger gave it', () => {
    const run = fresh();
    noteStatus(run, 'queued', 500);
    takeOver(run, { id: JOB, status: 'queued', statusMessage: null }, 2_500);
    expect(run.history).toEqual([{ status: 'queued', at: 500 }]);
  });

  it('keeps its beginning and its last status, however often a service goes back and forth', () => {
    const often = Array.from({ length: 5_000 }, (_, nth) => (nth % 2 === 0 ? 'running' : 'paused'));
    const { history, status } = told('queued', ...often, 'completed');
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

describe('an end', () => {
  it('is the standing of the run, since it was first seen', () => {
    expect(told('running', 'failed', 'failed')).toMatchObject({
      standing: { at: 'ended', status: 'failed' },
      endedAt: 1_000,
    });
  });

  it('is not what the service says in between', () => {
    const run = fresh();
    expect(takeOver(run, { id: JOB, status: 'paused', statusMessage: 'by hand' }, 0)).toBe(false);
    expect(run).toMatchObject({ status: 'paused', statusMessage: 'by hand', endedAt: undefined });
    expect(takeOver(run, { id: JOB, status: 'skipped', statusMessage: null }, 1)).toBe(true);
    expect(run).toMatchObject({ status: 'skipped', statusMessage: null, endedAt: 1 });
  });
});
