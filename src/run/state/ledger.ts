import type { Clock } from '../../base/clock.ts';
import { fileRemedy } from '../../base/file-errors.ts';
import { messageOf } from '../../base/safe-text.ts';
import type { Account, Problem } from '../../service/api.ts';
import type { Target } from '../plan.ts';
import { type DurableFact, type Entry, type Fact, isDurable, type Stop } from './facts.ts';
import { isOpen, newRun, type RunState, reduce } from './run-state.ts';

/** A fact that the ledger applied, with the run before and after it. */
export interface Change {
  readonly fact: Fact;
  readonly before: RunState;
  readonly run: RunState;
  /** The reason why the write failed, and the remedy or ''. Undefined if the write succeeded or was unnecessary. */
  readonly unwritten?: { readonly reason: string; readonly remedy: string } | undefined;
}

/** An event in a step that changes no run. */
export type Notice =
  | { readonly notice: 'connected'; readonly account: Account }
  /** Every pipeline is known, and the step has triggered nothing yet. */
  | { readonly notice: 'ready'; readonly runs: readonly RunState[] }
  /** A call that concerns no run failed, and the step repeats it in `inMs`. */
  | { readonly notice: 'retry'; readonly problem: Problem; readonly inMs: number }
  /** The step stops waiting. The ledger delays this notice until the step has sent the cancel requests. */
  | { readonly notice: 'stopping'; readonly stop: Stop; readonly runs: readonly RunState[] }
  /** The step has finished with this run. */
  | { readonly notice: 'run_done'; readonly run: RunState }
  /** Time is short, so the step must write outputs and the summary now, even if they are incomplete. */
  | { readonly notice: 'report_due' };

export type News = Change | Notice;

/** Observes the news of a step. Must not throw. */
export type Observe = (news: News) => void;

/** A run of this step, with the latest state, which only the ledger changes, and the signal that ends the wait. */
export interface Run extends RunState {
  readonly stopped: AbortSignal;
  /** The number of reads that tried to confirm a cancellation, and the time of the last response, in milliseconds. */
  readonly confirming: { done: number; lastAt: number };
}

const ABORT = new WeakMap<Run, AbortController>();

/** Returns a new run for each target. */
export function plannedRuns({ targets }: { readonly targets: readonly Target[] }): Run[] {
  return targets.map((target, index) => trackedRun(newRun(index + 1, target)));
}

/** Returns a run with the given state and its own abort signal. */
export function trackedRun(state: RunState): Run {
  const controller = new AbortController();
  const confirming = { done: 0, lastAt: -Infinity };
  const run = { ...state, stopped: controller.signal, confirming };
  ABORT.set(run, controller);
  return run;
}

/** Thrown when a stop prevents a POST. */
export class IntentRefused extends Error {}

interface LedgerParts {
  readonly runs: readonly Run[];
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Writes a fact durably before returning. Throws if the write fails. */
  readonly write: (entry: Entry<DurableFact>) => void;
  readonly observe: Observe;
}

/** The only place that changes runs. Writes a fact, applies it, and then notifies observers. */
export class Ledger {
  readonly runs: readonly Run[];
  readonly #parts: LedgerParts;
  readonly #triggersStopped = new AbortController();
  /** Aborts on the first stop that applies to all runs. After that, the step triggers no run. */
  readonly triggersStopped = this.#triggersStopped.signal;
  #unreported: Stop | undefined;
  #stopOfAll: Stop | undefined;
  #isOver = false;

  constructor(parts: LedgerParts) {
    this.runs = parts.runs;
    this.#parts = parts;
  }

