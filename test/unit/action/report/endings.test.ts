// How the step reports on a run: the level of the annotation, the outcome and the message.
import { describe, expect, it } from 'vitest';
import { anyEnd, endingOf, endingOfAll } from '../../../../src/action/report/endings.ts';
import type { Stop, StopReason } from '../../../../src/run/state/facts.ts';
import { outcomeOf } from '../../../../src/run/state/outcome.ts';
import type { RunPhase, RunState } from '../../../../src/run/state/run-state.ts';
import type { TerminalStatus } from '../../../../src/service/statuses.ts';
import { aRun, type Inputs, settings } from '../../../support/action.ts';
import { JOB, PIPELINE } from '../../../support/service.ts';

const PROBLEM = { attempted: 'ask', cause: 'HTTP 503 "away"', remedy: 'Ask again later.' };
const NO_RUN = { jobId: undefined, status: undefined, startedAt: undefined };
const DETACHED: Partial<RunState> = { phase: { at: 'detached' } };
const REASONS: readonly StopReason[] = [
  { kind: 'signal', by: 'SIGINT' },
  { kind: 'timeout', afterMs: 2_700_000 },
  { kind: 'queue_timeout', afterMs: 600_000 },
  { kind: 'fail_fast', after: 'customers' },
];
const STOPS = REASONS.map((reason): Stop => ({ reason, policy: 'cancel', at: 180_000 }));

function finished(status: TerminalStatus): Partial<RunState> {
  return { phase: { at: 'finished', status }, status, endedAt: 182_500 };
}

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

  it.each<[string, Partial<RunState>, string]>([
    ['completed', finished('completed'), `log succeeded, ${STOPPED}, error cancelled`],
    ['completed with warnings', finished('completed_with_warning'), `warning succeeded, ${STOPPED}, error cancelled`],
    ['was skipped', finished('skipped'), `notice succeeded, ${STOPPED}, error cancelled`],
    ['failed', finished('failed'), `error failed, ${STOPPED}, error cancelled`],
    ['timed out in the service', finished('timed_out'), `error failed, ${STOPPED}, error cancelled`],
    ['was cancelled', finished('cancelled'), `error failed, ${STOPPED}, error cancelled`],
    ['was left running', { phase: { at: 'left' } }, `error lost, ${STOPPED}, error cancelled`],
    ['is still waiting', withoutRun({ at: 'waiting' }), `error not_triggered, ${STOPPED}, error not_triggered`],
    ['was not queued', withoutRun({ at: 'not_queued' }), `error not_triggered, ${STOPPED}, error not_triggered`],
    ['was rejected', withoutRun({ at: 'not_queued', problem: PROBLEM }), REJECTED],
    ['is in progress', { phase: { at: 'in_progress' } }, OPEN],
    ['could not be cancelled', { phase: { at: 'unsettled', problem: PROBLEM } }, OPEN],
    ['is not awaited', DETACHED, always('log triggered')],
    ['has a trigger in flight', withoutRun({ at: 'triggering' }), always('error unknown')],
    ['has an unconfirmed trigger', withoutRun({ at: 'unknown', problem: PROBLEM }), always('error unknown')],
    ['is lost', { phase: { at: 'lost', problem: PROBLEM } }, always('error lost')],
    ['was checked in a dry run', withoutRun({ at: 'dry_run' }), always('log dry_run')],
  ])(
    'that %s shows the run id if it is known, and has the right level and outcome with or without a stop',
    (_, fields, expected) => {
      const seen = [undefined, 'signal', 'timeout', 'queue_timeout', 'fail_fast'].map((kind) => {
        const run = aRun({ ...fields, stop: STOPS.find(({ reason }) => reason.kind === kind) });
        const { level = 'log', line, advice } = endingOf(run, settings().plan);
        expect([line, ...advice].join(' ').includes(JOB)).toBe(run.jobId !== undefined);
        return `${level} ${outcomeOf(run, settings().plan)}`;
      });
      expect(seen[3]).toBe(seen[2]);
      expect(seen.toSpliced(3, 1).join(', ')).toBe(expected);
    },
  );

  const failed = finished('failed');
  const gone: Partial<RunState> = { ...failed, statusMessage: 'gone!' };
  const cancelled: Partial<RunState> = { ...finished('cancelled'), stop: STOPS[0], endedAt: 181_000 };
  const dryRun = withoutRun({ at: 'dry_run' });

  it.each<[string, RegExp, Partial<RunState>, Inputs?]>([
    ['has only one punctuation mark after the message from the service', / after 3m 2s: gone! Open/, gone],
    ['has no advice if succeed-on contains the status', /^log .*3m 2s\.$/, failed, { 'succeed-on': 'failed' }],
    ['mentions no agent if the run was still queued', /cancelled after 1s\.$/, cancelled],
    ['mentions no cancellation with on-cancel: leave', /wait is false\.$/, DETACHED, { 'on-cancel': 'leave' }],
    ['mentions no tables in a dry run that would drop none', /^log .* run of orders\.$/, dryRun],
    ['shows the status of a run in a dry run', / has the status "running"\.$/, { ...dryRun, status: 'running' }],
    ['names on-timeout after a queue timeout', /on-timeout is leave/, { phase: { at: 'left' }, stop: STOPS[2] }],
    ['needs no status', /^error Lost .* ID of orders\. The .* progress\. To /, { attached: true, status: undefined }],
  ])('%s', (_, text, fields, inputs) => {
    expect(textOf(fields, inputs)).toMatch(text);
  });

  it('needs attention in the post step only if the run has no final status', () => {
    const stop = STOPS[1];
    const inPost = (fields: Partial<RunState>) => endingOf(aRun({ ...fields, stop }), anyEnd('cancel'), 'post');
    expect(inPost(finished('failed')).level).toBeUndefined();
    expect(inPost({ phase: { at: 'unsettled', problem: PROBLEM } }).level).toBe('error');
    expect(inPost({ phase: { at: 'unsettled', problem: PROBLEM } }).advice.join(' ')).toContain('Check the run');
  });

  it.each([
    ['an empty string', ''],
    ['a space', ' '],
    ['a zero-width space', '\u200B'],
  ])('omits the message and the pipeline name if each is %s', (_, blank) => {
    const fields = { ...finished('completed'), statusMessage: blank, pipeline: { id: JOB, name: blank } };
    expect(textOf(fields)).toMatch(/^log Run ID .*pipeline without .* 3m 2s\.$/);
  });
});

describe('the line about several runs', () => {
  const run = (name: string, fields: Partial<RunState>) => aRun({ ...fields, pipeline: { id: PIPELINE, name } });
  const lineOf = (...runs: readonly RunState[]): string => endingOfAll(runs, settings().plan);

  it('counts the runs by outcome, with the worst outcome first', () => {
    const five = Array.from('bcdef', (name) => run(name, { phase: { at: 'unknown' } }));
    const line = lineOf(run('a', finished('failed')), ...five);
    expect(line).toMatch(/^0 of 6 .*; 5 unknown \(b, c, d, e, f\); 1 failed \(a\)\.$/);
  });

  it('counts the runs that passed a dry run', () => {
    const checked = run('a', withoutRun({ at: 'dry_run' }));
    expect(lineOf(checked, checked)).toMatch(/^2 of 2 runs passed /);
  });
});
