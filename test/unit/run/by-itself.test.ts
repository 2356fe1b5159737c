import { describe, expect, it } from 'vitest';
import { giveUpOn } from '../../../src/run/conduct.ts';
import { outcomeOf } from '../../../src/run/outcome.ts';
import { newRun, type RunState, type Standing } from '../../../src/run/run-state.ts';
import type { Stop } from '../../../src/run/stop.ts';
import { stage } from './stage.ts';

const PROBLEM = { attempted: 'go on', came: 'this action failed by itself' };
const INTERRUPTED: Stop = { reason: { kind: 'interrupted', by: 'SIGINT' }, policy: 'cancel', at: 0 };
const TIMED_OUT: Stop = { reason: { kind: 'timeout', afterMs: 1 }, policy: 'cancel', at: 0 };

/** What becomes of a run in this standing when our own work breaks off. */
function brokenOff(
  standing: Standing,
  stop?: Stop,
): { readonly run: RunState; readonly kinds: readonly string[] } {
  const { parts, records } = stage();
  const run = Object.assign(newRun(1, { kind: 'pipeline', pipeline: 'orders' }), { standing });
  giveUpOn(parts, run, PROBLEM, stop);
  return { run, kinds: records.map(({ kind }) => kind) };
}

const FAR_SPENT: readonly Standing[] = [
  { at: 'ended', status: 'completed' },
  { at: 'detached' },
  { at: 'left' },
  { at: 'unknown', problem: PROBLEM },
  { at: 'unsettled', problem: PROBLEM },
];

describe('when our own work breaks off', () => {
  it.each<[Standing, Standing['at'], readonly string[]]>([
    [{ at: 'triggering' }, 'unknown', []],
    [{ at: 'waiting' }, 'not_queued', []],
    [{ at: 'in_progress' }, 'lost', ['left']],
  ])('a run that is %o', (standing, at, kinds) => {
    const all = brokenOff(standing);
    expect(all.run.standing).toEqual({ at, problem: PROBLEM });
    expect(all.kinds).toEqual(kinds);
  });

  it.each(FAR_SPENT)('a run that is %o stays so', (standing) => {
    const all = brokenOff(standing, INTERRUPTED);
    expect(all.run.standing).toBe(standing);
    expect(all.kinds).toEqual([]);
  });

  it('a run that was to be cancelled stays open, for post to go on', () => {
    const all = brokenOff({ at: 'in_progress' }, INTERRUPTED);
    expect(all.run).toMatchObject({ standing: { at: 'unsettled' }, stop: INTERRUPTED });
    expect(all.kinds).toEqual([]);
  });

  it('post is told of a time-out that asked for the cancel, whatever on-cancel says', () => {
    expect(brokenOff({ at: 'in_progress' }, TIMED_OUT).kinds).toEqual(['cancelling']);
  });

  it('a run that was to be left is lost, and recorded as left', () => {
    const all = brokenOff({ at: 'in_progress' }, { ...TIMED_OUT, policy: 'leave' });
    expect(all.run.standing.at).toBe('lost');
    expect(all.kinds).toEqual(['left']);
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
    expect(all.runs.map((run) => outcomeOf(run, all.parts.plan))).toEqual([
      'wait_timed_out',
      'wait_timed_out',
    ]);
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
