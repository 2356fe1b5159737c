// Tests how interruptions, timeouts and wait: false end a step early, and their effects on the runs.
import { describe, expect, it } from 'vitest';
import { mark, marksOf } from '../../../src/action/state/mark.ts';
import { pause } from '../../../src/base/clock.ts';
import { afterInterruption } from '../../../src/run/interruption.ts';
import type { Service } from '../../../src/service/api.ts';
import {
  ends,
  FAILED,
  jobNumber,
  listing,
  pipelineNumber,
  pipelines,
  queuedLate,
  rowOf,
  type ServiceScript,
} from '../../support/fake-service.ts';
import { memoryFiles } from '../../support/memory-files.ts';
import { HOST, JOB_ENV } from '../../support/post.ts';
import { each, matching, saying, scenarios } from '../../support/scenarios.ts';
import { playStep, STEP_FILES, type Stage, type StepOptions } from '../../support/step.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const [FIRST, OTHER] = [jobNumber(1), jobNumber(9)];
const STALLED = { cancel: () => 'stalls' } as const satisfies ServiceScript;
const CANCELLED = { outcomes: 'cancelled', statuses: 'cancelled', exitCode: 1 };
const THREE = { pipeline: pipelines(3) };

const leaveMark = ({ clock, files }: Stage): void =>
  mark(marksOf({ journal: '', stateFile: STEP_FILES.state }), { env: JOB_ENV, host: HOST, files, clock });
const repeat = (word: string, count: number): string => Array.from({ length: count }, () => word).join(' ');

