// Tests existing runs: job-id alone awaits them, and job-id with a pipeline resumes a run or triggers a new one.
import { describe, expect, it } from 'vitest';
import type { ReadOutcome } from '../../../src/service/api.ts';
import { ends, FAILED, jobNumber, type Life, type Scripted, type ServiceScript } from '../../support/fake-service.ts';
import { memoryFiles } from '../../support/memory-files.ts';
import { each, saying, scenarios, signalAtRead } from '../../support/scenarios.ts';
import { JOB } from '../../support/service.ts';
import { playStep, STEP_FILES, type StepOptions } from '../../support/step.ts';

const { missing, perhaps, rejected } = FAILED;
const RESUMED = { 'job-id': JOB };
const ALONE = { pipeline: '', 'job-id': JOB, 'on-cancel': 'cancel' };

/** Defines the statuses of the earlier run and the outcomes of its first reads. A new run completes after 40 s. */
function earlier(life: Life, reads: readonly Scripted<ReadOutcome>[] = []): StepOptions & { service: ServiceScript } {
  const read = (nth: number, jobId: string) => (jobId === JOB ? reads[nth - 1] : undefined);
  return { service: { existing: { [JOB]: life }, life: () => ends(40_000), read } };
}

const CANCELLED = { outcomes: 'cancelled', statuses: 'cancelled', exitCode: 1 };

describe.each([
  ['await', ALONE],
  ['resume', RESUMED],
])('an existing run that the step should %s', (_verb, inputs) => {
  const connecting = (connect: ServiceScript['connect'], more: StepOptions = {}): StepOptions => ({
    ...more,
    service: { ...earlier('running').service, ...(connect && { connect }) },
    inputs: { ...inputs, ...more.inputs },
  });

  it('is recorded before the first call', async () => {
    const recorded: string[] = [];
    const files = memoryFiles();
    const { records } = await playStep({
      inputs,
      files,
      service: { ...earlier('running').service, connect: () => void recorded.push(files.text(STEP_FILES.state)) },
      interruptAtMs: 1_000,
    });
    expect(recorded[0]).toContain('"kind":"claimed"');
    expect(records[0]).toMatchObject({ run: 1, fact: { kind: 'claimed' }, jobId: JOB });
  });

  scenarios({
    'is cancelled if the step is interrupted while it exchanges the key': [
      connecting((nth) => (nth === 1 ? 'stalls' : undefined), { interruptAtMs: 3_000 }),
      { ...CANCELLED, facts: 'claimed finished', cancels: '3' },
    ],
    'is cancelled without a read if an interruption arrives before the step starts': [
      connecting(undefined, { interruptAt: 'start' }),
      { ...CANCELLED, calls: 'cancel' },
    ],
    'is left running after an interruption with on-cancel: leave': [
      connecting(() => 'stalls', { interruptAtMs: 3_000, inputs: { 'on-cancel': 'leave' } }),
      { outcomes: 'cancelled', cancels: '', outputs: { 'job-id': JOB } },
    ],
    'is left running after an interruption before the step starts with on-cancel: leave': [
      connecting(undefined, { interruptAt: 'start', inputs: { 'on-cancel': 'leave' } }),
      { outcomes: 'cancelled', calls: '', outputs: { 'job-id': JOB } },
    ],
    'is cancelled, and does not count as lost, if an interruption coincides with a failed key exchange': [
      connecting(undefined, {
        around: (api, { interrupt }) => ({ ...api, connect: () => Promise.resolve(rejected).finally(interrupt) }),
      }),
      CANCELLED,
    ],
    'counts as lost, not as missing, if the step cannot exchange the key': [
      connecting(() => perhaps),
      { outcomes: 'lost', statuses: 'unknown', facts: 'claimed lost', outputs: { 'job-id': JOB } },
    ],
  });
});

