// Tests max-attempts: which results trigger a pipeline again, the delay before that, and the outputs afterwards.
import { describe, expect, it } from 'vitest';
import { ends, FAILED, jobNumber, type Life, pipelineNumber, type ServiceScript } from '../../support/fake-service.ts';
import { fullDisk, matching, rows, type Scenario, saying, scenarios } from '../../support/scenarios.ts';
import { playStep, STEP_FILES, type StepOptions } from '../../support/step.ts';

/** The lives of the runs, in trigger order. All further runs repeat the last life. */
const lives = (...all: readonly Life[]): ServiceScript => ({ life: (nth) => all[Math.min(nth, all.length) - 1] ?? [] });

const [FAILS, WELL] = [ends(30_000, 'failed'), ends(30_000)];
const OLD = jobNumber(9);
const common: StepOptions = { inputs: { pipeline: pipelineNumber(1), 'max-attempts': '3' }, service: lives(FAILS) };
const of = (count: number): string => Array.from({ length: count }, (_, index) => pipelineNumber(index + 1)).join('\n');

describe('max-attempts', () => {
  scenarios(
    {
      'triggers the pipeline again a minute after a failure, and succeeds with a warning': [
        { service: lives(FAILS, WELL) },
        {
          exitCode: 0,
          // The reads follow 2 s and 32 s after the trigger.
          triggers: '0 92',
          outputs: { 'job-id': jobNumber(2), 'job-status': 'completed', outcome: 'succeeded', duration: '124' },
          annotations: [{ level: 'warning', message: saying('attempt 2 of 3') }],
          results: [
            {
              attempts: [
                { id: jobNumber(1), status: 'failed', duration: '32' },
                { id: jobNumber(2), status: 'completed', duration: '32' },
              ],
            },
          ],
          facts: 'intent queued finished intent queued finished',
          records: [1, 1, 1, 2, 2, 2].map((attempt) => ({ attempt })),
          log: saying('attempt 2 of 3 follows'),
        },
      ],
      'fails the step after the last attempt, with the id of the last run': [
        { inputs: { 'retry-delay': '5m' } },
        {
          exitCode: 1,
          triggers: '0 332 664',
          outputs: { 'job-id': jobNumber(3), outcome: 'failed', message: saying('Attempts made: 3 of 3') },
        },
      ],
      'keeps the last result if the next attempt would begin after the timeout': [
        { inputs: { timeout: '80s' } },
        {
          triggers: '0',
          outputs: { outcome: 'failed', 'job-id': jobNumber(1), message: saying('Attempts made: 1 of 3') },
        },
      ],
      'ends the step at once after an interruption during the pause': [
        { interruptAtMs: 40_000 },
        {
          exitCode: 1,
          triggers: '0',
          endedAtMs: 40_000,
          outcomes: 'cancelled',
          statuses: 'failed',
          outputs: { 'job-id': jobNumber(1) },
        },
      ],
      'lets an interruption cancel the run of the current attempt': [
        { service: lives(FAILS, ends(900_000)), interruptAtMs: 100_000 },
        { cancels: '100', outcomes: 'cancelled', statuses: 'cancelled', outputs: { 'job-id': jobNumber(2) } },
      ],
      ...rows(
        (
          [
            ['rejected', { kind: 'no_credits' }, 'failed'],
            ['not answered', FAILED.perhaps, 'unknown'],
          ] as const
        ).map(
          ([how, answer, outcome]): Scenario => [
            `keeps the id of the last run if the next trigger is ${how}`,
            { service: { trigger: (nth) => (nth === 1 ? undefined : answer) } },
            {
              exitCode: 1,
              triggers: '0 92',
              outputs: { outcome, 'job-status': outcome, 'job-id': jobNumber(1), message: matching(/attempt 2 of 3/i) },
            },
          ],
        ),
      ),
      'counts a resumed run as the first attempt': [
        { inputs: { 'job-id': OLD }, service: { ...lives(WELL), existing: { [OLD]: ends(10_000, 'failed') } } },
        { outputs: { outcome: 'succeeded', 'job-id': jobNumber(1), message: saying('attempt 2 of 3') } },
      ],
      'does not count an earlier run that has already ended': [
        { inputs: { 'job-id': OLD }, service: { existing: { [OLD]: [[0, 'failed']] } } },
        { triggers: '0 92 184' },
      ],
      ...rows(
        (
          [
            ['a success', {}, lives(WELL)],
            ['a cancel by a user', {}, lives(ends(30_000, 'cancelled'))],
            ['a status that is not in retry-on', { 'retry-on': 'timed_out' }, {}],
            ['a lost run', {}, { read: () => ({ kind: 'missing' }) }],
            ['a lost response', {}, { trigger: () => FAILED.perhaps }],
            ['a rejected trigger', {}, { trigger: () => ({ kind: 'no_credits' }) }],
            ['a timeout', { timeout: '20s' }, {}],
            ['a queue-timeout', { 'queue-timeout': '1m' }, lives([[0, 'queued']])],
            ['wait: false', { wait: 'false' }, {}],
          ] satisfies [string, StepOptions['inputs'], ServiceScript][]
        ).map(
          ([what, inputs, service]): Scenario => [
            `does not trigger the pipeline again after ${what}`,
            { inputs, service },
            { triggers: '0', facts: expect.not.stringMatching(/intent.*intent/) as string },
          ],
        ),
      ),
      'does not trigger the pipeline again if another run may exist': [
        {
          inputs: { 'on-lost-response': 'retry' },
          service: { trigger: (nth) => (nth === 1 ? { ...FAILED.perhaps, retryAfterMs: 20_000 } : undefined) },
        },
        { triggers: '0 20', statuses: 'failed' },
      ],
      'does not trigger the pipeline again if the end of the run cannot be recorded': [
        fullDisk(/"kind":"finished"/),
        { triggers: '0', statuses: 'failed' },
      ],
      'does not apply to job-id alone': [
        { inputs: { pipeline: '', 'job-id': OLD }, service: { existing: { [OLD]: FAILS } } },
        { triggers: '', outcomes: 'failed' },
      ],
    },
    common,
  );

  it('lists the runs of all attempts in the summary', async () => {
    const { files } = await playStep({ ...common, service: lives(FAILS, WELL) });
    for (const nth of [1, 2]) expect(files.text(STEP_FILES.summary)).toContain(jobNumber(nth));
  });
});

