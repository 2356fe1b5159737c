import { pause } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';
import type { Uuid } from '../base/uuid.ts';
import type { Problem, ReadOutcome } from '../service/api.ts';
import type { StepParts } from './parts.ts';
import { retryAfterMs } from './retry.ts';
import { rowFact } from './state/facts.ts';
import type { Run } from './state/ledger.ts';

/** The run is lost after this many consecutive rejections, or responses without the run. One may be a stale read. */
const IN_A_ROW = 3;
/** The wait ends after this many key rejections spanning at least `KEY_REJECTED_FOR_MS`. One may be a service fault. */
const KEY_REJECTIONS = 3;
const KEY_REJECTED_FOR_MS = 60_000;

/** The monotonic time of the first read, and the extra delay before the second read, in milliseconds. */
export interface FirstReads {
  readonly at: number;
  readonly delayAfterMs: number;
}

/**
 * Reads a run's status until the run finishes, is lost or is stopped. The poll interval elapses between a response and
 * the next request, so the first read after `queue-timeout` expires notices the timeout.
 */
export async function awaitRun(run: Run, jobId: Uuid, parts: StepParts, reads: FirstReads): Promise<void> {
  const { plan, clock, interruption, ledger, service } = parts;
  const { stopped } = run;
  const begun = clock.now();
  const queue = new QueuedStretch(run, begun);
  let outage = new Outage(begun);
  let nextReadAt = reads.at;
  let delayMs = reads.delayAfterMs;
  while (!stopped.aborted) {
    await pause(clock, nextReadAt - clock.now(), stopped);
    interruption.look();
    if (stopped.aborted) return;
    const outcome = await service.read(jobId, { signal: stopped });
    const now = clock.now();
    if (outcome.kind === 'job') {
      outage = new Outage(now);
      ledger.apply(run, rowFact(outcome.job));
      if (run.phase.at === 'finished') return;
      const afterMs = plan.queueTimeoutMs ?? Infinity;
      if (queue.add(outcome.job.status, now) >= afterMs) {
        ledger.stop({ reason: { kind: 'queue_timeout', afterMs }, policy: plan.onTimeout, at: clock.now() }, run);
      }
    } else if (outcome.kind !== 'aborted' && !stopped.aborted) {
      // If a stop and a failure coincide, the stop decides what to do with the run.
      const { problem, isFinal } = outage.add(outcome, now, run, plan.maxOutageMs);
      if (isFinal) {
        ledger.apply(run, { kind: 'lost', problem });
        return;
      }
      ledger.apply(run, { kind: 'read_failed', problem, sinceMs: now - outage.lastGoodAt });
    }
    nextReadAt = now + Math.max(plan.pollIntervalMs + delayMs, retryAfterMs(outcome));
    delayMs = 0;
  }
}

/**
 * Measures how long a run stays `queued` without another status in between. A single `queued` row does not count,
 * because it may be stale even though an agent has picked up the run.
 */
class QueuedStretch {
  #since: number | undefined;
  #reads: number;

  /** A newly triggered run counts as queued since `begun`, a monotonic time in milliseconds. */
  constructor({ status, lastReadAt }: Run, begun: number) {
    this.#since = status === 'queued' ? (lastReadAt ?? begun) : undefined;
    this.#reads = lastReadAt === undefined ? 0 : 1;
  }

  /** Adds a row. Returns the time in the queue in ms, or 0 unless this row and the previous one are both `queued`. */
  add(status: string, now: number): number {
    if (status !== 'queued') {
      this.#since = undefined;
      this.#reads = 0;
      return 0;
    }
    this.#since ??= now;
    this.#reads += 1;
    return this.#reads > 1 ? now - this.#since : 0;
  }
}

type BadRead = Exclude<ReadOutcome, { kind: 'job' | 'aborted' }>;

/** The failures since the last good response. */
class Outage {
  /** The monotonic time of the last good response, in milliseconds. */
  readonly lastGoodAt: number;
  #kind: 'missing' | 'rejected' | undefined;
  #inARow = 0;
  #reads = 0;
  #keyRejections = 0;
  #keyRejectedAt = 0;

  constructor(lastGoodAt: number) {
    this.lastGoodAt = lastGoodAt;
  }

  /** Counts a read that returned no row at `now`. `isFinal` means that the run is lost. */
  add(outcome: BadRead, now: number, run: Run, maxOutageMs: number): { problem: Problem; isFinal: boolean } {
    const problem = problemOf(outcome);
    const kind = outcome.kind === 'missing' || outcome.kind === 'rejected' ? outcome.kind : undefined;
    this.#inARow = kind === this.#kind ? this.#inARow + 1 : 1;
    this.#kind = kind;
    this.#reads += 1;
    if (outcome.kind === 'key_refused') {
      if (this.#keyRejections === 0) this.#keyRejectedAt = now;
      this.#keyRejections += 1;
    }
    const howLong = this.#whyFinal(outcome.kind, now, maxOutageMs);
    if (howLong !== undefined) return { problem: { ...problem, cause: `${problem.cause}${howLong}` }, isFinal: true };
    return { problem, isFinal: outcome.kind === 'missing' && run.attached && run.status === undefined };
  }

  /** Explains why the run is lost, as the end of a sentence, or returns undefined if the run is not lost. */
  #whyFinal(kind: BadRead['kind'], now: number, maxOutageMs: number): string | undefined {
    if (this.#kind !== undefined && this.#inARow >= IN_A_ROW) return `; ${IN_A_ROW} status checks in a row failed`;
    const sinceMs = now - this.lastGoodAt;
    // If the interval exceeds `max-outage`, one failed read is not an outage yet.
    if (sinceMs >= maxOutageMs && this.#reads > 1) return `; no valid response for ${formatDuration(sinceMs)}`;
    const rejectedForMs = now - this.#keyRejectedAt;
    return kind === 'key_refused' && this.#keyRejections >= KEY_REJECTIONS && rejectedForMs >= KEY_REJECTED_FOR_MS
      ? `; the API key was rejected ${this.#keyRejections} times over ${formatDuration(rejectedForMs)}`
      : undefined;
  }
}

/** Returns the problem that a read without a row indicates. */
export function problemOf(outcome: BadRead): Problem {
  if (outcome.kind !== 'missing') return outcome.problem;
  return {
    attempted: "read the run's status",
    cause: 'the workspace of this API key has no run with this id',
    remedy: "Check the id, and check that the API key belongs to the run's workspace.",
  };
}
