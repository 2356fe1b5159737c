import { GRAIN_MS } from './grain.ts';
import type { Knowledge, Outline, Stopped, Told } from './story.ts';

/** Whether something came before a wait was stopped; a time-out is no event that anybody sees. */
export function isBefore(what: { readonly step: number; readonly atMs: number }, stop: Stopped): boolean {
  return stop.step === Infinity ? what.atMs < stop.atMs : what.step < stop.step;
}

interface SoFar {
  readonly pipeline: string;
  readonly reads: readonly Told[];
  readonly cancels: readonly Told[];
  readonly knowledge: Knowledge;
  readonly ended: Told | undefined;
  readonly failed: Stopped | undefined;
}

/** What first stopped the wait for a run; a tie if it came so close to something else that either order is right. */
export function stopOf(
  { asked, interrupted, facts, told }: Outline,
  { pipeline, reads, cancels, knowledge, ended, failed }: SoFar,
): { readonly stop: Stopped | undefined; readonly isTie: boolean } {
  const stops: Stopped[] = [];
  if (interrupted !== undefined) stops.push({ why: 'interrupted', ...interrupted });
  // The whole step's time runs from its first trigger or read.
  const begins = told.find(({ request }) => request.call === 'trigger' || request.call === 'read');
  const begun = begins?.request.atMs ?? Infinity;
  const due = begun + asked.timeoutMs;
  const frozen = facts.struck.find(({ kind }) => kind === 'beside_frozen');
  const lastMs = frozen?.atMs ?? facts.main.end?.atMs ?? facts.endMs;
  // The last read at a time-out tells an end that came before it.
  const firstCancel = cancels[0]?.request.step ?? Infinity;
  const lastRead = reads.find(({ request }) => request.atMs >= due - GRAIN_MS && request.step < firstCancel);
  const inTime =
    ended !== undefined && (ended.atMs < due || ended === lastRead || sameRequest(ended, lastRead));
  if (asked.wait && due <= lastMs + GRAIN_MS && !inTime)
    stops.push({ why: 'timeout', atMs: due, step: Infinity });
  const queuedDue = knowledge.is === 'known' && asked.wait ? knowledge.atMs + asked.queueTimeoutMs : Infinity;
  const queued = queuedTooLong(reads, queuedDue);
  if (queued !== undefined) {
    stops.push({ why: 'queue_timeout', atMs: queued.told.atMs, step: queued.told.step });
  }
  // A run that failed by itself is not stopped by its own failure.
  const own = failed?.of?.includes(pipeline) === true;
  const isShared = own && (failed.of?.length ?? 0) > 1;
  // With `leave`, a run that goes on is awaited; one that waits for its turn is not begun any more.
  const concerned = asked.onCancel === 'cancel' || knowledge.is === 'none';
  // What the whole step's time-out has stopped is not stopped again.
  const isLate = asked.wait && failed !== undefined && failed.atMs > due;
  if (failed !== undefined && (!own || isShared) && concerned && !isLate) stops.push(failed);
  stops.sort((a, b) => a.atMs - b.atMs);
  const [first, second] = stops;
  const close = (atMs: number | undefined): boolean =>
    first !== undefined && atMs !== undefined && Math.abs(atMs - first.atMs) <= GRAIN_MS;
  const diedAtMs = facts.main.end?.how === 'killed' ? facts.main.end.atMs : undefined;
  const isOdd = first?.why === 'queue_timeout' && queued?.odd === true;
  return {
    stop: first,
    isTie:
      isOdd ||
      isShared ||
      (first?.why !== 'interrupted' && close(diedAtMs)) ||
      close(second?.atMs) ||
      (first?.why !== 'interrupted' && close(ended?.atMs)),
  };
}

function sameRequest(a: Told | undefined, b: Told | undefined): boolean {
  return a !== undefined && a.request === b?.request;
}

/** The read that finds a run still queued when it should not be; `odd` if it was seen otherwise before. */
function queuedTooLong(
  reads: readonly Told[],
  dueMs: number,
): { readonly told: Told; readonly odd: boolean } | undefined {
  let odd = false;
  for (const told of reads) {
    if (told.heard.kind !== 'row') continue;
    if (told.heard.status !== 'queued') odd = true;
    else if (told.atMs >= dueMs) return { told, odd };
  }
  return undefined;
}
