// What the entries decide before they load any other code.
import { describe, expect, it } from 'vitest';
import * as ofProcess from '../../src/action/process.ts';
import { complaintAboutNode, isIdle, keptIds, PRINT_WITHIN_MS, SIGNALS } from '../../src/early.ts';
import * as ofRealWorld from '../../src/real-world.ts';
import { playMain } from '../support/steps.ts';

describe('Node.js', () => {
  it.each(['20.16.0', '20.19.5', '22.0.0', '24.1.0', '100.0.0'])('%s runs the action', (version) => {
    expect(complaintAboutNode(version)).toBeUndefined();
  });

  it.each(['20.15.9', '18.20.0', '16.0.0', ''])('"%s" is rejected with advice to update the runner', (version) => {
    expect(complaintAboutNode(version)).toMatch(/needs Node.js 20.16 or newer.*Update the runner/);
  });
});

it.each([
  [undefined, 'success', false],
  ['', 'success', false],
  ['{"idle":', 'success', false],
  ['null', 'success', false],
  ['{"idle":true}', 'success', false],
  ['{"idle":"never"}', 'success', false],
  ['{"idle":"always"}', 'cancelled', true],
  ['{"idle":"unless_cancelled"}', 'success', true],
  ['{"idle":"unless_cancelled"}', '', true],
  ['{"idle":"unless_cancelled"}', 'cancelled', false],
])('with the last line %j and the job status "%s", the post step is idle: %s', (end, status, isExpected) => {
  expect(isIdle({ STATE_run_pipeline_end: end, 'INPUT_INTERNAL-JOB-STATUS': status })).toBe(isExpected);
});

it('the ids of the runs in the state can be read without loading other code', () => {
  const [id, other] = ['11111111-2222-4333-8444-555555555555', '21111111-2222-4333-8444-555555555555'];
  const env = {
    STATE_run_pipeline: `{"jobId":"${id}"}`,
    STATE_run_pipeline_0: `{"n":3,"at":"in_progress","jobId":"${id}"}`,
    STATE_run_pipeline_1: '{"n":4,"at":"triggering"}',
    STATE_run_pipeline_2: '{"jobId":"\n::error::x"}',
    STATE_run_pipeline_10: `{"jobId":"${other}"}`,
    STATE_other_0: `{"jobId":"${id}"}`,
  };
  expect(keptIds(env)).toEqual([id, other]);
});

describe('without loading other code, early.ts', () => {
  it('reads the lines that a main step saves', async () => {
    const finished = await playMain();
    expect(keptIds(finished.state)).toEqual([finished.outputs['job-id']]);
    expect(isIdle(finished.state)).toBe(true);
    const detached = await playMain({ inputs: { wait: 'false' } });
    expect(isIdle(detached.state)).toBe(true);
    expect(isIdle({ ...detached.state, 'INPUT_INTERNAL-JOB-STATUS': 'cancelled' })).toBe(false);
  });

  it('waits for stdout as long as the other code', () => {
    expect(PRINT_WITHIN_MS).toBe(ofProcess.PRINT_WITHIN_MS);
  });

  it('ignores the signals that the other code handles', () => {
    expect(SIGNALS).toEqual(ofRealWorld.SIGNALS);
  });
});
