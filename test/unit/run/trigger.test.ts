// Tests that main triggers a run at most once, and how it handles failed triggers and lost responses.
import { describe, expect, it } from 'vitest';
import { pause } from '../../../src/base/clock.ts';
import type { Service, TriggerOutcome } from '../../../src/service/api.ts';
import {
  ends,
  FAILED,
  jobNumber,
  listing,
  pipelineNumber,
  pipelines,
  type Scripted,
} from '../../support/fake-service.ts';
import { memoryFiles } from '../../support/memory-files.ts';
import { each, fullDisk, saying, scenarios } from '../../support/scenarios.ts';
import { JOB } from '../../support/service.ts';
import { playStep, STEP_FILES, type Stage, type StepOptions } from '../../support/step.ts';

const finishes = { life: () => ends(40_000) };
const common: StepOptions = { service: finishes };

/** Sets the outcomes of the triggers, in order. An undefined or missing outcome stands for the usual one. */
function answered(...answers: readonly (Scripted<TriggerOutcome> | undefined)[]): StepOptions {
  return { service: { trigger: (nth) => answers[nth - 1] } };
}

const always = (answer: Scripted<TriggerOutcome>): StepOptions => ({ service: { trigger: () => answer } });

/** Delays each trigger by a second. `posts` sends a POST with an old token first. `hears` ends the delay at a stop. */
const slowly =
  ({ posts = false, hears = false } = {}) =>
  (service: Service, { clock }: Stage): Service => ({
    ...service,
    async trigger(order, options) {
      if (posts) options.onSend();
      await pause(clock, 1_000, hears ? options.signal : undefined);
      return hears && options.signal?.aborted === true ? { kind: 'aborted' } : service.trigger(order, options);
    },
  });

describe('a trigger that is accepted', () => {
  it("is recorded before the POST, and the run's id is recorded after it", async () => {
    const recorded: string[] = [];
    const files = memoryFiles();
    const trigger = (): undefined => void recorded.push(files.text(STEP_FILES.state));
    const { facts, records } = await playStep({ service: { ...finishes, trigger }, files });
    expect(recorded[0]).toContain('"kind":"intent"');
    expect(facts).toBe('intent queued finished');
    const pipeline = { id: pipelineNumber(1), name: 'Pipeline 1' };
    expect(records[0]?.fact).toEqual({ kind: 'intent', pipeline, wall: Date.UTC(2026, 0, 5, 12) });
    expect(records[1]).toMatchObject({ run: 1, jobId: jobNumber(1) });
  });

  it('is recorded with a pipeline name that is short enough for an environment variable', async () => {
    const [pipeline] = listing(1).pipelines;
    const long = pipeline === undefined ? [] : [{ ...pipeline, name: 'x'.repeat(200_000) }];
    const { records } = await playStep({ service: { ...finishes, list: () => ({ ...listing(), pipelines: long }) } });
    expect(JSON.stringify(records).length).toBeLessThan(1_000);
  });

  it('uses the options from the inputs', async () => {
    const orders: unknown[] = [];
    const trigger = (_nth: number, order: unknown): undefined => void orders.push(order);
    await playStep({ inputs: { 'full-resync': 'true', 'reset-target': 'true' }, service: { ...finishes, trigger } });
    expect(orders).toEqual([{ pipelineId: pipelineNumber(1), fullResync: true, resetTarget: true }]);
  });

  it("leads to an awaited run and a message in the log if the run's id cannot be recorded", async () => {
    const { outcomes, facts, log } = await playStep({ ...common, ...fullDisk(/"kind":"queued"/) });
    expect([outcomes, facts]).toEqual(['succeeded', 'intent finished']);
    expect(log).toContain('ENOSPC');
  });
});

const REFUSED = { outcomes: 'not_triggered', triggers: '0', facts: 'intent refused' };

describe('a trigger that fails', () => {
  scenarios(
    {
      'is not retried after a permanent error': [always(FAILED.notRetryable), REFUSED],
      'is not retried after the client has given up on a rejected token': [always(FAILED.unauthorized), REFUSED],
      'is not retried without credits': [always({ kind: 'no_credits' }), REFUSED],
      'is not retried after a lost response, because a run may exist': [
        always(FAILED.perhaps),
        { outcomes: 'unknown', triggers: '0', facts: 'intent unknown' },
      ],
      'is retried, with an intent for each POST, if the service did not process it': [
        answered(FAILED.notProcessed, FAILED.notProcessed),
        {
          outcomes: 'succeeded',
          // The pauses are half of 1 s and half of 2 s.
          triggers: '0 0.5 1.5',
          facts: 'intent refused intent refused intent queued finished',
        },
      ],
      'is retried after Retry-After': [answered(FAILED.busy), { outcomes: 'succeeded', triggers: '0 45' }],
      'is not retried after eight attempts': [
        always(FAILED.notProcessed),
        { outcomes: 'not_triggered', calls: 'connect list trigger×8', statuses: 'not_queued' },
      ],
      'is not retried if the step stops while the trigger is in flight': [
        { ...answered({ afterMs: 5_000, outcome: FAILED.notProcessed }), interruptAtMs: 1_000 },
        { outcomes: 'cancelled', statuses: 'not_queued', triggers: '0', facts: 'intent refused' },
      ],
    },
    common,
  );
});