describe('a run that the step should resume', () => {
  const TAKEN = { triggers: '', outputs: { 'job-id': JOB } };
  const REPLACED = { triggers: '0', outputs: { 'job-id': jobNumber(1) }, exitCode: 0 };

  scenarios(
    {
      'is awaited if it is in progress, and is read again after the poll interval': [
        earlier(ends(70_000)),
        { ...TAKEN, reads: '0 30 60 90', facts: 'claimed finished', outcomes: 'succeeded' },
      ],
      'is awaited even if its status is unrecognized': [
        earlier(ends(20_000, 'skipped', 'paused')),
        { ...TAKEN, statuses: 'skipped' },
      ],
      'is not awaited with wait: false': [
        { ...earlier('running'), inputs: { wait: 'false' } },
        { outcomes: 'triggered', facts: 'claimed detached' },
      ],
      ...each(['completed', 'completed_with_warning', 'skipped'], (status) => [
        `provides the result if its final status is ${status}`,
        earlier(status),
        { ...TAKEN, statuses: status, reads: '0', endedAtMs: 0, exitCode: 0 },
      ]),
      ...each(['failed', 'cancelled', 'timed_out'], (status) => [
        `is replaced by a new run if its final status is ${status}`,
        earlier(status),
        { ...REPLACED, reads: '0 2 32 62', facts: 'claimed not_resumed intent queued finished' },
      ]),
      'is replaced by a new run, which is read early, if succeed-on does not contain its status': [
        { ...earlier('skipped', [perhaps]), inputs: { 'succeed-on': 'completed' } },
        { ...REPLACED, triggers: '30', reads: '0 30 32 62 92' },
      ],
      ...each(
        [
          ['the workspace does not contain it', missing],
          ['the service rejects the read', rejected],
          ['the service rejects the key', FAILED.keyRefused],
          ['the read fails with a permanent error', FAILED.notRetryable],
        ],
        ([why, outcome]) => [
          `counts as lost, and is not replaced by a new run, if ${why}`,
          earlier('running', [outcome]),
          {
            calls: 'connect list read',
            facts: 'claimed lost',
            results: [{ outcome: 'lost', 'job-id': JOB, error: saying('may be in progress') }],
          },
        ],
      ),
      ...each([perhaps, FAILED.notProcessed, FAILED.unauthorized], (failure) => [
        `is read, and not replaced, until max-outage expires if reads fail with "${failure.problem.cause}"`,
        { ...earlier('running', Array<ReadOutcome>(9).fill(failure)), inputs: { 'max-outage': '90s' } },
        { reads: '0 30 60 90', triggers: '', outcomes: 'lost' },
      ]),
      'is awaited once a read succeeds': [
        earlier(ends(140_000), [perhaps, FAILED.busy]),
        { ...TAKEN, outcomes: 'succeeded', reads: '0 30 75 105 135 165', log: saying('Retrying in 30s') },
      ],
      'is cancelled if the step is interrupted during the first read': [
        { ...earlier('running', ['stalls']), interruptAtMs: 5_000 },
        { ...CANCELLED, triggers: '', endedAtMs: 5_000 },
      ],
      'is cancelled if the step is interrupted after the first read has failed': [
        { ...earlier('running', [perhaps]), interruptAtMs: 5_000 },
        { ...CANCELLED, triggers: '', endedAtMs: 5_000 },
      ],
      'is cancelled, and does not count as lost, if an interruption coincides with a rejected read': [
        { ...earlier('running'), around: signalAtRead(rejected) },
        CANCELLED,
      ],
      'is cancelled if an interruption coincides with a successful read': [
        { ...earlier('running'), around: signalAtRead() },
        { ...CANCELLED, log: saying(`resumes run ${JOB}`) },
      ],
      'is left running, and the step fails, if its pipeline is unknown': [
        { ...earlier('running'), inputs: { pipeline: 'no-such-thing' } },
        { exitCode: 1, outcomes: 'lost', cancels: '', outputs: { 'job-id': JOB } },
      ],
      'is not cancelled if an interruption cancels the new run': [
        { ...earlier('failed'), interruptAtMs: 10_000 },
        { ...CANCELLED, cancels: '10', outputs: REPLACED.outputs, facts: 'claimed not_resumed intent queued finished' },
      ],
    },
    { inputs: RESUMED },
  );
});

describe('job-id alone', () => {
  const [A, B, C] = [jobNumber(901), jobNumber(902), jobNumber(903)];
  const existing = (a: Life, b: Life = 'completed') => ({
    service: { existing: { [A]: a, [B]: b, [C]: 'completed' } },
  });
  const one = { 'job-id': A };

  scenarios(
    {
      'reads all runs at once, and neither lists pipelines nor triggers a run': [
        existing('completed'),
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
      'awaits the other runs after a failure even if fail-fast is set': [
        { ...existing('failed'), inputs: { 'fail-fast': 'true' } },
        'failed succeeded succeeded',
      ],
      'reports a run as lost at once if its first read does not find it': [
        { service: { existing: { [A]: 'completed', [B]: 'completed' } } },
        { calls: 'connect read×3', outcomes: 'succeeded succeeded lost', results: [{}, {}, { error: saying(C) }] },
      ],
      'repeats the first read of a run if that read fails': [
        { inputs: one, service: { ...existing(ends(50_000)).service, read: (nth) => [perhaps, rejected][nth - 1] } },
        { outcomes: 'succeeded', reads: '0 30 60' },
      ],
      'keeps waiting for a known run that two reads do not find': [
        {
          inputs: one,
          service: { ...existing(ends(80_000)).service, read: (nth) => [undefined, missing, missing][nth - 1] },
        },
        { outcomes: 'succeeded', reads: '0 30 60 90' },
      ],
      'leaves the runs running if the step is interrupted': [
        { ...existing('running', 'running'), interruptAtMs: 40_000 },
        { cancels: '', outcomes: 'cancelled cancelled succeeded', facts: 'claimed claimed claimed finished' },
      ],
    },
    { inputs: { pipeline: '', 'job-id': [A, B, C].join('\n') } },
  );
});
