import type { History, ObservedRequest, RunHistory } from '../history.ts';
import { MOST_BYTES } from '../observed.ts';
import { stalledMs } from '../stalls.ts';
import { TOLERANCE_MS } from '../tolerance.ts';

/** How often a settle may read without regard to the interval. */
const FREE_READS = 3;

/** Reads of a run keep the interval, and requests are what the interface asks for. */
export function pace(history: History): string[] {
  const { facts } = history;
  const breaches = facts.world.violations.filter(({ kind }) => kind !== 'read_too_soon');
  return [
    ...breaches.map(({ kind, detail }) => `the service noted ${kind}: ${detail}`),
    ...history.runs.flatMap((run) => (['main', 'post'] as const).flatMap((on) => tooClose(history, run, on))),
    ...tokens(history),
    ...history.runs.flatMap((run) => lastRead(history, run)),
    ...endless401(history),
  ];
}

/** At a time-out a run is read once more before it is cancelled: it may have ended while nobody looked. */
function lastRead(
  { facts, observedRequests, interrupted }: History,
  { stop, cancels, reads, pipeline, knowledge }: RunHistory,
): string[] {
  const [first] = cancels;
  if (stop?.why !== 'timeout' || first === undefined || knowledge.is !== 'known') return [];
  // Main sends the read between two writes that block it.
  const dueMs = stop.atMs - TOLERANCE_MS - stalledMs(facts, 'main', 0, stop.atMs);
  const isHurried = interrupted !== undefined && interrupted.step <= first.request.step;
  // Without a token nothing can be read.
  const isTokenless = observedRequests.some(({ request }) => request.call === 'exchange' && request.atMs >= dueMs);
  const isRead = reads.some(({ request }) => request.atMs >= dueMs && request.step <= first.request.step);
  return isRead || isHurried || isTokenless ? [] : [`${pipeline.name} was cancelled without a last read`];
}

function tooClose(history: History, run: RunHistory, on: 'main' | 'post'): string[] {
  const { observedRequests, policy } = history;
  const settled = observedRequests.some(({ request }) => request.on === on && request.call === 'cancel');
  const last = (timeout: number): number => (on === 'main' && timeout < Infinity ? 1 : 0);
  const free = (settled ? FREE_READS : 0) + last(policy.timeoutMs) + last(policy.queueTimeoutMs);
  return run.jobs.flatMap(({ id }) => {
    const close = closeReads(history, id, on);
    return close > free ? [`${on} read a run of ${run.pipeline.name} ${close} times too soon, ${free} were free`] : [];
  });
}

function closeReads({ observedRequests, policy }: History, id: string, on: 'main' | 'post'): number {
  const reads = observedRequests.filter(
    ({ request }) => request.on === on && request.call === 'read' && request.subject === id,
  );
  return reads.filter(({ request }, index) => {
    const before = reads[index - 1];
    // A read that was not let in was none: the same read follows with a new token.
    if (before === undefined || before.observed.kind === 'denied') return false;
    // The same read follows without the message if the message made the response too large.
    if (before.request.text.length > MOST_BYTES) return false;
    return request.atMs - before.request.atMs < policy.pollMs - TOLERANCE_MS;
  }).length;
}

/** A token is renewed before it expires, for all that wait for it at once. */
function tokens({ observedRequests, facts }: History): string[] {
  const { spec } = facts;
  const isTroubled =
    spec.faults.some(({ call, what }) => call === 'exchange' || what === 'denied' || what === 'slow') ||
    spec.outages.length > 0 ||
    spec.stalls.length > 0 ||
    spec.keyRevokedAtMs !== null ||
    spec.latencyMs > 200;
  if (isTroubled) return [];
  const found: string[] = [];
  // One that expires on the way was good when the request left.
  const stale = observedRequests.filter(({ request, observed }) => {
    const token = facts.world.tokens.find(({ value }) => request.headers['authorization'] === `Bearer ${value}`);
    return observed.kind === 'denied' && request.atMs >= (token?.expiresAt ?? Infinity);
  });
  if (stale.length > 0) found.push(`${stale.length} requests were sent with a token that had expired`);
  for (const on of ['main', 'post']) {
    const exchanges = observedRequests.filter(({ request }) => request.call === 'exchange' && request.on === on);
    exchanges.forEach((one, index) => {
      const next = exchanges[index + 1];
      if (next !== undefined && next.request.step < one.step && !isHurried(one, next)) {
        found.push(`${on} exchanged the key twice at once`);
      }
    });
  }
  return found;
}

/** Whoever cannot wait any longer may start over. */
function isHurried(one: ObservedRequest, next: ObservedRequest): boolean {
  return next.request.atMs - one.request.atMs >= 2_000 - TOLERANCE_MS;
}

/** A 401 is answered by a new token and another try, a few times and no more. */
function endless401({ observedRequests, policy, runs }: History): string[] {
  const timeouts = runs.flatMap(({ stop }) => (stop?.why === 'timeout' ? [stop.atMs - TOLERANCE_MS] : []));
  const rows = new Map<string, { length: number; atMs: number }>();
  const found = new Set<string>();
  for (const { request, observed, atMs } of observedRequests) {
    const most = { trigger: 3, list: 3, read: 2 }[request.call as string];
    const key = `${request.on} ${request.call} ${request.subject}`;
    const row = rows.get(key);
    // The next read in its turn is another read, and so is one that confirms another cancel.
    if (request.call === 'cancel') rows.delete(`${request.on} read ${request.subject}`);
    // A call that finds no token begins anew when it is tried again.
    if (request.call === 'exchange' && observed.kind !== 'token') rows.clear();
    const beforeMs = row?.atMs ?? 0;
    const isLast = timeouts.some((dueMs) => beforeMs < dueMs && request.atMs >= dueMs);
    const isNew = request.call === 'read' && (isLast || request.atMs - beforeMs >= policy.pollMs / 2);
    const length = observed.kind === 'denied' ? (isNew ? 1 : (row?.length ?? 0) + 1) : 0;
    rows.set(key, { length, atMs });
    if (most !== undefined && length > most) found.add(`${key} was sent again after ${most} answers of 401`);
  }
  return [...found];
}
