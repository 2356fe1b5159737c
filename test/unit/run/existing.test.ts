// Tests existing runs. job-id alone awaits them, and job-id with a pipeline resumes a run or triggers a new one.
import { describe, expect, it } from 'vitest';
import type { ReadOutcome, Service } from '../../../src/service/api.ts';
import {
  ends,
  FAILED,
  jobNumber,
  type Life,
  rowOf,
  type Scripted,
  type ServiceScript,
} from '../../support/fake-service.ts';
import { rows, type Scenario, saying, scenarios } from '../../support/scenarios.ts';
import { JOB } from '../../support/service.ts';
import { playStep, STEP_FILES, type Stage, type StepOptions } from '../../support/step.ts';

const { perhaps, rejected } = FAILED;
const missing = { kind: 'missing' } as const;
const RUNNING: Life = [[0, 'running']];
const RESUMED = { 'job-id': JOB };
const ALONE = { pipeline: '', 'job-id': JOB, 'on-cancel': 'cancel' };

/** Gives the earlier run this life and these first reads. A newly triggered run completes after 40 s. */
function earlier(life: Life, reads: readonly Scripted<ReadOutcome>[] = []): StepOptions & { service: ServiceScript } {
  const read = (nth: number, jobId: string) => (jobId === JOB ? reads[nth - 1] : undefined);
  return { service: { existing: { [JOB]: life }, life: () => ends(40_000), read } };
}

/** Signals the step on the response to the first read, which is `instead` or else the usual response. */
const signalAtRead =
  (instead?: ReadOutcome) =>
  (service: Service, { interrupt }: Stage): Service => ({
    ...service,
    async read(jobId, options) {
      const outcome = await service.read(jobId, options);
      interrupt();
      return instead ?? outcome;
    },
  });

const CANCELLED = { outcomes: 'cancelled', statuses: 'cancelled', exitCode: 1 };

describe.each([
  ['awaited', ALONE],
  ['resumed', RESUMED],
])('an existing run to be %s', (_how, inputs) => {
  const connecting = (connect: ServiceScript['connect'], more: StepOptions = {}): StepOptions => ({
    ...more,
    service: { ...earlier(RUNNING).service, ...(connect && { connect }) },
    inputs: { ...inputs, ...more.inputs },
  });

  it('is recorded before the first call', async () => {
    let recorded = '';
    const around = (service: Service, { files }: Stage): Service => ({
      ...service,
      connect: (options) => {
        recorded = files.text(STEP_FILES.state);
        return service.connect(options);
      },
    });
    const { records } = await playStep({ ...earlier(RUNNING), inputs, around, interruptAtMs: 1_000 });
    expect(recorded).toContain('"kind":"claimed"');
    expect(records[0]).toMatchObject({ run: 1, fact: { kind: 'claimed' }, jobId: JOB });
  });

  scenarios({
    'is cancelled if the step is interrupted during the exchange of the key': [
      connecting((nth) => (nth === 1 ? 'stalls' : undefined), { interruptAtMs: 3_000 }),
      { ...CANCELLED, facts: 'claimed finished', cancels: '3' },
    ],
    'is cancelled if the step is interrupted between two exchanges': [
      connecting((nth) => (nth < 3 ? perhaps : undefined), { interruptAtMs: 100 }),
      { ...CANCELLED, cancels: '0.1' },
    ],
    'is cancelled without a read if the step is interrupted before it starts': [
      connecting(undefined, { interruptAt: 'start' }),
      { ...CANCELLED, calls: 'cancel' },
    ],
    'is left running with on-cancel: leave': [
      connecting(() => 'stalls', { interruptAtMs: 3_000, inputs: { 'on-cancel': 'leave' } }),
      { outcomes: 'cancelled', cancels: '', outputs: { 'job-id': JOB } },
    ],
    'counts as lost, not as missing, if the key cannot be exchanged': [
      connecting(() => perhaps),
      { outcomes: 'lost', statuses: 'unknown', facts: 'claimed lost', outputs: { 'job-id': JOB } },
    ],
    'is neither recorded nor cancelled by a dry run': [
      connecting(() => 'stalls', { interruptAtMs: 3_000, inputs: { 'dry-run': 'true' } }),
      { facts: '', cancels: '' },
    ],
  });
});