describe('max-attempts with several pipelines', () => {
  const many = { life: (nth: number) => (nth > 60 ? WELL : FAILS) };
  scenarios(
    {
      'frees the slot during the pause, and then gives a retry priority over pipelines that have not started': [
        { inputs: { pipeline: of(3), 'max-parallel': '1' }, service: lives(FAILS, ends(200_000), WELL) },
        { triggered: '1 2 1 3' },
      ],
      'delays fail-fast until the last attempt has failed': [
        { inputs: { pipeline: of(2), 'fail-fast': 'true' }, service: lives(FAILS, ends(600_000), FAILS) },
        { triggered: '1 2 1 1', outcomes: 'failed cancelled' },
      ],
      'does not trigger a pipeline again once fail-fast has stopped the step': [
        {
          inputs: { pipeline: of(2), 'fail-fast': 'true', 'retry-delay': '10m' },
          service: lives(FAILS, ends(60_000, 'cancelled'), WELL),
        },
        { triggered: '1 2', outcomes: 'failed failed' },
      ],
      'omits the attempts of successful runs from results if there is no room': [
        { inputs: { pipeline: of(60) }, service: many },
        {
          results: expect.not.arrayContaining([
            expect.objectContaining({ attempts: expect.anything() as unknown }),
          ]) as unknown,
        },
      ],
    },
    common,
  );
});
