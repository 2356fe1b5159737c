// Tests several runs in one step: their order, max-parallel, fail-fast, and the effect of one failure on other runs.
import { describe, expect, it } from 'vitest';
import type { Service, TriggerOutcome } from '../../../src/service/api.ts';
import type { Inputs } from '../../support/action.ts';
import {
  ends,
  FAILED,
  jobNumber,
  type Life,
  pipelineNumber,
  pipelines,
  queuedLate,
  type Scripted,
  type ServiceScript,
} from '../../support/fake-service.ts';
import { each, matching, saying, scenarios } from '../../support/scenarios.ts';
import { playStep } from '../../support/step.ts';

/** Each run completes this many seconds after its trigger, or fails at that time if the number is negative. */
function ending(...seconds: readonly number[]): { readonly life: (nth: number) => Life } {
  return {
    life(nth) {
      const after = seconds[nth - 1] ?? 10;
      return ends(Math.abs(after) * 1_000, after < 0 ? 'failed' : 'completed');
    },
  };
}

const of = (count: number, more: Inputs = {}): Inputs => ({ pipeline: pipelines(count), ...more });

/** Returns a script in which the second trigger has this outcome. */
const second = (outcome: Scripted<TriggerOutcome>): ServiceScript => ({
  ...ending(),
  trigger: (nth) => (nth === 2 ? outcome : undefined),
});

const UUIDS = [1, 2].map(pipelineNumber).join('\n');

describe('several pipelines', () => {
  scenarios({
    'are triggered one after another in the order of the input, and are awaited independently': [
      { inputs: of(4), service: { ...ending(100, 10, 70, 40), callMs: 500 } },
      { triggered: '1 2 3 4', triggers: '1 1.5 2 2.5', outcomes: 'succeeded succeeded succeeded succeeded' },
    ],
    'that are specified by UUID get their names from a single list request': [
      { inputs: { pipeline: UUIDS }, service: ending() },
      {
        calls: matching(/^(?!.*list.*list|.*list×).*list/),
        results: [{ 'pipeline-name': 'Pipeline 1' }, { 'pipeline-name': 'Pipeline 2' }],
      },
    ],
    'that are specified by UUID are awaited even if the list request hangs': [
      { inputs: { pipeline: UUIDS }, service: { ...ending(1, 1), list: () => 'stalls' } },
      { outcomes: 'succeeded succeeded', results: [{ 'pipeline-name': '' }, {}], triggers: '0 0', endedAtMs: 2_000 },
    ],
    'are not triggered if the key exchange fails permanently': [
      { inputs: of(2), service: { connect: () => FAILED.keyRefused } },
      { calls: 'connect', outcomes: 'not_triggered not_triggered', exitCode: 1 },
    ],
    'are triggered once the key exchange succeeds after several failures': [
      { inputs: of(2), service: { ...ending(), connect: (nth) => (nth < 4 ? FAILED.perhaps : undefined) } },
      { calls: matching(/^connect×4 list trigger×2/), exitCode: 0, log: saying('HTTP 503. Retrying in') },
    ],
  });
});

describe('the other runs are not affected', () => {
  const fail = () => Promise.reject(new TypeError('a bug'));
  const broken =
    (call: 'read' | 'trigger' | 'cancel') =>
    (service: Service): Service => ({
      ...service,
      read: (id, options) => (call === 'read' && id === jobNumber(2) ? fail() : service.read(id, options)),
      cancel: (id, options) => (call === 'cancel' && id === jobNumber(2) ? fail() : service.cancel(id, options)),
      trigger(order, options) {
        if (call !== 'trigger' || order.pipelineId !== pipelineNumber(2)) return service.trigger(order, options);
        options.onSend();
        return fail();
      },
    });
  const BUG = [{}, { error: saying('TypeError: a bug') }, {}];

  scenarios(
    {
      'if the response to one trigger is lost': [{ service: second('stalls') }, 'succeeded unknown succeeded'],
      'if a bug breaks the wait for one run, which stays in progress': [
        { around: broken('read') },
        {
          outcomes: 'succeeded lost succeeded',
          results: BUG,
          facts: 'intent queued intent queued intent queued lost finished finished',
        },
      ],
      'if a bug breaks one trigger, whose intent stays recorded': [
        { around: broken('trigger') },
        {
          outcomes: 'succeeded unknown succeeded',
          results: BUG,
          facts: 'intent queued intent intent queued finished finished',
        },
      ],
      'if a bug breaks one cancel, which the step leaves to post': [
        { around: broken('cancel'), service: ending(100, 100, 100), interruptAtMs: 20_000 },
        {
          outcomes: 'cancelled cancelled cancelled',
          statuses: 'cancelled running cancelled',
          facts: 'intent queued intent queued intent queued finished finished',
        },
      ],
    },
    { inputs: of(3), service: ending() },
  );
});

