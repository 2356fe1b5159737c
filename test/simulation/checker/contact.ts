import type { Knowledge, ObservedRequest, RunHistory, Stopped } from './history.ts';
import type { Policy } from './policy.ts';
import { Rejections } from './rejections.ts';
import { TOLERANCE_MS } from './tolerance.ts';

/** A read that was not let in is followed at once by the same with a new token: only that one counts. */
function isFollowed(observedRequests: ObservedRequest, reads: readonly ObservedRequest[], { pollMs }: Policy): boolean {
  const { atMs } = observedRequests;
  return (
    observedRequests.observed.kind === 'denied' &&
    reads.some(({ request }) => request.atMs >= atMs && request.atMs < atMs + pollMs / 2)
  );
}

interface Contact {
  readonly reads: readonly ObservedRequest[];
  /** All requests of main. */
  readonly mains: readonly ObservedRequest[];
  readonly knowledge: Knowledge;
  readonly stop: Stopped | undefined;
  /** A run that was given by its id: it may not exist at all. */
  readonly isAttached: boolean;
}

/** Three refusals or three empty answers in a row, no valid response for too long, or a key that is rejected for good. */
export function lostContact(
  { reads, mains, knowledge, stop, isAttached }: Contact,
  policy: Policy,
): RunHistory['lost'] {
  const exchanges = mains.filter(({ request }) => request.call === 'exchange');
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
  const rejections = new Rejections(mains);
  let goodAtMs = knowledge.atMs;
  let [may, must] = [false, false];
  let [step, at] = [Infinity, Infinity];
  const row = { kind: '', lenient: 0, strict: 0 };
  let [bad, badAtMs, isUnseen] = [0, -Infinity, isAttached];
  for (const attempt of attempts) {
    const { request, observed, atMs, step: observedStep } = attempt;
    if (observed.kind === 'row') {
      rejections.reset();
      goodAtMs = atMs;
      [bad, badAtMs, isUnseen] = [0, -Infinity, false];
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
    const isNowhere = isUnseen && observed.kind === 'none';
    if (isNowhere && atMs < (stop?.atMs ?? Infinity) - TOLERANCE_MS) must = true;
    const isRejected = observed.kind === 'refused' && rejections.add(attempt);
    if (isOut || isNowhere || isRejected || (counts && row.lenient >= 3)) {
      may = true;
      step = Math.min(step, observedStep);
      at = Math.min(at, atMs);
    }
    if (request.call === 'read' && counts && row.strict >= 3 && atMs < (stop?.atMs ?? Infinity) - TOLERANCE_MS) {
      must = true;
    }
  }
  return { may, must, step, atMs: at };
}
