import { pause } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';
import type { Uuid } from '../base/uuid.ts';
import type { Problem, ReadOutcome } from '../service/api.ts';
import { isKnownStatus } from '../service/statuses.ts';
import type { StepParts } from './parts.ts';
import { loseRun, recordEnd } from './record.ts';
import { wishMs } from './retry.ts';
import { type RunState, takeOver } from './run-state.ts';
import type { StopSwitch } from './stop.ts';

/** So many refusals, or answers without the run, in a row mean that it is out of reach. One may be a lagging replica. */
const IN_A_ROW = 3;
/** So many rejections of the API key, over at least so long, are final. One may be a fault of the service. */
const KEY_REJECTIONS = 3;
const KEY_REJECTED_FOR_MS = 60_000;

/** What a wait has seen go wrong so far. */
interface Trouble {
  lastGoodAt: number;
  kind: 'missing' | 'rejected' | undefined;
  inARow: number;
  /** Reads without a good answer since the last one that had one. */
  bad: number;
  told: boolean;
  /** How often the API key was rejected since the last good answer, and when first, by the monotonic clock. */
  keyRejections: number;
  keyRejectedAt: number;
}

/** When to read a run first, by the monotonic clock, and how much longer to wait after that, once; milliseconds. */
export interface FirstReads {
  readonly at: number;
  readonly delayAfterMs: number;
}

/**
 * Reads a run's status until it has ended, is out of reach, or the wait is stopped. Its standing says which:
 * `ended`, `lost`, or still `in_progress`. Between two reads lies the poll interval, from answer to request; a
 * time in the queue that is too long is therefore noticed at the next read after it.
 */
export async function awaitRun(
  run: RunState,
  jobId: Uuid,
  parts: StepParts,
  stopSwitch: StopSwitch,
  reads: FirstReads,
): Promise<void> {
  const { plan, clock } = parts;
  const begun = clock.now();
  const trouble = noTrouble(begun);
  let nextReadAt = reads.at;
  let delayMs = reads.delayAfterMs;
  const queuedTooLongAt = begun + (plan.queueTimeoutMs ?? Infinity);
  while (stopSwitch.thrown() === undefined) {
    await pause(clock, nextReadAt - clock.now(), stopSwitch.signal);
    if (stopSwitch.thrown() !== undefined) return;
    const outcome = await parts.service.read(jobId, { signal: stopSwitch.signal });
    const now = clock.now();
    run.lastReadAt = now;
    if (outcome.kind === 'job') {
      tellContact(run, trouble, parts);
      if (seen(run, outcome, parts)) return;
      if (outcome.job.status === 'queued' && now >= queuedTooLongAt) throwQueueTimeout(parts, stopSwitch);
    } else if (outcome.kind === 'aborted' || stopSwitch.thrown() !== undefined) {
      // Whoever stops the wait decides what becomes of the run, not a failure that came in the same instant.
      return;
    } else if (giveUp(run, outcome, trouble, parts)) {
      return;
    }
    nextReadAt = now + Math.max(plan.pollIntervalMs + delayMs, wishMs(outcome));
    delayMs = 0;
  }
}

/** Takes a good answer over; true when the run has ended. */
export function seen(
  run: RunState,
  outcome: Extract<ReadOutcome, { kind: 'job' }>,
  parts: StepParts,
): boolean {
  const from = run.status;
  const ended = takeOver(run, outcome.job, parts.clock.now());
  recordEnd(parts, run);
  if (from === run.status) parts.observe({ type: 'still', run });
  else parts.observe({ type: 'status', run, from, known: isKnownStatus(outcome.job.status) });
  return ended;
}

function tellContact(run: RunState, trouble: Trouble, parts: StepParts): void {
  const now = parts.clock.now();
  if (trouble.told) parts.observe({ type: 'contact_again', run, afterMs: now - trouble.lastGoodAt });
  Object.assign(trouble, noTrouble(now));
}

function noTrouble(lastGoodAt: number): Trouble {
  return { lastGoodAt, kind: undefined, inARow: 0, bad: 0, told: false, keyRejections: 0, keyRejectedAt: 0 };
}

type BadRead = Exclude<ReadOutcome, { kind: 'job' | 'aborted' }>;

/** Counts a read that brought nothing; true when the run is lost, which is then written down as left. */
function giveUp(run: RunState, outcome: BadRead, trouble: Trouble, parts: StepParts): boolean {
  const problem = outcome.kind === 'missing' ? NOT_FOUND : outcome.problem;
  const kind = outcome.kind === 'missing' || outcome.kind === 'rejected' ? outcome.kind : undefined;
  trouble.inARow = kind === trouble.kind ? trouble.inARow + 1 : 1;
  trouble.kind = kind;
  trouble.bad += 1;
  const now = parts.clock.now();
  const sinceMs = now - trouble.lastGoodAt;
  const neverSeen = run.attached && run.status === undefined && outcome.kind === 'missing';
  const often = kind !== undefined && trouble.inARow >= IN_A_ROW;
  const keyRejectedForMs = outcome.kind === 'key_refused' ? noteKeyRejection(trouble, now) : 0;
  const keyIsWrong = trouble.keyRejections >= KEY_REJECTIONS && keyRejectedForMs >= KEY_REJECTED_FOR_MS;
  const hopeless = keyIsWrong || often || neverSeen;
  // Where the interval is longer than `max-outage`, one bad read is not an outage yet.
  const outage = sinceMs >= parts.plan.maxOutageMs && trouble.bad > 1;
  if (hopeless || outage) {
    const howLong = often
      ? `, ${IN_A_ROW} times in a row`
      : outage
        ? `; no good answer for ${formatDuration(sinceMs)}`
        : keyIsWrong
          ? `, ${trouble.keyRejections} times over ${formatDuration(keyRejectedForMs)}`
          : '';
    loseRun(parts, run, { ...problem, came: `${problem.came}${howLong}` });
    return true;
  }
  trouble.told = true;
  parts.observe({ type: 'read_failed', run, problem, sinceMs });
  return false;
}

/** Returns how long ago the key was rejected for the first time, in milliseconds. */
function noteKeyRejection(trouble: Trouble, now: number): number {
  if (trouble.keyRejections === 0) trouble.keyRejectedAt = now;
  trouble.keyRejections += 1;
  return now - trouble.keyRejectedAt;
}

/** What a read without a row means. */
export const NOT_FOUND: Problem = {
  attempted: 'read the status of the run',
  came: 'the service knows no run of this id in the workspace of this API key',
  remedy: 'Check the id, and that the API key belongs to the workspace of the run.',
};

function throwQueueTimeout(parts: StepParts, stopSwitch: StopSwitch): void {
  stopSwitch.throw({
    reason: { kind: 'queue_timeout', afterMs: parts.plan.queueTimeoutMs ?? 0 },
    policy: parts.plan.onTimeout,
    at: parts.clock.now(),
  });
}