  /**
   * Applies a fact to a run.
   * @throws {IntentRefused} for an intent that follows a stop
   * @throws the disk error if writing an intent fails, because no trigger may happen without an intent on disk
   */
  apply(run: Run, fact: Fact): void {
    const stops = this.#isOver || this.triggersStopped.aborted || run.stopped.aborted;
    if (fact.kind === 'intent' && stops) throw new IntentRefused();
    const entry = this.#entryOf(run, fact);
    // Unlike other durable facts, an intent does not replace an unwritten one, such as a lost response.
    if (!isDurable(fact) || fact.kind === 'intent') this.recordLate([run]);
    const unwritten = isDurable(fact) ? this.#write({ ...entry, fact: storedFact(run, fact) }) : undefined;
    const before = { ...run };
    const after = reduce(run, entry);
    if (after !== run) Object.assign(run, after, isDurable(fact) && { unrecorded: owed(after, fact, unwritten) });
    // The run may be waiting for a trigger again because the step could not resume the earlier run.
    const stop = this.#stopOfAll;
    if (run.phase.at === 'waiting' && stop !== undefined) {
      Object.assign(run, reduce(run, this.#entryOf(run, { kind: 'stopped', stop })));
    }
    this.#tell({ fact, before, run, ...(unwritten && { unwritten }) });
  }

  /** Claims the runs whose ids the user provided, so that a stop or post settles them like triggered runs. */
  claimGiven(): void {
    for (const run of this.runs) {
      if (run.target.kind !== 'pipeline') this.apply(run, { kind: 'claimed', jobId: run.target.jobId });
    }
  }

  /**
   * Stops all runs, or just `only`. The first stop of a run counts. A signal's stop is not written, because main has
   * already written its policy, and a write would delay the cancel requests.
   */
  stop(stop: Stop, only?: Run): void {
    const runs = only === undefined ? this.runs : [only];
    const fact = { kind: 'stopped', stop } as const;
    const next = runs.map((run) => ({ run, state: reduce(run, this.#entryOf(run, fact)) }));
    const changed = next.filter(({ run, state }) => state !== run);
    const isNew = runs.some((run) => !run.stopped.aborted);
    const isWritten = stop.reason.kind !== 'signal' && changed.length > 0;
    const entry = { run: only?.number, attempt: only?.attempt ?? 1, fact, jobId: only?.jobId };
    const unwritten = isWritten ? this.#write(entry) : undefined;
    // If only one run is stopped, the record contains that run's id. Otherwise, unwritten ids still need a record.
    const replaces = isWritten && only !== undefined;
    for (const { run, state } of changed) {
      const before = { ...run };
      const kept = replaces ? undefined : before.unrecorded;
      Object.assign(run, state, { unrecorded: unwritten ? { fact, remedy: unwritten.remedy } : kept });
      if (unwritten !== undefined) this.#tell({ fact, before, run, unwritten });
    }
    if (only === undefined) {
      this.#stopOfAll ??= stop;
      this.#triggersStopped.abort();
    }
    if (stop.policy === 'await') return;
    for (const run of runs) ABORT.get(run)?.abort();
    if (only !== undefined || !isNew) return;
    // The microtasks that follow send the cancel requests. The report can wait for the next event or timer.
    this.#unreported ??= stop;
    this.#parts.clock.after(0, () => this.reportStop());
  }

  /** Notifies observers of an event that changes no run. */
  notice(notice: Notice): void {
    this.#tell(notice);
  }

  /** Notifies observers of a stop that has not been reported yet. */
  reportStop(): void {
    const stop = this.#unreported;
    this.#unreported = undefined;
    if (stop !== undefined) this.#parts.observe({ notice: 'stopping', stop, runs: this.runs });
  }

  /**
   * Abandons a run after an internal error in this action. The run may continue, because the step does not cancel it.
   * If the run was stopped, post cancels it.
   */
  abandon(run: Run, problem: Problem): void {
    if (!isOpen(run)) return;
    if (run.phase.at === 'triggering') this.apply(run, { kind: 'unanswered', problem });
    else if (run.phase.at === 'waiting') this.apply(run, { kind: 'kept_back', problem });
    else if (run.stop?.policy === 'cancel') this.apply(run, { kind: 'unsettled', problem });
    else this.apply(run, { kind: 'lost', problem });
  }

  /** Retries failed writes, because the disk may have space again and post needs the final status of each run. */
  recordLate(runs = this.runs): void {
    for (const run of runs) {
      const fact = run.unrecorded?.fact;
      if (fact === undefined) continue;
      const unwritten = this.#write(this.#entryOf(run, storedFact(run, fact)));
      if (unwritten === undefined) Object.assign(run, { unrecorded: undefined });
    }
  }

  /** Ends the step, although parts of it may still be running. The ledger rejects any later intent. */
  end(): void {
    this.#isOver = true;
  }

  #tell(news: News): void {
    this.reportStop();
    this.#parts.observe(news);
  }

  #entryOf<F extends Fact>(run: Run, fact: F): Entry<F> {
    const { number, attempt, jobId } = run;
    const at = this.#parts.clock.now();
    if (fact.kind === 'again') return { run: number, attempt: attempt + 1, fact, at };
    return { run: number, attempt, fact, jobId, at };
  }

  #write(entry: Entry<DurableFact>): Change['unwritten'] {
    try {
      this.#parts.write(entry);
      return undefined;
    } catch (error) {
      if (entry.fact.kind === 'intent') throw error;
      return { reason: messageOf(error), remedy: fileRemedy(error) };
    }
  }
}

/** Returns the record a run still needs: this fact if its write failed, or a stop that the fact does not replace. */
function owed(run: RunState, fact: DurableFact, unwritten: Change['unwritten']): RunState['unrecorded'] {
  if (unwritten !== undefined) return { fact, remedy: unwritten.remedy };
  const { stop, unrecorded } = run;
  const isStop = unrecorded?.fact.kind === 'stopped' && unrecorded.fact.stop === stop;
  // The id is on disk now, but the stop is not. A later record will contain both.
  return fact.kind === 'queued' && isStop ? unrecorded : undefined;
}

/** Returns the fact to store. A refusal proves nothing about an earlier POST, whose record may be lost. */
function storedFact(run: RunState, fact: DurableFact): DurableFact {
  return fact.kind === 'refused' && run.doubt !== undefined ? { ...fact, kind: 'unknown' } : fact;
}
