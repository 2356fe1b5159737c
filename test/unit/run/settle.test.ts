// Tests how a cancel is sent, confirmed and repeated within the available time.
import { describe, expect, it } from 'vitest';
import { confirmCancel, type Settlement, type Settling } from '../../../src/run/settle.ts';
import type { CancelOutcome, Problem, ReadOutcome, Service } from '../../../src/service/api.ts';
import { ends, FAILED, fakeService, jobNumber, pipelines, rowOf, type Scripted } from '../../support/fake-service.ts';
import { meeting } from '../../support/meeting.ts';
import { delayed } from '../../support/scripted-wire.ts';
import { JOB } from '../../support/service.ts';
import { playStep, type Stage } from '../../support/step.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const { perhaps, keyRefused, busy, rejected, missing } = FAILED;
const UNCHANGED: CancelOutcome = { kind: 'unchanged' };
const RUNNING = rowOf(JOB, 'running');
const CANCELLED = rowOf(JOB, 'cancelled');
const CUT_OFF = { attempted: 'cancel', cause: 'a cut-off response' };
const ACCEPTED: CancelOutcome = { kind: 'accepted', problem: CUT_OFF };

interface Options {
  /** The responses to the cancels and the reads, in order. The last response repeats. */
  readonly cancels?: readonly Scripted<CancelOutcome>[];
  readonly reads?: readonly Scripted<ReadOutcome>[];
  readonly untilMs?: number;
  /** The time of an interruption in milliseconds. Settling must end 9 s later. */
  readonly hurryAt?: number;
  readonly settling?: Partial<Settling>;
}

/** When settling starts. At 0, a deadline could not be told apart from a duration. */
const START_MS = 7_000;

async function settle(options: Options) {
  const { cancels = [UNCHANGED], reads = [missing], untilMs = 60_000, hurryAt } = options;
  const clock = new VirtualClock();
  await clock.advance(START_MS);
  const hurry = new AbortController();
  const [troubles, seen]: [Problem[], string[]] = [[], []];
  const { service, calls } = fakeService(clock, {
    cancel: (nth) => cancels[nth - 1] ?? cancels.at(-1),
    read: (nth) => reads[nth - 1] ?? reads.at(-1),
  });
  if (hurryAt !== undefined) clock.after(hurryAt, () => hurry.abort());
  const settlement = await clock.until(
    confirmCancel(JOB, {
      service,
      clock,
      random: () => 0.5,
      until: () => START_MS + Math.min(untilMs, hurry.signal.aborted ? (hurryAt ?? 0) + 9_000 : untilMs),
      pace: () => (hurry.signal.aborted ? { attemptMs: 2_000, pauseMs: 1_000 } : { attemptMs: 10_000, pauseMs: 8_000 }),
      pollIntervalMs: 30_000,
      hurry: hurry.signal,
      onTrouble: (problem) => troubles.push(problem),
      onSeen: ({ status }) => seen.push(status),
      reads: { done: 0, lastAt: -Infinity },
      ...options.settling,
    }),
  );
  const relative = calls.map((one) => ({ ...one, atMs: one.atMs - START_MS }));
  const timesOf = (call: 'cancel' | 'read'): number[] =>
    relative.filter((one) => one.call === call).map(({ atMs }) => atMs);
  return {
    settlement,
    // The status of the run, or the cause of the problem.
    result: settlement.kind === 'settled' ? settlement.job.status : settlement.problem.cause,
    calls: relative,
    order: calls.map(({ call }) => call).join(' '),
    cancelTimes: timesOf('cancel'),
    readTimes: timesOf('read'),
    troubles,
    seen,
    endedAt: clock.now() - START_MS,
  };
}

