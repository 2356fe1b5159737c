// Tests max-attempts: the results that lead to another attempt, the delay before it, and the outputs after it.
import { describe, expect, it } from 'vitest';
import { ends, FAILED, jobNumber, type Life, pipelines, rowOf } from '../../support/fake-service.ts';
import { each, fullDisk, matching, saying, scenarios } from '../../support/scenarios.ts';
import { playStep, STEP_FILES, type StepOptions } from '../../support/step.ts';

/** Sets the statuses of the runs in trigger order. All later runs repeat the statuses of the last one. */
const lives = (...all: readonly Life[]) => ({ life: (nth: number) => all[Math.min(nth, all.length) - 1] ?? [] });

const [FAILS, WELL] = [ends(30_000, 'failed'), ends(30_000)];
const OLD = jobNumber(9);
/** A lost response, which is followed by a known pause. */
const LOST = { ...FAILED.perhaps, retryAfterMs: 20_000 };
const RETRY = { inputs: { 'on-lost-response': 'retry' } };
const common: StepOptions = { inputs: { 'max-attempts': '3' }, service: lives(FAILS) };

describe('max-attempts', () => {
  scenarios(
    {
      'triggers the pipeline again a minute after a failure, and the step succeeds with a warning': [
        { service: lives(FAILS, WELL) },
        {
          exitCode: 0,
          // The step reads each run 2 s and 32 s after its trigger.
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
      'fails the step after the last attempt, and outputs the id of the last run': [
        { inputs: { 'retry-delay': '5m' } },
        {
          exitCode: 1,
          triggers: '0 332 664',
          outputs: { 'job-id': jobNumber(3), outcome: 'failed', message: saying('3 of 3 attempts') },
        },
      ],
      'keeps the last result if the next attempt would not begin before the timeout': [
        { inputs: { timeout: '92s' } },
        { triggers: '0', outputs: { outcome: 'failed', 'job-id': jobNumber(1), message: saying('1 of 3 attempts') } },
      ],
      'ends the step at once if it is interrupted during the pause': [
        { interruptAtMs: 40_000 },
        {
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
      ...each(
        [
          ['no credits are left for the next trigger', { kind: 'no_credits' }, 'failed'],
          ['the response to the next trigger is lost', FAILED.perhaps, 'unknown'],
        ],
        ([what, answer, outcome]) => [
          `keeps the id of the last run if ${what}`,
          { service: { trigger: (nth) => (nth === 1 ? undefined : answer) } },
          {
            exitCode: 1,
            triggers: '0 92',
            outputs: { outcome, 'job-status': outcome, 'job-id': jobNumber(1), message: matching(/attempt 2 of 3/i) },
          },
        ],
      ),
      'counts a resumed run as the first attempt': [
        { inputs: { 'job-id': OLD }, service: { ...lives(WELL), existing: { [OLD]: ends(10_000, 'failed') } } },
        {
          reads: '0 30 92 122',
          outputs: { outcome: 'succeeded', 'job-id': jobNumber(1), message: saying('attempt 2 of 3') },
        },
      ],
      'does not count an earlier run that had finished before the step started': [
        { inputs: { 'job-id': OLD }, service: { existing: { [OLD]: 'failed' } } },
        { triggers: '0 92 184' },
      ],
      ...each<[string, Required<StepOptions>['inputs'], Required<StepOptions>['service']]>(
        [
          ['a successful run', {}, lives(WELL)],
          ['a cancellation by a user', {}, lives(ends(30_000, 'cancelled'))],
          ['a status that is not in retry-on', { 'retry-on': 'timed_out' }, {}],
          ['a lost run', {}, { read: () => FAILED.missing }],
          ['a lost response', {}, { trigger: () => FAILED.perhaps }],
          ['a rejected trigger', {}, { trigger: () => ({ kind: 'no_credits' }) }],
          ['a timeout', { timeout: '20s' }, {}],
          ['a queue-timeout', { 'queue-timeout': '1m' }, lives('queued')],
          [
            'a run that fails while a queue-timeout cancels it',
            { 'queue-timeout': '1m' },
            { ...lives('queued'), cancel: () => rowOf(jobNumber(1), 'failed') },
          ],
          ['a run that is detached by wait: false', { wait: 'false' }, {}],
        ],
        ([what, inputs, service]) => [
          `does not trigger the pipeline again after ${what}`,
          { inputs, service },
          { triggers: '0', log: expect.not.stringContaining('follows') as string },
        ],
      ),
      'does not trigger the pipeline again if an earlier trigger may have queued another run': [
        { ...RETRY, service: { trigger: (nth) => [LOST][nth - 1] } },
        { triggers: '0 20', statuses: 'failed' },
      ],
      'does not trigger the pipeline again if the second attempt may have queued another run': [
        { ...RETRY, service: { trigger: (nth) => [undefined, LOST][nth - 1] } },
        { triggers: '0 92 112', statuses: 'failed' },
      ],
      'limits the attempts even if a trigger may be repeated after a lost response': [
        RETRY,
        { triggered: '1 1 1', outcomes: 'failed' },
      ],
      'lets queue-timeout cancel a later attempt, and records the number of the attempt': [
        { inputs: { 'queue-timeout': '1m' }, service: lives(FAILS, 'queued') },
        {
          outcomes: 'wait_timed_out',
          statuses: 'cancelled',
          records: expect.arrayContaining([
            expect.objectContaining({ attempt: 2, fact: expect.objectContaining({ kind: 'stopped' }) as unknown }),
          ]) as unknown,
        },
      ],
      'does not trigger the pipeline again if the final status cannot be recorded': [
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
      'lets a second attempt wait for a slot of max-parallel, before pipelines that have not started': [
        { inputs: { pipeline: pipelines(3), 'max-parallel': '1' }, service: lives(FAILS, ends(200_000), WELL) },
        { triggered: '1 2 1 3', triggers: '0 32 244 276' },
      ],
      'keeps trying to cancel a later attempt while another pipeline is in progress': [
        {
          inputs: { pipeline: pipelines(2), 'queue-timeout': '1m' },
          service: {
            ...lives(FAILS, ends(900_000), 'queued'),
            cancel: (nth, id) => (id === jobNumber(3) && nth < 20 ? FAILED.perhaps : undefined),
          },
        },
        { statuses: 'cancelled completed', triggered: '1 2 1' },
      ],
      'delays fail-fast until the last attempt has failed': [
        { inputs: { pipeline: pipelines(2), 'fail-fast': 'true' }, service: lives(FAILS, ends(600_000), FAILS) },
        { triggered: '1 2 1 1', outcomes: 'failed cancelled' },
      ],
      ...each(['cancel', 'leave'], (policy) => [
        `does not trigger a pipeline again, or wait to do so, after fail-fast with on-cancel: ${policy}`,
        {
          inputs: { pipeline: pipelines(2), 'fail-fast': 'true', 'retry-delay': '10m', 'on-cancel': policy },
          service: lives(FAILS, ends(60_000, 'cancelled'), WELL),
        },
        { triggered: '1 2', outcomes: 'failed failed', endedAtMs: 62_000 },
      ]),
      'does not announce another attempt of a run that fails after fail-fast with on-cancel: leave': [
        {
          inputs: { pipeline: pipelines(2), 'fail-fast': 'true', 'on-cancel': 'leave' },
          service: lives(ends(30_000, 'cancelled'), ends(60_000, 'failed')),
        },
        { triggered: '1 2', outcomes: 'failed failed', log: expect.not.stringContaining('follows') as string },
      ],
      'omits the attempts of successful runs from the results output if there is no room for them': [
        { inputs: { pipeline: pipelines(60) }, service: many },
        { outcomes: matching(/^succeeded/), outputs: { results: expect.not.stringContaining('"attempts"') as string } },
      ],
    },
    common,
  );
});
