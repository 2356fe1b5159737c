import { describe, expect, it } from 'vitest';
import { endingOf } from '../../../../src/action/report/endings.ts';
import type { Stop } from '../../../../src/run/state/facts.ts';
import type { RunPhase, RunState } from '../../../../src/run/state/run-state.ts';
import { aRun, type Inputs, settings } from '../../../support/action.ts';
import { JOB } from '../../../support/service.ts';

/** The words for a run: how much attention it needs, and every line. The id is left out, for the eye. */
function wordsFor(fields: Partial<RunState>, inputs: Inputs = {}): readonly string[] {
  const { level, line, advice } = endingOf(aRun(fields, inputs), settings(inputs).plan);
  return [level ?? 'log', line, ...advice].map((text) => text.replaceAll(JOB, 'ID'));
}

const PROBLEM = { attempted: 'read the status of the run', cause: 'HTTP 503 "away"', remedy: 'Ask again later.' };
const RESET = { attempted: 'trigger the run', cause: 'the connection was reset before a response arrived' };

const RUNNING = { status: 'running' };
const NO_RUN = { jobId: undefined, status: undefined, startedAt: undefined };

const interrupted: Stop = { reason: { kind: 'signal', by: 'SIGINT' }, policy: 'cancel', at: 180_000 };
const timeout: Stop = { reason: { kind: 'timeout', afterMs: 2_700_000 }, policy: 'cancel', at: 180_000 };
const queueTimeout: Stop = { reason: { kind: 'queue_timeout', afterMs: 600_000 }, policy: 'cancel', at: 180_000 };

function ended(status: Extract<RunPhase, { at: 'finished' }>['status']): Partial<RunState> {
  return { phase: { at: 'finished', status }, status, endedAt: 182_500 };
}

const LOOK_FIRST =
  'Before you run this step again, check the runs of this pipeline in the application: a second trigger queues a second run.';
const GO_ON = 'To wait for it again, run a step with job-id: ID. Running this step again triggers a second run.';
const LONGER = 'If the run needs more time, set a longer timeout.';
const NO_AGENT = 'Check that an agent is running and free, or set a longer queue-timeout.';
const FIX = 'Open the run in the application for its log; once the cause is fixed, run the pipeline again.';
const SUCCEED_ON = 'This counts as a failure because succeed-on is completed, completed_with_warning, skipped.';
const HEARTBEAT = 'Its agent stops at the next heartbeat, within seconds.';
const AGAIN = 'The post step tries again at the end of the job.';
const NO_ID = 'The step did not trigger it again, and cannot cancel it without its id.';