describe('a cancel', () => {
  it.each<[string, Options, string, string]>([
    ['the changed row in its response', { cancels: [CANCELLED] }, 'cancelled', 'cancel'],
    ...['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped'].map(
      (status): [string, Options, string, string] => [
        `a read that shows ${status} if the cancel changed nothing`,
        { reads: [rowOf(JOB, status)] },
        status,
        'cancel read',
      ],
    ),
    ...['queued', 'picked', 'running', 'paused'].map((status): [string, Options, string, string] => [
      `a second cancel if a read shows ${status}, which may be stale`,
      { cancels: [UNCHANGED, CANCELLED], reads: [rowOf(JOB, status)] },
      'cancelled',
      'cancel read cancel',
    ]),
    [
      'a read that shows a final status if the row in its own response does not',
      { cancels: [rowOf(JOB, 'cancelling')], reads: [rowOf(JOB, 'cancelling'), CANCELLED] },
      'cancelled',
      'cancel read cancel read',
    ],
    ['a read if its own response is unusable', { cancels: [ACCEPTED], reads: [CANCELLED] }, 'cancelled', 'cancel read'],
    ['a cancel after two failures', { cancels: [perhaps, rejected, CANCELLED] }, 'cancelled', 'cancel cancel cancel'],
    [
      'another cancel once the service accepts the key again',
      { cancels: [keyRefused, UNCHANGED, keyRefused, CANCELLED], reads: [keyRefused] },
      'cancelled',
      'cancel cancel read cancel cancel',
    ],
  ])('is confirmed by %s', async (_how, options, result, order) => {
    expect(await settle(options)).toMatchObject({ settlement: { kind: 'settled' }, result, order });
  });

  it.each<[string, Options, string]>([
    ['that the run has not reached a final status', {}, 'the service changed nothing'],
    ['a cut-off response if no read is due', { cancels: [ACCEPTED], reads: [RUNNING], untilMs: 20_000 }, CUT_OFF.cause],
    ...[perhaps, FAILED.notProcessed, FAILED.unauthorized, FAILED.rejected, FAILED.notRetryable].map(
      (failure): [string, Options, string] => [
        `the cause "${failure.problem.cause}"`,
        { cancels: [failure] },
        failure.problem.cause,
      ],
    ),
    ['the rejected key even if other failures follow', { cancels: [keyRefused, perhaps] }, keyRefused.problem.cause],
    [
      'the latest failure if the service has accepted the key again',
      { cancels: [keyRefused, UNCHANGED, perhaps], reads: [RUNNING] },
      perhaps.problem.cause,
    ],
    ['the only failure, even if its request had little time', { cancels: ['stalls'], untilMs: 900 }, 'no answer'],
    ['the latest failure if it had a whole second', { cancels: [perhaps, 'stalls'], untilMs: 1_500 }, 'no answer'],
    ['that no time was left', { cancels: [CANCELLED], untilMs: 0 }, 'no time left'],
  ])('that is not confirmed in time reports %s', async (_what, options, cause) => {
    const { settlement, result, endedAt, calls } = await settle(options);
    const { untilMs = 60_000 } = options;
    expect([settlement.kind, result]).toEqual(['unsettled', expect.stringContaining(cause)]);
    expect(endedAt).toBeLessThanOrEqual(untilMs);
    expect(endedAt).toBeGreaterThanOrEqual(untilMs * 0.8);
    // The pauses grow, so a minute has room for a few attempts, not for hundreds.
    expect(calls.length).toBeGreaterThanOrEqual(untilMs / 7_000);
    expect(calls.length).toBeLessThan(30);
  });

  it('reports each failure and each status that it reads', async () => {
    const { troubles, seen } = await settle({ cancels: [UNCHANGED, perhaps], reads: [RUNNING] });
    expect(troubles[0]?.cause).toContain('is still running');
    expect(troubles.length).toBeGreaterThan(5);
    expect(seen).toEqual(['running']);
  });
});