describe('an interruption', () => {
  it('ends the step once all runs are cancelled, leaves no pending timers, and is named in the log', async () => {
    const watch = ({ clock, interrupt }: Stage) => clock.after(60_050, () => interrupt('SIGTERM'));
    const { endedAtMs, timersLeft, statuses, log } = await playStep({ inputs: THREE, service: { callMs: 100 }, watch });
    expect([endedAtMs, timersLeft, statuses]).toEqual([60_150, 0, repeat('cancelled', 3)]);
    expect(log).toContain('SIGTERM');
  });

  it('appears in the log at once, but only after the step has sent the cancels', async () => {
    const printed: unknown[] = [];
    await playStep({
      inputs: THREE,
      service: { cancel: () => ({ afterMs: 1_500, outcome: FAILED.perhaps }) },
      interruptAtMs: 60_000,
      onLine: (line, { clock }, calls) => {
        if (line.includes('interrupted'))
          printed.push(clock.now(), calls.filter(({ call }) => call === 'cancel').length);
      },
    });
    expect(printed.slice(0, 2)).toEqual([60_000, 3]);
  });

  it('makes the step write its outputs after 6.5 s and end within 9.3 s if all cancels hang', async () => {
    const texts: string[] = [];
    const { endedAtMs, made, outcomes, statuses } = await playStep({
      inputs: THREE,
      service: STALLED,
      interruptAtMs: 60_000,
      watch: ({ clock, files }) => {
        for (const ms of [66_499, 66_501]) clock.after(ms, () => texts.push(files.read(STEP_FILES.output) ?? ''));
      },
    });
    expect(texts.map((text) => text.includes('outcome=cancelled'))).toEqual([false, true]);
    expect(endedAtMs).toBeGreaterThan(66_500);
    expect(endedAtMs).toBeLessThanOrEqual(69_300);
    expect([outcomes, statuses]).toEqual([repeat('cancelled', 3), repeat('running', 3)]);
    const [first] = made('cancel');
    expect((first?.atMs ?? 0) + (first?.withinMs ?? 0)).toBe(69_200);
  });

  it.each([
    [12, false],
    [13, true],
  ])('limits each cancel to 2 s only if there are more than 12 runs (%i runs)', async (count, isLimited) => {
    const inputs = { pipeline: pipelines(count) };
    const { made } = await playStep({ inputs, service: STALLED, interruptAtMs: 60_000 });
    expect(made('cancel').every(({ withinMs = 0 }) => withinMs <= 2_000)).toBe(isLimited);
  });

  it.each<[string, ServiceScript, string]>([
    ['as soon as its trigger returns', { trigger: () => queuedLate(4_000), existing: { [OTHER]: 'running' } }, '4'],
    ['instead of reading it again', {}, '32'],
    ['before its trigger is sent', { callMs: 1_600 }, ''],
  ])('that a post step signals with a mark stops the run %s', async (_when, service, cancels) => {
    const watch = (stage: Stage) => stage.clock.after(3_000, () => leaveMark(stage));
    const seen = cancels === '' ? { triggers: '', facts: 'intent refused' } : CANCELLED;
    const log = saying('its post step');
    expect(await playStep({ env: JOB_ENV, service, watch })).toMatchObject({ ...seen, cancels, log });
  });

  it('that a post step signals with a mark right after the first record prevents the trigger', async () => {
    const watch = (stage: Stage) => {
      const append = stage.files.append.bind(stage.files);
      stage.files.append = (...given) => {
        append(...given);
        leaveMark(stage);
      };
    };
    expect(await playStep({ env: JOB_ENV, service: {}, watch })).toMatchObject({ triggers: '', outcomes: 'cancelled' });
  });

  it.each([
    ['it has no deadline', true],
    ['the step has ended', false],
  ])('starts no timer if %s', (_when, isUnhurried) => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const first = { by: 'its runner died', at: 0, isUnhurried };
    const interruption = { signal: controller.signal, first, look: () => undefined };
    const takeBack = afterInterruption(clock, interruption, 1_000, () => undefined);
    if (!isUnhurried) takeBack();
    controller.abort();
    expect(clock.pending).toBe(0);
  });

  it('has no effect after the step has ended, and the step leaves no pending timers', async () => {
    let stage: Stage | undefined;
    const { lines, timersLeft } = await playStep({
      inputs: { timeout: '1h' },
      service: { life: () => [[5_000, 'completed']] },
      watch: (given) => (stage = given),
    });
    const before = lines.length;
    stage?.interrupt();
    await stage?.clock.advance(3_600_000);
    expect([lines.length, timersLeft]).toEqual([before, 0]);
  });

  it.each([
    ['all runs are cancelled', {}, 2_500],
    ['the time for the cancels has expired', STALLED, 11_700],
  ])('ends the step, even without the pipeline names, once %s', async (_what, service, ms) => {
    const around = (real: Service, { clock }: Stage): Service => ({
      ...real,
      list: async (options) => pause(clock, options?.isBackground === true ? 5_000 : 0).then(() => listing()),
    });
    const inputs = { pipeline: pipelineNumber(1) };
    const { endedAtMs, results } = await playStep({ inputs, service, around, interruptAtMs: 2_500 });
    expect([endedAtMs, results[0]?.['pipeline-name']]).toEqual([ms, '']);
  });

  const answersAfter = (afterMs: number) => ({ afterMs, outcome: rowOf(FIRST, 'cancelled') });
  const interruptAtMs = 60_000;
  scenarios({
    ...each([1_500, 3_000, 5_000], (ms) => [
      `allows the response to a cancel to take ${ms} ms`,
      { service: { cancel: (nth) => (nth === 1 ? answersAfter(ms) : 'stalls') }, interruptAtMs },
      { ...CANCELLED, endedAtMs: 60_000 + ms },
    ]),
    ...each(
      [
        ['changes nothing', { kind: 'unchanged' }],
        ['fails', FAILED.perhaps],
      ],
      ([how, later]) => [
        `does not abort a cancel if a later cancel ${how}`,
        { service: { cancel: (nth) => (nth === 1 ? answersAfter(6_000) : later) }, interruptAtMs },
        { ...CANCELLED, endedAtMs: 66_000 },
      ],
    ),
    'lets the step wait at most 9.3 s for a trigger in flight': [
      { inputs: { ...THREE, 'max-parallel': '1' }, service: { trigger: () => 'stalls' }, interruptAtMs: 1_000 },
      // For each additional run, the step reserves half a millisecond of the 9.3 s for its report.
      { endedAtMs: 10_299, outcomes: 'unknown cancelled cancelled', statuses: 'unknown not_queued not_queued' },
    ],
    'cancels the run of a trigger whose response is late': [
      { service: { trigger: () => queuedLate(8_000), existing: { [OTHER]: 'running' } }, interruptAtMs: 1_000 },
      { ...CANCELLED, endedAtMs: 8_000, facts: 'intent queued finished' },
    ],
    ...each<[string, ServiceScript]>(
      [
        ['the key exchange', { connect: () => 'stalls' }],
        ['the list request', { list: () => 'stalls' }],
        ['the pause between two key exchanges', { connect: () => FAILED.busy }],
      ],
      ([during, service]) => [
        `ends the step at once during ${during}`,
        { service, interruptAtMs: 3_000 },
        { endedAtMs: 3_000, outcomes: 'cancelled', statuses: 'not_queued', triggers: '', log: saying('interrupted') },
      ],
    ),
    'before the step starts prevents all requests': [{ interruptAt: 'start' }, { calls: '', outcomes: 'cancelled' }],
    'causes neither a request nor a record with on-cancel: leave': [
      { inputs: { ...THREE, 'on-cancel': 'leave' }, interruptAtMs },
      {
        calls: 'connect list trigger×3 read×6',
        facts: 'intent queued intent queued intent queued',
        outcomes: repeat('cancelled', 3),
        statuses: repeat('running', 3),
      },
    ],
    'prevents further triggers, and also cancels the run whose trigger is in flight': [
      { inputs: THREE, service: { callMs: 1_000 }, interruptAtMs: 3_500 },
      { calls: 'connect list trigger×2 cancel×2', statuses: 'cancelled cancelled not_queued' },
    ],
  });
});

