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
import { fullDisk, saying, scenarios } from '../../support/scenarios.ts';
import { JOB } from '../../support/service.ts';
import { playStep, STEP_FILES, type Stage, type StepOptions } from '../../support/step.ts';

const finishes = { life: () => ends(40_000) };
const common: StepOptions = { service: finishes };

/** Answers the triggers with these outcomes in order, and then as usual. */
function answered(...answers: readonly (Scripted<TriggerOutcome> | undefined)[]): StepOptions {
  return { service: { trigger: (nth) => answers[nth - 1] } };
}

const always = (answer: Scripted<TriggerOutcome>): StepOptions => ({ service: { trigger: () => answer } });

/** Delays each trigger by a second. With `posts`, the client has already sent one POST with an old token. */
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
  it('is recorded before the POST, and its id is recorded after the POST', async () => {
    let recorded = '';
    const around = (service: Service, { files }: Stage): Service => ({
      ...service,
      trigger: (order, options) => {
        const { onSend } = options;
        return service.trigger(order, {
          ...options,
          onSend: () => {
            onSend();
            recorded = files.text(STEP_FILES.state);
          },
        });
      },
    });
    const { facts, records } = await playStep({ ...common, around });
    expect(recorded).toContain('"kind":"intent"');
    expect(facts).toBe('intent queued finished');
    const pipeline = { id: pipelineNumber(1), name: 'Pipeline 1' };
    expect(records[0]?.fact).toEqual({ kind: 'intent', pipeline, wall: Date.UTC(2026, 0, 5, 12) });
    expect(records[1]).toMatchObject({ run: 1, jobId: jobNumber(1) });
  });

  it('is recorded with a name that is shortened to fit into an environment variable', async () => {
    const [pipeline] = listing(1).pipelines;
    const long = pipeline === undefined ? [] : [{ ...pipeline, name: 'x'.repeat(200_000) }];
    const { records } = await playStep({ service: { ...finishes, list: () => ({ ...listing(), pipelines: long }) } });
    expect(JSON.stringify(records).length).toBeLessThan(1_000);
  });

  it('has the options from the inputs', async () => {
    const orders: unknown[] = [];
    const trigger = (_nth: number, order: unknown): undefined => void orders.push(order);
    await playStep({ inputs: { 'full-resync': 'true', 'reset-target': 'true' }, service: { ...finishes, trigger } });
    expect(orders).toEqual([{ pipelineId: pipelineNumber(1), fullResync: true, resetTarget: true }]);
  });

  it('is awaited and reported even if its id cannot be recorded', async () => {
    const { outcomes, facts, log } = await playStep({ ...common, ...fullDisk(/"kind":"queued"/) });
    expect([outcomes, facts]).toEqual(['succeeded', 'intent finished']);
    expect(log).toContain('ENOSPC');
  });
});

const REFUSED = { outcomes: 'not_triggered', triggers: '0', facts: 'intent refused' };

describe('a trigger that fails', () => {
  scenarios(
    {
      'is not repeated if no attempt can succeed': [always(FAILED.notRetryable), REFUSED],
      'is not repeated after a rejected token': [always(FAILED.unauthorized), REFUSED],
      'is not repeated after HTTP 403': [always(FAILED.rejected), REFUSED],
      'is not repeated after a rejected key': [always(FAILED.keyRefused), REFUSED],
      'is not repeated without credits': [always({ kind: 'no_credits' }), REFUSED],
      'is not repeated after a lost response, because a run may exist': [
        always(FAILED.perhaps),
        { outcomes: 'unknown', triggers: '0', facts: 'intent unknown' },
      ],
      'is repeated if it was not processed, with an intent for each POST': [
        answered(FAILED.notProcessed, FAILED.notProcessed),
        {
          outcomes: 'succeeded',
          // The pauses are half of 1 s and half of 2 s.
          triggers: '0 0.5 1.5',
          facts: 'intent refused intent refused intent queued finished',
        },
      ],
      'is repeated after Retry-After': [answered(FAILED.busy), { outcomes: 'succeeded', triggers: '0 45' }],
      'is given up after eight attempts': [
        always(FAILED.notProcessed),
        { outcomes: 'not_triggered', calls: 'connect list trigger×8', statuses: 'not_queued' },
      ],
      'is not repeated after a stop while it is in flight': [
        { ...answered({ afterMs: 5_000, outcome: FAILED.notProcessed }), interruptAtMs: 1_000 },
        { outcomes: 'cancelled', statuses: 'not_queued', triggers: '0', facts: 'intent refused' },
      ],
    },
    common,
  );
});

describe('on-lost-response: retry', () => {
  const DOUBT = { outcomes: 'unknown', triggers: '0 0.5', facts: 'intent unknown intent unknown' };
  scenarios(
    {
      'triggers the run again with a warning after a lost response': [
        answered(FAILED.perhaps),
        { outcomes: 'succeeded', levels: 'warning', facts: 'intent unknown intent queued finished' },
      ],
      'says that a run may exist if the second trigger is rejected': [answered(FAILED.perhaps, FAILED.rejected), DOUBT],
      'says that a run may exist if the key is then rejected': [answered(FAILED.perhaps, FAILED.keyRefused), DOUBT],
      'says that a run may exist if credits then run out': [answered(FAILED.perhaps, { kind: 'no_credits' }), DOUBT],
      'says that a run may exist if the step stops before the second trigger': [
        { ...answered(FAILED.perhaps), interruptAtMs: 100 },
        { outcomes: 'unknown', triggers: '0' },
      ],
      'says that a run may exist if the second intent cannot be recorded': [
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
        { ...NOT_SENT, outcomes: 'not_triggered', results: [{ error: saying('ENOSPC') }] },
      ],
    },
    common,
  );
});

describe('a trigger that returns a known id', () => {
  const repeated: StepOptions = {
    inputs: { pipeline: pipelines(2) },
    ...answered(undefined, { kind: 'queued', jobId: jobNumber(1) }),
  };
  scenarios(
    {
      'of another run is not confirmed, so that one result never represents two runs': [
        repeated,
        { exitCode: 1, outcomes: 'succeeded unknown', results: [{}, { 'job-id': '' }] },
      ],
      'is not confirmed with wait: false': [
        { ...repeated, inputs: { ...repeated.inputs, wait: 'false' } },
        'triggered unknown',
      ],
      'may be a run in progress after an interruption': [{ ...repeated, interruptAtMs: 10_000 }, 'cancelled unknown'],
      'of the earlier run is not confirmed': [
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
