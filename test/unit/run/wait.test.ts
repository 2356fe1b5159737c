// Tests how main awaits a run: the times of its reads, the outages that it survives, and queue-timeout.
import { describe, expect, it } from 'vitest';
import type { ReadOutcome } from '../../../src/service/api.ts';
import type { Inputs } from '../../support/action.ts';
import { ends, FAILED, jobNumber, type Life, rowOf, type Scripted } from '../../support/fake-service.ts';
import { each, saying, scenarios, signalAtRead } from '../../support/scenarios.ts';
import { JOB } from '../../support/service.ts';
import { playStep, type StepOptions } from '../../support/step.ts';

const { missing, perhaps, rejected, keyRefused } = FAILED;
const good = rowOf(jobNumber(1), 'running');

const COMPLETES: Life = [
  [0, 'queued'],
  [50_000, 'running'],
  [300_000, 'completed'],
];
const common: StepOptions = { service: { life: () => COMPLETES } };

const lives = (...life: Exclude<Life, string>): StepOptions => ({ service: { life: () => life } });
const times = <T>(count: number, one: T): readonly T[] => Array.from({ length: count }, () => one);

/** Sets the outcomes of the reads, in order. All later reads show the actual status of the run. */
function reading(reads: readonly Scripted<ReadOutcome>[], life = COMPLETES): StepOptions {
  return { service: { life: () => life, read: (nth) => reads[nth - 1] } };
}

const SUCCEEDED = { outcomes: 'succeeded', exitCode: 0 };
const LOST = { outcomes: 'lost', exitCode: 1, facts: 'intent queued lost', cancels: '' };

describe('an awaited run', () => {
  scenarios(
    {
      'is read after 2 s and then once per poll interval until it has finished': [
        {},
        {
          ...SUCCEEDED,
          reads: '2 32 62 92 122 152 182 212 242 272 302',
          facts: 'intent queued finished',
          endedAtMs: 302_000,
        },
      ],
      'is read one poll interval after the last response, not after the last request': [
        { service: { callMs: 4_000, life: () => ends(60_000) } },
        { reads: '14 48 82' },
      ],
      'is cancelled if the step stops during a read': [
        { ...reading(['stalls']), interruptAtMs: 5_000 },
        { cancels: '5' },
      ],
      ...each(['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped'], (status) => [
        `has finished if its status is ${status}`,
        lives([0, status]),
        { statuses: status, reads: '2' },
      ]),
      ...each(['queued', 'picked', 'running', 'paused', 'COMPLETED', 'completed ', ''], (status) => [
        `is in progress if its status is "${status}"`,
        lives([0, status], [60_000, 'completed']),
        { ...SUCCEEDED, reads: '2 32 62' },
      ]),
    },
    common,
  );
});

describe('three reads in a row', () => {
  scenarios(
    {
      'that do not find the run mark the run as lost': [reading(times(3, missing)), { ...LOST, reads: '2 32 62' }],
      'that the service rejects mark the run as lost': [reading(times(3, rejected)), { ...LOST, reads: '2 32 62' }],
      'that fail in different ways do not mark the run as lost': [
        reading([missing, missing, rejected, rejected, missing, missing, perhaps, missing, missing]),
        SUCCEEDED,
      ],
      'do not mark the run as lost if one succeeds': [reading([missing, missing, good, missing, missing]), SUCCEEDED],
    },
    common,
  );
});

