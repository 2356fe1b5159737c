import type { History, RunHistory } from './history.ts';
import { letGoBefore } from './let-go.ts';
import { isBefore } from './stop.ts';
import { TOLERANCE_MS } from './tolerance.ts';

/** A call is tried so often. */
const TRIES = 8;

/** Every outcome that would be true: more than one only where two things came at once. */
export function outcomesOf(history: History, run: RunHistory): ReadonlySet<string> {
  const { policy } = history;
  const { knowledge, stop, ended, isTie } = run;
  const may = new Set<string>();
  const stopped = (): void => {
    if (stop === undefined) return;
    if (isTie) may.add('cancelled').add('wait_timed_out').add('not_triggered');
    else if (stop.why === 'fail_fast') may.add(knowledge.is === 'none' ? 'not_triggered' : 'cancelled');
    else may.add(stop.why === 'interrupted' ? 'cancelled' : 'wait_timed_out');
  };
  if (knowledge.is === 'doubt') return may.add('unknown');
  if (knowledge.is === 'none') {
    stopped();
    // A disk that takes no intent keeps a run from being triggered.
    if (history.facts.writes.some(({ failed }) => failed)) may.add('not_triggered');
    if (stop === undefined || isTie || isFinal(run, stop.atMs) || isKeyless(history)) may.add('not_triggered');
    return may;
  }
  // An earlier run that was taken may be over already.
  const isOver = ended !== undefined && ended.step === knowledge.step;
  if (knowledge.step === Infinity) {
    // Its status was never read: out of reach, unless a stop came first.
    stopped();
    return stop === undefined || isTie || isGivenUp(history, run, stop.atMs) ? may.add('lost') : may;
  }
  const letGo = letGoBefore(history, stop);
  if (!policy.wait && !isOver && letGo !== 'no') {
    may.add('triggered');
    if (letGo === 'yes') return may;
  }
  const endsFirst = ended !== undefined && (stop === undefined || isBefore(ended, stop) || isLast(history, run));
  if (endsFirst || (isTie && ended !== undefined)) {
    may.add(policy.succeedOn.includes(ended.status) ? 'succeeded' : 'failed');
    if (!isTie) return may;
  }
  const lostFirst = run.lost.may && (stop === undefined || isBefore(run.lost, stop));
  if (lostFirst || (isTie && run.lost.may)) may.add('lost');
  if (run.lost.must && !isTie) return may;
  stopped();
  return may;
}

/** So many exchanges failed that a trigger may have been given up for want of a token. */
function isKeyless({ observedRequests }: History): boolean {
  const failed = observedRequests.filter(
    ({ request, observed }) =>
      request.on === 'main' && request.call === 'exchange' && observed.kind !== 'token' && observed.kind !== 'nothing',
  );
  return failed.length >= TRIES;
}

/** The last read before a stop was one that nobody repeats. */
function isGivenUp({ policy }: History, { reads }: RunHistory, stopMs: number): boolean {
  const [first] = reads;
  const last = reads.findLast(({ atMs }) => atMs <= stopMs + TOLERANCE_MS);
  if (first === undefined || last === undefined) return false;
  const isFinal = ['no', 'none', 'refused'].includes(last.observed.kind);
  const cannotPass = last.observed.kind === 'unsent' && !last.observed.retryable;
  return isFinal || cannotPass || last.atMs + policy.pollMs - first.request.atMs >= policy.maxOutageMs;
}

/** An end that the last read at a time-out told counts as an end. */
function isLast({ interrupted }: History, { ended, stop, cancels }: RunHistory): boolean {
  if (ended === undefined || stop?.why !== 'timeout' || ended.request.call !== 'read') return false;
  const before = cancels.every(({ request }) => request.step > ended.step);
  return before && (interrupted === undefined || interrupted.step > ended.step);
}

/** The last trigger was refused for good before the wait was stopped. */
function isFinal({ triggers }: RunHistory, stopMs: number): boolean {
  const last = triggers.at(-1);
  return last !== undefined && last.atMs <= stopMs + TOLERANCE_MS;
}
