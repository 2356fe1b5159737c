import { formatDuration } from '../base/duration.ts';
import type { RowOutcome } from '../service/api.ts';
import { ATTEMPTED, noSuchRun, type Problem } from '../service/problem.ts';
import type { RunState } from './state.ts';

/** The run is lost after this many denials in a row. A single one may be a stale read. */
const LOST_AFTER_DENIALS = 3;

type BadRead = Exclude<RowOutcome, { kind: 'job' | 'aborted' }>;

/** What a failed status check means. */
export interface Judgement {
  readonly problem: Problem;
  /** True if the step gives up on the run. */
  readonly isLost: boolean;
  /** A sentence about how long the step keeps checking, unless the log already contains it. */
  readonly note?: string | undefined;
}

/** The failed status checks since the last successful one. */
export class Outage {
  /** The monotonic time of the last successful check, in ms. */
  since: number;
  /** True once the log has mentioned the outage. */
  isNoted = false;
  readonly #maxOutageMs: number;
  #hasNamedLimit = false;
  #hasNamedKey = false;
  /** How many checks in a row were denied. */
  #denials = 0;
  #checks = 0;

  constructor(since: number, maxOutageMs: number) {
    this.since = since;
    this.#maxOutageMs = maxOutageMs;
  }

  /** Excludes `ms` milliseconds, during which the machine slept, from the length of the outage. */
  excuse(ms: number): void {
    this.since += ms;
  }

  /** Adds a check that returned no row and decides whether the run is lost. */
  add(outcome: BadRead, run: RunState, now: number): Judgement {
    const { kind } = outcome;
    const problem = kind === 'none' ? notFound(run) : outcome.problem;
    this.#checks += 1;
    this.isNoted = true;
    const isDenied = isDenial(outcome, run);
    this.#denials = isDenied ? this.#denials + 1 : 0;
    if (kind === 'key_refused' || this.#denials >= LOST_AFTER_DENIALS) return { problem, isLost: true };
    const forMs = now - this.since;
    if (this.#checks > 1 && forMs >= this.#maxOutageMs) {
      const cause = `${problem.cause}; no valid response for ${formatDuration(forMs)} (max-outage)`;
      return { problem: { ...problem, cause }, isLost: true };
    }
    return { problem, isLost: false, note: isDenied ? this.#noteOfDenial(forMs) : this.#noteOfLimit(problem) };
  }

  #noteOfDenial(forMs: number): string {
    const count = `${this.#denials} of ${LOST_AFTER_DENIALS}`;
    // At the current interval between checks, max-outage may end the wait first.
    const untilLastMs = forMs + ((LOST_AFTER_DENIALS - this.#denials) * forMs) / this.#checks;
    const isSooner = untilLastMs > this.#maxOutageMs;
    const limit = isSooner
      ? `, or after ${formatDuration(this.#maxOutageMs)} without a valid response (max-outage)`
      : '';
    return `The step stops waiting after ${LOST_AFTER_DENIALS} such responses in a row (${count})${limit}.`;
  }

  /** Mentions each limit once. */
  #noteOfLimit({ isOfKey = false }: Problem): string | undefined {
    if (this.#hasNamedLimit && (!isOfKey || this.#hasNamedKey)) return undefined;
    this.#hasNamedLimit = true;
    this.#hasNamedKey ||= isOfKey;
    const limit = `for up to ${formatDuration(this.#maxOutageMs)} (max-outage)`;
    return `The step keeps checking ${limit}.`;
  }
}

/**
 * Returns whether the service or a gateway refused the check, or did not find the run. An empty response about a new run
 * is treated as an outage, because a replica may not have the run yet.
 */
function isDenial({ kind }: BadRead, { isGiven, isSeen }: RunState): boolean {
  return kind === 'rejected' || (kind === 'none' && (isGiven || isSeen));
}

function notFound({ isGiven, isSeen }: RunState): Problem {
  const attempted = ATTEMPTED.read;
  if (isGiven && !isSeen) return noSuchRun(attempted);
  return { attempted, cause: 'the service did not return the run' };
}
