// The records that main writes about itself for post when it starts and ends.
import { describe, expect, it } from 'vitest';
import { closeState, openState } from '../../../../src/action/state/main-state.ts';
import { inOrder, recordsInText } from '../../../../src/action/state/records.ts';
import type { RunPhase } from '../../../../src/run/state/run-state.ts';
import { aRun, type Inputs, settings } from '../../../support/action.ts';
import { memoryFiles } from '../../../support/memory-files.ts';
import { closed, HOST, JOB_ENV, JOURNAL, mainRecord, PID, STATE_FILE } from '../../../support/post.ts';
import { JOB } from '../../../support/service.ts';

/** Returns the records that main writes with these inputs, and then with runs in these phases. */
function recorded(inputs: Inputs, phases: readonly RunPhase[] = []) {
  const files = memoryFiles();
  const env = { ...JOB_ENV, GITHUB_STATE: STATE_FILE };
  const parts = { env, files, pid: PID, startedAt: 'ticks:1', host: HOST, random: () => 0.5, clock: { wall: () => 0 } };
  const opened = openState(parts, settings(inputs));
  if ('refused' in opened) throw new Error(opened.refused);
  const runs = phases.map((phase) => aRun({ phase }));
  closeState(opened.state, runs, settings(inputs).plan, true);
  expect(files.text(JOURNAL)).toBe(files.text(STATE_FILE));
  return inOrder(recordsInText(files.text(JOURNAL)));
}

describe('main', () => {
  const resumed = { pipeline: 'orders', 'job-id': JOB };

  it.each<[string, Inputs, object]>([
    ['the value of on-cancel', { 'on-cancel': 'leave', 'internal-job-status': 'success' }, { onCancel: 'leave' }],
    ['the id of an existing run', { pipeline: '', 'job-id': JOB, 'on-cancel': 'cancel' }, { given: { 1: JOB } }],
    ['the id of a run to resume', resumed, { given: { 1: JOB } }],
    ['no id in a dry run', { ...resumed, 'dry-run': 'true' }, { given: {} }],
  ])('records %s when it starts', (_, inputs, fields) => {
    const [main, end] = recorded({ 'internal-job-status': 'success', ...inputs });
    expect(main).toEqual({ ...mainRecord(fields), asked: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown });
    expect(end).toEqual(closed('nothing'));
  });

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
  ])('records, when it ends, that a run in the phase %o leaves "%s" for post', (phase, left) => {
    const finished: RunPhase = { at: 'finished', status: 'completed' };
    const byLeave = left === 'detached' ? 'nothing' : left;
    expect(recorded({}, [finished, phase, finished]).at(-1)).toEqual(closed(left));
    expect(recorded({ 'on-cancel': 'leave' }, [phase]).at(-1)).toEqual(closed(byLeave));
    expect(recorded({}, [phase, { at: 'unsettled', problem }]).at(-1)).toEqual(closed('runs'));
  });
});
