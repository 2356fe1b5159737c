// Tests the outcome, the status and the success of runs in each phase, alone and combined.
import { describe, expect, it } from 'vitest';
import type { StopReason } from '../../../../src/run/state/facts.ts';
import {
  isSuccess,
  OUTCOMES,
  type Outcome,
  outcomeOf,
  statusOf,
  worstOutcome,
  worstStatus,
} from '../../../../src/run/state/outcome.ts';
import { newRun, type RunState } from '../../../../src/run/state/run-state.ts';
import { settings } from '../../../support/action.ts';

const problem = { attempted: 'ask', cause: 'nothing' };
const { plan } = settings();

function run(fields: Partial<RunState>, why?: StopReason): RunState {
  const stop = why && { reason: why, policy: 'cancel' as const, at: 0 };
  return { ...newRun(1, { kind: 'pipeline', pipeline: 'orders' }), stop, ...fields };
}

const ended = (status: 'completed' | 'failed' | 'cancelled' | 'timed_out', why?: StopReason): RunState =>
  run({ status, phase: { at: 'finished', status } }, why);
const INTERRUPTED: StopReason = { kind: 'signal', by: 'SIGINT' };
const TIMEOUT: StopReason = { kind: 'timeout', afterMs: 1 };
const QUEUE: StopReason = { kind: 'queue_timeout', afterMs: 1 };
const FAIL_FAST: StopReason = { kind: 'fail_fast', after: 'orders' };

const STATES: readonly (readonly [Outcome, string, RunState])[] = [
  ['succeeded', 'completed', ended('completed')],
  ['succeeded', 'completed', { ...ended('completed'), unrecorded: { fact: { kind: 'detached' }, remedy: '' } }],
  ['failed', 'failed', ended('failed')],
  ['failed', 'cancelled', ended('cancelled')],
  ['triggered', 'queued', run({ status: 'queued', phase: { at: 'detached' } })],
  ['dry_run', 'not_queued', run({ phase: { at: 'dry_run' } })],
  ['dry_run', 'running', run({ status: 'running', phase: { at: 'dry_run' } })],
  ['not_triggered', 'not_queued', run({ phase: { at: 'not_queued', problem } })],
  ['not_triggered', 'not_queued', run({})],
  ['not_triggered', 'not_queued', run({ phase: { at: 'not_queued' } }, FAIL_FAST)],
  ['not_triggered', 'not_queued', run({}, FAIL_FAST)],
  ['cancelled', 'not_queued', run({ phase: { at: 'not_queued' } }, INTERRUPTED)],
  ['wait_timed_out', 'not_queued', run({ phase: { at: 'not_queued' } }, TIMEOUT)],
  ['unknown', 'unknown', run({ status: 'failed', phase: { at: 'unknown', problem } })],
  ['unknown', 'unknown', run({ status: 'failed', phase: { at: 'triggering' } }, INTERRUPTED)],
  ['unknown', 'unknown', run({ phase: { at: 'unknown', problem } }, FAIL_FAST)],
  ['lost', 'running', run({ status: 'running', phase: { at: 'lost', problem } })],
  ['lost', 'unknown', run({ phase: { at: 'lost', problem } })],
  ['lost', 'running', run({ status: 'running', phase: { at: 'in_progress' } })],
  ['cancelled', 'running', run({ status: 'running', phase: { at: 'in_progress' } }, INTERRUPTED)],
  ['cancelled', 'cancelled', ended('cancelled', INTERRUPTED)],
  // The run completed too late, because the rest of the job was already being cancelled.
  ['cancelled', 'completed', ended('completed', INTERRUPTED)],
  ['wait_timed_out', 'completed', ended('completed', TIMEOUT)],
  ['wait_timed_out', 'cancelled', ended('cancelled', QUEUE)],
  ['wait_timed_out', 'running', run({ status: 'running', phase: { at: 'left' } }, TIMEOUT)],
  ['cancelled', 'cancelled', ended('cancelled', FAIL_FAST)],
  ['cancelled', 'running', run({ status: 'running', phase: { at: 'unsettled', problem } }, FAIL_FAST)],
];

