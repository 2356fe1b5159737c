// When main may or must consider a run out of contact, because of consecutive bad reads or the time that they span.
import type { Instant } from '../model/facts.ts';
import type { BareRun, ObservedRequest, Outline } from './history.ts';
import { NEVER, TOLERANCE_MS } from './time.ts';

/** Contact ends after this many consecutive refusals or empty responses, or this many key rejections over this time. */
const IN_A_ROW = 3;
const KEY_REJECTED_FOR_MS = 60_000;
/** How long runs that wait without a token share one rejection, in milliseconds. */
const SHARED_FOR_MS = 2_000;
/** The lifetime of a token whose grant contains no plausible lifetime, in seconds. */
const DOCUMENTED_TTL_S = 3_600;
const LONGEST_TTL_S = 86_400;

/** A run may be out of contact from this instant on, and must be out of contact from `must` on. */
export interface Lost extends Instant {
  readonly must: Instant;
}

/** When main lost contact with a run. The run may not exist if the workflow specified it by its id. */
export function lostContact(
  { facts, policy, requests }: Outline,
  { reads, knowledge }: Pick<BareRun, 'reads' | 'knowledge'>,
): Lost {
  const mains = requests.filter(({ request }) => request.on === 'main');
  let lost: Lost = { ...NEVER, must: NEVER };
  if (knowledge.is !== 'known') return lost;
  // Main repeats a read at once with a new token after a 401, so only the second read counts.
  const isRepeated = ({ observed, atMs }: ObservedRequest): boolean =>
    observed.kind === 'denied' &&
    reads.some(({ request }) => request.atMs >= atMs && request.atMs < atMs + policy.pollMs / 2);
  const attempts = mains.filter(
    (one) =>
      (reads.includes(one) || one.request.call === 'exchange') &&
      one.step > knowledge.step &&
      !['nothing', 'token'].includes(one.observed.kind) &&
      !isRepeated(one),
  );
  let goodAtMs = knowledge.atMs;
  let isUnseen = facts.spec.mode === 'attach';
  // An exchange does not show which run it serves, so it may interrupt a series of bad reads or belong to another run.
  let [bad, badAtMs, kind, strict, lenient] = [0, -Infinity, '', 0, 0];
  let rejectedAtMs: number[] = [];
  for (const attempt of attempts.sort((a, b) => a.step - b.step)) {
    const { request, observed, atMs, step } = attempt;
    if (observed.kind === 'row') {
      goodAtMs = atMs;
      isUnseen = false;
      [bad, badAtMs, kind, strict, lenient] = [0, -Infinity, '', 0, 0];
      rejectedAtMs = [];
      continue;
    }
    // Two reads that fail within one interval belong to different runs.
    if (request.atMs - badAtMs >= 0.9 * policy.pollMs) {
      bad += 1;
      badAtMs = request.atMs;
    }
    const isRead = request.call === 'read';
    const isSame = isRead && observed.kind === kind;
    if (isRead) [kind, lenient] = [observed.kind, isSame ? lenient + 1 : 1];
    strict = isSame ? strict + 1 : isRead ? 1 : 0;
    if (observed.kind === 'refused' && !hasToken(mains, attempt)) rejectedAtMs.push(atMs);
    const isNowhere = isUnseen && observed.kind === 'none';
    const isRow = kind === 'no' || kind === 'none';
    const isRejected =
      observed.kind === 'refused' &&
      rejectedAtMs.length >= IN_A_ROW &&
      atMs - (rejectedAtMs[0] ?? 0) >= KEY_REJECTED_FOR_MS - SHARED_FOR_MS - TOLERANCE_MS;
    // If the time between two reads exceeds `max-outage`, a single failed read is not yet an outage.
    const isOut = bad > 1 && atMs - goodAtMs >= policy.maxOutageMs - TOLERANCE_MS;
    const may = isOut || isNowhere || isRejected || (isRow && lenient >= IN_A_ROW);
    const must = isNowhere || (isRead && isRow && strict >= IN_A_ROW);
    if (may && atMs < lost.atMs) lost = { ...lost, step, atMs };
    if (must && atMs < lost.must.atMs) lost = { ...lost, must: { step, atMs } };
  }
  return lost;
}

/** Whether main's last token was still valid, neither expired nor refused, when the service rejected an exchange. */
function hasToken(mains: readonly ObservedRequest[], { step, atMs }: ObservedRequest): boolean {
  const granted = mains.findLast((one) => one.observed.kind === 'token' && one.step < step);
  if (granted?.observed.kind !== 'token') return false;
  const { token } = granted.observed;
  const isDenied = mains.some(
    ({ request, observed, step: at }) =>
      observed.kind === 'denied' && at <= step && request.headers['authorization'] === `Bearer ${token}`,
  );
  const seconds = Number(/"ttl_seconds":([0-9.e+]+)/.exec(granted.request.text)?.[1] ?? 0);
  const ttlS = seconds > 0 && seconds <= LONGEST_TTL_S ? seconds : DOCUMENTED_TTL_S;
  return !isDenied && atMs < granted.request.atMs + ttlS * 1_000 - TOLERANCE_MS;
}
