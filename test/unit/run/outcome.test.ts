// What a run's state means for the outputs and for the exit code.
import { describe, expect, it } from 'vitest';
import { isSuccess, outcomeOf, statusOf, worstOutcome, worstStatus } from '../../../src/run/outcome.ts';
import type { Plan, Policy } from '../../../src/run/plan.ts';
import * as state from '../../../src/run/state.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const PROBLEM = { attempted: 'x', cause: 'y' };
const PLAN = { succeedOn: ['completed', 'skipped'], wait: true, dryRun: false, onCancel: 'cancel' } as unknown as Plan;

/** A run of a pipeline after these transitions. */
function runAfter(...transitions: readonly state.Transition[]): state.RunState {
  return transitions.reduce((run, next) => next(run), state.planned({ pipeline: 'orders' }));
}

const stop = (why: state.Stop['why'], policy: Policy = 'cancel') => state.stopped({ why, policy, at: 0, detail: '' });
const seen = (status: string) => state.seen({ status, message: '' }, 0);
const triggering = state.triggering(0, 0, false);
const queued = state.queued(ID, 0);
const failedOnce = [queued, seen('failed'), state.again];

const STATES = {
  waiting: [runAfter(), 'not_triggered', 'not_queued'],
  'waiting, after a signal': [runAfter(stop('interruption')), 'cancelled', 'not_queued'],
  'waiting, after a timeout': [runAfter(stop('timeout')), 'wait_timed_out', 'not_queued'],
  'waiting, after fail-fast': [runAfter(stop('fail_fast')), 'not_triggered', 'not_queued'],
  'not queued, because of a problem': [runAfter(triggering, state.notQueued(PROBLEM)), 'not_triggered', 'not_queued'],
  triggering: [runAfter(triggering), 'unknown', 'unknown'],
  unknown: [runAfter(triggering, state.unknown(PROBLEM)), 'unknown', 'unknown'],
  'not processed after a trigger that may have queued a run': [
    runAfter(triggering, state.triggering(0, 0, true)),
    'unknown',
    'unknown',
  ],
  queued: [runAfter(queued), 'lost', 'queued'],
  completed: [runAfter(queued, seen('completed')), 'succeeded', 'completed'],
  failed: [runAfter(queued, seen('failed')), 'failed', 'failed'],
  'completed, after a signal': [runAfter(queued, stop('interruption'), seen('completed')), 'cancelled', 'completed'],
  'completed, after a timeout': [runAfter(queued, stop('timeout'), seen('completed')), 'wait_timed_out', 'completed'],
  'completed, after a queue-timeout': [
    runAfter(queued, stop('queue_timeout'), seen('completed')),
    'wait_timed_out',
    'completed',
  ],
  'left by a signal': [runAfter(queued, stop('interruption', 'leave')), 'cancelled', 'queued'],
  'left by a timeout': [runAfter(queued, seen('running'), stop('timeout', 'leave')), 'wait_timed_out', 'running'],
  unsettled: [runAfter(queued, stop('fail_fast'), state.unsettled(PROBLEM)), 'cancelled', 'queued'],
  lost: [runAfter(queued, state.lost(PROBLEM)), 'lost', 'queued'],
  detached: [runAfter(queued, state.detached), 'triggered', 'queued'],
  'an existing run that was never read': [runAfter(state.claimed(ID, 0)), 'lost', 'unknown'],
  'only checked in a dry run': [runAfter(state.dryRunPassed()), 'dry_run', 'not_queued'],
  'before its second attempt': [runAfter(...failedOnce), 'failed', 'failed'],
  'before its second attempt, after a signal': [runAfter(...failedOnce, stop('interruption')), 'cancelled', 'failed'],
  'before its second attempt, after a timeout': [runAfter(...failedOnce, stop('timeout')), 'failed', 'failed'],
  'in a second attempt with an unknown result': [runAfter(...failedOnce, triggering), 'unknown', 'unknown'],
} as const;

it.each(Object.entries(STATES).map(([name, [run, outcome, status]]) => [name, outcome, status, run] as const))(
  'a run in the state "%s" has the outcome %s and the status %s',
  (_, outcome, status, run) => {
    expect([outcomeOf(run, PLAN), statusOf(run)]).toEqual([outcome, status]);
  },
);