describe('the words for a run that nobody stopped', () => {
  it.each<[string, Partial<RunState>, readonly string[]]>([
    ['completed', ended('completed'), ['log', 'Run ID of orders completed after 3m 2s.']],
    [
      'completed with warnings',
      { ...ended('completed_with_warning'), statusMessage: '2 tables were left out' },
      ['warning', 'Run ID of orders completed with warnings after 3m 2s: 2 tables were left out.'],
    ],
    ['skipped', ended('skipped'), ['notice', 'Run ID of orders was skipped after 3m 2s.']],
    [
      'failed',
      { ...ended('failed'), statusMessage: 'relation "x" is missing.' },
      ['error', 'Run ID of orders failed after 3m 2s: relation "x" is missing.', FIX],
    ],
    [
      'timed out',
      ended('timed_out'),
      ['error', 'Run ID of orders exceeded its time limit in the service after 3m 2s.', FIX],
    ],
    ['cancelled', ended('cancelled'), ['error', 'Run ID of orders was cancelled after 3m 2s.', SUCCEED_ON]],
    [
      'detached',
      { phase: { at: 'detached' } },
      [
        'log',
        'Run ID of orders is queued. The step does not wait for it, because wait is false. A cancel reaches it only until this job has finished.',
      ],
    ],
    [
      'waiting',
      { ...NO_RUN, phase: { at: 'waiting' } },
      ['error', 'No run of orders was triggered.', 'No run was queued.'],
    ],
    [
      'not queued',
      { ...NO_RUN, phase: { at: 'not_queued', problem: { ...RESET, cause: 'HTTP 400 "inactive"' } } },
      [
        'error',
        'No run of orders was triggered. Could not trigger the run: HTTP 400 "inactive".',
        'No run was queued.',
        'The problem may be temporary: run this step again later.',
      ],
    ],
    [
      'not queued, with something to do about it',
      { ...NO_RUN, phase: { at: 'not_queued', problem: PROBLEM } },
      [
        'error',
        'No run of orders was triggered. Could not read the status of the run: HTTP 503 "away".',
        'No run was queued.',
        'Ask again later.',
      ],
    ],
    [
      'triggering',
      { ...NO_RUN, phase: { at: 'triggering' } },
      [
        'error',
        'A run of orders may be in progress, because its trigger was not confirmed: no response had arrived when the step had to end.',
        NO_ID,
        LOOK_FIRST,
      ],
    ],
    [
      'unknown',
      { ...NO_RUN, phase: { at: 'unknown', problem: RESET } },
      [
        'error',
        'A run of orders may be in progress, because its trigger was not confirmed: the connection was reset before a response arrived.',
        NO_ID,
        LOOK_FIRST,
      ],
    ],
    [
      'lost',
      { ...RUNNING, phase: { at: 'lost', problem: PROBLEM } },
      [
        'error',
        'Lost contact with run ID of orders. Could not read the status of the run: HTTP 503 "away".',
        'It was not cancelled, and may still be in progress.',
        'Ask again later.',
        GO_ON,
      ],
    ],
    [
      'in progress, when this action failed by itself',
      { ...RUNNING, phase: { at: 'in_progress' } },
      ['error', 'Lost contact with run ID of orders.', 'It was not cancelled, and may still be in progress.', GO_ON],
    ],
  ])('%s', (_, fields, words) => {
    expect(wordsFor(fields)).toEqual(words);
  });
});

describe('the words for a run that was stopped', () => {
  const stops = [
    ['an interruption', interrupted, 'Step interrupted (SIGINT)', 'notice', []],
    ['a timeout', timeout, 'Step timed out after 45m', 'error', [LONGER]],
    ['a queue-timeout', queueTimeout, 'No agent picked up the run within 10m (queue-timeout)', 'error', [NO_AGENT]],
  ] as const;

  describe.each(stops)('by %s', (_, stop, why, level, more) => {
    it.each<[string, Partial<RunState>, readonly string[]]>([
      [
        'cancelled before an agent picked it up',
        ended('cancelled'),
        [level, `${why}: run ID of orders was cancelled after 2.5s.`],
      ],
      [
        'cancelled while an agent ran it',
        { ...ended('cancelled'), history: [{ status: 'picked', at: 0 }] },
        [level, `${why}: run ID of orders was cancelled after 2.5s.`, HEARTBEAT],
      ],
      ['completed', ended('completed'), [level, `${why}: run ID of orders completed before it could be cancelled.`]],
      [
        'completed with warnings',
        ended('completed_with_warning'),
        [level, `${why}: run ID of orders completed with warnings before it could be cancelled.`],
      ],
      [
        'failed',
        { ...ended('failed'), statusMessage: 'disk full' },
        [level, `${why}: run ID of orders failed before it could be cancelled: disk full.`],
      ],
      [
        'timed out',
        ended('timed_out'),
        [level, `${why}: run ID of orders exceeded its time limit in the service before it could be cancelled.`],
      ],
      ['skipped', ended('skipped'), [level, `${why}: run ID of orders was skipped before it could be cancelled.`]],
      [
        'waiting',
        { ...NO_RUN, phase: { at: 'waiting' } },
        [level, `${why}: no run of orders was triggered.`, 'No run was queued.'],
      ],
      [
        'not queued',
        { ...NO_RUN, phase: { at: 'not_queued' } },
        [level, `${why}: no run of orders was triggered.`, 'No run was queued.'],
      ],
      [
        'in progress',
        { ...RUNNING, phase: { at: 'in_progress' } },
        [
          'error',
          `${why}: the cancel of run ID of orders was not confirmed, and the run may still be in progress.`,
          AGAIN,
        ],
      ],
      [
        'unsettled',
        { ...RUNNING, phase: { at: 'unsettled', problem: PROBLEM } },
        [
          'error',
          `${why}: the cancel of run ID of orders was not confirmed, and the run may still be in progress.`,
          'Could not read the status of the run: HTTP 503 "away".',
          'Ask again later.',
          AGAIN,
        ],
      ],
    ])('%s', (_name, fields, words) => {
      expect(wordsFor({ ...fields, stop })).toEqual([...words, ...more]);
    });

    it('left', () => {
      const input = stop === interrupted ? 'on-cancel' : 'on-timeout';
      expect(wordsFor({ ...RUNNING, phase: { at: 'left' }, stop: { ...stop, policy: 'leave' } })).toEqual([
        level,
        `${why}: run ID of orders is left running, because ${input} is leave.`,
        GO_ON,
        ...more,
      ]);
    });

    it.each<[string, Partial<RunState>]>([
      ['detached', { phase: { at: 'detached' } }],
      ['not queued for a reason of its own', { ...NO_RUN, phase: { at: 'not_queued', problem: PROBLEM } }],
      ['triggering', { ...NO_RUN, phase: { at: 'triggering' } }],
      ['unknown', { ...NO_RUN, phase: { at: 'unknown', problem: RESET } }],
      ['lost', { ...RUNNING, phase: { at: 'lost', problem: PROBLEM } }],
    ])('%s: as if nobody had', (_name, fields) => {
      expect(wordsFor({ ...fields, stop })).toEqual(wordsFor(fields));
    });
  });
});

