import { stateAt } from '../../../sandbox/model/index.ts';
import type { History, Job, ObservedRequest, RunHistory } from './history.ts';
import { isReadable } from './readable.ts';

/** Whether no PATCH in the time that was left could have been accepted. */
export function isExempt(history: History, run: RunHistory, job: Job): boolean {
  const { facts, observedRequests } = history;
  const { post } = facts;
  if (!isReadable(facts, job.id) && !history.exited) return true;
  if (post === undefined) return isMainExempt(history, run);
  const crashes = facts.crashed.some(({ on }) => on === 'post');
  if (crashes) return true;
  if (facts.spec.runner.postKeyMissing) return true;
  if (!isReadable(facts, job.id)) return true;
  const requests = observedRequests.filter(
    ({ request }) => request.on === 'post' && (request.call === 'cancel' || request.call === 'exchange'),
  );
  if (requests.some(({ observed }) => observed.kind === 'no')) {
    return requests.some(({ request }) => request.what !== undefined) || facts.spec.keyRevokedAtMs !== null;
  }
  const fine = requests.filter(
    ({ request, observed }) =>
      request.call === 'cancel' &&
      request.subject === job.id &&
      request.what === undefined &&
      observed.kind !== 'denied',
  );
  // With a status that the precondition does not name nothing can be cancelled.
  const committed = fine.filter(({ request }) => request.committedAtMs !== undefined);
  if (committed.some(({ request }) => isCancellable(job, request.committedAtMs ?? 0))) return false;
  return triedToTheEnd(history, requests);
}

function isCancellable(job: Job, atMs: number): boolean {
  return ['queued', 'picked', 'running'].includes(stateAt(job, atMs)?.status ?? '');
}

/** Post has three minutes, or its share of 270 s if other steps of the job left runs as well, and uses them. */
function triedToTheEnd({ facts }: History, requests: readonly ObservedRequest[]): boolean {
  const startedMs = facts.post?.startedAtMs ?? 0;
  const last = requests.at(-1)?.request.atMs ?? 0;
  const journals = [...facts.files.keys()].filter((path) => path.endsWith('.journal')).length;
  return last >= startedMs + Math.min(180_000, 270_000 / Math.max(1, journals)) - LAST_PAUSE_MS;
}

/** Post sends nothing more when the next pause would end after its time. */
const LAST_PAUSE_MS = 30_000;

/** Without a post there are seconds: whatever took some of them is an excuse. */
function isMainExempt({ facts, observedRequests, interrupted }: History, run: RunHistory): boolean {
  if (facts.main.end?.how === 'killed') return true;
  const from = interrupted?.step ?? Infinity;
  const troubled = observedRequests.some(
    ({ request, step, observed }) =>
      request.on === 'main' &&
      // Before the signal, only a cancel that the service did not process is an excuse.
      (step >= from ||
        observed.kind === 'nothing' ||
        (request.call === 'cancel' && request.committedAtMs === undefined)) &&
      request.what !== undefined,
  );
  const odd = run.jobs.some((job) => !isCancellable(job, interrupted?.atMs ?? 0));
  return (
    troubled ||
    facts.stalls.length > 0 ||
    odd ||
    facts.spec.latencyMs > 200 ||
    facts.spec.keyRevokedAtMs !== null ||
    hasEarlier(observedRequests)
  );
}

/** A fault that came before may have left no token that is good. */
function hasEarlier(observedRequests: readonly ObservedRequest[]): boolean {
  return observedRequests.some(({ request }) => request.what !== undefined && request.call === 'exchange');
}