/** The phase of a run, its stop, and whether a record is missing. */
const conditionOf = ({ phase, stop, unrecorded }: RunState): string =>
  phase.at + (stop ? ` with stop ${stop.reason.kind}` : '') + (unrecorded ? ' with a missing record' : '');
const BY_OUTCOME = STATES.map(([outcome, status, state]) => ({ outcome, status, state, at: conditionOf(state) }));

describe('one run', () => {
  it.each(BY_OUTCOME)('in phase $at has the outcome $outcome and status $status', ({ outcome, status, state }) => {
    expect([outcomeOf(state, plan), statusOf(state)]).toEqual([outcome, status]);
  });

  describe.each([
    ['with wait: true', ['succeeded'], { wait: true, dryRun: false }],
    ['with wait: false', ['succeeded', 'triggered'], { wait: false, dryRun: false }],
    ['with dry-run: true', ['succeeded', 'dry_run'], { wait: true, dryRun: true }],
    ['that is interrupted', [], { wait: false, dryRun: true }],
  ])('of a step %s, which accepts %j,', (what, accepted, inputs) => {
    it.each(BY_OUTCOME)('in phase $at ($outcome, $status) succeeds only if accepted', ({ outcome, state }) => {
      const isSuccessful = isSuccess([state], { ...plan, ...inputs }, what === 'that is interrupted');
      expect(isSuccessful).toBe(accepted.some((one) => one === outcome));
    });
  });

  it.each([
    ['cancelled', 'contains', 'succeeded'],
    ['completed', 'does not contain', 'failed'],
  ] as const)('whose final status is %s, which succeed-on %s, has the outcome %s', (status, _, outcome) => {
    expect(outcomeOf(ended(status), { succeedOn: new Set(['cancelled']) })).toBe(outcome);
  });
});

describe('two runs', () => {
  it('have the outcome that is most dangerous to overlook, and runs that may be in progress rank first', () => {
    const worstFirst = 'unknown lost wait_timed_out cancelled not_triggered failed triggered dry_run succeeded';
    expect(OUTCOMES.join(' ')).toBe(worstFirst);
  });

  const pairs = BY_OUTCOME.flatMap((a) => BY_OUTCOME.map((b) => ({ a, b })));

  it.each(pairs)('in the phases $a.at and $b.at have the worse outcome, and succeed only if both do', ({ a, b }) => {
    const runs = [a.state, b.state];
    expect(worstOutcome(runs, plan)).toBe(OUTCOMES.find((one) => one === a.outcome || one === b.outcome));
    expect(isSuccess(runs, plan, false)).toBe(a.outcome === 'succeeded' && b.outcome === 'succeeded');
  });

  // A run in progress ranks between failures and successes.
  const worstFirst = [
    run({ phase: { at: 'unknown', problem } }),
    run({ phase: { at: 'not_queued', problem } }),
    ended('failed'),
    ended('timed_out'),
    ended('cancelled'),
    run({ status: 'paused', phase: { at: 'left' } }),
    run({ status: 'skipped', phase: { at: 'finished', status: 'skipped' } }),
    run({ status: 'completed_with_warning', phase: { at: 'finished', status: 'completed_with_warning' } }),
    ended('completed'),
  ];
  const ranked = worstFirst.map((worst, at) => [statusOf(worst), worst, worstFirst.slice(at)] as const);

  it.each(ranked)('have the status %s rather than any better status, in either order', (status, worst, better) => {
    for (const one of better) expect([worstStatus([one, worst]), worstStatus([worst, one])]).toEqual([status, status]);
  });
});

it('an empty list of runs has the outcome not_triggered and does not succeed', () => {
  expect([worstOutcome([], plan), worstStatus([])]).toEqual(['not_triggered', 'not_queued']);
  expect(isSuccess([], plan, false)).toBe(false);
});