describe('timeout', () => {
  const inputs = { timeout: '45s' };
  const TIMED_OUT = { outcomes: 'wait_timed_out', exitCode: 1 };
  const lastRead = (outcome: 'stalls' | typeof FAILED.perhaps): ServiceScript => ({
    read: (nth) => (nth > 2 ? outcome : undefined),
  });

  scenarios(
    {
      'does not apply to a run that has finished since its last read': [
        { service: { life: () => ends(40_000) } },
        { outcomes: 'succeeded', reads: '2 32 45', exitCode: 0 },
      ],
      'does not apply to runs that finish exactly at the deadline': [
        {
          inputs: { pipeline: pipelines(2), timeout: '100s' },
          service: { life: (nth) => ends(nth * 50_000), cancel: () => FAILED.perhaps },
        },
        'succeeded succeeded',
      ],
      'cancels the run if the last read fails': [
        { service: lastRead(FAILED.perhaps) },
        { ...TIMED_OUT, statuses: 'cancelled' },
      ],
      'gives the last read ten seconds': [{ service: lastRead('stalls') }, { ...TIMED_OUT, cancels: '55' }],
      'lets an interruption abort the last read, and remains the reason for the stop': [
        { service: lastRead('stalls'), interruptAtMs: 47_000 },
        { ...TIMED_OUT, cancels: '47' },
      ],
      'reports the actual final status of a run that finishes before the cancel arrives': [
        {
          service: {
            life: () => ends(46_000),
            cancel: (nth) => (nth === 1 ? { afterMs: 2_000, outcome: { kind: 'unchanged' } } : undefined),
          },
        },
        { ...TIMED_OUT, statuses: 'completed' },
      ],
      'leaves the runs running with on-timeout: leave, and is recorded': [
        { inputs: { pipeline: pipelines(2), 'on-timeout': 'leave' } },
        {
          outcomes: 'wait_timed_out wait_timed_out',
          cancels: '',
          endedAtMs: 45_000,
          facts: 'intent queued intent queued stopped',
        },
      ],
      'prevents the triggers of runs that have not started': [
        { inputs: { ...THREE, 'max-parallel': '1' } },
        { triggers: '0', outcomes: repeat('wait_timed_out', 3), statuses: 'cancelled not_queued not_queued' },
      ],
      'cancels a run as soon as the late response to its trigger arrives': [
        { service: { trigger: () => queuedLate(100_000), existing: { [OTHER]: 'running' } } },
        { ...TIMED_OUT, statuses: 'cancelled', cancels: '100' },
      ],
      'does not apply to a run that has finished when the late response to its trigger arrives': [
        {
          inputs: { 'on-timeout': 'leave' },
          service: { trigger: () => queuedLate(100_000), existing: { [OTHER]: ends(60_000) } },
        },
        { outcomes: 'succeeded', reads: '100' },
      ],
      'retries a failing cancel for at most a minute': [
        { service: { cancel: () => FAILED.perhaps } },
        {
          ...TIMED_OUT,
          statuses: 'running',
          endedAtMs: expect.toSatisfy((ms) => ms > 95_000 && ms <= 105_000) as unknown,
        },
      ],
    },
    { inputs },
  );

  it('is recorded before the cancel is sent', async () => {
    const recorded: string[] = [];
    const files = memoryFiles();
    const { facts } = await playStep({
      inputs: { ...inputs, 'on-cancel': 'leave' },
      files,
      service: { cancel: () => void recorded.push(files.text(STEP_FILES.state)) },
    });
    expect(recorded[0]).toContain('"kind":"stopped"');
    expect(facts).toBe('intent queued stopped finished');
  });

  it('allows the first cancel ten seconds, and the last one only two seconds after an interruption', async () => {
    const { endedAtMs, made, outcomes, log } = await playStep({ inputs, service: STALLED, interruptAtMs: 60_000 });
    const within = made('cancel').map(({ withinMs = 0 }) => withinMs);
    expect(within[0]).toBe(10_000);
    expect(within.at(-1)).toBeLessThanOrEqual(2_000);
    expect(made('cancel').filter(({ atMs }) => atMs >= 60_000).length).toBeGreaterThanOrEqual(3);
    expect(endedAtMs).toBeLessThanOrEqual(69_300);
    expect([outcomes, log.includes('interrupted')]).toEqual(['wait_timed_out', false]);
  });
});

