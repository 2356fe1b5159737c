// Single transitions that no other test shows on their own.
import { describe, expect, it } from 'vitest';
import * as state from '../../../src/run/state.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const STOP = { why: 'interruption', policy: 'cancel', at: 1, detail: 'SIGINT' } as const;
const TIMEOUT = { ...STOP, why: 'timeout', policy: 'leave' } as const;
const open = state.queued(ID, 0)(state.planned({ pipeline: 'orders' }));
const read = state.seen({ status: 'running', message: 'x' }, 5)(open);
const finished = state.seen({ status: 'completed', message: '' }, 5)(open);
const named = state.resolved({ id: ID, name: 'Orders', apiName: 'orders' })(open);
const lost = state.lost({ attempted: 'x', cause: 'y' })(open);

describe('a run', () => {
  it.each<[string, state.RunState, state.Transition]>([
    ['by another row after it has finished', finished, state.seen({ status: 'running', message: '' }, 9)],
    ['by a second read of the same row', read, state.seen({ status: 'running', message: 'x' }, 9)],
    ['by a failed cancel after it has finished', finished, state.unsettled({ attempted: 'x', cause: 'y' })],
    ['by a stop after it has finished', finished, state.stopped(STOP)],
    ['by lost contact after it has finished', finished, state.lost({ attempted: 'x', cause: 'y' })],
    ['by a timeout after it was lost', lost, state.stopped(TIMEOUT)],
    [
      'by a cancelled workflow with on-cancel: leave after it was lost',
      lost,
      state.stopped({ ...STOP, policy: 'leave' }),
    ],
    ['by a timeout with on-timeout: cancel after it was lost', lost, state.stopped({ ...TIMEOUT, policy: 'cancel' })],
    ['by lost contact after it was stopped', state.stopped(STOP)(open), state.lost({ attempted: 'x', cause: 'y' })],
    ['by a trigger that names its pipeline only by its id', named, state.resolved({ id: ID, name: '', apiName: '' })],
    ['by a second stop', state.stopped(TIMEOUT)(open), state.stopped(STOP)],
    ['by wait: false after it was lost', lost, state.detached],
    ['by wait: false after it was stopped', state.stopped(STOP)(open), state.detached],
  ])('is not changed %s', (_, run, transition) => {
    expect(transition(run)).toBe(run);
  });

  // Each run is made in its test, so that the test covers all changes.
  it.each<[string, () => state.RunState, string]>([
    ['is lost and the workflow is cancelled', () => state.stopped(STOP)(lost), 'in_progress'],
    [
      'gets its id after a stop and an internal error',
      () => {
        const triggering = state.triggering(0, 0, false)(state.planned({}));
        return state.queued(ID, 0)(state.abandoned('bug')(state.stopped(STOP)(triggering)));
      },
      'in_progress',
    ],
    [
      'gets its id after a stop that leaves it',
      () => state.queued(ID, 0)(state.stopped(TIMEOUT)(state.planned({}))),
      'left',
    ],
    [
      'is taken over by the post step after a stop that leaves it',
      () => state.takenOver(STOP)(state.stopped(TIMEOUT)(open)),
      'left',
    ],
    ['is taken over by the post step', () => state.takenOver(STOP)(lost), 'in_progress'],
  ])('changes its phase if it %s', (_, make, phase) => {
    expect(make().phase.at).toBe(phase);
  });

  it.each([
    ['new', state.queued],
    ['existing', state.claimed],
    ['stopped', (id: string, now: number) => (run: state.RunState) => state.stopped(STOP)(state.queued(id, now)(run))],
  ])('that is %s keeps each status with the time when it was first seen', (_, begin) => {
    const rows = ['queued', 'running', 'running', 'failed'];
    const first = begin(ID, 0)(state.planned({}));
    const last = rows.reduce((run, status, at) => state.seen({ status, message: '' }, at)(run), first);
    expect(last.history.map(({ at, status }) => `${at} ${status}`)).toEqual(['0 queued', '1 running', '3 failed']);
    expect(last.endedAt).toBe(3);
  });

  it('has no duration unless the step saw it start and finish', () => {
    const [restored, unfinished] = [
      { ...finished, startedAt: undefined },
      { ...open, startedAt: 0 },
    ];
    expect([restored, unfinished, { ...finished, startedAt: 2 }].map(state.durationOf)).toEqual([
      undefined,
      undefined,
      3,
    ]);
  });

  it('may still be running if a cancellation ended the step before three status checks did not find it', () => {
    const problem = { attempted: 'x', cause: 'y', isOfId: true };
    const given = state.claimed(ID, 0)(state.planned({ jobId: ID }));
    const runs = [state.unsettled(problem)(state.stopped(STOP)(given)), state.lost(problem)(given)];
    expect(runs.map(state.mayContinue)).toEqual([true, false]);
  });

  it('has the message of its last row, even if the status is the same', () => {
    expect(state.seen({ status: 'running', message: 'y' }, 9)(read).message).toBe('y');
  });
});
