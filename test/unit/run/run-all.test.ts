// Tests several runs in one step: their order, max-parallel, fail-fast, and the effect of one failure on other runs.
import { describe, expect, it } from 'vitest';
import type { Uuid } from '../../../src/base/uuid.ts';
import { bounded, Gate } from '../../../src/run/guards.ts';
import type { Service, TriggerOutcome } from '../../../src/service/api.ts';
import type { Inputs } from '../../support/action.ts';
import {
  type Call,
  ends,
  FAILED,
  fakeService,
  jobNumber,
  type Life,
  pipelineNumber,
  pipelines,
  type Scripted,
  type ServiceScript,
} from '../../support/fake-service.ts';
import { matching, rows, type Scenario, saying, scenarios } from '../../support/scenarios.ts';
import { type PlayedStep, playStep, type Stage } from '../../support/step.ts';
import { drain, VirtualClock } from '../../support/virtual-clock.ts';

/** Each run completes this many seconds after its trigger, or fails if the number is negative. */
function ending(...seconds: readonly number[]): { readonly life: (nth: number) => Life } {
  return {
    life(nth) {
      const after = seconds[nth - 1] ?? 10;
      return ends(Math.abs(after) * 1_000, after < 0 ? 'failed' : 'completed');
    },
  };
}

const of = (count: number, more: Inputs = {}): Inputs => ({ pipeline: pipelines(count), ...more });

/** Gives the second trigger this outcome. */
const second = (outcome: Scripted<TriggerOutcome>): ServiceScript => ({
  ...ending(),
  trigger: (nth) => (nth === 2 ? outcome : undefined),
});

/** The highest number of concurrent calls. */
function mostAtOnce(calls: readonly Call[]): number {
  const open = (at: number): number =>
    calls.filter(({ atMs, endedAtMs = Infinity }) => atMs <= at && endedAtMs > at).length;
  return Math.max(...calls.map(({ atMs }) => open(atMs)));
}

const UUIDS = [1, 2].map(pipelineNumber).join('\n');

describe('several pipelines', () => {
  scenarios({
    'are triggered one after another in the order of the input, and awaited independently': [
      { inputs: of(4), service: { ...ending(100, 10, 70, 40), callMs: 500 } },
      {
        triggered: '1 2 3 4',
        triggers: '1 1.5 2 2.5',
        outcomes: 'succeeded succeeded succeeded succeeded',
        exitCode: 0,
      },
    ],
    'are all resolved before the first trigger': [
      { inputs: { pipeline: `${pipelines(3)}\npipelin-4` }, service: {} },
      { calls: 'connect list', facts: '', outcomes: 'not_triggered not_triggered not_triggered not_triggered' },
    ],
    'that are specified by UUID get their names from one list in the background': [
      { inputs: { pipeline: UUIDS }, service: ending() },
      { calls: saying('list'), results: [{ 'pipeline-name': 'Pipeline 1' }, { 'pipeline-name': 'Pipeline 2' }] },
    ],
    ...rows(
      (['stalls', FAILED.rejected] as const).map(
        (outcome): Scenario => [
          `that are specified by UUID do not need that list (${typeof outcome === 'string' ? outcome : outcome.kind})`,
          { inputs: { pipeline: UUIDS }, service: { ...ending(), list: () => outcome } },
          {
            outcomes: 'succeeded succeeded',
            results: [{ 'pipeline-name': '' }, {}],
            triggers: '0 0',
            endedAtMs: 32_000,
          },
        ],
      ),
    ),
    'are not triggered if the exchange of the key fails permanently': [
      { inputs: of(2), service: { connect: () => FAILED.keyRefused } },
      { calls: 'connect', outcomes: 'not_triggered not_triggered', exitCode: 1 },
    ],
    'are triggered once a failing exchange recovers': [
      { inputs: of(2), service: { ...ending(), connect: (nth) => (nth < 4 ? FAILED.perhaps : undefined) } },
      { calls: matching(/^connect×4 list trigger×2/), exitCode: 0 },
    ],
  });
});