describe('the words for a run that may be dropping tables, or be more than one', () => {
  const unknown: Partial<RunState> = { ...NO_RUN, phase: { at: 'unknown', problem: RESET } };

  it('say so before all else', () => {
    expect(wordsFor(unknown, { 'full-resync': 'true', 'reset-target': 'true' })[2]).toBe(
      'It may be dropping tables right now.',
    );
  });

  it('do not say that it was triggered once when nobody knows', () => {
    expect(wordsFor(unknown, { 'on-lost-response': 'retry' }).slice(2)).toEqual([
      'on-lost-response is retry, so there may be several. The step cannot cancel them without their ids.',
      LOOK_FIRST,
    ]);
  });
});

describe('a run that ended in a way that succeed-on names', () => {
  it('needs no attention, however it ended', () => {
    const inputs = { 'succeed-on': 'failed, cancelled, timed_out' };
    for (const status of ['failed', 'cancelled', 'timed_out'] as const) {
      const [level, , ...advice] = wordsFor(ended(status), inputs);
      expect([level, advice]).toEqual(['log', []]);
    }
  });

  it('is a failure otherwise, and says why', () => {
    expect(wordsFor(ended('completed'), { 'succeed-on': 'skipped' })).toEqual([
      'error',
      'Run ID of orders completed after 3m 2s.',
      'This counts as a failure because succeed-on is skipped.',
    ]);
  });
});

describe('what the service says', () => {
  it('stays text, on one line', () => {
    const fields = {
      ...ended('failed'),
      pipeline: { id: JOB, name: '\n::error::a\u001B[31m b' },
      statusMessage: '##[error]c\r\n::stop-commands::d',
    };
    expect(wordsFor(fields)[1]).toBe(
      'Run ID of :\u200B:error::a b failed after 3m 2s: #\u200B#[error]c ::stop-commands::d.',
    );
  });

  it.each(['', ' ', '\u200B'])('is left out when it is %j', (statusMessage) => {
    expect(wordsFor({ ...ended('failed'), statusMessage })[1]).toBe('Run ID of orders failed after 3m 2s.');
  });

  it.each(['', '\u200B\n'])('is called something when its name is %j', (name) => {
    expect(wordsFor({ ...ended('completed'), pipeline: { id: JOB, name } })[1]).toBe(
      'Run ID of a pipeline without a name completed after 3m 2s.',
    );
  });
});