describe('of several runs,', () => {
  const refused = STATES['not queued, because of a problem'][0];
  const interrupted = STATES['waiting, after a signal'][0];
  const outOfTime = STATES['waiting, after a timeout'][0];
  const notStarted = STATES['waiting, after fail-fast'][0];
  const checked = STATES['only checked in a dry run'][0];
  const skipped = runAfter(queued, seen('skipped'));
  const timedOut = runAfter(queued, seen('timed_out'));
  const leftRunning = STATES['left by a timeout'][0];
  const cancelledByFailFast = runAfter(queued, stop('fail_fast'), seen('cancelled'));
  const { completed, detached, failed, lost, queued: open, unknown, waiting } = STATES;

  it.each<[string, readonly state.RunState[], string, string]>([
    ['the unknown one', [completed[0], lost[0], failed[0], unknown[0]], 'unknown', 'unknown'],
    ['the lost one', [failed[0], lost[0], completed[0]], 'lost', 'queued'],
    ['the one that keeps running after a timeout', [failed[0], timedOut, leftRunning], 'wait_timed_out', 'running'],
    ['the failed one, not one that fail-fast cancelled', [cancelledByFailFast, failed[0]], 'failed', 'failed'],
    ['the one whose agent timed out', [cancelledByFailFast, timedOut, completed[0]], 'failed', 'timed_out'],
    ['the cancelled one', [cancelledByFailFast, completed[0], skipped], 'cancelled', 'cancelled'],
    ['the unfinished one', [completed[0], open[0], failed[0]], 'lost', 'queued'],
    ['the queued one', [completed[0], detached[0]], 'triggered', 'queued'],
    ['the skipped one', [completed[0], skipped], 'succeeded', 'skipped'],
  ])('%s is the worst', (_, runs, outcome, status) => {
    expect([worstOutcome(runs, PLAN), worstStatus(runs)]).toEqual([outcome, status]);
    expect([worstOutcome(runs.toReversed(), PLAN), worstStatus(runs.toReversed())]).toEqual([outcome, status]);
  });

  it.each<[string, readonly state.RunState[], string, string]>([
    ['a refused trigger beside a success counts as failed', [completed[0], refused], 'failed', 'failed'],
    ['a refused trigger beside a queued run counts as failed', [detached[0], refused], 'failed', 'queued'],
    ['a trigger that a signal prevented counts as cancelled', [completed[0], interrupted], 'cancelled', 'cancelled'],
    [
      'a trigger that a timeout prevented counts as timed out',
      [completed[0], outOfTime],
      'wait_timed_out',
      'cancelled',
    ],
    [
      'a trigger that was refused during a signal counts as failed',
      [completed[0], runAfter(triggering, stop('interruption'), state.notQueued(PROBLEM))],
      'failed',
      'failed',
    ],
    ['a trigger that an internal error prevented counts as failed', [completed[0], waiting[0]], 'failed', 'failed'],
    ['a trigger that fail-fast prevented does not hide a failure', [timedOut, notStarted], 'failed', 'timed_out'],
    [
      'a refused second attempt counts as its first attempt',
      [runAfter(...failedOnce, triggering, state.notQueued(PROBLEM)), refused],
      'failed',
      'failed',
    ],
    ['none of which exists, a timeout comes first', [refused, interrupted, outOfTime], 'wait_timed_out', 'not_queued'],
    ['none of which exists, a signal comes before a refusal', [refused, interrupted], 'cancelled', 'not_queued'],
    ['none of which exists, the outcome is not_triggered', [refused, notStarted], 'not_triggered', 'not_queued'],
    [
      'in a dry run, a problem comes first',
      [checked, { ...checked, jobId: ID, status: 'running' }, refused],
      'not_triggered',
      'running',
    ],
    ['if there are none, the outcome is not_triggered', [], 'not_triggered', 'not_queued'],
  ])('%s', (_, runs, outcome, status) => {
    expect([worstOutcome(runs, PLAN), worstStatus(runs)]).toEqual([outcome, status]);
  });
});

describe('the step', () => {
  const good = STATES.completed[0];
  const detached = STATES.detached[0];
  const unsaved = { ...detached, isUnsaved: true };

  it.each<[string, boolean, readonly state.RunState[], Partial<Plan>]>([
    ['succeeds if all runs succeeded', true, [good, good], {}],
    ['fails if one run failed', false, [good, STATES.failed[0]], {}],
    ['fails if a run has not finished', false, [STATES.queued[0]], {}],
    ['fails without a run', false, [], {}],
    ['fails if a run is detached although wait is true', false, [detached], {}],
    ['fails if a run was only checked although dry-run is false', false, [STATES['only checked in a dry run'][0]], {}],
    ['succeeds with wait: false if all runs are detached', true, [detached, good], { wait: false }],
    ['fails with wait: false if the post step may cancel the run', false, [unsaved], { wait: false }],
    [
      'succeeds with wait: false if the post step lets the run continue',
      true,
      [unsaved],
      { wait: false, onCancel: 'leave' },
    ],
    ['succeeds after a dry run', true, [STATES['only checked in a dry run'][0]], { dryRun: true }],
  ])('%s', (_, isExpected, runs, plan) => {
    expect(isSuccess(runs, { ...PLAN, ...plan })).toBe(isExpected);
  });
});
