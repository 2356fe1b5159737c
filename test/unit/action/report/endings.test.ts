// How the step reports on a run: the level of the annotation, the outcome and the message.
import { describe, expect, it } from 'vitest';
import { anyEnd, endingOf, endingOfAll } from '../../../../src/action/report/endings.ts';
import type { Level } from '../../../../src/action/runner/toolkit.ts';
import type { StopReason } from '../../../../src/run/state/facts.ts';
import { outcomeOf } from '../../../../src/run/state/outcome.ts';
import type { RunPhase, RunState } from '../../../../src/run/state/run-state.ts';
import type { TerminalStatus } from '../../../../src/service/statuses.ts';
import { aRun, finished, type Inputs, NO_RUN, settings } from '../../../support/action.ts';
import { JOB, PIPELINE } from '../../../support/service.ts';

const PROBLEM = { attempted: 'ask', cause: 'HTTP 503 "away"', remedy: 'Ask again later.' };
const UNSETTLED: Partial<RunState> = { phase: { at: 'unsettled', problem: PROBLEM } };
const DETACHED: Partial<RunState> = { phase: { at: 'detached' } };
const ended = (status: TerminalStatus) => finished(status, 182_500);
const stopBy = (reason: StopReason) => ({ reason, policy: 'cancel', at: 180_000 }) as const;
const SIGNAL = stopBy({ kind: 'signal', by: 'SIGINT' });
const TIMEOUT = stopBy({ kind: 'timeout', afterMs: 2_700_000 });
const QUEUE_TIMEOUT = stopBy({ kind: 'queue_timeout', afterMs: 600_000 });
const FAIL_FAST = stopBy({ kind: 'fail_fast', after: 'customers' });

function withoutRun(phase: RunPhase): Partial<RunState> {
  return { ...NO_RUN, phase };
}

/** Joins all texts of an ending into one, with a short id. */
function textOf(fields: Partial<RunState>, inputs: Inputs = {}): string {
  const { level, line, advice } = endingOf(aRun(fields, inputs), settings(inputs).plan);
  return [level ?? 'log', line, ...advice].join(' ').replaceAll(JOB, 'ID');
}