describe('a problem with one run does not affect the others', () => {
  const broken =
    (call: 'read' | 'trigger' | 'cancel') =>
    (service: Service, _stage: Stage): Service => ({
      ...service,
      read: (id, options) =>
        call === 'read' && id === jobNumber(2) ? Promise.reject(new TypeError('a bug')) : service.read(id, options),
      cancel: (id, options) =>
        call === 'cancel' && id === jobNumber(2) ? Promise.reject(new TypeError('a bug')) : service.cancel(id, options),
      async trigger(order, options) {
        if (call !== 'trigger' || order.pipelineId !== pipelineNumber(2)) return service.trigger(order, options);
        options.onSend();
        throw new TypeError('a bug');
      },
    });
  const reported = (outcome: string): Pick<PlayedStep, 'outcomes'> & { results: readonly unknown[] } => ({
    outcomes: `succeeded ${outcome} succeeded`,
    results: [{}, { error: saying('TypeError: a bug') }, {}],
  });

  scenarios(
    {
      'if its trigger is rejected': [{ service: second(FAILED.rejected) }, 'succeeded not_triggered succeeded'],
      'if there are no credits for it': [
        { service: second({ kind: 'no_credits' }) },
        'succeeded not_triggered succeeded',
      ],
      'if the response to its trigger is lost': [{ service: second(FAILED.perhaps) }, 'succeeded unknown succeeded'],
      'if its trigger is never answered': [{ service: second('stalls') }, 'succeeded unknown succeeded'],
      'if it is lost': [
        {
          service: {
            ...ending(200, 200, 200),
            read: (_nth, id) => (id === jobNumber(2) ? FAILED.rejected : undefined),
          },
        },
        'succeeded lost succeeded',
      ],
      'if a bug breaks its wait, which leaves it running': [{ around: broken('read') }, reported('lost')],
      'if a bug breaks its trigger, which leaves its intent': [{ around: broken('trigger') }, reported('unknown')],
      'if a bug breaks its cancel, which leaves it to post': [
        { around: broken('cancel'), service: ending(100, 100, 100), interruptAtMs: 20_000 },
        { outcomes: 'cancelled cancelled cancelled', statuses: 'cancelled running cancelled' },
      ],
      'if it fails': [{ service: ending(100, -1, 5) }, { outcomes: 'succeeded failed succeeded', exitCode: 1 }],
    },
    { inputs: of(3), service: ending() },
  );

  it.each([
    ['read', 'intent queued lost'],
    ['trigger', 'intent'],
    ['cancel', 'intent queued'],
  ] as const)('and a bug in the "%s" call leaves the correct records for post', async (call, facts) => {
    const { factsOf } = await playStep({
      inputs: of(2),
      service: ending(100, 100),
      around: broken(call),
      interruptAtMs: 20_000,
    });
    expect(factsOf(2)).toBe(facts);
  });
});

describe('max-parallel', () => {
  it.each([1, 2, 7, 40])('of %d is never exceeded and always fully used', async (maxParallel) => {
    const seconds = Array.from({ length: 40 }, (_, index) => 5 + ((index * 37) % 90));
    let [open, most] = [0, 0];
    const { triggered, exitCode } = await playStep({
      inputs: of(40, { 'max-parallel': String(maxParallel) }),
      service: ending(...seconds),
      around: (service) => ({
        ...service,
        async trigger(order, options) {
          open += 1;
          most = Math.max(most, open);
          return service.trigger(order, options);
        },
        async read(id, options) {
          const outcome = await service.read(id, options);
          if (outcome.kind === 'job' && outcome.job.status === 'completed') open -= 1;
          return outcome;
        },
      }),
      longestMs: 10_000_000,
    });
    expect([most, exitCode]).toEqual([maxParallel, 0]);
    expect(triggered).toBe(Array.from({ length: 40 }, (_, index) => index + 1).join(' '));
  });

  scenarios({
    'gives the slot of a run that was not queued to the next run': [
      { inputs: of(3, { 'max-parallel': '1' }), service: second(FAILED.rejected) },
      'succeeded not_triggered succeeded',
    ],
    'does not delay runs that exist already': [
      {
        inputs: { pipeline: '', 'job-id': `${jobNumber(1)}\n${jobNumber(2)}`, 'max-parallel': '1', timeout: '60s' },
        service: { existing: { [jobNumber(1)]: [[0, 'running']], [jobNumber(2)]: [[0, 'completed']] } },
      },
      { outcomes: 'wait_timed_out succeeded', results: [{}, { duration: '0' }] },
    ],
  });
});

describe('fail-fast', () => {
  const LATE = { afterMs: 20_000, outcome: { kind: 'queued', jobId: jobNumber(9) } } as const;
  const LEAVE = { 'on-cancel': 'leave' };
  scenarios(
    {
      'stops further triggers, and cancels the other runs': [
        { inputs: of(5, { 'max-parallel': '3' }), service: ending(500, -20, 500) },
        {
          outcomes: 'cancelled failed cancelled not_triggered not_triggered',
          statuses: 'cancelled failed cancelled not_queued not_queued',
          facts: 'intent queued intent queued intent queued finished stopped finished finished',
          endedAtMs: 32_000,
          log: saying('Pipeline 2'),
        },
      ],
      'with on-cancel: leave stops further triggers, and awaits the other runs': [
        { inputs: of(5, { 'max-parallel': '3', ...LEAVE }), service: ending(500, -20, 100) },
        { outcomes: 'succeeded failed succeeded not_triggered not_triggered', cancels: '' },
      ],
      ...rows(
        (['cancel', 'leave'] as const).map(
          (policy): Scenario => [
            `with on-cancel: ${policy} repeats no trigger`,
            { inputs: of(3, { 'on-cancel': policy }), service: { ...second(FAILED.busy), ...ending(-1) } },
            { endedAtMs: 2_000, outcomes: 'failed not_triggered not_triggered', calls: matching(/trigger×2 /) },
          ],
        ),
      ),
      'with on-cancel: leave awaits the run whose trigger was in flight': [
        {
          inputs: of(2, LEAVE),
          service: { ...second(LATE), ...ending(-1), existing: { [jobNumber(9)]: ends(60_000) } },
        },
        'failed succeeded',
      ],
      'counts a rejected trigger as a failure': [
        { inputs: of(3), service: second(FAILED.rejected) },
        'cancelled not_triggered not_triggered',
      ],
      'does not apply to runs that succeed': [{ inputs: of(3), service: ending(1, 2, 3) }, { exitCode: 0 }],
      'does not apply to runs that are not awaited': [
        { inputs: of(3, { wait: 'false' }) },
        'triggered triggered triggered',
      ],
      'does not follow an interruption': [
        { inputs: of(3), service: ending(500, 500, 500), interruptAtMs: 60_000 },
        {
          outcomes: 'cancelled cancelled cancelled',
          log: expect.not.stringContaining('Stopped by fail-fast') as string,
        },
      ],
    },
    { inputs: { 'fail-fast': 'true' } },
  );

  it('is reported once, with the name of the first run that failed', async () => {
    const { lines } = await playStep({ inputs: of(3, { 'fail-fast': 'true' }), service: ending(-20, -20, 500) });
    expect(lines.filter((line) => line.startsWith('Stopped by fail-fast'))).toEqual([
      expect.stringContaining('Pipeline 1'),
    ]);
  });
});

