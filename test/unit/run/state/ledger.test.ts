// Tests how the ledger treats a run after an internal error, and how it records and reports stops.
import { expect, it } from 'vitest';
import type { DurableFact, Fact, Stop } from '../../../../src/run/state/facts.ts';
import { Ledger, type Observe, plannedRuns } from '../../../../src/run/state/ledger.ts';
import type { RunPhase, RunState } from '../../../../src/run/state/run-state.ts';
import { JOB } from '../../../support/service.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const problem = { attempted: 'continue', cause: 'this action failed by itself' };
const INTERRUPTED = { reason: { kind: 'signal', by: 'SIGINT' }, policy: 'cancel', at: 0 } as const;
const TIMED_OUT = { reason: { kind: 'timeout', afterMs: 1 }, policy: 'cancel', at: 0 } as const;
const LEFT: Stop = { ...TIMED_OUT, policy: 'leave' };

/** Returns a ledger with one run in this phase. Writes of a stop fail if `isFull`. */
function ledgerOf(at: RunPhase['at'], isFull = false) {
  const runs = plannedRuns({ targets: [{ kind: 'pipeline', pipeline: 'orders' }] });
  const [clock, news, facts]: [VirtualClock, string[], string[]] = [new VirtualClock(), [], []];
  const write = ({ fact }: { readonly fact: DurableFact }): void => {
    if (isFull && fact.kind === 'stopped') throw new Error();
    facts.push(fact.kind);
  };
  const observe: Observe = (one) => news.push('notice' in one ? one.notice : one.fact.kind);
  const ledger = new Ledger({ runs, clock, write, observe });
  const [run] = runs;
  if (run === undefined) throw new Error('There is no run.');
  Object.assign(run, { phase: { at } });
  return { clock, facts, ledger, news, run };
}

it.each<[string, RunPhase['at'], Stop | undefined, RunPhase['at'], readonly string[]]>([
  ['marks a run as unknown if its trigger may have been sent', 'triggering', undefined, 'unknown', []],
  ['prevents the trigger of a waiting run', 'waiting', undefined, 'not_queued', []],
  ['marks a run in progress as lost', 'in_progress', undefined, 'lost', ['lost']],
  ['leaves the cancellation of an interrupted run to post', 'in_progress', INTERRUPTED, 'unsettled', []],
  ['leaves the cancellation after a timeout to post', 'in_progress', TIMED_OUT, 'unsettled', ['stopped']],
  ['does not affect a run after a timeout with on-timeout: leave', 'in_progress', LEFT, 'left', ['stopped']],
  ['after a timeout does not change a finished run', 'finished', TIMED_OUT, 'finished', []],
  ['does not change a detached run', 'detached', INTERRUPTED, 'detached', []],
  ['does not change a run that the step has left running', 'left', INTERRUPTED, 'left', []],
  ['does not change a run that may exist', 'unknown', INTERRUPTED, 'unknown', []],
  ['does not change a run whose cancel was not confirmed', 'unsettled', INTERRUPTED, 'unsettled', []],
])('an internal error %s', (_what, at, stop, after, facts) => {
  const all = ledgerOf(at);
  if (stop !== undefined) all.ledger.stop(stop);
  all.ledger.abandon(all.run, problem);
  expect([all.run.phase.at, all.facts]).toEqual([after, facts]);
});

const FAIL_FAST: Stop = { reason: { kind: 'fail_fast', after: 'orders' }, policy: 'await', at: 0 };
const job = { id: JOB, status: 'cancelled', statusMessage: null };
const QUEUED: Fact = { kind: 'queued', jobId: JOB };
const CANCELLED: Fact = { kind: 'finished', job, confirming: true };

it.each<[string, RunPhase['at'], Stop, Fact, Partial<RunState>]>([
  ['is not recorded once its run has ended', 'in_progress', TIMED_OUT, CANCELLED, { unrecorded: undefined }],
  ['is not recorded once its run is queued', 'triggering', FAIL_FAST, QUEUED, { unrecorded: undefined }],
  ['prevents a new trigger', 'in_progress', FAIL_FAST, { kind: 'not_resumed' }, { phase: { at: 'not_queued' } }],
])('a stop that could not be recorded %s', (_what, at, stop, fact, expected) => {
  const { ledger, run } = ledgerOf(at, true);
  ledger.stop(stop);
  ledger.apply(run, fact);
  expect(run).toMatchObject(expected);
});

it('a stop of all runs is reported before any other event', async () => {
  const { ledger, clock, news } = ledgerOf('waiting');
  ledger.stop(INTERRUPTED);
  ledger.notice({ notice: 'report_due' });
  await clock.advance(1);
  expect(news).toEqual(['stopping', 'report_due']);
});

it.each([
  ['reported if it could not be recorded', true, ['stopped']],
  ['not reported if it was recorded', false, []],
])('a stop of one run is %s', async (_what, isFull, expected) => {
  const { ledger, clock, news, run } = ledgerOf('waiting', isFull);
  ledger.stop(TIMED_OUT, run);
  await clock.advance(1);
  expect(news).toEqual(expected);
});
