import { describe, expect, it } from 'vitest';
import { closeState, openState } from '../../../../src/action/state/main-state.ts';
import { inOrder, recordsInText } from '../../../../src/action/state/records.ts';
import type { RunPhase } from '../../../../src/run/state/run-state.ts';
import { aRun, type Inputs, settings } from '../../../support/action.ts';
import { memoryFiles } from '../../../support/memory-files.ts';
import { HOST, JOB_ENV, JOURNAL, mainRecord, PID, STATE_FILE } from '../../../support/post.ts';
import { JOB } from '../../../support/service.ts';

/** What main writes of itself with these inputs, and then when its runs are in these phases. */
function written(inputs: Inputs, phases: readonly RunPhase[] = []) {
  const files = memoryFiles();
  const env = { ...JOB_ENV, GITHUB_STATE: STATE_FILE };
  const opened = openState(
    { env, files, pid: PID, startedAt: 'ticks:1', host: HOST, random: () => 0.5, clock: { wall: () => 0 } },
    settings(inputs),
  );
  if ('refused' in opened) throw new Error(opened.refused);
  const runs = phases.map((phase) => aRun({ phase }));
  closeState(opened.state, runs, settings(inputs).plan, true);
  expect(files.text(JOURNAL)).toBe(files.text(STATE_FILE));
  return inOrder(recordsInText(files.text(JOURNAL)));
}

describe('what main writes of itself', () => {
  const closed = { kind: 'closed', left: 'nothing', isPrinted: true };
  const resumed = { pipeline: 'orders', 'job-id': JOB };

  it('is enough for post', () => {
    expect(written({ 'on-cancel': 'leave', 'internal-job-status': 'success' })).toEqual([
      mainRecord({ onCancel: 'leave' }),
      closed,
    ]);
  });

  it.each<[Inputs, object]>([
    [{ pipeline: '', 'job-id': JOB }, { 1: JOB }],
    [resumed, { 1: JOB }],
    [{ ...resumed, 'dry-run': 'true' }, {}],
  ])('has the ids that it was given, unless it only tries them out: %o', (inputs, given) => {
    expect(written(inputs)[0]).toMatchObject({ given });
  });
});

describe('what main says that it has left for post', () => {
  const problem = { attempted: 'cancel the run', cause: 'HTTP 503' };

  it.each<[RunPhase, 'nothing' | 'detached' | 'runs']>([
    [{ at: 'finished', status: 'failed' }, 'nothing'],
    [{ at: 'not_queued' }, 'nothing'],
    [{ at: 'unknown' }, 'nothing'],
    [{ at: 'lost' }, 'nothing'],
    [{ at: 'left' }, 'nothing'],
    [{ at: 'dry_run' }, 'nothing'],
    [{ at: 'detached' }, 'detached'],
    [{ at: 'triggering' }, 'runs'],
    [{ at: 'in_progress' }, 'runs'],
    [{ at: 'unsettled', problem }, 'runs'],
  ])('%o: %s', (phase, left) => {
    const byLeave = left === 'detached' ? 'nothing' : left;
    const over: RunPhase = { at: 'finished', status: 'completed' };
    expect(written({}, [over, phase, over]).at(-1)).toEqual({ kind: 'closed', left, isPrinted: true });
    expect(written({ 'on-cancel': 'leave' }, [phase]).at(-1)).toEqual({
      kind: 'closed',
      left: byLeave,
      isPrinted: true,
    });
    expect(written({}, [phase, { at: 'unsettled', problem }]).at(-1)).toMatchObject({ left: 'runs' });
  });
});
