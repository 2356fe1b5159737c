// The ending of a run from the view of the step: its level of attention, its outcome and its message.
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
const unrecorded = { fact: { kind: 'detached' }, remedy: 'Free some space.' } as const;
const RESET = { 'full-resync': 'true', 'reset-target': 'true' };
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

describe('the ending of a run', () => {
  const STOPPED = 'notice cancelled, error wait_timed_out';
  const REJECTED = 'error not_triggered, error cancelled, error wait_timed_out, error not_triggered';
  const OPEN = 'error lost, error cancelled, error wait_timed_out, error cancelled';
  const always = (cell: string): string => Array(4).fill(cell).join(', ');

  it.each<[string, Partial<RunState>, string]>([
    ['completed', finished('completed'), `log succeeded, ${STOPPED}, error cancelled`],
    ['warned', finished('completed_with_warning'), `warning succeeded, ${STOPPED}, error cancelled`],
    ['was skipped', finished('skipped'), `notice succeeded, ${STOPPED}, error cancelled`],
    ['failed', finished('failed'), `error failed, ${STOPPED}, error cancelled`],
    ['timed out in the service', finished('timed_out'), `error failed, ${STOPPED}, error cancelled`],
    ['was cancelled', finished('cancelled'), `error failed, ${STOPPED}, error cancelled`],
    ['was left', { phase: { at: 'left' } }, `error lost, ${STOPPED}, error cancelled`],
    ['waits', withoutRun({ at: 'waiting' }), `error not_triggered, ${STOPPED}, error not_triggered`],
    ['was not queued', withoutRun({ at: 'not_queued' }), `error not_triggered, ${STOPPED}, error not_triggered`],
    ['was rejected', withoutRun({ at: 'not_queued', problem: PROBLEM }), REJECTED],
    ['is in progress', { phase: { at: 'in_progress' } }, OPEN],
    ['could not be cancelled', { phase: { at: 'unsettled', problem: PROBLEM } }, OPEN],
    ['is not awaited', DETACHED, always('log triggered')],
    ['is triggered', withoutRun({ at: 'triggering' }), always('error unknown')],
    ['is unknown', withoutRun({ at: 'unknown', problem: PROBLEM }), always('error unknown')],
    ['is lost', { phase: { at: 'lost', problem: PROBLEM } }, always('error lost')],
    ['was checked in a dry run', withoutRun({ at: 'dry_run' }), always('log dry_run')],
  ])('that %s names its id, and has a level and an outcome with and without a stop', (_, fields, expected) => {
    const seen = [undefined, 'signal', 'timeout', 'queue_timeout', 'fail_fast'].map((kind) => {
      const run = aRun({ ...fields, stop: STOPS.find(({ reason }) => reason.kind === kind) });
      const { level = 'log', line, advice } = endingOf(run, settings().plan);
      expect([line, ...advice].join(' ').includes(JOB)).toBe(run.jobId !== undefined);
      return `${level} ${outcomeOf(run, settings().plan)}`;
    });
    expect(seen[3]).toBe(seen[2]);
    expect(seen.toSpliced(3, 1).join(', ')).toBe(expected);
  });

  const cancelled: Partial<RunState> = { ...finished('cancelled'), stop: STOPS[0] };
  const existing: Partial<RunState> = { ...finished('completed'), pipeline: undefined, attached: true };
  const dryRun = withoutRun({ at: 'dry_run' });

  it.each<[string, RegExp, Partial<RunState>, Inputs?]>([
    ['how long it took', /^log Run ID of orders completed after 3m 2s\.$/, finished('completed')],
    [
      'only one final punctuation mark',
      / failed after 3m 2s: gone! Open/,
      { ...finished('failed'), statusMessage: 'gone!' },
    ],
    ['only its status if that means success', /^log .*3m 2s\.$/, finished('failed'), { 'succeed-on': 'failed' }],
    ['nothing about an agent if it has none', /cancelled after 2\.5s\.$/, cancelled],
    ['when its agent stops', / at the next heartbeat/, { ...cancelled, history: [{ status: 'picked', at: 0 }] }],
    ['how long post can cancel it', / is queued\. .*, because wait is false\. .* only while .*\.$/, DETACHED],
    ['nothing of a cancel if on-cancel is leave', /, because wait is false\.$/, DETACHED, { 'on-cancel': 'leave' }],
    ['that a dry run would trigger it', /^log A run of orders would be triggered\.$/, dryRun],
    ['that a dry run would drop its tables', / triggered, and its tables dropped first\.$/, dryRun, RESET],
    ['only its id if it existed before', /^log Run ID completed\.$/, existing, { pipeline: '', 'job-id': JOB }],
  ])('states %s', (_, text, fields, inputs) => {
    expect(textOf(fields, inputs)).toMatch(text);
  });

  it('needs no attention in the post step after the final status, and otherwise asks for a check', () => {
    const stop = STOPS[1];
    const inPost = (fields: Partial<RunState>) => endingOf(aRun({ ...fields, stop }), anyEnd('cancel'), 'post');
    expect(inPost(finished('failed')).level).toBeUndefined();
    expect(inPost({ phase: { at: 'unsettled', problem: PROBLEM } }).level).toBe('error');
    expect(inPost({ phase: { at: 'unsettled', problem: PROBLEM } }).advice.join(' ')).toContain('Check the run');
  });

  it('shows names and messages from the service as text on one line', () => {
    const pipeline = { id: JOB, name: '\n::error::a\u001B[31m b' };
    const statusMessage = '##[error]c\r\n::stop-commands::d';
    expect(textOf({ ...finished('failed'), pipeline, statusMessage })).toMatch(
      /^error Run ID of :\u200B:error::a b failed .*: #\u200B#\[error\]c ::stop-commands::d\. /,
    );
  });

  it.each(['', ' ', '\u200B'])('leaves out a message or a name that is %j', (blank) => {
    const fields = { ...finished('completed'), statusMessage: blank, pipeline: { id: JOB, name: blank } };
    expect(textOf(fields)).toBe('log Run ID of a pipeline without a name completed after 3m 2s.');
  });
});

describe('the line for several runs', () => {
  const run = (name: string, fields = finished('completed')) => aRun({ ...fields, pipeline: { id: PIPELINE, name } });
  const bad = (name: string): RunState => run(name, finished('failed'));
  const checked = run('a', withoutRun({ at: 'dry_run' }));
  const unseen = run('b', { ...DETACHED, unrecorded });

  it.each<[string, readonly RunState[]]>([
    ['Run ID of a completed after 3m 2s.', [run('a')]],
    ['2 of 2 runs succeeded.', [run('a'), run('b')]],
    ['1 of 2 runs succeeded; 1 failed (b).', [run('a'), bad('b')]],
    ['0 of 2 runs succeeded; 1 unknown (b); 1 failed (a).', [bad('a'), run('b', { phase: { at: 'unknown' } })]],
    ['0 of 7 runs succeeded; 7 failed (a, b, c, d, e and 2 more).', ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(bad)],
    ['1 of 2 runs were triggered; 1 not triggered (b).', [run('a', DETACHED), run('b', withoutRun({ at: 'waiting' }))]],
    ['2 of 2 runs were triggered; 1 may be cancelled by the post step (b).', [run('a', DETACHED), unseen]],
    ['2 of 2 runs passed the dry run.', [checked, checked]],
  ])('reads "%s"', (line, runs) => {
    expect(endingOfAll(runs, settings().plan).replaceAll(JOB, 'ID')).toBe(line);
  });
});
