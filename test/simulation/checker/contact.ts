import type { Knowledge, ObservedRequest, RunHistory, Stopped } from './history.ts';
import type { Policy } from './policy.ts';
import { TOLERANCE_MS } from './tolerance.ts';

/** A read that was not let in is followed at once by the same with a new token: only that one counts. */
function isFollowed(
  observedRequests: ObservedRequest,
  reads: readonly ObservedRequest[],
  { pollMs }: Policy,
): boolean {
  const { atMs } = observedRequests;
  return (
    observedRequests.observed.kind === 'denied' &&
    reads.some(({ request }) => request.atMs >= atMs && request.atMs < atMs + pollMs / 2)
  );
}

interface Contact {
  readonly reads: readonly ObservedRequest[];
  readonly exchanges: readonly ObservedRequest[];
  readonly knowledge: Knowledge;
  readonly stop: Stopped | undefined;
  /** A run that was given by its id: it may not exist at all. */
  readonly isAttached: boolean;
}

/**
 * Three rejections of the key over a minute are final. A run may be told of one that another run has heard of, up to two
 * seconds earlier.
 */
const KEY_REJECTED_FOR_MS = 58_000;

/** Three refusals or three empty answers in a row, no good answer for too long, or a key that stays rejected. */
export function lostContact(
  { reads, exchanges, knowledge, stop, isAttached }: Contact,
  policy: Policy,
): RunHistory['lost'] {
  if (knowledge.is !== 'known') return { may: false, must: false, step: Infinity, atMs: Infinity };
  const before = ({ atMs }: ObservedRequest): boolean => atMs <= (stop?.atMs ?? Infinity) + TOLERANCE_MS;
  const attempts = [...reads, ...exchanges]
    .filter(({ step }) => step > knowledge.step)
    .filter(
      (observedRequests) =>
        observedRequests.observed.kind !== 'nothing' &&
        before(observedRequests) &&
        !isFollowed(observedRequests, reads, policy),
    )
    .sort((a, b) => a.step - b.step);
  let goodAtMs = knowledge.atMs;
  let [may, must] = [false, false];
  let [step, at] = [Infinity, Infinity];
  let rejectedAtMs = Infinity;
  const row = { kind: '', lenient: 0, strict: 0 };
  let [bad, badAtMs, isUnseen] = [0, -Infinity, isAttached];
  for (const { request, observed, atMs, step: observedStep } of attempts) {
    if (observed.kind === 'row') {
      goodAtMs = atMs;
      [bad, badAtMs, isUnseen] = [0, -Infinity, false];
      rejectedAtMs = Infinity;
      Object.assign(row, { kind: '', lenient: 0, strict: 0 });
      continue;
    }
    if (request.call === 'exchange' && observed.kind === 'token') continue;
    // Two that fail within an interval belong to reads of two runs: an exchange does not show which run it is for.
    if (request.atMs - badAtMs >= 0.9 * policy.pollMs) {
      bad += 1;
      badAtMs = request.atMs;
    }
    // Where reads are rarer than that, one that fails is no outage yet.
    const isOut = bad > 1 && atMs - goodAtMs >= policy.maxOutageMs - TOLERANCE_MS;
    const same = observed.kind === row.kind && request.call === 'read';
    if (request.call === 'read') {
      row.strict = same ? row.strict + 1 : 1;
      row.lenient = same ? row.lenient + 1 : 1;
      row.kind = observed.kind;
    } else {
      row.strict = 0;
    }
    const counts = row.kind === 'no' || row.kind === 'none';
    if (observed.kind === 'refused') rejectedAtMs = Math.min(rejectedAtMs, atMs);
    const isKeyWrong =
      observed.kind === 'refused' && atMs - rejectedAtMs >= KEY_REJECTED_FOR_MS - TOLERANCE_MS;
    const isNowhere = isUnseen && observed.kind === 'none';
    if (isNowhere && atMs < (stop?.atMs ?? Infinity) - TOLERANCE_MS) must = true;
    if (isOut || isNowhere || isKeyWrong || (counts && row.lenient >= 3)) {
      may = true;
      step = Math.min(step, observedStep);
      at = Math.min(at, atMs);
    }
    if (
      request.call === 'read' &&
      counts &&
      row.strict >= 3 &&
      atMs < (stop?.atMs ?? Infinity) - TOLERANCE_MS
    ) {
      must = true;
    }
  }
  return { may, must, step, atMs: at };
}