describe('a run to be resumed', () => {
  const TAKEN = { triggers: '', outputs: { 'job-id': JOB } };
  const REPLACED = { triggers: '0', outputs: { 'job-id': jobNumber(1) }, exitCode: 0 };
  const failing = { reads: '0 30 60 90', triggers: '', outcomes: 'lost' };

  scenarios(
    {
      'is awaited if it is in progress, with the next read an interval after the first': [
        earlier(ends(70_000)),
        { ...TAKEN, reads: '0 30 60 90', facts: 'claimed finished', outcomes: 'succeeded' },
      ],
      'is awaited in an unknown status': [
        earlier([
          [0, 'paused'],
          [20_000, 'skipped'],
        ]),
        { ...TAKEN, statuses: 'skipped' },
      ],
      'is cancelled like a triggered run': [
        { ...earlier(RUNNING), interruptAtMs: 45_000 },
        { ...CANCELLED, cancels: '45' },
      ],
      'is not awaited with wait: false': [
        { ...earlier(RUNNING), inputs: { wait: 'false' } },
        { outcomes: 'triggered', facts: 'claimed detached' },
      ],
      ...rows(
        ['completed', 'completed_with_warning', 'skipped'].map(
          (status): Scenario => [
            `provides the result if it has ended as ${status}`,
            earlier([[0, status]]),
            { ...TAKEN, statuses: status, reads: '0', endedAtMs: 0, exitCode: 0 },
          ],
        ),
      ),
      ...rows(
        ['failed', 'cancelled', 'timed_out'].map(
          (status): Scenario => [
            `is replaced by a new run if it has ended as ${status}`,
            earlier([[0, status]]),
            { ...REPLACED, reads: '0 2 32 62', facts: 'claimed not_resumed intent queued finished' },
          ],
        ),
      ),
      'is replaced by a new run if succeed-on does not contain its status': [
        { ...earlier([[0, 'skipped']]), inputs: { 'succeed-on': 'completed' } },
        REPLACED,
      ],
      ...rows(
        (
          [
            ['is missing', missing],
            ['is rejected', rejected],
            ['needs a key that is rejected', FAILED.keyRefused],
            ['needs a certificate that is not trusted', FAILED.notRetryable],
          ] as const
        ).map(
          ([why, outcome]): Scenario => [
            `is lost, and not replaced by a new run, if it ${why}`,
            earlier(RUNNING, [outcome]),
            {
              calls: 'connect list read',
              facts: 'claimed lost',
              results: [{ outcome: 'lost', 'job-id': JOB, error: saying('may be in progress') }],
            },
          ],
        ),
      ),
      ...rows(
        [perhaps, FAILED.notProcessed, FAILED.unauthorized].map(
          (failure): Scenario => [
            `is read again until max-outage ends, and not replaced by a new run (${failure.problem.cause})`,
            {
              ...earlier(
                RUNNING,
                Array.from({ length: 9 }, () => failure),
              ),
              inputs: { 'max-outage': '100s' },
            },
            failing,
          ],
        ),
      ),
      'is awaited once it can be read again': [
        earlier(ends(140_000), [perhaps, FAILED.busy]),
        { ...TAKEN, outcomes: 'succeeded', reads: '0 30 75 105 135 165' },
      ],
      'is cancelled if the step is interrupted during the first read': [
        { ...earlier(RUNNING, ['stalls']), interruptAtMs: 5_000 },
        { ...CANCELLED, triggers: '', endedAtMs: 5_000 },
      ],
      'is cancelled if the step is interrupted after the first read has failed': [
        { ...earlier(RUNNING, [perhaps]), interruptAtMs: 5_000 },
        { ...CANCELLED, triggers: '', endedAtMs: 5_000 },
      ],
      'is cancelled rather than lost if its read is rejected at the moment of a signal': [
        { ...earlier(RUNNING), around: signalAtRead(rejected) },
        CANCELLED,
      ],
      'is cancelled if its row arrives at the moment of a signal': [
        { ...earlier(RUNNING), around: signalAtRead() },
        { ...CANCELLED, log: saying(`resumes run ${JOB}`) },
      ],
      'is left running, with an error, if its pipeline is unknown': [
        { ...earlier(RUNNING), inputs: { pipeline: 'no-such-thing' } },
        { exitCode: 1, outcomes: 'lost', cancels: '', outputs: { 'job-id': JOB } },
      ],
    },
    { inputs: RESUMED },
  );

  it('is not cancelled if an interruption cancels the new run', async () => {
    const { made, facts } = await playStep({ ...earlier([[0, 'failed']]), inputs: RESUMED, interruptAtMs: 10_000 });
    expect(made('cancel').map(({ jobId }) => jobId)).toEqual([jobNumber(1)]);
    expect(facts).toBe('claimed not_resumed intent queued finished');
  });
});

