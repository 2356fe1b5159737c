// How a run ended for the step: how much attention it needs, which outcome it has, and what the reader learns.
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
const REASONS = {
  signal: { kind: 'signal', by: 'SIGINT' },
  timeout: { kind: 'timeout', afterMs: 2_700_000 },
  queue_timeout: { kind: 'queue_timeout', afterMs: 600_000 },
  fail_fast: { kind: 'fail_fast', after: 'customers' },
} as const satisfies Partial<Record<StopReason['kind'], StopReason>>;

function stopBy(kind: keyof typeof REASONS, policy: Stop['policy'] = 'cancel'): Stop {
  return { reason: REASONS[kind], policy, at: 180_000 };
}

function finished(status: TerminalStatus): Partial<RunState> {
  return { phase: { at: 'finished', status }, status, endedAt: 182_500 };
}

function withoutRun(phase: RunPhase): Partial<RunState> {
  return { ...NO_RUN, phase };
}

/** Every text of an ending in one, with a short id. */
function textOf(fields: Partial<RunState>, inputs: Inputs = {}): string {
  const { level, line, advice } = endingOf(aRun(fields, inputs), settings(inputs).plan);
  return [level ?? 'log', line, ...advice].join(' ').replaceAll(JOB, 'ID');
}

describe('the ending of a run', () => {
  const STOPPED = ['notice cancelled', 'error wait_timed_out'];
  const SAME = (cell: string): string[] => [cell, cell, cell, cell];

  it.each<[string, Partial<RunState>, readonly string[]]>([
    ['completed', finished('completed'), ['log succeeded', ...STOPPED, 'error cancelled']],
    ['warned', finished('completed_with_warning'), ['warning succeeded', ...STOPPED, 'error cancelled']],
    ['was skipped', finished('skipped'), ['notice succeeded', ...STOPPED, 'error cancelled']],
    ['failed', finished('failed'), ['error failed', ...STOPPED, 'error cancelled']],
    ['timed out in the service', finished('timed_out'), ['error failed', ...STOPPED, 'error cancelled']],
    ['was cancelled', finished('cancelled'), ['error failed', ...STOPPED, 'error cancelled']],
    ['was left', { phase: { at: 'left' } }, ['error lost', ...STOPPED, 'error cancelled']],
    ['waits', withoutRun({ at: 'waiting' }), ['error not_triggered', ...STOPPED, 'error not_triggered']],
    ['was not queued', withoutRun({ at: 'not_queued' }), ['error not_triggered', ...STOPPED, 'error not_triggered']],
    [
      'was rejected',
      withoutRun({ at: 'not_queued', problem: PROBLEM }),
      ['error not_triggered', 'error cancelled', 'error wait_timed_out', 'error not_triggered'],
    ],
    ['is not awaited', { phase: { at: 'detached' } }, SAME('log triggered')],
    ['is triggered', withoutRun({ at: 'triggering' }), SAME('error unknown')],
    ['is unknown', withoutRun({ at: 'unknown', problem: PROBLEM }), SAME('error unknown')],
    ['is lost', { phase: { at: 'lost', problem: PROBLEM } }, SAME('error lost')],
    ['was checked in a dry run', withoutRun({ at: 'dry_run' }), SAME('log dry_run')],
    ...(['in_progress', 'unsettled'] as const).map((at): [string, Partial<RunState>, string[]] => [
      at === 'in_progress' ? 'is in progress' : 'could not be cancelled',
      { phase: { at, problem: PROBLEM } },
      ['error lost', 'error cancelled', 'error wait_timed_out', 'error cancelled'],
    ]),
  ])('that %s has a level and an outcome without a stop and after each', (_, fields, cells) => {
    const { plan } = settings();
    const stops = [undefined, 'signal', 'timeout', 'queue_timeout', 'fail_fast'] as const;
    const seen = stops.map((kind) => {
      const run = aRun({ ...fields, ...(kind !== undefined && { stop: stopBy(kind) }) });
      const { level = 'log', line, advice } = endingOf(run, plan);
      expect([line, ...advice].join(' ').includes(JOB)).toBe(run.jobId !== undefined);
      return `${level} ${outcomeOf(run, plan)}`;
    });
    const [none, signal, timeout, failFast] = cells;
    expect(seen).toEqual([none, signal, timeout, timeout, failFast]);
  });

  const picked = { history: [{ status: 'picked', at: 0 }] };
  const resetTarget = { 'full-resync': 'true', 'reset-target': 'true' };
  const unknown = withoutRun({ at: 'unknown', problem: PROBLEM });

  it.each<[string, RegExp, Partial<RunState>, Inputs?]>([
    ['how long it took', /^log Run ID of orders completed after 3m 2s\.$/, finished('completed')],
    [
      'the message of the service',
      /orders failed .*: disk full\. Open/,
      { ...finished('failed'), statusMessage: 'disk full' },
    ],
    ['only one full stop', / failed after 3m 2s: gone! Open/, { ...finished('failed'), statusMessage: 'gone!' }],
    ['which statuses succeed', / succeed-on is skipped\.$/, finished('completed'), { 'succeed-on': 'skipped' }],
    ['nothing to do if its status succeeds', /^log .*3m 2s\.$/, finished('failed'), { 'succeed-on': 'failed' }],
    ['why it was stopped', /^notice Step interrupted \(SIGINT\)/, { ...finished('cancelled'), stop: stopBy('signal') }],
    ['how soon it was cancelled', /cancelled after 2\.5s\.$/, { ...finished('cancelled'), stop: stopBy('signal') }],
    ['that its agent stops', / at the next heartbeat/, { ...finished('cancelled'), ...picked, stop: stopBy('signal') }],
    ['that it was too late to cancel', / before it could be /, { ...finished('failed'), stop: stopBy('signal') }],
    [
      'that no run exists',
      /: no run of orders .* run was queued\.$/,
      { ...withoutRun({ at: 'waiting' }), stop: stopBy('signal') },
    ],
    ['a remedy', / run was queued\. Ask again later\.$/, withoutRun({ at: 'not_queued', problem: PROBLEM })],
    [
      'to try again without a remedy',
      / may be temporary/,
      withoutRun({ at: 'not_queued', problem: { attempted: 'a', cause: 'b' } }),
    ],
    ['to set a longer timeout', / a longer timeout\.$/, { ...finished('cancelled'), stop: stopBy('timeout') }],
    [
      'to set a longer queue-timeout',
      / longer queue-timeout\.$/,
      { ...finished('cancelled'), stop: stopBy('queue_timeout') },
    ],
    [
      'what failed first',
      / because customers did not succeed: /,
      { ...finished('cancelled'), stop: stopBy('fail_fast') },
    ],
    ['to check before a second trigger', /cannot cancel it .* Before you run /, unknown],
    ['that tables may be dropped', /\. It may be dropping .* Before you/, unknown, resetTarget],
    ['that several may exist', / there may be several\. .* Before you/, unknown, { 'on-lost-response': 'retry' }],
    ['that no response arrived', / response had arrived .* Before you/, withoutRun({ at: 'triggering' })],
    ['how to await it again', / It was not cancelled.* job-id: ID\. /, { phase: { at: 'lost', problem: PROBLEM } }],
    [
      'that on-cancel left it',
      / on-cancel is leave\. .* job-id: ID\. /,
      { phase: { at: 'left' }, stop: stopBy('signal', 'leave') },
    ],
    [
      'that on-timeout left it',
      / on-timeout is leave\. .* a longer timeout/,
      { phase: { at: 'left' }, stop: stopBy('timeout', 'leave') },
    ],
    [
      'that post tries again',
      / "away"\. Ask again later\. The post step /,
      { phase: { at: 'unsettled', problem: PROBLEM }, stop: stopBy('signal') },
    ],
    [
      'until when a cancel reaches it',
      / is queued\. .*, because wait is false\. A cancel reaches it only until .*\.$/,
      { phase: { at: 'detached' } },
    ],
    [
      'no reach of a cancel that leaves it',
      /, because wait is false\.$/,
      { phase: { at: 'detached' } },
      { 'on-cancel': 'leave' },
    ],
    [
      'that post may cancel it',
      /^error .* could not be saved\. .* Free some space\.$/,
      { phase: { at: 'detached' }, unrecorded },
    ],
    ['that it would be triggered', /^log A run of orders would be triggered\.$/, withoutRun({ at: 'dry_run' })],
    [
      'that it would drop tables',
      / triggered, and its tables dropped first\.$/,
      withoutRun({ at: 'dry_run' }),
      resetTarget,
    ],
    [
      'only its id if it existed before',
      /^log Run ID completed\.$/,
      { ...finished('completed'), pipeline: undefined, attached: true },
      { pipeline: '', 'job-id': JOB },
    ],
  ])('says %s', (_, text, fields, inputs) => {
    expect(textOf(fields, inputs)).toMatch(text);
  });

  it('does not mention an agent if none has picked the run up', () => {
    expect(textOf({ ...finished('cancelled'), stop: stopBy('signal') })).not.toContain('agent');
  });

  it('needs no attention in the post step if the run finished, and asks for a check if it may not have', () => {
    const stop: Stop = { reason: { kind: 'main_killed' }, policy: 'cancel', at: 0 };
    const inPost = (fields: Partial<RunState>) => endingOf(aRun({ ...fields, stop }), anyEnd('cancel'), 'post');
    expect(inPost(finished('failed')).level).toBeUndefined();
    expect(inPost({ phase: { at: 'unsettled', problem: PROBLEM } }).level).toBe('error');
    expect(inPost({ phase: { at: 'unsettled', problem: PROBLEM } }).advice.at(-1)).toContain('Check the run');
  });

  it('shows names and messages of the service as text, on one line', () => {
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
  const run = (name: string, fields: Partial<RunState>): RunState =>
    aRun({ pipeline: { id: PIPELINE, name }, ...fields });
  const good = (name: string): RunState => run(name, finished('completed'));
  const bad = (name: string): RunState => run(name, finished('failed'));

  it.each<[string, readonly RunState[]]>([
    ['Run ID of a completed after 3m 2s.', [good('a')]],
    ['2 of 2 runs succeeded.', [good('a'), good('b')]],
    ['1 of 2 runs succeeded; 1 failed (b).', [good('a'), bad('b')]],
    [
      '1 of 3 runs succeeded; 1 unknown (b); 1 failed (a).',
      [bad('a'), run('b', { phase: { at: 'unknown' } }), good('c')],
    ],
    ['0 of 7 runs succeeded; 7 failed (a, b, c, d, e and 2 more).', ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(bad)],
    [
      '1 of 2 runs were triggered; 1 not triggered (b).',
      [run('a', { phase: { at: 'detached' } }), run('b', withoutRun({ at: 'not_queued' }))],
    ],
    [
      '2 of 2 runs were triggered; 1 may be cancelled by the post step (b).',
      [run('a', { phase: { at: 'detached' } }), run('b', { phase: { at: 'detached' }, unrecorded })],
    ],
    [
      '2 of 2 runs passed the dry run.',
      [run('a', { phase: { at: 'dry_run' } }), run('b', { phase: { at: 'dry_run' } })],
    ],
  ])('is: %s', (line, runs) => {
    expect(endingOfAll(runs, settings().plan).replaceAll(JOB, 'ID')).toBe(line);
  });
});
