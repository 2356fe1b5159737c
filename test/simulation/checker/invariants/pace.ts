// Main reads runs at the interval, sends requests in the form that the API expects, and renews tokens in time.
import { excuse, SLOW_MS } from '../exemptions.ts';
import type { History, Run } from '../history.ts';
import { MOST_BYTES } from '../observed.ts';
import { stalledMs, TOLERANCE_MS } from '../time.ts';

/** How many reads may ignore the interval while main settles a run. */
const FREE_READS = 3;

export function pace(history: History): string[] {
  const { facts } = history;
  // `tooClose` checks the pace of reads more precisely than the service.
  const breaches = facts.world.violations.filter(({ kind }) => kind !== 'read_too_soon');
  return [
    ...breaches.map(({ kind, detail }) => `the service noted ${kind}: ${detail}`),
    ...history.runs.flatMap((run) => (['main', 'post'] as const).flatMap((on) => tooClose(history, run, on))),
    ...tokens(history),
    ...history.runs.flatMap((run) => lastRead(history, run)),
    ...endless401(history),
  ];
}

/** At a timeout, main reads a run once more before cancelling it, because the run may have ended in the meantime. */
function lastRead(
  { facts, requests, interrupted }: History,
  { stop, cancels, reads, pipeline, knowledge }: Run,
): string[] {
  const [first] = cancels;
  if (stop?.why !== 'timeout' || first === undefined || knowledge.is !== 'known') return [];
  // Main may have sent the read between two blocking writes.
  const dueMs = stop.atMs - TOLERANCE_MS - stalledMs(facts, 'main', 0, stop.atMs);
  const isHurried = interrupted !== undefined && interrupted.step <= first.request.step;
  const isTokenless = requests.some(({ request }) => request.call === 'exchange' && request.atMs >= dueMs);
  const isRead = reads.some(({ request }) => request.atMs >= dueMs && request.step <= first.request.step);
  return isRead || excuse('no last read', isHurried || isTokenless)
    ? []
    : [`${pipeline.name} was cancelled without another read`];
}

/** Reads of a run follow one another too soon. Three such reads may confirm a cancel, and one may follow a timeout. */
function tooClose({ requests, policy }: History, { jobs, pipeline }: Run, on: 'main' | 'post'): string[] {
  const own = requests.filter(({ request }) => request.on === on);
  const timeouts = [policy.timeoutMs, policy.queueTimeoutMs].filter((ms) => on === 'main' && ms < Infinity);
  const free = timeouts.length + (own.some(({ request }) => request.call === 'cancel') ? FREE_READS : 0);
  return jobs.flatMap(({ id }) => {
    const reads = own.filter(({ request }) => request.call === 'read' && request.subject === id);
    const close = reads.filter(({ request }, index) => {
      const before = reads[index - 1];
      // Main repeats a read with a new token, and without the status message if that made the response too large.
      if (before === undefined || before.observed.kind === 'denied') return false;
      if (before.request.text.length > MOST_BYTES) return false;
      return request.atMs - before.request.atMs < policy.pollMs - TOLERANCE_MS;
    }).length;
    return close > free ? [`${on} read a run of ${pipeline.name} ${close} times too soon (limit ${free})`] : [];
  });
}

/** Main renews a token before it expires, once for all callers that wait for it. */
function tokens({ requests, facts }: History): string[] {
  const { spec } = facts;
  const isTroubled =
    spec.faults.some(({ call, what }) => call === 'exchange' || what === 'denied' || what === 'slow') ||
    spec.outages.length > 0 ||
    spec.stalls.length > 0 ||
    spec.keyRevokedAtMs !== null ||
    spec.latencyMs > SLOW_MS;
  const found: string[] = [];
  // A token that expires in transit was valid when main sent the request.
  const stale = requests.filter(({ request, observed }) => {
    const token = facts.world.tokens.find(({ value }) => request.headers['authorization'] === `Bearer ${value}`);
    return observed.kind === 'denied' && request.atMs >= (token?.expiresAt ?? Infinity);
  });
  if (stale.length > 0 && !excuse('late tokens', isTroubled))
    found.push(`${stale.length} requests contained an expired token`);
  const exchanges = requests.filter(({ request }) => request.call === 'exchange');
  for (const { request, step } of exchanges) {
    const next = exchanges.find((one) => one.request.on === request.on && one.request.step > request.step)?.request;
    // After two seconds, a process that is short of time may start another exchange.
    const isEarly = next !== undefined && next.step < step && next.atMs - request.atMs < 2_000 - TOLERANCE_MS;
    if (isEarly && !excuse('late tokens', isTroubled)) found.push(`${request.on} exchanged the key twice at once`);
  }
  return found;
}

/** After a 401, main gets a new token and tries again, a limited number of times. */
function endless401({ requests, policy, runs }: History): string[] {
  const timeouts = runs.flatMap(({ stop }) => (stop?.why === 'timeout' ? [stop.atMs - TOLERANCE_MS] : []));
  const rows = new Map<string, { length: number; atMs: number }>();
  const found = new Set<string>();
  for (const { request, observed, atMs } of requests) {
    const most = { trigger: 3, list: 3, read: 2 }[request.call as string];
    const key = `${request.on} ${request.call} ${request.subject}`;
    const row = rows.get(key);
    // The count starts over with the next scheduled read, and with a read that confirms another cancel.
    if (request.call === 'cancel') rows.delete(`${request.on} read ${request.subject}`);
    // The counts also start over after a key exchange that returns no token.
    if (request.call === 'exchange' && observed.kind !== 'token') rows.clear();
    const beforeMs = row?.atMs ?? 0;
    const isLast = timeouts.some((dueMs) => beforeMs < dueMs && request.atMs >= dueMs);
    const isNew = request.call === 'read' && (isLast || request.atMs - beforeMs >= policy.pollMs / 2);
    const length = observed.kind === 'denied' ? (isNew ? 1 : (row?.length ?? 0) + 1) : 0;
    rows.set(key, { length, atMs });
    if (most !== undefined && length > most) found.add(`${key} was sent again after ${most} responses with status 401`);
  }
  return [...found];
}
