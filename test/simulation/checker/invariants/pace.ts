// Reads of a run keep the interval, requests are as the API expects them, and tokens are renewed in time.
import { SLOW_MS } from '../exemptions.ts';
import type { History, Run } from '../history.ts';
import { MOST_BYTES } from '../observed.ts';
import { stalledMs, TOLERANCE_MS } from '../time.ts';

/** How often a settle may read without regard to the interval. */
const FREE_READS = 3;

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

/** At a time-out a run is read once more before it is cancelled: it may have ended since its last read. */
function lastRead(
  { facts, requests, interrupted }: History,
  { stop, cancels, reads, pipeline, knowledge }: Run,
): string[] {
  const [first] = cancels;
  if (stop?.why !== 'timeout' || first === undefined || knowledge.is !== 'known') return [];
  // Main sends the read between two writes that block it.
  const dueMs = stop.atMs - TOLERANCE_MS - stalledMs(facts, 'main', 0, stop.atMs);
  const isHurried = interrupted !== undefined && interrupted.step <= first.request.step;
  // Without a token nothing can be read.
  const isTokenless = requests.some(({ request }) => request.call === 'exchange' && request.atMs >= dueMs);
  const isRead = reads.some(({ request }) => request.atMs >= dueMs && request.step <= first.request.step);
  return isRead || isHurried || isTokenless ? [] : [`${pipeline.name} was cancelled without a last read`];
}

/** Reads of a run that follow another one too soon: three may confirm a cancel, and one may follow each timeout. */
function tooClose({ requests, policy }: History, { jobs, pipeline }: Run, on: 'main' | 'post'): string[] {
  const own = requests.filter(({ request }) => request.on === on);
  const timeouts = [policy.timeoutMs, policy.queueTimeoutMs].filter((ms) => on === 'main' && ms < Infinity);
  const free = timeouts.length + (own.some(({ request }) => request.call === 'cancel') ? FREE_READS : 0);
  return jobs.flatMap(({ id }) => {
    const reads = own.filter(({ request }) => request.call === 'read' && request.subject === id);
    const close = reads.filter(({ request }, index) => {
      const before = reads[index - 1];
      // A read is repeated with a new token, and without the message if that made the response too large.
      if (before === undefined || before.observed.kind === 'denied') return false;
      if (before.request.text.length > MOST_BYTES) return false;
      return request.atMs - before.request.atMs < policy.pollMs - TOLERANCE_MS;
    }).length;
    return close > free ? [`${on} read a run of ${pipeline.name} ${close} times too soon, ${free} were free`] : [];
  });
}

/** A token is renewed before it expires, for all that wait for it at once. */
function tokens({ requests, facts }: History): string[] {
  const { spec } = facts;
  const isTroubled =
    spec.faults.some(({ call, what }) => call === 'exchange' || what === 'denied' || what === 'slow') ||
    spec.outages.length > 0 ||
    spec.stalls.length > 0 ||
    spec.keyRevokedAtMs !== null ||
    spec.latencyMs > SLOW_MS;
  if (isTroubled) return [];
  const found: string[] = [];
  // One that expires on the way was good when the request left.
  const stale = requests.filter(({ request, observed }) => {
    const token = facts.world.tokens.find(({ value }) => request.headers['authorization'] === `Bearer ${value}`);
    return observed.kind === 'denied' && request.atMs >= (token?.expiresAt ?? Infinity);
  });
  if (stale.length > 0) found.push(`${stale.length} requests were sent with a token that had expired`);
  const exchanges = requests.filter(({ request }) => request.call === 'exchange');
  for (const { request, step } of exchanges) {
    const next = exchanges.find((one) => one.request.on === request.on && one.request.step > request.step)?.request;
    // After two seconds, a process in a hurry may start over.
    const isEarly = next !== undefined && next.step < step && next.atMs - request.atMs < 2_000 - TOLERANCE_MS;
    if (isEarly) found.push(`${request.on} exchanged the key twice at once`);
  }
  return found;
}

/** A 401 is answered by a new token and another try, a few times and no more. */
function endless401({ requests, policy, runs }: History): string[] {
  const timeouts = runs.flatMap(({ stop }) => (stop?.why === 'timeout' ? [stop.atMs - TOLERANCE_MS] : []));
  const rows = new Map<string, { length: number; atMs: number }>();
  const found = new Set<string>();
  for (const { request, observed, atMs } of requests) {
    const most = { trigger: 3, list: 3, read: 2 }[request.call as string];
    const key = `${request.on} ${request.call} ${request.subject}`;
    const row = rows.get(key);
    // The next read in its turn is another read, and so is one that confirms another cancel.
    if (request.call === 'cancel') rows.delete(`${request.on} read ${request.subject}`);
    // A call that finds no token starts over when it is repeated.
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