describe('max-parallel', () => {
  it.each([1, 2, 7, 40])('of %d starts runs in order, and is reached but never exceeded', async (maxParallel) => {
    const seconds = Array.from({ length: 40 }, (_, index) => 5 + ((index * 37) % 90));
    const { made, triggered, exitCode } = await playStep({
      inputs: of(40, { 'max-parallel': String(maxParallel) }),
      service: ending(...seconds),
      longestMs: 10_000_000,
    });
    const runs = made('trigger').map(({ atMs }, index) => {
      return { from: atMs, to: made('read', jobNumber(index + 1)).at(-1)?.endedAtMs ?? Infinity };
    });
    const open = runs.map(({ from: at }) => runs.filter(({ from, to }) => from <= at && to > at).length);
    expect([Math.max(...open), exitCode]).toEqual([maxParallel, 0]);
    expect(triggered).toBe(Array.from({ length: 40 }, (_, index) => index + 1).join(' '));
  });

  scenarios({
    'gives the next run the slot of a run that was not queued': [
      { inputs: of(3, { 'max-parallel': '1' }), service: second(FAILED.rejected) },
      'succeeded not_triggered succeeded',
    ],
    'does not delay existing runs': [
      {
        inputs: { pipeline: '', 'job-id': `${jobNumber(1)}\n${jobNumber(2)}`, 'max-parallel': '1', timeout: '60s' },
        service: { existing: { [jobNumber(1)]: 'running', [jobNumber(2)]: 'completed' } },
      },
      { outcomes: 'wait_timed_out succeeded', results: [{}, { duration: '0' }] },
    ],
  });
});

it.each(['', 'false'])('a failed run does not stop the other runs if fail-fast is "%s"', async (failFast) => {
  const inputs = of(3, { 'max-parallel': '2', 'fail-fast': failFast });
  const { triggered, outcomes, made } = await playStep({ inputs, service: ending(-10, 60, 60) });
  expect([triggered, outcomes, made('cancel')]).toEqual(['1 2 3', 'failed succeeded succeeded', []]);
});

describe('fail-fast', () => {
  const LATE = queuedLate(20_000);
  const LATER = { [jobNumber(9)]: ends(60_000) };
  const LEAVE = { 'on-cancel': 'leave' };
  const UNSTOPPED = { log: expect.not.stringContaining('Stopped by fail-fast') as string };
  scenarios(
    {
      'prevents further triggers, and cancels the other runs': [
        { inputs: of(5, { 'max-parallel': '3' }), service: ending(500, -20, 500) },
        {
          outcomes: 'cancelled failed cancelled not_triggered not_triggered',
          statuses: 'cancelled failed cancelled not_queued not_queued',
          facts: 'intent queued intent queued intent queued finished stopped finished finished',
          endedAtMs: 32_000,
          log: saying('Pipeline 2'),
        },
      ],
      'with on-cancel: leave prevents further triggers, and awaits the other runs': [
        { inputs: of(5, { 'max-parallel': '3', ...LEAVE }), service: ending(500, -20, 100) },
        { outcomes: 'succeeded failed succeeded not_triggered not_triggered', cancels: '' },
      ],
      ...each(['cancel', 'leave'], (policy) => [
        `with on-cancel: ${policy} prevents the retry of a trigger`,
        { inputs: of(3, { 'on-cancel': policy }), service: { ...second(FAILED.busy), ...ending(-1) } },
        { endedAtMs: 2_000, outcomes: 'failed not_triggered not_triggered', calls: matching(/trigger×2 /) },
      ]),
      'with on-cancel: leave awaits the run whose trigger was in flight': [
        { inputs: of(2, LEAVE), service: { ...second(LATE), ...ending(-1), existing: LATER } },
        'failed succeeded',
      ],
      'with on-cancel: leave does not protect that run from a timeout': [
        { inputs: of(2, { ...LEAVE, timeout: '10s' }), service: { ...second(LATE), ...ending(-1), existing: LATER } },
        { outcomes: 'failed wait_timed_out', statuses: 'failed cancelled' },
      ],
      'takes effect after a queue-timeout': [
        {
          inputs: of(2, { 'queue-timeout': '60s' }),
          service: { life: (nth) => (nth === 1 ? 'queued' : ends(200_000)) },
        },
        'wait_timed_out cancelled',
      ],
      'counts a rejected trigger as a failure': [
        { inputs: of(3), service: second(FAILED.rejected) },
        'cancelled not_triggered not_triggered',
      ],
      'does not stop a step whose runs succeed': [{ inputs: of(3), service: ending(1, 2, 3) }, { exitCode: 0 }],
      'does not stop a step with wait: false whose triggers succeed': [
        { inputs: of(3, { wait: 'false' }) },
        { outcomes: 'triggered triggered triggered', ...UNSTOPPED },
      ],
      'has no effect after an interruption': [
        { inputs: of(3), service: ending(500, 500, 500), interruptAtMs: 60_000 },
        { outcomes: 'cancelled cancelled cancelled', ...UNSTOPPED },
      ],
    },
    { inputs: { 'fail-fast': 'true' } },
  );

  it('prints a single message, which names the first run that failed', async () => {
    const { lines } = await playStep({ inputs: of(3, { 'fail-fast': 'true' }), service: ending(-20, -20, 500) });
    expect(lines.filter((line) => line.startsWith('Stopped by fail-fast'))).toEqual([
      expect.stringContaining('Pipeline 1'),
    ]);
  });
});