describe('wait: false', () => {
  const DETACHED = { outcomes: 'triggered triggered triggered', exitCode: 0 };
  const late: ServiceScript = {
    trigger: (nth) => (nth === 2 ? queuedLate(8_000) : undefined),
    existing: { [OTHER]: 'queued' },
  };
  const failFast: StepOptions = { service: { trigger: (nth) => (nth === 2 ? FAILED.rejected : undefined) } };

  scenarios(
    {
      'ends the step once all runs are queued, and disables timeout': [
        { inputs: { timeout: '1s' } },
        { ...DETACHED, reads: '', endedAtMs: 0 },
      ],
      'detaches the runs once all of them are triggered': [
        { service: late, inputs: { timeout: '5s' } },
        { ...DETACHED, endedAtMs: 8_000, facts: `${repeat('intent queued', 3)} ${repeat('detached', 3)}` },
      ],
      'ignores max-parallel': [{ inputs: { 'max-parallel': '1' } }, { ...DETACHED, triggers: '0 0 0' }],
      'cancels all runs if the step is interrupted before the last trigger': [
        { service: late, interruptAtMs: 5_000 },
        { statuses: 'cancelled cancelled not_queued', cancels: '5 8', triggers: '0 0' },
      ],
      'lets fail-fast cancel the runs if on-cancel is cancel': [
        { ...failFast, inputs: { 'fail-fast': 'true' } },
        { outcomes: 'cancelled not_triggered not_triggered', cancels: '0', facts: matching(/finished$/) },
      ],
      'lets fail-fast detach the runs if on-cancel is leave': [
        { ...failFast, inputs: { 'fail-fast': 'true', 'on-cancel': 'leave' } },
        { outcomes: 'triggered not_triggered not_triggered', cancels: '', facts: matching(/detached$/) },
      ],
      'fails the step after a lost response': [
        { service: { trigger: () => FAILED.perhaps } },
        { exitCode: 1, outcomes: repeat('unknown', 3) },
      ],
    },
    { inputs: { ...THREE, wait: 'false' } },
  );
});