describe('job-id alone', () => {
  const [A, B, C] = [jobNumber(901), jobNumber(902), jobNumber(903)];
  const DONE: Life = [[0, 'completed']];
  const existing = (a: Life, b: Life = DONE): StepOptions => ({ service: { existing: { [A]: a, [B]: b, [C]: DONE } } });
  const one = { 'job-id': A };

  scenarios(
    {
      'reads all runs at once, without a list or a trigger': [
        existing(DONE),
        {
          exitCode: 0,
          calls: 'connect read×3',
          endedAtMs: 0,
          outputs: { 'job-id': [A, B, C].join('\n'), outcome: 'succeeded', 'job-status': 'completed' },
          results: [A, B, C].map((id) => ({ pipeline: '', 'job-id': id })),
          facts: 'claimed claimed claimed finished finished finished',
        },
      ],
      'awaits the runs that are in progress': [
        existing(ends(50_000, 'failed')),
        { exitCode: 1, reads: '0 0 0 30 60', outcomes: 'failed succeeded succeeded', outputs: { outcome: 'failed' } },
      ],
      'immediately loses a run that its first read does not find': [
        { service: { existing: { [A]: DONE, [B]: DONE } } },
        {
          exitCode: 1,
          calls: 'connect read×3',
          outcomes: 'succeeded succeeded lost',
          results: [{}, {}, { error: saying(C) }],
        },
      ],
      'repeats the first read of a run if it fails': [
        {
          ...existing(ends(50_000)),
          inputs: one,
          service: { ...existing(ends(50_000)).service, read: (nth) => [perhaps, rejected][nth - 1] },
        },
        { outcomes: 'succeeded', reads: '0 30 60' },
      ],
      'keeps waiting for a known run that two reads do not find': [
        {
          inputs: one,
          service: {
            ...existing(ends(80_000)).service,
            read: (nth) => [rowOf(A, 'running'), missing, missing][nth - 1],
          },
        },
        { outcomes: 'succeeded', reads: '0 30 60 90' },
      ],
      'leaves the runs running when the step is cancelled': [
        { ...existing(RUNNING, RUNNING), interruptAtMs: 40_000 },
        {
          cancels: '',
          outputs: { outcome: 'cancelled', 'job-status': 'running' },
          facts: 'claimed claimed claimed finished',
        },
      ],
      'cancels the runs when the step is cancelled and on-cancel is cancel': [
        { ...existing(RUNNING, RUNNING), interruptAtMs: 40_000, inputs: { 'on-cancel': 'cancel' } },
        { cancels: '40 40', outputs: { outcome: 'cancelled', 'job-status': 'cancelled' } },
      ],
      'leaves the runs running on timeout': [
        { ...existing(RUNNING), inputs: { timeout: '45s' } },
        { cancels: '', outputs: { outcome: 'wait_timed_out', 'job-status': 'running' } },
      ],
      'cancels the runs on timeout with on-timeout: cancel': [
        { ...existing(RUNNING), inputs: { timeout: '45s', 'on-timeout': 'cancel' } },
        { cancels: '45', outputs: { outcome: 'wait_timed_out', 'job-status': 'cancelled' } },
      ],
    },
    { inputs: { pipeline: '', 'job-id': [A, B, C].join('\n') } },
  );
});