describe('on-lost-response: retry', () => {
  const OTHERS = saying('Other runs of Pipeline 1');
  const DOUBT = { outcomes: 'unknown', calls: 'connect list trigger×2', facts: 'intent unknown intent unknown' };
  scenarios(
    {
      'triggers the pipeline again, with a warning, after a lost response': [
        answered(FAILED.perhaps),
        { outcomes: 'succeeded', levels: 'warning', facts: 'intent unknown intent queued finished' },
      ],
      'names other runs that may exist when the step is cancelled': [
        { ...answered(FAILED.perhaps), interruptAtMs: 20_000 },
        { outcomes: 'cancelled', annotations: [{ level: 'warning', message: OTHERS }], outputs: { message: OTHERS } },
      ],
      'names other runs that may exist when the run fails': [
        { service: { ...answered(FAILED.perhaps).service, life: () => ends(40_000, 'failed') } },
        { outcomes: 'failed', annotations: [{ level: 'error', message: OTHERS }] },
      ],
      ...each(
        [
          ['the service rejects the second trigger', FAILED.rejected],
          ['the service rejects the key afterwards', FAILED.keyRefused],
          ['the credits run out afterwards', { kind: 'no_credits' }],
        ],
        ([why, second]) => [`reports a possible run if ${why}`, answered(FAILED.perhaps, second), DOUBT],
      ),
      'reports a possible run if the step stops before the second trigger': [
        { ...answered(FAILED.perhaps), interruptAtMs: 100 },
        { outcomes: 'unknown', triggers: '0' },
      ],
      'reports a possible run if the second intent cannot be recorded': [
        { ...answered(FAILED.perhaps), ...fullDisk(/^/, 100) },
        { outcomes: 'unknown', triggers: '0', facts: 'intent unknown' },
      ],
    },
    { ...common, inputs: { 'on-lost-response': 'retry' } },
  );
});

describe('a trigger is not sent', () => {
  const NOT_SENT = { calls: 'connect list', statuses: 'not_queued' };
  scenarios(
    {
      'if the step stops while the client prepares the request': [
        { around: slowly(), interruptAtMs: 500 },
        { ...NOT_SENT, outcomes: 'cancelled', facts: '', endedAtMs: 1_000 },
      ],
      'if the step stops while the client renews its token, and the step ends at once': [
        { around: slowly({ hears: true }), interruptAtMs: 500 },
        { ...NOT_SENT, outcomes: 'cancelled', facts: 'refused', endedAtMs: 500 },
      ],
      'again with a new token if the step stops after the first POST': [
        { around: slowly({ posts: true }), interruptAtMs: 500 },
        { ...NOT_SENT, outcomes: 'cancelled', facts: 'intent refused' },
      ],
      'again if the step stops during the pause, and the step ends at once': [
        { ...answered(FAILED.busy), interruptAtMs: 700 },
        { outcomes: 'cancelled', statuses: 'not_queued', triggers: '0', endedAtMs: 700 },
      ],
      'if its intent cannot be recorded': [
        fullDisk(/"kind":"intent"/),
        { ...NOT_SENT, outcomes: 'not_triggered', facts: '', results: [{ error: saying('ENOSPC') }] },
      ],
    },
    common,
  );
});

describe('a trigger whose response contains the id', () => {
  scenarios(
    {
      'of another run of the step makes the outcome unknown': [
        {
          inputs: { pipeline: pipelines(3) },
          ...answered(undefined, undefined, { kind: 'queued', jobId: jobNumber(1) }),
        },
        { exitCode: 1, outcomes: 'succeeded succeeded unknown', results: [{}, {}, { 'job-id': '' }] },
      ],
      'of the run to resume makes the outcome unknown': [
        {
          inputs: { 'job-id': JOB },
          service: { existing: { [JOB]: ends(0, 'failed') }, trigger: () => ({ kind: 'queued', jobId: JOB }) },
        },
        { triggers: '0', outcomes: 'unknown' },
      ],
    },
    common,
  );
});
