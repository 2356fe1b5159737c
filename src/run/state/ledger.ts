import type { Clock } from '../../base/clock.ts';
import { fileRemedy } from '../../base/file-errors.ts';
import { messageOf } from '../../base/safe-text.ts';
import type { Account, Problem } from '../../service/api.ts';
import type { Target } from '../plan.ts';
import { type DurableFact, type Entry, type Fact, isDurable, type Stop } from './facts.ts';
import { isOpen, newRun, type RunState, reduce } from './run-state.ts';

/** A fact that took effect: the run before, and the run as it is now. */
export interface Change {
  readonly fact: Fact;
  readonly before: RunState;
  readonly run: RunState;
  /** Why the fact could not be written, and what to do about it, or ''. Undefined if it was written, or need not be. */
  readonly unwritten?: { readonly reason: string; readonly remedy: string } | undefined;
}

/** What happens in a step without changing a run. */
export type Notice =
  | { readonly notice: 'connected'; readonly account: Account }
  /** Every pipeline is known; nothing was triggered yet. */
  | { readonly notice: 'ready'; readonly runs: readonly RunState[] }
  /** A call that concerns no run failed, and is repeated in `inMs`. */
  | { readonly notice: 'retry'; readonly problem: Problem; readonly inMs: number }
  /** The step stops waiting. After a signal, this follows once the cancels are sent. */
  | { readonly notice: 'stopping'; readonly stop: Stop; readonly runs: readonly RunState[] }
  /** The run needs nothing more from this step. */
  | { readonly notice: 'run_done'; readonly run: RunState }
  /** Time is short: outputs and summary must be written now, complete or not. */
  | { readonly notice: 'report_due' };

export type News = Change | Notice;

/** Must not throw. */
export type Observe = (news: News) => void;

/** A run of this step: its latest state, which only the ledger changes, and the signal that ends the wait for it. */
export interface Run extends RunState {
  readonly stopped: AbortSignal;
  /** Reads that looked for its end after a cancel: how many, and when the last one was answered, in milliseconds. */
  readonly confirming: { done: number; lastAt: number };
}

const ABORT = new WeakMap<Run, AbortController>();

/** The runs that these targets ask for, before anything happened to them. */
export function plannedRuns({ targets }: { readonly targets: readonly Target[] }): Run[] {
  return targets.map((target, index) => trackedRun(newRun(index + 1, target)));
}

/** A run in this state, with a signal of its own. */
export function trackedRun(state: RunState): Run {
  const controller = new AbortController();
  const confirming = { done: 0, lastAt: -Infinity };
  const run = { ...state, stopped: controller.signal, confirming };
  ABORT.set(run, controller);
  return run;
}

/** A POST must not be sent, because the step stops. */
export class IntentRefused extends Error {
  override readonly name = 'IntentRefused';
}

interface LedgerParts {
  readonly runs: readonly Run[];
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Writes a fact for good before it returns. Throws if it cannot. */
  readonly write: (entry: Entry<DurableFact>) => void;
  readonly observe: Observe;
}

/** The one place where runs change: writes a fact, applies it, and then informs observers. */
export class Ledger {
  readonly runs: readonly Run[];
  readonly #parts: LedgerParts;
  readonly #triggersStopped = new AbortController();
  /** Aborted by the first stop of all runs: after that, no run is triggered. */
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
   * @throws {IntentRefused} for an intent that comes after a stop
   * @throws what the disk reports for an intent that cannot be written: without it, nothing may be triggered
   */
  apply(run: Run, fact: Fact): void {
    const stops = this.#isOver || this.triggersStopped.aborted || run.stopped.aborted;
    if (fact.kind === 'intent' && stops) throw new IntentRefused('the step stops');
    const entry = this.#entryOf(run, fact);
    if (!isDurable(fact)) this.recordLate([run]);
    const unwritten = isDurable(fact) ? this.#write({ ...entry, fact: storedFact(run, fact) }) : undefined;
    const before = { ...run };
    const after = reduce(run, entry);
    if (after !== run) Object.assign(run, after, isDurable(fact) && { unrecorded: owed(after, fact, unwritten) });
    // It may wait for a trigger again, after an earlier run was not taken.
    const stop = this.#stopOfAll;
    if (run.phase.at === 'waiting' && stop !== undefined) {
      Object.assign(run, reduce(run, this.#entryOf(run, { kind: 'stopped', stop })));
    }
    this.#tell({ fact, before, run, ...(unwritten && { unwritten }) });
  }

  /** Takes responsibility for the runs that were given by their ids: a stop, or post, settles them like triggered ones. */
  claimGiven(): void {
    for (const run of this.runs) {
      if (run.target.kind !== 'pipeline') this.apply(run, { kind: 'claimed', jobId: run.target.jobId });
    }
  }

  /**
   * Stops all runs, or `only` one. The first stop of a run counts. A signal's stop is not written, because its policy is
   * the one that main wrote first: no write delays the cancels.
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
    // The record of a stop of one run has its id. That of a stop of all has none: ids that are not on disk are still to be.
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
    // The cancels are sent in the microtasks that follow; reporting can wait for the next event or timer.
    this.#unreported ??= stop;
    this.#parts.clock.after(0, () => this.reportStop());
  }

  /** Informs observers of what happens without changing a run. */
  notice(notice: Notice): void {
    this.#tell(notice);
  }

  /** Informs observers of a stop that they do not know of yet. */
  reportStop(): void {
    const stop = this.#unreported;
    this.#unreported = undefined;
    if (stop !== undefined) this.#parts.observe({ notice: 'stopping', stop, runs: this.runs });
  }

  /**
   * An error of this action ends the handling of a run. The run may continue, because no cancel was requested, unless it
   * was stopped: then post cancels it.
   */
  abandon(run: Run, problem: Problem): void {
    if (!isOpen(run)) return;
    if (run.phase.at === 'triggering') this.apply(run, { kind: 'unanswered', problem });
    else if (run.phase.at === 'waiting') this.apply(run, { kind: 'kept_back', problem });
    else if (run.stop?.policy === 'cancel') this.apply(run, { kind: 'unsettled', problem });
    else this.apply(run, { kind: 'lost', problem });
  }

  /** Writes again what the disk refused, because it may have space now and post should know the end of each run. */
  recordLate(runs = this.runs): void {
    for (const run of runs) {
      const fact = run.unrecorded?.fact;
      if (fact === undefined) continue;
      const unwritten = this.#write(this.#entryOf(run, storedFact(run, fact)));
      if (unwritten === undefined) Object.assign(run, { unrecorded: undefined });
    }
  }

  /** Ends the step, although parts of it may still run: no intent is accepted from now on. */
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

/** What must still be written about a run after this fact: the fact itself, or a stop that its record does not replace. */
function owed(run: RunState, fact: DurableFact, unwritten: Change['unwritten']): RunState['unrecorded'] {
  if (unwritten !== undefined) return { fact, remedy: unwritten.remedy };
  const { stop, unrecorded } = run;
  const isStop = unrecorded?.fact.kind === 'stopped' && unrecorded.fact.stop === stop;
  // The id is on disk now, but the stop is not: its late record will contain both.
  return fact.kind === 'queued' && isStop ? unrecorded : undefined;
}

/** A refusal proves nothing about an earlier POST of the same trigger, whose record may be lost. */
function storedFact(run: RunState, fact: DurableFact): DurableFact {
  return fact.kind === 'refused' && run.doubt !== undefined ? { ...fact, kind: 'unknown' } : fact;
}
