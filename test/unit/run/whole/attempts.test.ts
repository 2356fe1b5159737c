import { describe, expect, it } from 'vitest';
import { jobNumber, type Life, pipelineNumber, type ServiceScript as Script } from '../../../support/fake-service.ts';
import { FAILED } from '../stage.ts';
import { type Played, type PlayOptions, play, SUMMARY } from './play.ts';

const ends = (status: string, atMs = 30_000): Life => [
  [0, 'running'],
  [atMs, status],
];

/** Lives of the runs in the order of their triggers; the last one repeats. */
const lives = (...all: readonly Life[]): Script => ({ life: (nth) => all[Math.min(nth, all.length) - 1] ?? [] });

const [FAILS, WELL] = [ends('failed'), ends('completed')];
const THREE = { pipeline: pipelineNumber(1), 'max-attempts': '3' };

function again(inputs: Readonly<Record<string, string>>, script: Script, options: PlayOptions = {}): Promise<Played> {
  return play({ ...THREE, ...inputs }, { script, ...options });
}

const triggers = ({ calls }: Played): readonly number[] =>
  calls.flatMap((one) => (one.call === 'trigger' ? [one.at] : []));

describe('a step with max-attempts', () => {
  it('triggers again after a failure, and succeeds with a warning', async () => {
    const all = await again({}, lives(FAILS, WELL));
    expect(all.exitCode).toBe(0);
    // Read after 2 s and 32 s; then the pause of a minute.
    expect(triggers(all)).toEqual([0, 92_000]);
    expect(all.outputs).toMatchObject({
      'job-id': jobNumber(2),
      'job-status': 'completed',
      outcome: 'succeeded',
      duration: '124',
    });
    expect(all.annotations).toMatchObject([
      { level: 'warning', message: expect.stringContaining('attempt 2 of 3') as string },
    ]);
    expect(all.results).toMatchObject([
      {
        attempts: [
          { id: jobNumber(1), status: 'failed', duration: '32' },
          { id: jobNumber(2), status: 'completed', duration: '32' },
        ],
      },
    ]);
    expect(all.log).toMatch(/attempt 2 of 3 follows in 1m, because the run failed/);
    const summary = all.files.text(SUMMARY);
    expect(summary).toContain(jobNumber(1));
    expect(summary).toContain(jobNumber(2));
  });

  it('fails after its last attempt, with the run of that', async () => {
    const all = await again({ 'retry-delay': '5m' }, lives(FAILS));
    expect([all.exitCode, triggers(all).length]).toEqual([1, 3]);
    expect(all.outputs).toMatchObject({ 'job-id': jobNumber(3), 'job-status': 'failed', outcome: 'failed' });
    expect(all.outputs['message']).toContain('Attempts made: 3 of 3');
  });

  it.each<[string, Readonly<Record<string, string>>, Script]>([
    ['a success', {}, lives(WELL)],
    ['a cancel by somebody', {}, lives(ends('cancelled'))],
    ['a status that retry-on does not name', { 'retry-on': 'timed_out' }, lives(FAILS)],
    ['a run that is lost', {}, { ...lives(FAILS), read: () => ({ kind: 'missing' }) }],
    ['a trigger without an answer', {}, { trigger: () => FAILED.perhaps }],
    ['a trigger that is refused', {}, { trigger: () => ({ kind: 'no_credits' }) }],
    [
      'a run beside which another one may exist',
      { 'on-lost-response': 'retry' },
      { ...lives(FAILS), trigger: (nth) => (nth === 1 ? FAILED.perhaps : undefined) },
    ],
    ['a timeout', { timeout: '20s' }, lives(FAILS)],
    ['a queue-timeout', { 'queue-timeout': '1m' }, { life: () => [[0, 'queued']] }],
    ['a pause that would end after the timeout', { timeout: '80s' }, lives(FAILS)],
    ['wait: false', { wait: 'false' }, lives(FAILS)],
    [
      'a run that was given by its id',
      { pipeline: '', 'job-id': jobNumber(9) },
      { existing: { [jobNumber(9)]: FAILS } },
    ],
  ])('makes no further attempt after %s', async (_, inputs, script) => {
    const all = await again(inputs, script);
    expect(new Set(all.records.map(({ attempt }) => attempt)).has(2)).toBe(false);
  });

  it('keeps the last result if the next attempt would begin after the timeout', async () => {
    const all = await again({ timeout: '80s' }, lives(FAILS));
    expect(all.outputs).toMatchObject({ outcome: 'failed', 'job-status': 'failed', 'job-id': jobNumber(1) });
    expect(all.outputs['message']).toContain('Attempts made: 1 of 3');
  });

  it('ends at once when it is interrupted in the pause, and triggers nothing', async () => {
    const all = await again({}, lives(FAILS), { interruptAtMs: 40_000 });
    expect(triggers(all)).toEqual([0]);
    expect(all.endedAtMs).toBeLessThan(41_000);
    expect(all.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'failed', 'job-id': jobNumber(1) });
    expect(all.exitCode).toBe(1);
  });

  it('cancels the run of the attempt that is open', async () => {
    const all = await again({}, lives(FAILS, ends('completed', 900_000)), { interruptAtMs: 100_000 });
    expect(all.statusOf(jobNumber(2))).toBe('cancelled');
    expect(all.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled', 'job-id': jobNumber(2) });
  });

  it.each([
    ['refused', { kind: 'no_credits' }, 'failed', 'failed'],
    ['not answered', FAILED.perhaps, 'unknown', 'unknown'],
  ] as const)('keeps the id of the last run if the next trigger is %s', async (_, answer, outcome, status) => {
    const trigger: Script['trigger'] = (nth) => (nth === 1 ? undefined : answer);
    const all = await again({}, { ...lives(FAILS), trigger });
    expect(all.outputs).toMatchObject({ outcome, 'job-status': status, 'job-id': jobNumber(1) });
    expect(all.outputs['message']).toMatch(/attempt 2 of 3/i);
    expect([all.exitCode, triggers(all).length]).toEqual([1, 2]);
  });

  it('takes over a run as its first attempt', async () => {
    const existing = { [jobNumber(9)]: ends('failed', 10_000) };
    const all = await again({ 'job-id': jobNumber(9) }, { ...lives(WELL), existing });
    expect(all.outputs).toMatchObject({ outcome: 'succeeded', 'job-id': jobNumber(1) });
    expect(all.outputs['message']).toContain('attempt 2 of 3');
  });

  it('does not count a run that had ended before it', async () => {
    const existing = { [jobNumber(9)]: ends('failed', 0) };
    const all = await again({ 'job-id': jobNumber(9) }, { ...lives(FAILS), existing });
    expect(triggers(all).length).toBe(3);
  });

  it('leaves post nothing to do after a pause, and the open attempt after its trigger', async () => {
    const all = await again({}, lives(FAILS, WELL));
    const facts = all.records.map(({ attempt, fact }) => `${attempt} ${fact.kind}`);
    expect(facts).toEqual([1, 2].flatMap((nth) => [`${nth} intent`, `${nth} queued`, `${nth} finished`]));
  });
});

