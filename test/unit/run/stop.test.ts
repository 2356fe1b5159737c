// Tests interruptions, timeouts and wait: false, which end a step early, and their effects on the runs.
import { describe, expect, it } from 'vitest';
import { mark, marksOf } from '../../../src/action/state/mark.ts';
import { pause } from '../../../src/base/clock.ts';
import type { Service } from '../../../src/service/api.ts';
import {
  ends,
  FAILED,
  jobNumber,
  type Life,
  listing,
  pipelineNumber,
  pipelines,
  rowOf,
  type ServiceScript,
} from '../../support/fake-service.ts';
import { HOST, JOB_ENV } from '../../support/post.ts';
import { fullDisk, matching, rows, type Scenario, scenarios } from '../../support/scenarios.ts';
import { JOB } from '../../support/service.ts';
import { playStep, STEP_FILES, type Stage, type StepOptions } from '../../support/step.ts';

const [FIRST, OTHER] = [jobNumber(1), jobNumber(9)];
const RUNNING: Life = [[0, 'running']];
const STALLED = { cancel: () => 'stalls' } as const satisfies ServiceScript;
const QUEUED_LATE = (afterMs: number) => ({ afterMs, outcome: { kind: 'queued', jobId: OTHER } }) as const;
const CANCELLED = { outcomes: 'cancelled', statuses: 'cancelled', exitCode: 1 };
const THREE = { pipeline: pipelines(3) };

const repeat = (word: string, count: number): string => Array.from({ length: count }, () => word).join(' ');
/** Returns whether the outputs have been written at this time. */
const outputsAt = (ms: number, seen: (text: string) => void): Pick<StepOptions, 'watch'> => ({
  watch: ({ clock, files }) => clock.after(ms, () => seen(files.read(STEP_FILES.output) ?? '')),
});