describe('the report on a run', () => {
  const STOPPED = 'notice cancelled, error wait_timed_out';
  const REJECTED = 'error not_triggered, error cancelled, error wait_timed_out, error not_triggered';
  const OPEN = 'error lost, error cancelled, error wait_timed_out, error cancelled';
  const always = (cell: string): string => Array(4).fill(cell).join(', ');

  /** The level and the outcome without a stop, and after a signal, a timeout and a failure with fail-fast. */
  const phases: readonly [string, Partial<RunState>, string][] = [
    ['completed', ended('completed'), `log succeeded, ${STOPPED}, error cancelled`],
    ['completed with warnings', ended('completed_with_warning'), `warning succeeded, ${STOPPED}, error cancelled`],
    ['was skipped', ended('skipped'), `notice succeeded, ${STOPPED}, error cancelled`],
    ['failed', ended('failed'), `error failed, ${STOPPED}, error cancelled`],
    ['timed out in the service', ended('timed_out'), `error failed, ${STOPPED}, error cancelled`],
    ['was cancelled', ended('cancelled'), `error failed, ${STOPPED}, error cancelled`],
    ['was left running', { phase: { at: 'left' } }, `error lost, ${STOPPED}, error cancelled`],
    ['is still waiting', withoutRun({ at: 'waiting' }), `error not_triggered, ${STOPPED}, error not_triggered`],
    ['was not queued', withoutRun({ at: 'not_queued' }), `error not_triggered, ${STOPPED}, error not_triggered`],
    ['was rejected', withoutRun({ at: 'not_queued', problem: PROBLEM }), REJECTED],
    ['is in progress', { phase: { at: 'in_progress' } }, OPEN],
    ['could not be cancelled', UNSETTLED, OPEN],
    ['is not awaited', DETACHED, always('log triggered')],
    ['has a trigger in flight', withoutRun({ at: 'triggering' }), always('error unknown')],
    ['has an unconfirmed trigger', withoutRun({ at: 'unknown', problem: PROBLEM }), always('error unknown')],
    ['is lost', { phase: { at: 'lost', problem: PROBLEM } }, always('error lost')],
    ['was checked in a dry run', withoutRun({ at: 'dry_run' }), always('log dry_run')],
  ];
  const cases = phases.flatMap(([phase, fields, expected]) => {
    const [free, signal, timeout, failFast] = expected.split(', ');
    return [
      { when: 'without a stop', phase, fields, seen: free },
      { when: 'after a signal', phase, fields: { ...fields, stop: SIGNAL }, seen: signal },
      { when: 'after a timeout', phase, fields: { ...fields, stop: TIMEOUT }, seen: timeout },
      { when: 'after a queue timeout', phase, fields: { ...fields, stop: QUEUE_TIMEOUT }, seen: timeout },
      { when: 'after another run failed', phase, fields: { ...fields, stop: FAIL_FAST }, seen: failFast },
    ];
  });

  it.each(cases)('that $phase has the level and outcome "$seen" $when, and shows any known id', ({ fields, seen }) => {
    const run = aRun(fields);
    const { level = 'log', line, advice } = endingOf(run, settings().plan);
    expect(`${level} ${outcomeOf(run, settings().plan)}`).toBe(seen);
    expect([line, ...advice].join(' ').includes(JOB)).toBe(run.jobId !== undefined);
  });

  const failed = ended('failed');
  const gone: Partial<RunState> = { ...failed, statusMessage: 'gone!' };
  const cancelled: Partial<RunState> = { ...ended('cancelled'), stop: SIGNAL, endedAt: 181_000 };
  const dryRun = withoutRun({ at: 'dry_run' });

  it.each<[string, RegExp, Partial<RunState>, Inputs?]>([
    ['has only one punctuation mark after the message from the service', / after 3m 2s: gone! Open/, gone],
    ['has no advice if succeed-on contains the status', /^log .*3m 2s\.$/, failed, { 'succeed-on': 'failed' }],
    ['mentions no agent if the run was still queued', / 1s\.$/, cancelled],
    ['mentions no cancellation with on-cancel: leave', /wait is false\.$/, DETACHED, { 'on-cancel': 'leave' }],
    ['mentions no tables in a dry run that would drop none', /^log .* run of orders\.$/, dryRun],
    ['shows the status of a run in a dry run', / has the status "running"\.$/, { ...dryRun, status: 'running' }],
    ['names on-timeout after a queue timeout', /on-timeout is leave/, { phase: { at: 'left' }, stop: QUEUE_TIMEOUT }],
    ['needs no status', /^error Lost .* ID of orders\. .* progress\. To /, { attached: true, status: undefined }],
  ])('%s', (_, text, fields, inputs) => {
    expect(textOf(fields, inputs)).toMatch(text);
  });

  it.each<[string, Partial<RunState>, Level | undefined, string]>([
    ['needs no attention in the post step after a final status', ended('failed'), undefined, ''],
    ['needs attention in the post step after a failed cancel', UNSETTLED, 'error', 'Check the run'],
  ])('%s', (_, fields, level, text) => {
    const ending = endingOf(aRun({ ...fields, stop: TIMEOUT }), anyEnd('cancel'), 'post');
    expect([ending.level, ending.advice.join(' ')]).toEqual([level, expect.stringContaining(text)]);
  });

  it.each([
    ['an empty string', ''],
    ['a space', ' '],
    ['a zero-width space', '\u200B'],
  ])('omits the message and the pipeline name if each is %s', (_, blank) => {
    const fields = { ...ended('completed'), statusMessage: blank, pipeline: { id: JOB, name: blank } };
    expect(textOf(fields)).toMatch(/^log Run ID .*pipeline without .* 3m 2s\.$/);
  });
});

describe('the line about several runs', () => {
  const run = (name: string, fields: Partial<RunState>) => aRun({ ...fields, pipeline: { id: PIPELINE, name } });
  const lineOf = (...runs: readonly RunState[]): string => endingOfAll(runs, settings().plan);

  it('counts pipelines that may have other runs, and then the runs by outcome, with the worst outcome first', () => {
    const five = Array.from('bcdef', (name) => run(name, { phase: { at: 'unknown' } }));
    const line = lineOf(run('a', { ...ended('failed'), doubt: { problem: undefined } }), ...five);
    expect(line).toMatch(/^0 of 6 .*; other runs of 1 .*; 5 unknown \(b, c, d, e, f\); 1 failed \(a\)\.$/);
  });

  it('counts the runs that passed a dry run', () => {
    const checked = run('a', withoutRun({ at: 'dry_run' }));
    expect(lineOf(checked, checked)).toMatch(/^2 of 2 runs passed /);
  });
});
