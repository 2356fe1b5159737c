import type { Knowledge, ObservedRequest, Outline, RunHistory, Stopped } from './history.ts';
import { blockedSinceMs, noticedAtMs } from './stalls.ts';
import { TOLERANCE_MS } from './tolerance.ts';

/** Whether something came before a wait was stopped; a time-out is no event that anybody sees. */
export function isBefore(what: { readonly step: number; readonly atMs: number }, stop: Stopped): boolean {
  return stop.step === Infinity ? what.atMs < stop.atMs : what.step < stop.step;
}

interface SoFar {
  readonly pipeline: RunHistory['pipeline'];
  readonly reads: readonly ObservedRequest[];
  readonly cancels: readonly ObservedRequest[];
  readonly knowledge: Knowledge;
  readonly ended: ObservedRequest | undefined;
  readonly failed: Stopped | undefined;
}

/** What first stopped the wait for a run; a tie if it came so close to something else that either order is right. */
export function stopOf(
  { policy, interrupted, facts, observedRequests }: Outline,
  { pipeline, reads, cancels, knowledge, ended, failed }: SoFar,
): { readonly stop: Stopped | undefined; readonly isTie: boolean } {
  const stops: Stopped[] = [];
  if (interrupted !== undefined) stops.push({ why: 'interrupted', ...interrupted });
  // The whole step's time runs from its first trigger or read.
  const begins = observedRequests.find(({ request }) => request.call === 'trigger' || request.call === 'read');
  // Main counts from before it writes the intent, which may block it. A timer leads to the first read of an existing run.
  const isTimer = begins?.request.call === 'read';
  const begun =
    begins === undefined ? Infinity : blockedSinceMs(facts, begins.request.atMs, isTimer ? TOLERANCE_MS : 0);
  const due = noticedAtMs(facts, begun + policy.timeoutMs);
  const frozen = facts.crashed.find(({ kind }) => kind === 'beside_frozen');
  const lastMs = frozen?.atMs ?? facts.main.end?.atMs ?? facts.endMs;
  // The last read at a time-out tells an end that came before it.
  const firstCancel = cancels[0]?.request.step ?? Infinity;
  const lastRead = reads.find(({ request }) => request.atMs >= due - TOLERANCE_MS && request.step < firstCancel);
  const inTime = ended !== undefined && (ended.atMs < due || ended === lastRead || sameRequest(ended, lastRead));
  if (policy.wait && due <= lastMs + TOLERANCE_MS && !inTime) stops.push({ why: 'timeout', atMs: due, step: Infinity });
  // A run that existed before is first known to be queued when it is read.
  const queuedSince = knowledge.is === 'known' && knowledge.id !== pipeline.earlier ? knowledge.atMs : undefined;
  const queued = policy.wait ? queuedTooLong(reads, queuedSince, policy.queueTimeoutMs) : undefined;
  if (queued !== undefined) stops.push({ why: 'queue_timeout', atMs: queued.atMs, step: queued.step });
  // A run that failed by itself is not stopped by its own failure.
  const own = failed?.of?.includes(pipeline.id) === true;
  const isShared = own && (failed.of?.length ?? 0) > 1;
  // With `leave`, a run that goes on is awaited; one that waits for its turn is not begun any more.
  const concerned = policy.onCancel === 'cancel' || knowledge.is === 'none';
  // What the whole step's time-out has stopped is not stopped again.
  const isLate = policy.wait && failed !== undefined && failed.atMs > due;
  if (failed !== undefined && (!own || isShared) && concerned && !isLate) stops.push(failed);
  stops.sort((a, b) => a.atMs - b.atMs);
  const [first, second] = stops;
  const close = (atMs: number | undefined): boolean =>
    first !== undefined && atMs !== undefined && Math.abs(atMs - first.atMs) <= TOLERANCE_MS;
  const diedAtMs = facts.main.end?.how === 'killed' ? facts.main.end.atMs : undefined;
  // A write that blocks moves the instant from which main counts.
  const isMoved = facts.stalls.some(({ process }) => process === 'main');
  const isOdd = first?.why === 'queue_timeout' && isMoved;
  return {
    stop: first,
    isTie:
      isOdd ||
      isShared ||
      (first?.why !== 'interrupted' && close(diedAtMs)) ||
      close(second?.atMs) ||
      // Main looked for the mark of post in the event that brought the run's end.
      (first !== undefined && ended?.step === first.step) ||
      (first?.why !== 'interrupted' && close(ended?.atMs)),
  };
}

function sameRequest(a: ObservedRequest | undefined, b: ObservedRequest | undefined): boolean {
  return a !== undefined && a.request === b?.request;
}

/** The read that finds a run queued for too long, without another status in between. One read alone proves nothing. */
function queuedTooLong(
  reads: readonly ObservedRequest[],
  beginsMs: number | undefined,
  timeoutMs: number,
): ObservedRequest | undefined {
  let sinceMs = beginsMs;
  let inARow = 0;
  for (const read of reads) {
    if (read.observed.kind !== 'row') continue;
    if (read.observed.status === 'queued') {
      sinceMs ??= read.atMs;
      inARow += 1;
      if (inARow > 1 && read.atMs >= sinceMs + timeoutMs) return read;
    } else {
      sinceMs = undefined;
      inARow = 0;
    }
  }
  return undefined;
}