describe('several pipelines with max-attempts', () => {
  const two = `${pipelineNumber(1)}\n${pipelineNumber(2)}`;

  it('free their slot in the pause, and come before those that have not begun', async () => {
    const three = `${two}\n${pipelineNumber(3)}`;
    const all = await again({ pipeline: three, 'max-parallel': '1' }, lives(FAILS, ends('completed', 200_000), WELL));
    expect(all.triggered()).toEqual([1, 2, 1, 3].map(pipelineNumber));
  });

  it('fail fast only after the last attempt', async () => {
    const script = lives(FAILS, ends('completed', 600_000), FAILS, FAILS);
    const all = await again({ pipeline: two, 'fail-fast': 'true' }, script);
    expect(all.triggered()).toEqual([1, 2, 1, 1].map(pipelineNumber));
    expect(all.results).toMatchObject([{ outcome: 'failed' }, { outcome: 'cancelled' }]);
  });

  it('do not begin an attempt once another one has stopped them', async () => {
    const script = lives(FAILS, ends('cancelled', 60_000), WELL);
    const all = await again({ pipeline: two, 'fail-fast': 'true', 'retry-delay': '10m' }, script);
    expect(triggers(all).length).toBe(2);
    expect(all.results).toMatchObject([{ outcome: 'failed', 'job-status': 'failed' }, { outcome: 'failed' }]);
  });

  it('leave the attempts of successes out of results before anything else', async () => {
    const many = Array.from({ length: 60 }, (_, index) => pipelineNumber(index + 1));
    const script: Script = { life: (nth) => (nth > 60 ? ends('completed', 30_000) : FAILS) };
    const all = await again({ pipeline: many.join('\n') }, script);
    expect(all.results).toHaveLength(60);
    expect(Buffer.byteLength(all.outputs['results'] ?? '')).toBeLessThanOrEqual(30_000);
    expect(all.results.some((entry) => 'attempts' in entry)).toBe(false);
  });
});