describe('an interruption', () => {
  it('ends the step once all runs are cancelled, and leaves no pending timer', async () => {
    const watch = ({ clock, interrupt }: Stage) => clock.after(60_050, () => interrupt('SIGTERM'));
    const { endedAtMs, timersLeft, statuses, log } = await playStep({ inputs: THREE, service: { callMs: 100 }, watch });
    expect([endedAtMs, timersLeft, statuses]).toEqual([60_150, 0, repeat('cancelled', 3)]);
    expect(log).toContain('SIGTERM');
  });

  it('sends the cancels before the step prints anything, and is logged immediately', async () => {
    const printed: unknown[] = [];
    await playStep({
      inputs: THREE,
      service: { cancel: () => ({ afterMs: 1_500, outcome: FAILED.perhaps }) },
      interruptAtMs: 60_000,
      onLine: (line, { clock }, calls) => {
        if (line.includes('Step interrupted'))
          printed.push(clock.now(), calls.filter(({ call }) => call === 'cancel').length);
      },
    });
    expect(printed.slice(0, 2)).toEqual([60_000, 3]);
  });

  it('writes the outputs within 6.5 s and ends the step within 9.3 s, even if all cancels hang', async () => {
    let [early, due] = ['', ''];
    const { endedAtMs, made, outcomes, statuses } = await playStep({
      inputs: THREE,
      service: STALLED,
      interruptAtMs: 60_000,
      watch: (stage) => {
        outputsAt(66_499, (text) => (early = text)).watch?.(stage);
        outputsAt(66_501, (text) => (due = text)).watch?.(stage);
      },
    });
    expect(early).not.toContain('outcome=');
    expect(due).toContain('outcome=cancelled');
    expect(endedAtMs).toBeGreaterThan(66_500);
    expect(endedAtMs).toBeLessThanOrEqual(69_300);
    expect([outcomes, statuses]).toEqual([repeat('cancelled', 3), repeat('running', 3)]);
    const [first] = made('cancel');
    expect((first?.atMs ?? 0) + (first?.withinMs ?? 0)).toBe(69_200);
  });

  it('abandons each attempt after 2 s if there are many runs', async () => {
    const { made } = await playStep({ inputs: { pipeline: pipelines(13) }, service: STALLED, interruptAtMs: 60_000 });
    expect(made('cancel').every(({ withinMs = 0 }) => withinMs <= 2_000)).toBe(true);
  });

  it('signalled by the marker of a post step cancels a run as soon as its trigger returns', async () => {
    const paths = marksOf({ journal: '', stateFile: STEP_FILES.state });
    const watch = ({ clock, files }: Stage) =>
      clock.after(3_000, () => mark(paths, { env: JOB_ENV, host: HOST, files, clock }));
    const service = { trigger: () => QUEUED_LATE(4_000), existing: { [OTHER]: RUNNING } };
    expect(await playStep({ env: JOB_ENV, service, watch })).toMatchObject({ ...CANCELLED, cancels: '4' });
  });

  it('has no effect after the step has ended, when no timer is pending', async () => {
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
    ['the time is up', STALLED, 11_700],
  ])('neither waits for the names of pipelines nor uses them before %s', async (_what, service, ms) => {
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
    ...rows(
      [1_500, 3_000, 5_000].map(
        (ms): Scenario => [
          `accepts the response to a cancel after ${ms} ms`,
          { service: { cancel: (nth) => (nth === 1 ? answersAfter(ms) : 'stalls') }, interruptAtMs },
          { ...CANCELLED, endedAtMs: 60_000 + ms },
        ],
      ),
    ),
    ...rows(
      ([{ kind: 'unchanged' }, FAILED.perhaps] as const).map(
        (later): Scenario => [
          `continues an attempt if the response to a later attempt is ${later.kind}`,
          {
            service: {
              cancel: (nth) => (nth === 1 ? answersAfter(6_000) : later),
              read: () => rowOf(FIRST, 'running'),
            },
            interruptAtMs,
          },
          { ...CANCELLED, endedAtMs: 66_000 },
        ],
      ),
    ),
    'waits at most 9.3 s for a trigger in flight': [
      { inputs: { ...THREE, 'max-parallel': '1' }, service: { trigger: () => 'stalls' }, interruptAtMs: 1_000 },
      // Each additional run may add half a millisecond to the report.
      { endedAtMs: 10_299, outcomes: 'unknown cancelled cancelled', statuses: 'unknown not_queued not_queued' },
    ],
    'cancels the run of a trigger whose response is late': [
      { service: { trigger: () => QUEUED_LATE(8_000), existing: { [OTHER]: RUNNING } }, interruptAtMs: 1_000 },
      { ...CANCELLED, endedAtMs: 8_000, facts: 'intent queued finished' },
    ],
    ...rows(
      (
        [
          ['the exchange of the key', { connect: () => 'stalls' }],
          ['the list', { list: () => 'stalls' }],
          ['the pause between two exchanges', { connect: () => FAILED.busy }],
        ] satisfies [string, ServiceScript][]
      ).map(
        ([during, service]): Scenario => [
          `ends the step at once during ${during}`,
          { service, interruptAtMs: 3_000 },
          { endedAtMs: 3_000, outcomes: 'cancelled', statuses: 'not_queued', triggers: '' },
        ],
      ),
    ),
    'before the step starts prevents all requests': [
      { service: {}, interruptAt: 'start' },
      { calls: '', outcomes: 'cancelled' },
    ],
    'leaves the runs running with on-cancel: leave, without a request or a record': [
      { inputs: { ...THREE, 'on-cancel': 'leave' }, service: {}, interruptAtMs },
      {
        calls: 'connect list trigger×3 read×6',
        facts: 'intent queued intent queued intent queued',
        outcomes: repeat('cancelled', 3),
        statuses: repeat('running', 3),
      },
    ],
    'sends no more triggers, and cancels the one in flight': [
      { inputs: THREE, service: { callMs: 1_000 }, interruptAtMs: 3_500 },
      { calls: 'connect list trigger×2 cancel×2', statuses: 'cancelled cancelled not_queued' },
    ],
  });

  it('before the start ends the step within 9.3 s, even if all calls hang', async () => {
    const { endedAtMs } = await playStep({
      inputs: { pipeline: '', 'job-id': JOB, 'on-cancel': 'cancel' },
      service: { ...STALLED, existing: { [JOB]: RUNNING }, read: () => 'stalls' },
      interruptAt: 'start',
    });
    expect(endedAtMs).toBeGreaterThan(6_500);
    expect(endedAtMs).toBeLessThanOrEqual(9_300);
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
      'does not apply to runs that finish at exactly that time': [
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
      'lets an interruption end the last read, and remains the reason for the stop': [
        { service: lastRead('stalls'), interruptAtMs: 47_000 },
        { ...TIMED_OUT, cancels: '47' },
      ],
      'reports the status of a run that finishes before the cancel arrives': [
        {
          service: {
            life: () => ends(46_000),
            cancel: (nth) => (nth === 1 ? { afterMs: 2_000, outcome: { kind: 'unchanged' } } : undefined),
          },
        },
        { ...TIMED_OUT, statuses: 'completed' },
      ],
      'leaves and records the runs as running with on-timeout: leave': [
        { inputs: { pipeline: pipelines(2), 'on-timeout': 'leave' } },
        {
          outcomes: 'wait_timed_out wait_timed_out',
          cancels: '',
          endedAtMs: 45_000,
          facts: 'intent queued intent queued stopped',
        },
      ],
      'prevents the triggers of waiting runs': [
        { inputs: { ...THREE, 'max-parallel': '1' } },
        { triggers: '0', outcomes: repeat('wait_timed_out', 3), statuses: 'cancelled not_queued not_queued' },
      ],
      'is not followed by fail-fast': [
        { inputs: { pipeline: pipelines(2), 'fail-fast': 'true', 'on-timeout': 'leave' } },
        {
          outcomes: 'wait_timed_out wait_timed_out',
          log: expect.not.stringContaining('Stopped by fail-fast') as string,
        },
      ],
      'cancels a run as soon as the late response to its trigger arrives': [
        { service: { trigger: () => QUEUED_LATE(100_000), existing: { [OTHER]: RUNNING } } },
        { ...TIMED_OUT, statuses: 'cancelled', cancels: '100' },
      ],
    },
    { inputs },
  );

  it('is recorded before the cancel is sent', async () => {
    let recorded = '';
    const { facts } = await playStep({
      inputs: { ...inputs, 'on-cancel': 'leave' },
      around: (service: Service, { files }: Stage): Service => ({
        ...service,
        cancel: (jobId, options) => {
          recorded = files.text(STEP_FILES.state);
          return service.cancel(jobId, options);
        },
      }),
    });
    expect(recorded).toContain('"kind":"stopped"');
    expect(facts).toBe('intent queued stopped finished');
  });

  it('retries the cancel for a minute', async () => {
    const { endedAtMs, outcomes, statuses } = await playStep({ inputs, service: { cancel: () => FAILED.perhaps } });
    expect(endedAtMs).toBeGreaterThan(95_000);
    expect(endedAtMs).toBeLessThanOrEqual(105_000);
    expect([outcomes, statuses]).toEqual(['wait_timed_out', 'running']);
  });

  it('allows each cancel ten seconds, or two after an interruption, which ends them within 9.3 s', async () => {
    const { endedAtMs, made, outcomes, log } = await playStep({ inputs, service: STALLED, interruptAtMs: 60_000 });
    const within = made('cancel').map(({ withinMs = 0 }) => withinMs);
    expect(within[0]).toBe(10_000);
    expect(within.at(-1)).toBeLessThanOrEqual(2_000);
    expect(made('cancel').filter(({ atMs }) => atMs >= 60_000).length).toBeGreaterThanOrEqual(3);
    expect(endedAtMs).toBeLessThanOrEqual(69_300);
    expect([outcomes, log.includes('Step interrupted')]).toEqual(['wait_timed_out', false]);
  });
});

describe('queue-timeout', () => {
  const inputs = { pipeline: pipelines(2), 'queue-timeout': '60s' };
  const life = (nth: number): Life => (nth === 1 ? [[0, 'queued']] : ends(200_000));
  scenarios(
    {
      'cancels only the run that is queued': [
        {},
        { outcomes: 'wait_timed_out succeeded', statuses: 'cancelled completed' },
      ],
      'is followed by fail-fast': [{ inputs: { 'fail-fast': 'true' } }, 'wait_timed_out cancelled'],
    },
    { inputs, service: { life } },
  );
});

describe('wait: false', () => {
  const DETACHED = { outcomes: 'triggered triggered triggered', exitCode: 0 };
  const late: ServiceScript = {
    trigger: (nth) => (nth === 2 ? QUEUED_LATE(8_000) : undefined),
    existing: { [OTHER]: [[0, 'queued']] },
  };
  const failFast: StepOptions = { service: { trigger: (nth) => (nth === 2 ? FAILED.rejected : undefined) } };

  scenarios(
    {
      'ends the step once all runs are queued, and disables timeout': [
        { inputs: { timeout: '1s' } },
        { ...DETACHED, reads: '', endedAtMs: 0 },
      ],
      'detaches the runs once all of them are triggered': [
        { service: late },
        {
          ...DETACHED,
          endedAtMs: 8_000,
          facts: 'intent queued intent queued intent queued detached detached detached',
        },
      ],
      'ignores max-parallel': [{ inputs: { 'max-parallel': '1' } }, { ...DETACHED, triggers: '0 0 0' }],
      'cancels all runs if the step is interrupted before the last trigger': [
        { service: late, interruptAtMs: 5_000 },
        { statuses: 'cancelled cancelled not_queued', cancels: '5 8', triggers: '0 0' },
      ],
      'lets fail-fast cancel the runs with on-cancel: cancel': [
        { ...failFast, inputs: { 'fail-fast': 'true' } },
        { outcomes: 'cancelled not_triggered not_triggered', cancels: '0', facts: matching(/finished$/) },
      ],
      'lets fail-fast detach the runs with on-cancel: leave': [
        { ...failFast, inputs: { 'fail-fast': 'true', 'on-cancel': 'leave' } },
        { outcomes: 'triggered not_triggered not_triggered', cancels: '', facts: matching(/detached$/) },
      ],
      'fails if a trigger is not confirmed': [
        { service: { trigger: () => FAILED.perhaps } },
        { exitCode: 1, outcomes: repeat('unknown', 3) },
      ],
      'fails if a detached run cannot be recorded, because post may cancel it': [
        { ...fullDisk(/"kind":"detached"/), service: late },
        { ...DETACHED, exitCode: 1 },
      ],
      'does not fail if a detached run cannot be recorded and on-cancel is leave': [
        { ...fullDisk(/"kind":"detached"/), service: late, inputs: { 'on-cancel': 'leave' } },
        DETACHED,
      ],
    },
    { inputs: { ...THREE, wait: 'false' } },
  );
});