describe('a cancel that stays open', () => {
  const late = (afterMs: number) => ({ afterMs, outcome: CANCELLED });
  const tries = (most: number) => ({ settling: { mostTries: () => most } });

  it.each<[string, Options, string, number, number]>([
    ['while another one fails', { cancels: [late(12_500), perhaps] }, 'cancel cancel cancel cancel', 3, 12_500],
    ['after the last attempt', { cancels: [late(15_000)], ...tries(1) }, 'cancel', 0, 15_000],
    ['after the last attempt fails', { cancels: [late(15_000), perhaps], ...tries(2) }, 'cancel cancel', 0, 15_000],
  ])('can settle the run %s', async (_when, options, order, troubles, endedAt) => {
    const all = await settle({ ...options, settling: { staysOpen: () => true, ...options.settling } });
    expect({ ...all, troubles: all.troubles.length }).toMatchObject({ result: 'cancelled', order, troubles, endedAt });
  });
});

it('the reads that confirm a cancel continue as soon as the poll interval has passed', async () => {
  const script: Options = { reads: [RUNNING], untilMs: 150_000 };
  const [, , third = 0, fourth = 0] = (await settle(script)).cancelTimes;
  const { readTimes } = await settle({ ...script, settling: { pollIntervalMs: fourth - third } });
  expect(readTimes.slice(2, 4)).toEqual([third, fourth]);
});

describe('an id that may be wrong', () => {
  const settling = { mostMissing: 3, pollIntervalMs: 1 };

  it.each<[string, Options, kind: Settlement['kind'], reads: number]>([
    ['is abandoned after three reads that do not find the run', { settling }, 'unsettled', 3],
    [
      'is not abandoned if a read in between finds the run',
      { settling, reads: [missing, missing, RUNNING, missing, missing, CANCELLED] },
      'settled',
      6,
    ],
    [
      'is abandoned even if some calls in between fail',
      { settling, cancels: [UNCHANGED, perhaps, UNCHANGED], reads: [missing, perhaps, missing, missing, CANCELLED] },
      'unsettled',
      4,
    ],
  ])('%s', async (_what, options, kind, reads) => {
    const { settlement, readTimes, endedAt } = await settle(options);
    expect([settlement.kind, readTimes.length]).toEqual([kind, reads]);
    expect(endedAt).toBeLessThan(25_000);
  });
});

describe('a failed cancel', () => {
  it.each<[string, Options, readonly number[]]>([
    ['is retried after Retry-After', { cancels: [busy, CANCELLED] }, [0, 45_000]],
    ['is retried before Retry-After if time is short', { cancels: [busy, CANCELLED], untilMs: 20_000 }, [0, 10_000]],
    [
      'is retried at once if the step is interrupted during the request',
      { cancels: ['stalls', CANCELLED], hurryAt: 3_000 },
      [0, 3_000],
    ],
    ['is retried at once if its pause is interrupted', { cancels: [busy, CANCELLED], hurryAt: 3_000 }, [0, 3_000]],
    ['is not retried if only one attempt is allowed', { cancels: [perhaps], settling: { mostTries: () => 1 } }, [0]],
  ])('%s', async (_what, options, expected) => {
    expect((await settle(options)).cancelTimes).toEqual(expected);
  });

  it('is not retried, and no retry is announced, if the time would run out during the pause', async () => {
    const [, pauseMs = 0] = (await settle({ cancels: [perhaps] })).cancelTimes;
    const { endedAt, troubles, order } = await settle({ cancels: [perhaps], untilMs: pauseMs });
    expect([order, endedAt, troubles]).toEqual(['cancel', 0, []]);
  });
});

