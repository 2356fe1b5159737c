import { describe, expect, it } from 'vitest';
import type { Stop } from '../../../src/run/state/facts.ts';
import { outcomeOf } from '../../../src/run/state/outcome.ts';
import type { RunPhase, RunState } from '../../../src/run/state/run-state.ts';
import { stage } from './stage.ts';

const PROBLEM = { attempted: 'continue', cause: 'this action failed by itself' };
const INTERRUPTED = { reason: { kind: 'signal', by: 'SIGINT' }, policy: 'cancel' } as const;
const TIMED_OUT = { reason: { kind: 'timeout', afterMs: 1 }, policy: 'cancel' } as const;

/** A run in this phase when an error of this action ends its handling. */
function brokenOff(
  phase: RunPhase,
  stop?: Pick<Stop, 'reason' | 'policy'>,
): { readonly run: RunState; readonly kinds: readonly string[] } {
  const all = stage();
  const { run } = all;
  Object.assign(run, { phase });
  if (stop !== undefined) all.stopAll(stop);
  all.parts.ledger.abandon(run, PROBLEM);
  return { run, kinds: all.records.map(({ kind }) => kind) };
}

const FAR_SPENT: readonly RunPhase[] = [
  { at: 'finished', status: 'completed' },
  { at: 'detached' },
  { at: 'left' },
  { at: 'unknown', problem: PROBLEM },
  { at: 'unsettled', problem: PROBLEM },
];

describe('an error of this action', () => {
  it.each<[RunPhase, RunPhase['at'], readonly string[]]>([
    [{ at: 'triggering' }, 'unknown', []],
    [{ at: 'waiting' }, 'not_queued', []],
    [{ at: 'in_progress' }, 'lost', ['lost']],
  ])('turns a run that is %o', (phase, at, kinds) => {
    const all = brokenOff(phase);
    expect(all.run.phase).toEqual({ at, problem: PROBLEM });
    expect(all.kinds).toEqual(kinds);
  });

  it.each(FAR_SPENT)('does not change a run that is %o', (phase) => {
    const all = brokenOff(phase, INTERRUPTED);
    expect(all.run.phase).toBe(phase);
    expect(all.kinds).toEqual([]);
  });

  it('leaves a run that was stopped to post', () => {
    const all = brokenOff({ at: 'in_progress' }, INTERRUPTED);
    expect(all.run).toMatchObject({ phase: { at: 'unsettled' }, stop: INTERRUPTED });
    expect(all.kinds).toEqual([]);
  });

  it('leaves post the policy of a timeout', () => {
    expect(brokenOff({ at: 'in_progress' }, TIMED_OUT).kinds).toEqual(['stopped']);
  });

  it('does not change a run that is left by a policy', () => {
    const all = brokenOff({ at: 'in_progress' }, { ...TIMED_OUT, policy: 'leave' });
    expect(all.run.phase.at).toBe('left');
    expect(all.kinds).toEqual(['stopped']);
  });
});

describe('a stop of all', () => {
  it('is not followed by fail-fast, although what it did to a run is no success', async () => {
    const all = stage({
      targets: [1, 2].map((nth) => ({ kind: 'pipeline', pipeline: `pipeline-${nth}` }) as const),
      plan: { failFast: true, timeoutMs: 10_000, onTimeout: 'leave' },
      script: { life: () => [[0, 'running']] },
    });
    await all.play();
    expect(all.told('stopping')).toMatchObject([{ stop: { reason: { kind: 'timeout' } } }]);
    expect(all.runs.map((run) => outcomeOf(run, all.parts.plan))).toEqual(['wait_timed_out', 'wait_timed_out']);
  });

  it('of one run, for its time in the queue, is followed by it', async () => {
    const all = stage({
      targets: [1, 2].map((nth) => ({ kind: 'pipeline', pipeline: `pipeline-${nth}` }) as const),
      plan: { failFast: true, queueTimeoutMs: 10_000 },
      script: { life: (nth) => [[0, nth === 1 ? 'queued' : 'running']] },
    });
    await all.play();
    expect(all.told('stopping')).toMatchObject([{ stop: { reason: { kind: 'fail_fast' } } }]);
    expect(all.runs.map((run) => outcomeOf(run, all.parts.plan))).toEqual(['wait_timed_out', 'cancelled']);
  });
});