describe('an outage', () => {
  const short = { 'max-outage': '100s' };
  const bad = times(3, perhaps);
  const causes = [perhaps, FAILED.notProcessed, FAILED.notRetryable, FAILED.unauthorized];
  scenarios(
    {
      ...each(causes, (failure) => [
        `marks the run as lost after max-outage (${failure.problem.cause})`,
        { ...reading(times(50, failure), 'running'), inputs: short },
        { ...LOST, reads: '2 32 62 92 122', results: [{ error: saying(failure.problem.cause) }] },
      ]),
      'starts at the last successful response, and ends at the next one': [
        { ...reading([good, ...bad, good, ...bad, good, ...times(9, perhaps)], 'running'), inputs: short },
        { ...LOST, calls: 'connect list trigger read×13' },
      ],
      'delays the next read by Retry-After': [
        reading([FAILED.busy, FAILED.busy]),
        { ...SUCCEEDED, reads: '2 47 92 122 152 182 212 242 272 302' },
      ],
      'requires more than one failed read, even with a long poll interval': [
        {
          ...reading([good, perhaps, good, perhaps, perhaps], 'running'),
          inputs: { ...short, 'poll-interval': '20m' },
          longestMs: 6_000_000,
        },
        { ...LOST, reads: '2 1202 2402 3602 4802' },
      ],
      'marks the run as lost after three key rejections over a period of one minute': [
        reading(times(9, keyRefused)),
        { ...LOST, reads: '2 32 62' },
      ],
      'does not mark the run as lost if all key rejections occur within less than a minute': [
        {
          ...reading([...times(5, keyRefused), perhaps], ends(80_000)),
          inputs: { 'base-url': 'http://localhost:1', 'poll-interval': '14s' },
        },
        { ...SUCCEEDED, reads: '2 16 30 44 58 72 86' },
      ],
      'does not mark the run as lost after two key rejections and other failures': [
        reading([keyRefused, perhaps, perhaps, keyRefused]),
        SUCCEEDED,
      ],
      'ends at a successful response between key rejections': [
        reading([keyRefused, keyRefused, good, keyRefused, keyRefused]),
        SUCCEEDED,
      ],
      'does not mark the run as lost if the step is interrupted during the last failed read': [
        { around: signalAtRead(rejected, 62_000) },
        { outcomes: 'cancelled', statuses: 'cancelled', facts: 'intent queued finished' },
      ],
    },
    common,
  );

  it('is reported once when it ends', async () => {
    const { lines } = await playStep(reading([good, perhaps, perhaps], ends(200_000)));
    expect(lines.filter((line) => /after 1m 30s/.test(line))).toHaveLength(1);
  });
});

describe('queue-timeout', () => {
  const limit = (queueTimeout: string): Inputs => ({ 'queue-timeout': queueTimeout, 'on-timeout': 'leave' });
  const QUEUED = { life: () => 'queued', existing: { [JOB]: 'queued' } };
  const TIMED_OUT = { outcomes: 'wait_timed_out', statuses: 'queued', facts: 'intent queued stopped' };
  scenarios(
    {
      'ends the wait at the next read': [{ service: QUEUED }, { ...TIMED_OUT, reads: '2 32 62' }],
      'takes effect at a read exactly at the deadline': [
        { service: QUEUED, inputs: limit('62s') },
        { ...TIMED_OUT, reads: '2 32 62' },
      ],
      'does not end the wait before the deadline': [
        { service: QUEUED, inputs: limit('63s') },
        { ...TIMED_OUT, reads: '2 32 62 92' },
      ],
      ...each(['picked', 'running', 'paused'], (status) => [
        `does not apply to a run that is ${status}`,
        lives([0, 'queued'], [40_000, status], [400_000, 'completed']),
        SUCCEEDED,
      ]),
      'does not apply to a run that a single stale read shows as queued': [
        lives([0, 'running'], [120_000, 'queued'], [150_000, 'running'], [200_000, 'completed']),
        SUCCEEDED,
      ],
      'restarts at the first read after the run returns to the queue': [
        lives([0, 'queued'], [40_000, 'running'], [100_000, 'queued']),
        { outcomes: 'wait_timed_out', endedAtMs: 182_000 },
      ],
      'does not end the wait at the first read even if the deadline has passed': [
        { service: QUEUED, inputs: limit('1s') },
        { ...TIMED_OUT, reads: '2 32' },
      ],
      'counts from the first read of a resumed run that is queued': [
        { inputs: { ...limit('30s'), 'job-id': JOB }, service: QUEUED },
        { outcomes: 'wait_timed_out', reads: '0 30' },
      ],
      'does not include the time during which a resumed run was running': [
        { inputs: { ...limit('30s'), 'job-id': JOB }, service: { existing: { [JOB]: ends(20_000, 'queued') } } },
        { outcomes: 'wait_timed_out', reads: '0 30 60' },
      ],
      'does not end the wait at a failed read': [
        reading(times(3, perhaps), [
          [0, 'queued'],
          [65_000, 'running'],
          [100_000, 'completed'],
        ]),
        SUCCEEDED,
      ],
    },
    { ...common, inputs: limit('60s') },
  );
});