describe('a run that the step fails to cancel within a minute while it awaits another run', () => {
  const [STUCK, OTHER] = [jobNumber(1), jobNumber(2)];
  const HOUR_MS = 3_600_000;
  const MINUTE_MS = 60_000;

  /** The first run stays queued, and its cancels fail until `wellAtMs`. The second run takes an hour. */
  async function awaiting(wellAtMs: number, interruptAtMs?: number, failure: CancelOutcome = perhaps) {
    // The times at which the step sends a cancel of this run, including failed cancels.
    const tried: number[] = [];
    const around = (service: Service, { clock }: Stage): Service => ({
      ...service,
      cancel: async (jobId, options) => {
        if (jobId === STUCK) tried.push(clock.now());
        return jobId === STUCK && clock.now() < wellAtMs ? failure : service.cancel(jobId, options);
      },
    });
    const played = await playStep({
      inputs: { pipeline: pipelines(2), 'queue-timeout': '60s' },
      service: { life: (nth) => (nth === 1 ? 'queued' : ends(HOUR_MS)) },
      around,
      longestMs: 3 * HOUR_MS,
      ...(interruptAtMs !== undefined && { interruptAtMs }),
    });
    return { ...played, tried };
  }

  it('is cancelled once the service recovers, with one attempt per poll interval until then', async () => {
    const { outcomes, statuses, tried, factsOf, log } = await awaiting(20 * MINUTE_MS);
    expect([outcomes, statuses]).toEqual(['wait_timed_out succeeded', 'cancelled completed']);
    expect(tried.at(-1)).toBeLessThan(21 * MINUTE_MS);
    const later = tried.filter((ms) => ms > 3 * MINUTE_MS && ms < 13 * MINUTE_MS);
    expect(later.length).toBeGreaterThanOrEqual(19);
    expect(later.length).toBeLessThanOrEqual(21);
    expect(factsOf(1)).toMatch(/finished$/);
    // The step logs a continuing failure every three minutes.
    expect(log.match(/HTTP 503/g)?.length).toBeGreaterThan(5);
  });

  it('is left to post once the other run has finished', async () => {
    const { outcomes, statuses, endedAtMs, tried } = await awaiting(2 * HOUR_MS);
    expect([outcomes, statuses]).toEqual(['wait_timed_out succeeded', 'queued completed']);
    // The step sees at its next read that the other run has finished, and a cancel may still be in flight.
    expect(endedAtMs).toBeLessThanOrEqual(HOUR_MS + 42_000);
    expect(tried.at(-1)).toBeLessThan(endedAtMs);
  });

  it.each([
    ['has recovered', 4_000],
    ['recovers before the deadline', 10_000],
  ])('is cancelled after an interruption if the service %s', async (_when, wellMs) => {
    // The routine attempts before and after these instants take place at 29:59 and 30:29.
    const { statusOf, endedAtMs, log } = await awaiting(30 * MINUTE_MS + wellMs, 30 * MINUTE_MS + 5_000);
    expect([statusOf(STUCK), statusOf(OTHER)]).toEqual(['cancelled', 'cancelled']);
    expect(endedAtMs).toBeLessThan(30 * MINUTE_MS + 5_000 + 9_300);
    expect(log).toContain('Step interrupted');
  });

  it('is read three times to confirm the cancellation, and then once per poll interval', async () => {
    const { made } = await awaiting(2 * HOUR_MS, undefined, UNCHANGED);
    const reads = made('read', STUCK).filter(({ atMs }) => atMs > MINUTE_MS);
    const gaps = reads.slice(1).map(({ atMs }, index) => atMs - (reads[index]?.endedAtMs ?? 0));
    expect(gaps.filter((ms) => ms < 30_000)).toHaveLength(3);
    expect(reads.length).toBeGreaterThan(20);
  });
});

describe.each([100, 300, 500, 700, 900])('a cancel whose responses take %i ms', (ms) => {
  it.each([0.1, 0.3, 0.5, 0.7, 0.9])('is reported with the cause of its failure (random number %d)', async (drawn) => {
    const { annotations } = await playStep({
      statuses: ['running'],
      interruptAtMs: 10_000,
      random: () => drawn,
      scripts: { cancel: (_nth, good) => delayed(ms, meeting('http_503')(good)) },
    });
    expect(annotations[0]?.message).toContain('HTTP 503');
  });
});