describe('the service client of a step', () => {
  const ids: readonly Uuid[] = Array.from({ length: 200 }, (_, index) => jobNumber(index + 1));

  function boundedService(script: ServiceScript) {
    const clock = new VirtualClock();
    const { service, calls } = fakeService(clock, script);
    return { clock, service: bounded(service), calls };
  }

  it('makes fifty reads and cancels concurrently, in the order of the requests', async () => {
    const { clock, service, calls } = boundedService({ callMs: 300 });
    await clock.until(
      Promise.all<unknown>(ids.map((id, index) => (index % 2 === 0 ? service.read(id) : service.cancel(id)))),
    );
    expect(calls.map(({ jobId }) => jobId)).toEqual(ids);
    expect([mostAtOnce(calls), clock.now()]).toEqual([50, 1_200]);
  });

  it('drops a call that is aborted while queued', async () => {
    const { clock, service, calls } = boundedService({ callMs: 300 });
    const controller = new AbortController();
    clock.after(100, () => controller.abort());
    const outcomes = await clock.until(Promise.all(ids.map((id) => service.read(id, { signal: controller.signal }))));
    expect([calls.length, clock.now()]).toEqual([50, 100]);
    expect(outcomes.every(({ kind }) => kind === 'aborted')).toBe(true);
  });

  it('drops a call that runs out of time while queued', async () => {
    const { clock, service, calls } = boundedService({ callMs: 300 });
    const reads = ids.slice(0, 50).map((id) => service.read(id));
    const late = ids.slice(50).map((id) => service.cancel(id, { withinMs: () => 200 - clock.now() }));
    await clock.until(Promise.all(reads));
    const outcomes = await clock.until(Promise.all(late));
    expect(calls.filter(({ call }) => call === 'cancel')).toEqual([]);
    expect(outcomes.every(({ kind }) => kind === 'aborted')).toBe(true);
  });

  it('continues with the next calls after some calls throw', async () => {
    const { service } = fakeService(new VirtualClock());
    const failing = bounded({ ...service, read: () => Promise.reject(new Error('failed')) });
    const outcomes = await Promise.allSettled(ids.map((id) => failing.read(id)));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  });

  it('does not queue triggers', async () => {
    const { clock, service } = boundedService({ read: () => 'stalls' });
    const reads = ids.map((id) => service.read(id));
    const order = { pipelineId: jobNumber(1), fullResync: false, resetTarget: false };
    await clock.until(service.trigger(order, { onSend: () => undefined }));
    expect(clock.now()).toBe(0);
    await clock.until(Promise.all(reads));
  });

  it('cancels a hundred runs of a step in two rounds', async () => {
    const { made, statuses } = await playStep({ inputs: of(100), service: { callMs: 200 }, interruptAtMs: 60_000 });
    const cancels = made('cancel');
    expect(cancels.map(({ atMs }) => atMs)).toEqual(cancels.map((_, index) => (index < 50 ? 60_000 : 60_200)));
    expect(statuses.match(/cancelled/g)).toHaveLength(100);
  });

  it('limits the callers inside a gate to its width, and admits waiting callers in order', async () => {
    const gate = new Gate(2);
    const inside: number[] = [];
    const enter = async (nth: number): Promise<() => void> => {
      const leave = await gate.enter();
      inside.push(nth);
      return leave;
    };
    const entered = [1, 2, 3, 4].map(enter);
    await drain();
    expect(inside).toEqual([1, 2]);
    (await entered[1])?.();
    await drain();
    expect(inside).toEqual([1, 2, 3]);
    (await entered[0])?.();
    (await entered[2])?.();
    await drain();
    expect(inside).toEqual([1, 2, 3, 4]);
  });
});
